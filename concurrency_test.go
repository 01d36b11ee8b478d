package precis_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/event"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/store/sqlite"
	"github.com/seed-3db51b0e/precis/store/writebehind"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/summary/extract"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/token"
	"pgregory.net/rapid"
)

// scribe is a summarizer with a model's manners: it is counted, it may wait and
// it may fail.
type scribe struct {
	extract.Summarizer
	calls atomic.Int64
	asked chan summary.Input // when set, every input
	wait  chan struct{}      // when set, until it is closed
	err   error
}

func (*scribe) Name() string { return "scribe/1" }

func (s *scribe) Summarize(ctx context.Context, in summary.Input) (*summary.Structured, error) {
	s.calls.Add(1)
	if s.asked != nil {
		s.asked <- in
	}
	if s.wait != nil {
		select {
		case <-s.wait:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if s.err != nil {
		return nil, s.err
	}
	return s.Summarizer.Summarize(ctx, in)
}

func newWith(t *testing.T, o precis.Options) *precis.Engine {
	t.Helper()
	if o.Policy.Name == "" {
		o.Policy = policyOf(t, "session")
	}
	e, err := precis.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e
}

// idOf is the id that message n of a history has in the log.
func idOf(ms []message.Message, n int) thread.ID {
	es := thread.Extend("", ms)
	return es[n].ID
}

func request(name string, ms []message.Message, budget int) precis.Input {
	return precis.Input{Thread: name, Messages: ms, Meter: token.Truncate(), Budget: budget}
}

// Requests for one thread that come together are planned once: the others find
// the winner's plan, and a model is asked once.
//
// SPEC: L17, L18, V5
func TestSingleFlight(t *testing.T) {
	s := &scribe{}
	e := newWith(t, precis.Options{Store: memory.New(), Summarizer: s})
	prompts := make([][]message.Message, 32)
	var all sync.WaitGroup
	for i := range prompts {
		all.Go(func() {
			turn, err := e.Prepare(t.Context(), request("t", work(60, 10), 4_000))
			if err != nil {
				t.Error(err)
				return
			}
			prompts[i] = turn.Messages
		})
	}
	all.Wait()
	if n := s.calls.Load(); n != 1 {
		t.Errorf("the summarizer was asked %d times", n)
	}
	for i := range prompts {
		if !reflect.DeepEqual(prompts[i], prompts[0]) {
			t.Fatalf("request %d got another prompt", i)
		}
	}
}

// Engines that share a file race for a thread that grows: every commit is one
// version, and whoever loses renders the winner's plan.
//
// SPEC: L17, V1, V5
func TestEnginesRaceOnOneFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.db")
	var engines []*precis.Engine
	var last store.Store
	for range 4 {
		s, err := sqlite.Open(t.Context(), path, sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		last, engines = s, append(engines, newWith(t, precis.Options{Store: s}))
	}
	ms := work(60, 10)
	for n := 41; n <= len(ms); n += 16 {
		prompts := make([]*precis.Turn, len(engines))
		var all sync.WaitGroup
		for i, e := range engines {
			all.Go(func() {
				turn, err := e.Prepare(t.Context(), request("t", ms[:n], 4_000))
				if err != nil {
					t.Error(err)
				}
				prompts[i] = turn
			})
		}
		all.Wait()
		if t.Failed() {
			return
		}
		for _, p := range prompts {
			if !reflect.DeepEqual(p.Messages, prompts[0].Messages) {
				t.Fatalf("with %d messages two engines sent two prompts", n)
			}
		}
	}
	infos, err := last.PlanVersions(t.Context(), store.Key{Thread: "t"})
	if err != nil || len(infos) == 0 {
		t.Fatalf("%d versions, %v", len(infos), err)
	}
	for i, v := range infos {
		if v.Version != i+1 {
			t.Errorf("version %d at place %d", v.Version, i)
		}
	}
}

// Two threads with an equal span share the summary, though their messages have
// other ids and numbers; another tenant pays for its own.
//
// SPEC: L18, V10
func TestThreadsShareSummaries(t *testing.T) {
	st, s := memory.New(), &scribe{}
	e := newWith(t, precis.Options{Store: st, Summarizer: s})
	ms := work(60, 10)
	var texts []string
	for i, name := range []string{"a", "b"} {
		in := request(name, ms, 4_000)
		if i == 1 { // the same messages after another beginning
			in.Messages = append([]message.Message{message.TextOf(message.System, "other rules")}, ms...)
		}
		turn, err := e.Prepare(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, turn.Plan.Records[0].Text)
	}
	if n := s.calls.Load(); n != 1 {
		t.Errorf("asked %d times for one span", n)
	}
	if texts[0] != texts[1] {
		t.Errorf("two texts:\n%s\n\n%s", texts[0], texts[1])
	}
	other := newWith(t, precis.Options{Store: st, Summarizer: s, Tenant: "other"})
	if _, err := other.Prepare(t.Context(), request("a", ms, 4_000)); err != nil {
		t.Fatal(err)
	}
	if n := s.calls.Load(); n != 2 {
		t.Errorf("a tenant was answered from another's cache: %d calls", n)
	}
}

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

// Two processes write one thread's log behind, and are asked at once: each answers
// with what fits, in the bytes that came.
//
// SPEC: L17, V4, V11
func TestTwoProcessesOneThread(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		base := &shared{memory.New()}
		ss := []*writebehind.Store{writebehind.Over(base, nil), writebehind.Over(base, nil)}
		var es []*precis.Engine
		for _, s := range ss {
			es = append(es, newWith(t, precis.Options{Store: s, Policy: policyOf(t, "balanced")}))
		}
		c := &roaming{T: rt, ms: []message.Message{message.TextOf(message.User, "the task")}}
		for r := range rapid.IntRange(2, 10).Draw(rt, "requests") {
			var wg sync.WaitGroup
			bad := make(chan string, 99)
			for range c.IntRange(1, 3).With(c, "atonce") {
				c.move()
				e := es[c.IntRange(0, 1).With(c, "engine")]
				in := request("t", c.sent(), 2_000)
				wg.Go(func() {
					turn, err := e.Prepare(context.Background(), in)
					if err != nil {
						if !errors.Is(err, precis.ErrImpossible) {
							bad <- err.Error()
						}
						return
					}
					for i, o := range turn.Origins {
						x := turn.Messages[i]
						if o.Record == nil && o.First >= 0 && !x.Edited && in.Messages[o.First].Raw != nil && string(x.Raw) != string(in.Messages[o.First].Raw) {
							bad <- fmt.Sprintf("message %d left as %s, it came as %s", o.First, x.Raw, in.Messages[o.First].Raw)
						}
					}
					if n := in.Meter.Overhead.Request + in.Meter.Messages(turn.Messages); n != turn.Compacted || n > in.Budget {
						bad <- fmt.Sprintf("%d tokens are sent, the turn says %d of %d", n, turn.Compacted, in.Budget)
					}
					_ = e.RecordReply(context.Background(), turn, []message.Message{message.TextOf(message.Assistant, fmt.Sprint("answer ", r))})
				})
			}
			wg.Wait()
			select {
			case s := <-bad:
				rt.Fatalf("request %d: %s", r, s)
			default:
			}
		}
		for _, s := range ss {
			_ = s.FlushAll(t.Context())
		}
	})
}
