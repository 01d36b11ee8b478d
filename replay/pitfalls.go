package replay

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// leastRuns is the number of runs below which an interval says little.
const leastRuns = 20

// leastSteps is the number of steps below which the judges that are asked at some only say
// little.
const leastSteps = 50

// Pitfalls returns what a reader should know before quoting the numbers: those that
// apply to what was asked.
func (c *Comparison) Pitfalls(j Judge) []string {
	out := []string{
		"The recorded agent had everything in view. One that works from a compacted prompt may look things up again, or not need them: recall stands in for success, it is not success.",
		"Runs that a policy was developed on flatter it: keep some apart and look at them once.",
	}
	add := func(applies bool, format string, args ...any) {
		if applies {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	add(len(j.Common) == 0, "No common vocabulary was given (--common): strict also counts names that every project has.")
	add(len(sources(c.Cells)) == 1, "All runs are of one source (%s): another agent, model or kind of work may rank policies differently.", strings.Join(sources(c.Cells), ""))
	c.fewRuns(add)
	c.smallBudgets(add)
	c.overOrInvalid(add)
	c.byPrice(add)
	rare := slices.ContainsFunc(c.Rows, func(r Row) bool { return r.Asked > 0 && r.Asked < leastSteps })
	add(rare, "The judges of reuse, bits, state, redo and rules were asked at fewer than %d steps: ask at more (--every 1) before you believe a point.", leastSteps)
	add(c.has("oracle"), "The oracle sees the future. It is greedy and takes whole messages, so a policy that keeps parts of them may pass it.")
	add(c.has("dropmid40-ledger"), "dropmid40-ledger shows how literal recall is gamed: read sup, and ask what a bare list of values tells a model.")
	add(c.untimed(j), "The records have no times: cached prefixes never expire here, as they would while a person thinks.")
	return out
}

type adder func(applies bool, format string, args ...any)

func (c *Comparison) fewRuns(add adder) {
	seen := map[string]bool{}
	for _, r := range c.Rows {
		key := fmt.Sprintf("%s at %d", r.Source, r.Budget)
		if seen[key] {
			continue
		}
		seen[key] = true
		add(r.Runs == 1, "%s: one run is a case study, without an interval.", key)
		add(r.Runs > 1 && r.Runs < leastRuns, "%s: only %d runs are long enough; the interval says how little that is.", key, r.Runs)
		add(c.endsSoon(r.Source, r.Budget), "%s: half of the runs end within a third of the budget above it; what is compacted near the end of a run is never paid back.", key)
	}
}

// endsSoon reports whether the median run is less than 4/3 of the budget long.
func (c *Comparison) endsSoon(source string, budget int) bool {
	var peaks []int
	for _, l := range c.Cells {
		if l.Source == source && l.Budget == budget {
			peaks = append(peaks, l.None.Peak)
		}
	}
	slices.Sort(peaks)
	return len(peaks) > 0 && peaks[len(peaks)/2]*3 < budget*4
}

const smallBudget = 8192

func (c *Comparison) smallBudgets(add adder) {
	small := slices.ContainsFunc(c.Rows, func(r Row) bool { return r.Budget <= smallBudget })
	add(small, "At %d tokens and less one look at a file is a quarter of the budget: a regime for tests, which nobody deploys.", smallBudget)
}

// overOrInvalid names policies whose prompts are over the budget, or that a provider would refuse.
func (c *Comparison) overOrInvalid(add adder) {
	over, invalid, honest := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, r := range c.Rows {
		if r.Policy == "none" {
			continue
		}
		said := r.Outcomes["impossible"] > 0 && math.Round(float64(r.Over)*float64(r.Active)/100) <= float64(r.Outcomes["impossible"])
		honest[r.Policy] = honest[r.Policy] || said
		over[r.Policy] = over[r.Policy] || r.Over > 0 && !said
		invalid[r.Policy] = invalid[r.Policy] || r.Invalid > 0
	}
	add(len(marked(honest)) > 0, "At some steps the system prompt and the last user message alone are over the budget. %s says so and sends nothing; the whole history is counted there.", strings.Join(marked(honest), ", "))
	add(len(marked(over)) > 0, "Over the budget at some steps: %s. Their recall is bought with room that others do not have: compare at equal peak or equal cost.", strings.Join(marked(over), ", "))
	add(len(marked(invalid)) > 0, "Some prompts would be refused by their provider: %s.", strings.Join(marked(invalid), ", "))
}

// byPrice names policies that save under one price and cost more under another.
func (c *Comparison) byPrice(add adder) {
	both := map[string]bool{}
	for _, r := range c.Rows {
		less := slices.ContainsFunc(r.Cost, func(c Cost) bool { return c.Ratio < 0.99 })
		more := slices.ContainsFunc(r.Cost, func(c Cost) bool { return c.Ratio > 1.01 })
		both[r.Policy] = both[r.Policy] || less && more
	}
	add(len(marked(both)) > 0, "Whether it saves depends on the price of a cached token: %s.", strings.Join(marked(both), ", "))
}

func marked(m map[string]bool) []string {
	var names []string
	for n, yes := range m {
		if yes {
			names = append(names, n)
		}
	}
	slices.Sort(names)
	return names
}

func (c *Comparison) has(policy string) bool {
	return slices.ContainsFunc(c.Rows, func(r Row) bool { return r.Policy == policy })
}

// untimed reports whether a price knows of expiry and the records of no times.
func (c *Comparison) untimed(j Judge) bool {
	timed := slices.ContainsFunc(c.Cells, func(l Cell) bool { return l.None.Timed })
	return !timed && slices.ContainsFunc(j.prices(), func(p Price) bool { return p.Model != nil && p.Model.Cache.TTL > 0 })
}
