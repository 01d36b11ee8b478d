package thread_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/thread"
)

// However a thread grew, it knows the first call of each id and where an id came
// again.
func TestCalledAndAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var ms []message.Message
		for range rapid.IntRange(0, 30).Draw(t, "messages") {
			m := message.Message{Role: message.Assistant}
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
		for i := range ms {
			for _, n := range ms[i].Calls() {
				id := ms[i].Parts[n].CallID
				if _, used := first[id]; used || id == "" {
					again = min(again, i)
				} else {
					first[id] = i
				}
			}
		}
		if th.Again() != again {
			t.Errorf("an id comes again at %d, not %d", th.Again(), again)
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
