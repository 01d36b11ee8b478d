package extract

import (
	"slices"
	"strconv"
	"strings"

	"github.com/seed-3db51b0e/precis/summary"
)

// stepsDone marks the steps of the agent's own list that it says are done, in a lowered sentence. A list of
// an earlier summary ends with the task that it was for.
func (m *telling) stepsDone(low string) {
	numbers := numbersDone(low)
	if len(numbers) == 0 {
		return
	}
	steps := m.out.Plan
	if len(steps) == 0 && m.out.Task == nil {
		steps = slices.Clone(m.planned)
	}
	for _, n := range numbers {
		if n >= 1 && n <= len(steps) && steps[n-1].Said {
			steps[n-1].Status = summary.Done
			m.out.Plan = steps
		}
	}
}

// numbersDone returns the numbers of the steps that a lowered sentence begins by saying are done.
func numbersDone(low string) (numbers []int) {
	said := strings.Fields(low)
	if len(said) < 3 || said[0] != "step" && said[0] != "steps" {
		return nil
	}
	said = said[1:]
	for len(said) > 0 {
		word := bareWord(said[0])
		from, to, isRange := strings.Cut(word, "-")
		first, err := strconv.Atoi(from)
		switch {
		case err == nil && isRange:
			last, _ := strconv.Atoi(to)
			for n := first; n <= last && len(numbers) < maxPlanSteps; n++ {
				numbers = append(numbers, n)
			}
		case err == nil:
			numbers = append(numbers, first)
		case !joiningNumbers[word]:
			return ended(said, numbers)
		}
		said = said[1:]
	}
	return nil
}

// ended returns the numbers where what is said of them is that they are done, and not when they will be.
func ended(said []string, numbers []int) []int {
	for i, w := range said {
		switch w = bareWord(w); {
		case doneWords[w] && (i+1 == len(said) || !untilThen[said[i+1]]):
			return numbers
		case !beforeDone[w]:
			return nil
		}
	}
	return nil
}
