package precis_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/thread"
)

// What the model looked up of a message goes with the message, also where it looked from
// a conversation that goes on from the message's.
//
// SPEC: B11, B23
func TestErasureReachesLaterLookUps(t *testing.T) {
	st := memory.New()
	e := newWith(t, precis.Options{Store: st, Policy: policyOf(t, "balanced")})
	old := []message.Message{message.TextOf(message.User, "The token is hunter2-4711. Port the billing service.")}
	summary := strings.Repeat("The billing service was ported, and its handlers were tested one by one. ", 5)
	turn := prepared(t, e, request("old", old, 80_000))
	if err := e.RecordReply(t.Context(), turn, []message.Message{message.TextOf(message.Assistant, summary)}); err != nil {
		t.Fatal(err)
	}
	later := prepared(t, e, request("new", []message.Message{message.TextOf(message.User, "You did this:\n"+summary+"\nGo on.")}, 80_000))
	if len(later.Earlier) != 1 || later.Earlier[0].Thread != "old" {
		t.Fatalf("goes on from %v", later.Earlier)
	}
	up := store.Key{Thread: "new"}.Upstream()
	if _, err := st.Append(t.Context(), up, store.Batch{Entries: thread.Extend("", []message.Message{message.TextOf(message.Tool, "earlier1:#1 The token is hunter2-4711.")}), Now: time.Now()}); err != nil {
		t.Fatal(err)
	}
	if err := e.Erase(t.Context(), "old", idOf(old, 0), artifact.Tombstone{At: time.Now(), Reason: "asked"}); err != nil {
		t.Fatal(err)
	}
	es, err := st.Load(t.Context(), up)
	if err != nil || !es[0].Erased {
		t.Errorf("%v: the look-up stands: %v", err, es)
	}
}

// An erasure reads the link of every thread of the tenant once, however many threads have
// the message.
//
// SPEC: V1, B11
func TestErasureReadsLinksOnce(t *testing.T) {
	st := &linksRead{Store: memory.New()}
	e := newWith(t, precis.Options{Store: st, Policy: policyOf(t, "balanced")})
	ms := []message.Message{message.TextOf(message.User, "The token is hunter2-4711.")}
	es := thread.Extend("", ms)
	const forks, others = 30, 30
	for n := range forks + others {
		b := store.Batch{Entries: thread.Extend("", []message.Message{message.TextOf(message.User, fmt.Sprint("another ", n))}), Now: time.Now()}
		switch {
		case n == 0:
			b.Entries = es
		case n < forks:
			b = store.Batch{ForkOf: "0", At: es[0].ID, Entries: thread.Extend(es[0].ID, []message.Message{message.TextOf(message.User, fmt.Sprint("a way ", n))}), Now: time.Now()}
		}
		if _, err := st.Append(t.Context(), store.Key{Thread: fmt.Sprint(n)}, b); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Erase(t.Context(), "0", es[0].ID, artifact.Tombstone{At: time.Now(), Reason: "asked"}); err != nil {
		t.Fatal(err)
	}
	if st.answers > 2*(forks+others) || st.heads > 4 {
		t.Errorf("%d lines of answers and %d lists of threads were read for %d threads", st.answers, st.heads, forks+others)
	}
}

// linksRead counts reads of answers, where links stand, and of lists of threads.
type linksRead struct {
	*memory.Store
	answers, heads int
}

func (s *linksRead) Load(ctx context.Context, k store.Key) ([]thread.Entry, error) {
	if k.IsAnswers() {
		s.answers++
	}
	return s.Store.Load(ctx, k)
}

func (s *linksRead) Heads(ctx context.Context, tenant string) ([]store.Head, error) {
	s.heads++
	return s.Store.Heads(ctx, tenant)
}
