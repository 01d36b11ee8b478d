package plan_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/thread"
)

// forked returns two conversations of 2n tool rounds that share the first half, and a plan of the
// first with a record of its own on each result there.
func forked(t testing.TB, n int) (p *plan.Plan, from, to *thread.Thread) {
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

// Four times the conversation is carried with little more than four times the work, counted in
// allocations: what each record tells is held against an index of what was said, which is made once.
//
// SPEC: V10
func TestCarryIsLinear(t *testing.T) {
	work := func(n int) float64 {
		p, from, to := forked(t, n)
		return testing.AllocsPerRun(1, func() { carry(t, p, from, to) })
	}
	const n, most = 200, 5
	if one, four := work(n), work(4*n); four > most*one {
		t.Errorf("%d rounds took %.0f allocations, %d took %.0f", n, one, 4*n, four)
	}
}

// What a scan of a text costs is no allocation: the time of one round tells that.
func BenchmarkCarry(b *testing.B) {
	for _, n := range []int{500, 2_000, 8_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			p, from, to := forked(b, n)
			b.ReportAllocs()
			for b.Loop() {
				carry(b, p, from, to)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/round")
		})
	}
}

// carry carries a plan of which nothing is lost.
func carry(t testing.TB, p *plan.Plan, from, to *thread.Thread) {
	if carried, err := plan.Carry(p, from, to); err != nil || len(carried.Records) != len(p.Records) {
		t.Fatal(carried, err)
	}
}
