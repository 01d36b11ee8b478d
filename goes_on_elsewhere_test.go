package precis_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/store/sqlite"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/token"
)

// reads notes the positions from which a store is read.
type reads struct {
	*sqlite.Store
	from []int
}

func (r *reads) Load(ctx context.Context, k store.Key) ([]thread.Entry, error) {
	r.from = append(r.from, 0)
	return r.Store.Load(ctx, k)
}

func (r *reads) LoadHaving(ctx context.Context, k store.Key, have []message.Message) ([]thread.Entry, error) {
	r.from = append(r.from, 0)
	return r.Store.LoadHaving(ctx, k, have)
}

func (r *reads) LoadRange(ctx context.Context, k store.Key, from, to int) ([]thread.Entry, error) {
	r.from = append(r.from, from)
	return r.Store.LoadRange(ctx, k, from, to)
}

// Two processes serve a conversation in turns. Each reads what the other logged meanwhile
// and nothing before that, unless there is a plan that it does not know; and each makes the
// prompt that a process makes which reads all of it.
//
// SPEC: T11, V3, B14
func TestReadsOnlyWhatAnotherProcessLogged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.db")
	open := func() (*reads, *precis.Engine) {
		s, err := sqlite.Open(t.Context(), path, sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		r := &reads{Store: s}
		return r, newWith(t, precis.Options{Store: r, Policy: policyOf(t, "balanced")})
	}
	stores, engines := make([]*reads, 2), make([]*precis.Engine, 2)
	for i := range engines {
		stores[i], engines[i] = open()
	}
	ms := work(90, 10)
	known, plans, anew := []int{0, 0}, []int{0, 0}, 0
	for n, i := 11, 0; n < len(ms); n, i = n+4, 1-i {
		stores[i].from = nil
		in := precis.Input{Thread: "t", Messages: ms[:n], Meter: token.Truncate(), Budget: 1_500}
		turn, err := engines[i].Prepare(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		found := turn.Version()
		if turn.Outcome == precis.Compacted {
			found--
		}
		switch from := stores[i].from; {
		case known[i] == 0 || found != plans[i]:
			anew++
		case len(from) != 1 || from[0] != known[i]:
			t.Errorf("request of %d messages reads from %v, %d are known", n, from, known[i])
		}
		known[i], plans[i] = n, turn.Version()
		_, cold := open()
		other, err := cold.Prepare(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(printed(other.Messages), printed(turn.Messages)); diff != "" {
			t.Fatalf("%d messages: another prompt (-cold +known):\n%s", n, diff)
		}
	}
	if plans[0] < 2 || anew > 2+2*plans[0] {
		t.Errorf("%d plans, read anew %d times", plans[0], anew)
	}
}

// An erasure of a conversation that has no plan reaches a process that has it in memory.
//
// SPEC: V1, V10
func TestErasureWithoutPlanReachesOthers(t *testing.T) {
	st, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "p.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = st.Close() }()
	e, other := newWith(t, precis.Options{Store: st}), newWith(t, precis.Options{Store: st})
	ms := work(10, 2)
	in := precis.Input{Thread: "t", Messages: ms[:3], Meter: token.Truncate(), Budget: 100_000}
	if _, err := other.Prepare(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	if err := e.Erase(t.Context(), "t", idOf(ms, 0), artifact.Tombstone{At: time.Now(), Reason: "asked"}); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{3, 5} {
		in.Messages = ms[:n]
		turn, err := other.Prepare(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		if said := printed(turn.Messages); !strings.Contains(said, "erased") {
			t.Errorf("the prompt of %d messages shows no tombstone: %.200s", n, said)
		}
	}
}

// After its client compacted a conversation, the next one is linked to it although another
// process answered: a new one of the same user, in whose first message that answer stands.
//
// SPEC: B14, B23, V10
func TestAnswersOfOtherProcessesAreFound(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.db")
	open := func() *precis.Engine {
		st, err := sqlite.Open(t.Context(), path, sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = st.Close() })
		return newWith(t, precis.Options{Store: st})
	}
	asks := func(e *precis.Engine, thread, user, text string) *precis.Turn {
		in := request(thread, []message.Message{message.TextOf(message.User, text)}, 80_000)
		in.Client.User = user
		return prepared(t, e, in)
	}
	e, other := open(), open()
	answer := func(n int) string {
		return strings.Repeat(fmt.Sprintf("Service %d was ported, and its handlers were tested one by one. ", n), 6)
	}
	for n := range 40 {
		at := asks(e, fmt.Sprint("old", n), "anna", fmt.Sprint("Port service ", n))
		if err := e.RecordReply(t.Context(), at, []message.Message{message.TextOf(message.Assistant, answer(n))}); err != nil {
			t.Fatal(err)
		}
	}
	goesOn := "You did this:\n" + answer(39) + "\nGo on."
	if later := asks(other, "bert's", "bert", goesOn); len(later.Earlier) != 0 {
		t.Errorf("another user's goes on from %v", later.Earlier)
	}
	if later := asks(other, "changed", "anna", strings.Replace(goesOn, "tested", "read", 1)); len(later.Earlier) != 0 {
		t.Errorf("one that says something else goes on from %v", later.Earlier)
	}
	if later := asks(other, "new", "anna", goesOn); len(later.Earlier) != 1 || later.Earlier[0].Thread != "old39" {
		t.Errorf("goes on from %v", later.Earlier)
	}
	if again := asks(e, "new", "anna", goesOn); len(again.Earlier) != 1 {
		t.Errorf("asked again it goes on from %v", again.Earlier)
	}
}

// slowNotes is a store that takes its time between reading notes and writing them.
type slowNotes struct{ store.Store }

func (s slowNotes) Summary(ctx context.Context, tenant, key string) ([]byte, error) {
	data, err := s.Store.Summary(ctx, tenant, key)
	time.Sleep(10 * time.Millisecond)
	return data, err
}

// Of answers that a process gives at once none is lost for others.
//
// SPEC: B14, B23
func TestAnswersGivenAtOnceAreAllFound(t *testing.T) {
	st := memory.New()
	e, other := newWith(t, precis.Options{Store: slowNotes{st}}), newWith(t, precis.Options{Store: st})
	answer := func(n int) string {
		return strings.Repeat(fmt.Sprintf("Service %d was ported, and its handlers were tested one by one. ", n), 6)
	}
	var all sync.WaitGroup
	for n := range 8 {
		at := prepared(t, e, request(fmt.Sprint("old", n), []message.Message{message.TextOf(message.User, "Port it.")}, 80_000))
		all.Go(func() {
			if err := e.RecordReply(t.Context(), at, []message.Message{message.TextOf(message.Assistant, answer(n))}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for n := range 8 {
		said := message.TextOf(message.User, "You did this:\n"+answer(n)+"\nGo on.")
		if later := prepared(t, other, request(fmt.Sprint("new", n), []message.Message{said}, 80_000)); len(later.Earlier) != 1 {
			t.Errorf("conversation %d goes on from %v", n, later.Earlier)
		}
	}
}
