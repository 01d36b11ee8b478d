package precis_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/store/memory"
	"pgregory.net/rapid"
)

// Where the provider takes a result anywhere after its call, one that stands apart stays
// as it came while both are in the prompt; where a plan takes one of the two out, the
// other is repaired, and the prompt fits. A new engine sends the same.
//
// SPEC: V4, V5, V9, V11
func TestCallsApartStay(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		opts := precis.Options{Policy: policyOf(t, rapid.SampledFrom(policy.Names()).Draw(rt, "policy")), Store: memory.New()}
		lasting := newWith(t, opts)
		opts.Store = memory.New()
		budget := rapid.SampledFrom([]int{700, 2_000, 40_000}).Draw(rt, "budget")
		ms := []message.Message{message.TextOf(message.User, "the task")}
		var open []string
		answer := func(i int) {
			out := words(strings.Repeat("out of "+open[i]+"\n", rapid.IntRange(1, 40).Draw(rt, "lines")))
			ms = append(ms, answers(open[i], out))
			open = slices.Delete(open, i, i+1)
		}
		for n := range rapid.IntRange(4, 30).Draw(rt, "messages") {
			switch rapid.IntRange(0, 4).Draw(rt, "next") {
			case 0, 1:
				id := fmt.Sprint("c", n)
				ms, open = append(ms, says(words("step "+id), asks(id, `{"command":"`+strings.Repeat("x ", n%7*9)+`"}`))), append(open, id)
			case 2:
				ms = append(ms, message.TextOf(message.User, fmt.Sprintf("question %d of the user %s", n, strings.Repeat("and more ", n%5*10))))
			default:
				if len(open) > 0 {
					answer(rapid.IntRange(0, len(open)-1).Draw(rt, "which"))
				}
			}
			if rapid.IntRange(0, 2).Draw(rt, "send") > 0 {
				continue
			}
			for len(open) > 0 { // a request has the results of all calls
				answer(0)
			}
			in := request("t", slices.Clone(ms), budget)
			in.Client.CallsApart = true
			a, errA := lasting.Prepare(t.Context(), in)
			b, errB := preparedAnew(rt, opts, in)
			if errA != nil || errB != nil {
				rt.Fatalf("lasting: %v; fresh: %v", errA, errB)
			}
			if !cmp.Equal(a.Messages, b.Messages, cmpopts.EquateEmpty()) {
				rt.Fatalf("other prompts: %s, %s", show(a), show(b))
			}
			if a.Compacted > budget {
				rt.Fatalf("%d of %d tokens", a.Compacted, budget)
			}
			if bad := unpaired(a.Messages); bad != "" {
				rt.Fatalf("%s\n%s", bad, show(a))
			}
			if a.Plan == nil != slices.EqualFunc(a.Messages, in.Messages, func(x, y message.Message) bool { return x.Digest() == y.Digest() }) {
				rt.Fatalf("plan %d, and other messages: %s", planOf(a), show(a))
			}
			if budget == 40_000 && a.Plan != nil {
				rt.Fatalf("%s under plan %d, with room for all: %s", a.Outcome, planOf(a), show(a))
			}
		}
	})
}

// unpaired says which call has no result after it, or which result no call before it; ""
// where there is none.
func unpaired(ms []message.Message) string {
	waiting := map[string]bool{}
	for i, m := range ms {
		for _, p := range m.Parts {
			switch {
			case p.Kind == message.Call && waiting[p.CallID]:
				return fmt.Sprintf("message %d calls as %s again", i, p.CallID)
			case p.Kind == message.Call:
				waiting[p.CallID] = true
			case p.Kind == message.Result && !waiting[p.CallID]:
				return fmt.Sprintf("message %d answers %s, which nothing calls", i, p.CallID)
			case p.Kind == message.Result:
				delete(waiting, p.CallID)
			}
		}
	}
	for id := range waiting {
		return "nothing answers " + id
	}
	return ""
}
