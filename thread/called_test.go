package thread_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/thread"
)

// However a thread grew, it knows the first call of each id, where an id came
// again, and its system messages.
func TestCalls(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var ms []message.Message
		for range rapid.IntRange(0, 30).Draw(t, "messages") {
			m := message.Message{Role: rapid.SampledFrom([]message.Role{message.Assistant, message.System}).Draw(t, "role")}
			for range rapid.IntRange(0, 2).Draw(t, "parts") {
				kind := rapid.SampledFrom([]message.Kind{message.Call, message.Text}).Draw(t, "kind")
				m.Parts = append(m.Parts, message.Part{Kind: kind, CallID: rapid.StringMatching(`[a-t]{0,2}`).Draw(t, "id")})
			}
			ms = append(ms, m)
		}
		th := new(thread.Thread)
		for es := thread.Extend("", ms); len(es) > 0; {
			n := rapid.IntRange(1, len(es)).Draw(t, "piece")
			var err error
			if th, err = th.Append(es[:n]); err != nil {
				t.Fatal(err)
			}
			es = es[n:]
		}
		first, again := map[string]int{}, th.Len()
		var systems []int
		for i := range ms {
			if ms[i].Role == message.System {
				systems = append(systems, i)
			}
			for _, n := range ms[i].Calls() {
				id := ms[i].Parts[n].CallID
				if _, used := first[id]; used || id == "" {
					again = min(again, i)
				} else {
					first[id] = i
				}
			}
		}
		if !slices.Equal(th.Systems(), systems) {
			t.Errorf("system messages at %v, not %v", th.Systems(), systems)
		}
		if th.FirstReuse() != again {
			t.Errorf("an id comes again at %d, not %d", th.FirstReuse(), again)
		}
		for id, want := range first {
			if at, ok := th.Called(id); !ok || at != want {
				t.Errorf("%q was first called at %d (%v), not %d", id, at, ok, want)
			}
		}
		if at, ok := th.Called("none"); ok {
			t.Errorf("no such call, yet at %d", at)
		}
	})
}

// The id of a call that its provider gave none may come again: that is no reuse.
//
// SPEC: B27
func TestDerivedIDsComeAgain(t *testing.T) {
	call := message.Message{Role: message.Assistant, Parts: []message.Part{{Kind: message.Call, CallID: message.DerivedID("read-0"), Name: "read"}}}
	result := message.Message{Role: message.User, Parts: []message.Part{{Kind: message.Result, CallID: call.Parts[0].CallID}}}
	th, err := new(thread.Thread).Append(thread.Extend("", []message.Message{call, result, call, result}))
	if err != nil {
		t.Fatal(err)
	}
	if n := th.FirstReuse(); n != th.Len() {
		t.Errorf("an id comes again at %d", n)
	}
	for _, u := range th.Units() {
		for _, p := range th.Pairs(u) {
			if !p.Complete() {
				t.Errorf("%+v of %+v", p, u)
			}
		}
	}
}
