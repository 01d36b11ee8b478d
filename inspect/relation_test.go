package inspect_test

import (
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis/inspect"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/thread"
)

// A branch beside a branch is a fork, as one of the thread itself is.
func TestBranchesAreForks(t *testing.T) {
	s := memory.New()
	es := thread.Extend("", []message.Message{message.TextOf(message.User, "hi")})
	for _, b := range []struct{ name, of string }{{"t", ""}, {"t~1", "t"}, {"t~2", "t~1"}, {"t~1~3", "t~1"}, {"u", "t"}} {
		batch := store.Batch{ForkOf: b.of, Now: time.Now()}
		if batch.Entries = es; b.of != "" {
			batch.Entries, batch.At = nil, es[0].ID
		}
		if _, err := s.Append(t.Context(), store.Key{Thread: b.name}, batch); err != nil {
			t.Fatal(err)
		}
	}
	var list inspect.Threads
	served(t, s, inspect.Options{}).get("threads", &list)
	want := map[string]string{"t": "", "t~1": "fork", "t~2": "fork", "t~1~3": "fork", "u": "continues"}
	for _, x := range list.Threads {
		if x.Relation != want[x.Thread] {
			t.Errorf("%s: %q, want %q", x.Thread, x.Relation, want[x.Thread])
		}
	}
	if len(list.Threads) != len(want) {
		t.Errorf("%d threads", len(list.Threads))
	}
}
