package render_test

import (
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/render"
	"github.com/seed-3db51b0e/precis/thread"
)

// A model without the tool is told of it nowhere: not in a text that a plan made, and not in the
// arguments of a call that it cut. The message that was cut is named all the same.
//
// SPEC: B8
func TestNoToolThatIsNotThere(t *testing.T) {
	call := message.Message{Role: message.Assistant, Parts: []message.Part{{
		Kind: message.Call, CallID: "c", Name: "write", Args: `{"content":"a\n…[180 lines left out; precis_read(\"#13\") returns all]"}`, Edited: true,
	}}}
	th, err := thread.New(thread.Extend("", []message.Message{call}))
	if err != nil {
		t.Fatal(err)
	}
	out := render.Result{Messages: []message.Message{call}, Origins: []render.Origin{{First: 0, Record: &plan.Record{}}}}
	ms, changed := render.WithoutRecall(th, nil, "precis_read", out)
	if len(changed) != 1 || !strings.Contains(ms[0].Parts[0].Args, `…[180 lines left out of #13]"}`) || !strings.Contains(out.Messages[0].Parts[0].Args, "precis_read") {
		t.Errorf("changed %v: %s", changed, ms[0].Parts[0].Args)
	}
	out.Origins[0].Record = nil
	if ms, changed = render.WithoutRecall(th, nil, "precis_read", out); len(changed) > 0 || ms[0].Parts[0].Args != call.Parts[0].Args {
		t.Error("what the agent wrote itself was changed")
	}
}
