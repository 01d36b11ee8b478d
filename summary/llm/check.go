package llm

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/summary"
)

// maxInventedShare is the share of an answer that may be invented: what is, is dropped
// and the rest stands. More than that and the answer as a whole is not trusted.
const maxInventedShare = 1.0 / 3

// check drops what the span does not hold, items of lists and sentences of the
// narrative, and fails when that is too much or leaves nothing; with tells also
// when it leaves no narrative.
func (p *parser) check(span plan.Span, tells bool) error {
	var first error
	for p.acceptable() {
		err := summary.Verify(p.out, p.t, span)
		if err == nil {
			if summary.Empty(p.out) || tells && p.out.Narrative == "" {
				break
			}
			return nil
		}
		var lie *summary.UnsupportedError
		if !errors.As(err, &lie) {
			return fmt.Errorf("%w: %w", ErrInvented, err)
		}
		p.dropped++
		first = cmp.Or(first, err)
		if !drop(p.out, lie) {
			return fmt.Errorf("%w: %w", ErrInvented, err)
		}
	}
	switch {
	case p.dropped == 0:
		return ErrEmpty
	case first != nil:
		return fmt.Errorf("%d of %d statements: %w: %w", p.dropped, p.items, ErrInvented, first)
	}
	return fmt.Errorf("%d of %d statements: %w", p.dropped, p.items, ErrInvented)
}

func (p *parser) acceptable() bool { return float64(p.dropped) <= maxInventedShare*float64(p.items) }

// drop takes out the item that an error is about; false where it cannot.
func drop(s *summary.Structured, e *summary.UnsupportedError) bool {
	switch e.Section {
	case "narrative":
		return dropSentence(s, e.Value)
	case "last_completed":
		s.LastDone = nil
	case "current_task":
		s.Task = nil
	case "facts":
		s.Facts = slices.Delete(s.Facts, e.Item, e.Item+1)
	case "current_plan":
		s.Plan = slices.Delete(s.Plan, e.Item, e.Item+1)
	case "open_items":
		s.Open = slices.Delete(s.Open, e.Item, e.Item+1)
	case "errors":
		s.Errors = slices.Delete(s.Errors, e.Item, e.Item+1)
	case "files":
		s.Files = slices.Delete(s.Files, e.Item, e.Item+1)
	case "decisions":
		s.Decisions = slices.Delete(s.Decisions, e.Item, e.Item+1)
	case "tool_outcomes":
		s.Outcomes = slices.Delete(s.Outcomes, e.Item, e.Item+1)
	default:
		return false
	}
	return true
}

// dropSentence takes the first sentence that names a value out of a narrative.
func dropSentence(s *summary.Structured, value string) bool {
	for _, x := range sentences(s.Narrative) {
		if strings.Contains(x, value) {
			s.Narrative = prose(strings.Replace(s.Narrative, x, "", 1)) // what follows may begin its line now
			return true
		}
	}
	return false
}

// sentences returns the sentences of a narrative with the space after them.
func sentences(text string) []string {
	var out []string
	start := 0
	for i := 0; i < len(text); i++ {
		ends := text[i] == '\n' || i+1 < len(text) && strings.IndexByte(".!?", text[i]) >= 0 && (text[i+1] == ' ' || text[i+1] == '\n')
		if !ends {
			continue
		}
		for i+1 < len(text) && (text[i+1] == ' ' || text[i+1] == '\n') {
			i++
		}
		out, start = append(out, text[start:i+1]), i+1
	}
	if start < len(text) {
		out = append(out, text[start:])
	}
	return out
}
