package strategy

import (
	"context"
	"strings"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
)

// Preview leaves an excerpt of large results and texts with a pointer to the
// whole.
type Preview struct {
	// Above is the size, in tokens, from which a part is cut; To is what stays.
	Above, To int
	From      Zone // entries of this zone and freer
	// Texts includes what assistant and user said, not only results.
	Texts     bool
	Relevance *Relevance
}

// Name implements Strategy.
func (Preview) Name() string { return "preview" }

// Analyze implements Strategy.
func (s Preview) Analyze(v *View) []Proposal {
	return eachPart(v, s.From, func(i, n int, p message.Part) (Proposal, bool) {
		if p.Kind != message.Result && (!s.Texts || p.Kind != message.Text) {
			return Proposal{}, false
		}
		if p.Kind == message.Result && hasMedia(p) {
			return Proposal{Strategy: s.Name(), Saves: v.Meter.Part(p), Reason: "media in an old result"}, true
		}
		size, over := v.exceeds(p.Body(), s.Above)
		return Proposal{Strategy: s.Name(), Saves: size - s.To, Reason: "old and large"}, over
	})
}

func hasMedia(p message.Part) bool { return media(p) > 0 }

// Execute implements Strategy.
func (s Preview) Execute(_ context.Context, v *View, p Proposal) (Result, error) {
	part, i := v.part(p.Span)
	return Result{Record: replacement(p, plan.Preview, preview(v, s.Relevance, part, i, s.To))}, nil
}

// preview is an excerpt of a part in about limit tokens, pointer included.
func preview(v *View, relevance *Relevance, p message.Part, i, limit int) string {
	text := p.Body()
	kept, left := excerpt(text, limit-pointerTokens, v.Meter.Text, relevance)
	var b strings.Builder
	b.WriteString(kept)
	if b.Len() > 0 {
		b.WriteByte('\n')
	}
	if n := media(p); n > 0 {
		b.WriteString(v.Limits.pointer(i, n, "media items"))
	} else {
		b.WriteString(v.Limits.pointer(i, left, "lines"))
	}
	return b.String()
}

func media(p message.Part) (n int) {
	for i := range p.Parts {
		if p.Parts[i].Kind != message.Text {
			n++
		}
	}
	return n
}
