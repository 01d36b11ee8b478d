package render_test

import (
	"errors"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/render"
	"github.com/seed-3db51b0e/precis/thread"
)

// Of a log whose rounds are complete, a plan that Build takes gives a prompt
// whose rounds are complete; one that it refuses as splitting a round does not.
//
// SPEC: V3
func TestBuiltPlansKeepRounds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		th := rounds(rt)
		actions := []plan.Action{plan.Replace, plan.Clear, plan.Summarize, plan.Externalize, plan.Drop}
		var p plan.Plan
		for range rapid.IntRange(1, 4).Draw(rt, "records") {
			from := rapid.IntRange(0, th.Len()-1).Draw(rt, "from")
			r := plan.Record{Action: rapid.SampledFrom(actions).Draw(rt, "action"), Text: "x", Artifact: "a1", Orphan: rapid.IntRange(0, 9).Draw(rt, "orphan") == 0}
			if parts := len(th.At(from).Message.Parts); rapid.Bool().Draw(rt, "part") {
				r.Span = plan.Span{IDs: []thread.ID{th.At(from).ID}, Part: rapid.IntRange(1, parts).Draw(rt, "n")}
			} else {
				for i := from; i < min(th.Len(), from+rapid.IntRange(1, 4).Draw(rt, "length")); i++ {
					r.Span.IDs = append(r.Span.IDs, th.At(i).ID)
				}
			}
			p.Records = append(p.Records, r)
		}
		built, err := plan.Build(p, th)
		split := errors.Is(err, plan.ErrSplitRound)
		if split {
			built, err = plan.Rebuild(p, th)
		}
		if err != nil {
			rt.Fatal(err)
		}
		if alone := unpaired(render.Prompt(th, built, nil).Messages); (alone != "") != split {
			rt.Fatalf("refused: %v, in the prompt alone: %q", split, alone)
		}
	})
}

// rounds is a log of complete rounds, whose ids are used once.
func rounds(rt *rapid.T) *thread.Thread {
	var ms []message.Message
	for i := range rapid.IntRange(1, 3).Draw(rt, "rounds") {
		call := message.Message{Role: message.Assistant, Parts: []message.Part{{Kind: message.Text, Text: "so"}}}
		var results []message.Message
		for n := range rapid.IntRange(1, 3).Draw(rt, "calls") {
			id := fmt.Sprint(i, ".", n)
			call.Parts = append(call.Parts, message.Part{Kind: message.Call, CallID: id, Name: "sh", Args: "{}"})
			result := message.Part{Kind: message.Result, CallID: id, Parts: []message.Part{{Kind: message.Text, Text: "ok"}}}
			if n > 0 && rapid.Bool().Draw(rt, "same message") {
				results[len(results)-1].Parts = append(results[len(results)-1].Parts, result)
			} else {
				results = append(results, message.Message{Role: message.Tool, Parts: []message.Part{result}})
			}
		}
		ms = append(append(ms, message.TextOf(message.User, "go on"), call), results...)
	}
	th, err := thread.New(thread.Extend("", ms))
	if err != nil {
		rt.Fatal(err)
	}
	return th
}

// unpaired is the id of a call or a result that stands alone, "" for none.
func unpaired(ms []message.Message) string {
	open := map[string]bool{}
	for i := range ms {
		for _, p := range ms[i].Parts {
			switch {
			case p.Kind == message.Call:
				open[p.CallID] = true
			case p.Kind == message.Result && !open[p.CallID]:
				return p.CallID
			case p.Kind == message.Result:
				delete(open, p.CallID)
			}
		}
	}
	for id := range open {
		return id
	}
	return ""
}
