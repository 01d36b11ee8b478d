package plan_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/thread"
)

// forked returns two conversations of 2n tool rounds that share the first half, and a plan of the
// first with a record of its own on each result there.
func forked(t *testing.T, n int) (p *plan.Plan, from, to *thread.Thread) {
	t.Helper()
	history := func(other string) *thread.Thread {
		ms := []message.Message{message.TextOf(message.User, "go")}
		for i := range 2 * n {
			name, id := fmt.Sprintf("file_%d.go", i), fmt.Sprint("c", i)
			if i >= n {
				name = other + name
			}
			body := message.Part{Kind: message.Text, Text: name + " is here, and others of its kind stand beside it with their tests"}
			ms = append(ms, message.Message{Role: message.Assistant, Parts: []message.Part{{Kind: message.Call, CallID: id, Name: "bash", Args: `{"command":"ls ` + name + `"}`}}},
				message.Message{Role: message.Tool, Parts: []message.Part{{Kind: message.Result, CallID: id, Parts: []message.Part{body}}}})
		}
		th, err := thread.New(thread.Extend("", ms))
		if err != nil {
			t.Fatal(err)
		}
		return th
	}
	from, to = history("one_"), history("another_")
	var rs []plan.Record
	for i := range n {
		id := from.ID(2*i + 2)
		rs = append(rs, plan.Record{
			Action: plan.Externalize, Span: plan.Span{IDs: []thread.ID{id}, Part: 1}, Artifact: fmt.Sprint("art", i), Text: fmt.Sprintf("ls file_%d.go", i),
			Summary: json.RawMessage(fmt.Sprintf(`{"from":{"id":"%s"},"tool_outcomes":[{"tool":"bash","outcome":"success"}]}`, id)),
		})
	}
	p, err := plan.Build(plan.Plan{Base: from.Tip(), Records: rs}, from)
	if err != nil {
		t.Fatal(err)
	}
	return p, from, to
}

// Four times the conversation is carried in little more than four times the time: what each record
// tells is not looked for in all that was said.
//
// SPEC: V10
func TestCarryIsLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures time")
	}
	took := func(n int) time.Duration {
		p, from, to := forked(t, n)
		best := time.Duration(1 << 62)
		for range 3 {
			at := time.Now()
			carried, err := plan.Carry(p, from, to)
			if err != nil || len(carried.Records) != n {
				t.Fatal(carried, err)
			}
			best = min(best, time.Since(at))
		}
		return best
	}
	const n, most = 500, 9
	if one, four := took(n), took(4*n); four > most*one {
		t.Errorf("%d rounds took %v, %d took %v", n, one, 4*n, four)
	}
}
