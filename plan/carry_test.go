package plan_test

import (
	"testing"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/thread"
)

// A record finds its part on a branch whose client left thinking out, or put some
// in; one on what is not there is left behind.
//
// SPEC: L2, V2
func TestCarryFindsTheSamePart(t *testing.T) {
	thought := message.Part{Kind: message.Thinking, Text: "hm", Signature: "s"}
	calls := []message.Part{{Kind: message.Call, CallID: "a", Name: "f", Args: `{"x":1}`}, {Kind: message.Call, CallID: "b", Name: "f", Args: `{"x":2}`}}
	history := func(first string, ps ...message.Part) *thread.Thread {
		th, err := thread.New(thread.Extend("", []message.Message{message.TextOf(message.User, first), {Role: message.Assistant, Parts: ps}}))
		if err != nil {
			t.Fatal(err)
		}
		return th
	}
	with, without := history("old", thought, calls[0], message.Part{Kind: message.Text}, calls[1]), history("new", calls...)
	for _, c := range []struct {
		from, to   *thread.Thread
		part, want int
	}{
		{with, without, 2, 1},
		{with, without, 4, 2},
		{with, without, 1, 0},
		{with, without, 3, 0},
		{without, with, 1, 2},
		{without, with, 2, 4},
		{with, history("other", thought, calls[0], message.Part{Kind: message.Text}, calls[1]), 1, 1},
	} {
		ref := plan.Ref{ID: c.from.At(1).ID, Part: c.part}
		p, err := plan.Build(plan.Plan{Records: []plan.Record{{Action: plan.Clear, Span: part(c.from, 1, c.part)}}, Pins: []plan.Ref{ref}, Holds: []plan.Ref{ref}}, c.from)
		if err != nil {
			t.Fatal(err)
		}
		moved, err := plan.Carry(p, c.from, c.to)
		if err != nil {
			t.Fatal(err)
		}
		if c.want == 0 {
			if len(moved.Records)+len(moved.Pins)+len(moved.Holds) > 0 {
				t.Errorf("part %d is not there: %+v", c.part, moved)
			}
			continue
		}
		to := plan.Ref{ID: c.to.At(1).ID, Part: c.want}
		if len(moved.Records) != 1 || moved.Records[0].Span.Part != c.want || moved.Pins[0] != to || moved.Holds[0] != to {
			t.Errorf("part %d went to %+v, want %d", c.part, moved, c.want)
		}
	}
}
