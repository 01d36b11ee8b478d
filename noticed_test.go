package precis_test

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/event"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store/memory"
)

// What internal/faults found nobody to notice.

// While one request of a thread is being planned, another waits: it does not
// plan as well.
//
// SPEC: L17
func TestOnePlanningAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e *precis.Engine
		planned := 0
		second := make(chan *precis.Turn, 1)
		ask := func() *precis.Turn {
			turn, err := e.Prepare(t.Context(), request("t", work(60, 10), 4_000))
			if err != nil {
				t.Error(err)
			}
			return turn
		}
		e = newWith(t, precis.Options{Store: memory.New(), Hooks: event.Hooks{
			Before: func(context.Context, event.Payload) (event.Verdict, error) {
				if planned++; planned == 1 {
					go func() { second <- ask() }()
					synctest.Wait() // until the other can get no further
				}
				return event.Verdict{}, nil
			},
		}})
		first := ask()
		if other := <-second; planned != 1 || !reflect.DeepEqual(other.Messages, first.Messages) {
			t.Errorf("planned %d times", planned)
		}
	})
}

// watched is a run of the ladder over 11 large reports, and what it points to.
func watched(t *testing.T) (*precis.Engine, []message.Message, []string) {
	t.Helper()
	e := newWith(t, precis.Options{Store: memory.New(), Policy: policyOf(t, "ladder")})
	ms := []message.Message{message.TextOf(message.User, "Watch the hosts.")}
	for i := range 11 {
		ms = append(ms, round(i, "fetch_report", fmt.Sprintf(`{"n":%d}`, i), "looking", lines(i, 90))...)
	}
	ids := pointers(prepared(t, e, request("t", ms, 16_000)).Plan)
	if len(ids) < 2 {
		t.Fatalf("externalized: %v", ids)
	}
	return e, ms, ids
}

// A turn that brings content back moves nothing else out and drops nothing,
// though it is over the trigger; the same turn without it does.
//
// SPEC: L14
func TestBringingBackTakesNothingAway(t *testing.T) {
	taken := func(back bool) (n int) {
		e, ms, ids := watched(t)
		said := "on"
		if back {
			said = "I need " + ids[0]
		}
		for i := range 5 {
			ms = append(ms, round(20+i, "fetch_report", fmt.Sprintf(`{"m":%d}`, i), said, lines(20+i, 90))...)
		}
		before := map[string]bool{}
		for _, id := range ids {
			before[id] = true
		}
		turn := prepared(t, e, request("t", ms, 16_000))
		if (len(turn.Rehydrated) > 0) != back || turn.Before < 11_500 {
			t.Fatalf("%d came back, %d tokens before", len(turn.Rehydrated), turn.Before)
		}
		for _, r := range turn.Plan.Records {
			if r.Action == plan.Drop || r.Action == plan.Externalize && !before[r.Artifact] {
				n++
			}
		}
		return n
	}
	if loud, quiet := taken(true), taken(false); loud != 0 || quiet == 0 {
		t.Errorf("took %d away where content came back, %d where none did", loud, quiet)
	}
}

// Of content larger than the reserve a part comes back.
//
// SPEC: L13, L14, V4
func TestReserveHolds(t *testing.T) {
	e, ms, ids := watched(t)
	ms = append(ms, round(30, "fetch_report", `{"n":30}`, "I need "+strings.Join(ids, " and "), "fine")...)
	in := request("t", ms, 16_000)
	turn := prepared(t, e, in)
	tail := 0
	for i, o := range turn.Origins {
		if o.First < 0 {
			tail += in.Meter.Message(turn.Messages[i])
		}
	}
	if most := policyOf(t, "ladder").Reserve(in.Budget); tail > most || tail < most/2 {
		t.Errorf("%d tokens came back of %+v, the reserve is %d", tail, turn.Rehydrated, most)
	}
}

// Other raw forms that come with the request that forks a thread are kept, those
// of the shared messages too.
//
// SPEC: V1
func TestForkKeepsForms(t *testing.T) {
	st := memory.New()
	e := newWith(t, precis.Options{Store: st})
	turn := prepared(t, e, request("t", tagged(work(4, 2), "1"), 4_000))
	fork := append(tagged(work(4, 2), "2")[:5:5], message.TextOf(message.User, "otherwise"))
	forked := prepared(t, e, request("t", fork, 4_000))
	if forked.Key == turn.Key {
		t.Fatal("no fork")
	}
	for i := range 5 {
		if vs, err := st.Variants(t.Context(), forked.Key, forked.Thread.At(i).ID); err != nil || len(vs) != 1 || string(vs[0].Raw) != string(fork[i].Raw) {
			t.Errorf("message %d: %d other forms, %v", i, len(vs), err)
		}
	}
}

// A request that goes away while it is being compacted failed for that, not
// because nothing fits.
//
// SPEC: V4, V9
func TestGoneIsNotImpossible(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	q := &quill{gone: stop}
	e := newWith(t, precis.Options{Store: memory.New(), Summarizer: q})
	turn := e.SafeCompact(ctx, request("t", work(200, 10), 4_000))
	if len(turn.Failures) != 1 || strings.Contains(turn.Failures[0].Error(), "impossible") {
		t.Errorf("failed with %v", turn.Failures)
	}
}
