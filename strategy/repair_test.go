package strategy_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/render"
	"github.com/seed-3db51b0e/precis/strategy"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/token"
)

// Whatever records take messages out of the prompt, and as carried to a branch or
// given back by an undo they may split rounds, the repairs make a plan that Build
// takes.
//
// SPEC: V3, V11
func TestRepairsMendSplitRounds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		ids := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c"}), 1, 3, rapid.ID[string])
		var ms []message.Message
		for i := range rapid.IntRange(1, 4).Draw(rt, "rounds") {
			call := message.Message{Role: message.Assistant}
			ms = append(ms, message.TextOf(message.User, fmt.Sprint("go on ", i)))
			for _, id := range ids.Draw(rt, "calls") {
				call.Parts = append(call.Parts, message.Part{Kind: message.Call, CallID: id, Name: "sh", Args: "{}"})
			}
			ms = append(ms, call)
			for _, id := range ids.Draw(rt, "results") {
				ms = append(ms, message.Message{Role: message.Tool, Parts: []message.Part{{Kind: message.Result, CallID: id, Parts: []message.Part{{Kind: message.Text, Text: "ok"}}}}})
			}
		}
		th, err := thread.New(thread.Extend("", ms))
		if err != nil {
			rt.Fatal(err)
		}
		var p plan.Plan
		for i := range th.Len() {
			if a := rapid.SampledFrom([]plan.Action{"", "", plan.Summarize, plan.Externalize, plan.Drop}).Draw(rt, "action"); a != "" {
				p.Records = append(p.Records, plan.Record{Action: a, Text: "x", Span: plan.Span{IDs: []thread.ID{th.At(i).ID}}})
			}
		}
		built, err := plan.Rebuild(p, th)
		if err != nil {
			rt.Fatal(err)
		}
		d := strategy.NewDraft(th, built, render.StyleOf("ladder"), token.Truncate(), 0)
		strategy.Reconcile(d, true)
		if _, err := plan.Build(plan.Plan{Records: d.Records()}, th); err != nil {
			rt.Fatal(err)
		}
	})
}
