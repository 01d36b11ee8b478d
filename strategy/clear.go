package strategy

import (
	"context"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/tool"
)

// Clear leaves of a result its tool, outcome and key fields (SPEC L7), where
// the tool's durability allows it (SPEC L8): a result that cannot be had again
// is left alone.
type Clear struct {
	Order int
	Above int // tokens from which clearing is worth a placeholder
}

// Name implements Strategy.
func (Clear) Name() string { return "clear" }

// Aggressiveness implements Strategy.
func (s Clear) Aggressiveness() int { return s.Order }

// Analyze implements Strategy.
func (s Clear) Analyze(v *View) []Proposal {
	return eachPart(v, Old, func(i, n int, p message.Part) (Proposal, bool) {
		if p.Kind != message.Result || v.Acted(i, n) {
			return Proposal{}, false
		}
		size := v.Meter.Part(p)
		if size < s.Above {
			return Proposal{}, false
		}
		env := v.envelope(i, n)
		return Proposal{Strategy: s.Name(), Saves: size - 12, Reason: "old result of " + env.Tool},
			tool.Resolve(env, nil).Durability.Clearable()
	})
}

// envelope reads the result at part n of entry i together with its call.
func (v *View) envelope(i, n int) tool.Envelope {
	p := v.T.At(i).Message.Parts[n-1]
	call, _ := v.CallOf(i, n)
	if call.Name == "" {
		call.Name = firstOf(p.Name, "tool")
	}
	return tool.Of(call, &p)
}

// Execute implements Strategy.
func (s Clear) Execute(_ context.Context, v *View, p Proposal) (Made, error) {
	_, i := v.part(p.Span)
	env := v.envelope(i, p.Span.Part)
	return Made{Record: plan.Record{
		Action: plan.Clear, Span: p.Span, Tool: env.Tool, Outcome: string(env.Outcome), Fields: env.KeyFields,
		Strategy: p.Strategy, Reason: p.Reason,
	}}, nil
}
