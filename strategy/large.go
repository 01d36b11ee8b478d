package strategy

import (
	"context"

	"github.com/seed-3db51b0e/precis/message"
)

// previewLarge previews the one text that alone is more than half of the budget, in a
// request whose rest is within the target. A summary in its place would leave the room
// empty.
type previewLarge struct {
	relevance *Relevance
	fill      int // of cutParts
}

func (previewLarge) Name() string { return "preview" }

func (s previewLarge) Analyze(v *View) []Proposal {
	return eachPart(v, Recent, func(_, _ int, p message.Part) (Proposal, bool) {
		if p.Kind == message.Result && hasMedia(p) || p.Kind != message.Result && p.Kind != message.Text {
			return Proposal{}, false
		}
		size := v.Meter.Part(p)
		to := s.room(v, size)
		return Proposal{Strategy: s.Name(), Saves: size - to, Reason: "one message is most of the prompt"},
			size > v.Limits.Budget/2 && to > v.Limits.Budget/8
	})
}

// room returns how many tokens a part of that size keeps: what the target leaves, and a
// quarter of the budget at most.
func (previewLarge) room(v *View, size int) int {
	const slack = 32 // of a cut between lines
	return min(v.Target-(v.Total()-size)-slack, v.Limits.Budget/4)
}

func (s previewLarge) Execute(ctx context.Context, v *View, p Proposal) (Result, error) {
	part, _ := v.part(p.Span)
	return cutParts{Recent, s.room(v, v.Meter.Part(part)), s.fill, s.relevance}.Execute(ctx, v, p)
}
