package strategy

import (
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/render"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/token"
)

// Request is a request that nothing was left out of yet.
type Request struct {
	Thread *thread.Thread
	Meter  token.Meter
	Budget int // hard cap of the request in tokens
	Fixed  int // what it costs beside its messages, in tokens
}

// ShouldCompact reports whether a policy compacts a request for its size: it is over the
// trigger, and Select finds messages to summarize.
func ShouldCompact(p policy.Policy, r Request) bool {
	tokens := r.Fixed
	for i := range r.Thread.Len() {
		tokens += r.Meter.Message(r.Thread.At(i).Message)
	}
	return p.ShouldCompact(tokens, r.Budget, r.Fixed) && len(Select(p, r).IDs) > 0
}

// Select returns the messages that the first summary of a policy would take the place
// of, whatever the size of the request; the rest stays. None: the span is empty.
func Select(p policy.Policy, r Request) plan.Span {
	d := NewDraft(r.Thread, nil, render.StyleOf(p.Style), r.Meter, r.Fixed)
	v := &View{Draft: d, Limits: LimitsOf(p, r.Budget), Target: p.Target(r.Budget, r.Fixed)}
	v.Zones = ZonesOf(d, v.Limits, p.PinFirst, nil, nil)
	for _, s := range LadderOf(p, r.Budget, NewRelevance(d, r.Budget), summary.Summarizer(nil)) {
		switch s.(type) {
		case SummarizePrefix, Archive, Timeline, Summarize:
			if all := s.Analyze(v); len(all) > 0 {
				return all[0].Span
			}
		}
	}
	return plan.Span{}
}
