package strategy

import (
	"context"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/tool"
)

// Clear leaves of a result its tool, outcome and key fields, where
// the tool's durability allows it. A result that cannot be had again
// is left alone; so is a replayable one whose source drifted or cannot be
// checked: what a file read showed stays, unless the tool declared
// what it read and the file is still that.
type Clear struct {
	Above int // tokens from which clearing is worth a placeholder
}

// Name implements Strategy.
func (Clear) Name() string { return "clear" }

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
		reason, ok := v.clearable(env)
		return Proposal{Strategy: s.Name(), Saves: size - 12, Reason: reason}, ok
	})
}

// clearable reports whether a placeholder may stand for the result as its source is
// now, and why.
func (v *View) clearable(env tool.Envelope) (reason string, ok bool) {
	reason = "old result of " + env.Tool
	d := tool.Resolve(env, v.Tools).Durability
	if d != tool.Replayable {
		return reason, d.Clearable()
	}
	if env.Determinism == nil || v.Source == nil {
		return reason, false
	}
	return reason + ", its source unchanged", d.Now(env.Determinism, v.Source(env)).Clearable()
}

// envelope reads the result at part n of entry i together with its call.
func (v *View) envelope(i, n int) tool.Envelope {
	p := v.T.At(i).Message.Parts[n-1]
	call, _ := v.CallOf(i, n)
	call.Name = v.toolName(i, n)
	return tool.OfWith(call, &p, v.Tools)
}

// Execute implements Strategy.
func (s Clear) Execute(_ context.Context, v *View, p Proposal) (Result, error) {
	_, i := v.part(p.Span)
	env := v.envelope(i, p.Span.Part)
	return Result{Record: plan.Record{
		Action: plan.Clear, Span: p.Span, Tool: env.Tool, Outcome: string(env.Outcome), Fields: env.KeyFields,
		Strategy: p.Strategy, Reason: p.Reason,
	}}, nil
}
