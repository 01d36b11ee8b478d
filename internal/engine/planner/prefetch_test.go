package planner

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis/internal/testthread"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/summary"
)

// job is a compaction to prepare that says what became of it.
func job(t *testing.T, k string, rounds int) (j Job, ready chan *Proposal, failed chan error) {
	t.Helper()
	ready, failed = make(chan *Proposal, 10), make(chan error, 10)
	return Job{
		Key: store.Key{Thread: k}, Thread: testthread.Of(t, work(rounds)...), Request: requestOf(4_000), Now: 4_000,
		Ready: func(p *Proposal) { ready <- p }, Failed: func(err error) { failed <- err },
	}, ready, failed
}

// within waits for what is done in the background.
func within[T any](t *testing.T, c <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-c:
	case <-time.After(20 * time.Second):
		t.Fatal("nothing came")
	}
	return v
}

// What panics while a compaction is prepared in the background is a failure like another:
// the process goes on, and so does the thread's next preparation.
//
// SPEC: B11, V9
func TestPanicInTheBackground(t *testing.T) {
	g, pl := NewPrefetch(), planning(t, "balanced")
	defer g.Close()
	pl.Prefetches, pl.Summarizer = true, pl.WithoutModel
	j, _, failed := job(t, "t", 40)
	j.Request.Meter.Counter = panicking{}
	g.Start(pl, j)
	if err := within(t, failed); !strings.Contains(err.Error(), "panic") || strings.Contains(err.Error(), "said") {
		t.Errorf("error %v", err)
	}
	g.done.Wait()
	again, ready, _ := job(t, "t", 40)
	g.Start(pl, again)
	within(t, ready)
}

// Proposals are handed out once, none after Clear, none that was being made then, and
// none after Close; a request that is far from the trigger starts nothing.
//
// SPEC: B11
func TestPrefetchHandsOutOnce(t *testing.T) {
	g, pl := NewPrefetch(), planning(t, "balanced")
	pl.Prefetches, pl.Summarizer = true, pl.WithoutModel
	j, ready, _ := job(t, "t", 40)
	small := j
	small.Now = 100
	g.Start(pl, small)
	if p := g.Take(j.Key); p != nil || len(g.working) != 0 {
		t.Error("a small request was prepared for")
	}
	g.Start(pl, j)
	if made := within(t, ready); g.Take(j.Key) != made || g.Take(j.Key) != nil {
		t.Error("not handed out once")
	}
	g.Start(pl, j)
	within(t, ready)
	g.Clear()
	if g.Take(j.Key) != nil {
		t.Error("handed out what was cleared")
	}
	if g.put(j.Key, &Proposal{}, g.erasures-1) || g.Take(j.Key) != nil {
		t.Error("kept what began before it was cleared")
	}
	g.Close()
	g.Start(pl, j)
	if len(g.working) != 0 {
		t.Error("started after the end")
	}
}

// A compaction that was prepared is adopted only where all that it followed from stands.
//
// SPEC: B11
func TestAdopt(t *testing.T) {
	pl := planning(t, "balanced")
	j, _, _ := job(t, "t", 40)
	p := pl.propose(t.Context(), j)
	if p == nil {
		t.Fatal("nothing was proposed")
	}
	longer, r := testthread.Of(t, work(42)...), requestOf(4_000)
	draft := func() *Draft { return pl.Draft(longer, nil, r) }
	adopted := pl.Adopt(p, draft(), nil)
	if adopted == nil || adopted.Total() >= draft().Total() {
		t.Fatal("what stands was not adopted")
	}
	built, err := pl.Build(adopted, "t", nil, time.Now())
	if err != nil || len(built.Records) == 0 {
		t.Fatalf("plan %v: %v", built, err)
	}
	pinned, held := draft(), draft()
	pinned.Pins, held.Holds = refs(longer, 3), refs(longer, 3)
	for name, d := range map[string]*Draft{
		"pin": pinned, "hold": held, "other messages": pl.Draft(testthread.Of(t, work(42)[2:]...), nil, r), "fewer messages": pl.Draft(testthread.Of(t, work(20)...), nil, r),
	} {
		if pl.Adopt(p, d, nil) != nil {
			t.Errorf("adopted in spite of another %s", name)
		}
	}
	if pl.Adopt(p, draft(), built) != nil || pl.Adopt(p, pl.Draft(longer, built, r), nil) != nil {
		t.Error("adopted over another plan, or where it saves nothing")
	}
}

// A summarizer that fails, panics or says nothing has another one write in its place,
// and is reported; one whose request has ended has not.
//
// SPEC: S7
func TestFallbackSummarizer(t *testing.T) {
	pl := planning(t, "balanced")
	for name, f := range map[string]func() (*summary.Structured, error){
		"fails":   func() (*summary.Structured, error) { return nil, errors.New("no answer") },
		"panics":  func() (*summary.Structured, error) { panic("said") },
		"is mute": func() (*summary.Structured, error) { return &summary.Structured{}, nil },
	} {
		pl.Summarizer = scribe(f)
		d := pl.Draft(testthread.Of(t, work(40)...), nil, requestOf(4_000))
		steps, errs := pl.Compact(t.Context(), d)
		if len(steps) == 0 || len(errs) > 0 || len(d.Failures) == 0 || d.Total() > 4_000 {
			t.Errorf("%s: %d steps, errors %v, failures %v, %d tokens", name, len(steps), errs, d.Failures, d.Total())
		}
	}
}
