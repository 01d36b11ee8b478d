package strategy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/ref"
)

// eachPart collects proposals on parts of entries in zones from zone on, oldest
// first. propose sees each part as the prompt shows it now.
func eachPart(v *View, zone Zone, propose func(i, n int, p message.Part) (Proposal, bool)) []Proposal {
	var out []Proposal
	for i := range v.T.Len() {
		if v.Zones[i] < zone || v.Zones[i] == Held || v.Whole(i) != nil || v.T.At(i).Message.Meta {
			continue
		}
		for n := 1; n <= len(v.T.At(i).Message.Parts); n++ {
			now, ok := v.Now(i, n)
			if !ok {
				continue
			}
			if p, ok := propose(i, n, now); ok {
				p.Span = v.partSpan(i, n)
				out = append(out, p)
			}
		}
	}
	return out
}

// largestFirst orders proposals by what they save, ties oldest first.
func largestFirst(ps []Proposal) []Proposal {
	slices.SortStableFunc(ps, func(a, b Proposal) int { return cmp.Compare(b.Saves, a.Saves) })
	return ps
}

// part is the part a span addresses, as it was logged, and its entry's position.
func (v *View) part(s plan.Span) (message.Part, int) {
	i, _ := v.T.Find(s.IDs[0])
	return v.T.At(i).Message.Parts[s.Part-1], i
}

func replacement(p Proposal, how plan.ReplaceKind, text string) plan.Record {
	return plan.Record{Action: plan.Replace, Kind: how, Span: p.Span, Text: text, Strategy: p.Strategy, Reason: p.Reason}
}

// pointer says how much of the entry at position i is left out, in units of a name in the plural,
// and which call returns all of it.
func (l Limits) pointer(i, left int, unit string) string {
	if left == 1 {
		unit = strings.TrimSuffix(unit, "s")
	}
	return fmt.Sprintf("[%d %s left out; %s(\"%s\") returns all]", left, unit, l.Recall, ref.Message(i+1))
}
