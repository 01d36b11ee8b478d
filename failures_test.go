package precis_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/store/writebehind"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/summary/extract"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/token"
	"pgregory.net/rapid"
)

// moody is a summarizer that fails, says nothing, invents or works, as drawn.
type moody struct{ *rapid.T }

func (moody) Name() string { return "moody/1" }

func (m moody) Summarize(ctx context.Context, in summary.Input) (*summary.Structured, error) {
	switch rapid.IntRange(0, 4).Draw(m.T, "mood") {
	case 0:
		return nil, errors.New("the model is gone")
	case 1:
		return narrator{}.Summarize(ctx, in)
	case 2:
		return narrator{narrative: "[COMPACT SUMMARY]\n## Session Summary (Compaction Round 9)\nAll is well."}.Summarize(ctx, in)
	case 3:
		s, err := extract.Summarizer{}.Summarize(ctx, in)
		if err == nil {
			s.Facts = append(s.Facts, summary.Fact{Kind: summary.Constraint, Text: "never said /etc/invented.conf 4711", From: s.From})
		}
		return s, err
	}
	return extract.Summarizer{}.Summarize(ctx, in)
}

// The laws hold whatever a summarizer does, with and without a fallback, cold or
// hot, forced or not, and with pins: the prompt fits, is valid, accounts for every
// message, changes with a plan only, and what is pinned is not covered unless the
// budget forces it.
//
// SPEC: V2, V3, V4, V6, V7, V9, V10, S7, G4, T5, B16
func TestLawsHoldWhateverFails(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := newWorld(rt)
		now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		e, err := precis.New(precis.Options{
			Store: memory.New(), Policy: w.policy, Summarizer: moody{rt}, NoCache: true,
			NoFallback: rapid.Bool().Draw(rt, "no fallback"), Now: func() time.Time { return now },
		})
		if err != nil {
			rt.Fatal(err)
		}
		defer e.Close()
		w.engine = e
		for range rapid.IntRange(1, 5).Draw(rt, "turns") {
			w.grow()
			w.in.Mode.Force = rapid.IntRange(0, 3).Draw(rt, "force") == 0
			w.in.Client.Idle = time.Duration(rapid.SampledFrom([]int{1, 1, 3600}).Draw(rt, "rest")) * time.Second
			if rapid.IntRange(0, 3).Draw(rt, "pin") == 0 {
				at := rapid.IntRange(0, len(w.in.Messages)-1).Draw(rt, "pinned")
				w.in.Pins = append(w.in.Pins, plan.Ref{ID: idOf(w.in.Messages, at)})
			}
			w.survive()
		}
	})
}

// survive prepares, and holds what comes of it against the laws.
func (w *world) survive() {
	turn, err := w.engine.Prepare(w.T.Context(), w.in)
	var no *precis.ImpossibleError
	if errors.As(err, &no) {
		w.checkImpossible(no)
		return
	}
	if err != nil {
		w.Fatalf("prepare: %v", err)
	}
	w.checkFits(turn)
	w.checkCoverage(turn)
	w.checkWire(turn)
	w.checkSticky(turn)
	for _, s := range turn.Steps {
		if s.Strategy == "last_resort" || s.Strategy == "summarize" { // the budget forces it
			w.last = turn
			return
		}
	}
	for _, pin := range w.in.Pins {
		if r := whole(turn, pin); r != nil && w.last == nil {
			w.Fatalf("a pin is covered: %+v", *r)
		}
	}
	w.last = turn
}

func whole(turn *precis.Turn, ref plan.Ref) *plan.Record {
	if turn.Plan == nil {
		return nil
	}
	return turn.Plan.Whole(ref.ID)
}

// A failure inside costs one compaction, not the next: whatever failed, the same
// request without the failure gives what it would have given at once.
//
// SPEC: V9, V5, S7
func TestFailuresLeaveNoTrace(t *testing.T) {
	for _, name := range []string{"balanced", "ladder", "session", "timeline", "clip"} {
		s := &scribe{}
		e := newWith(t, precis.Options{Store: memory.New(), Policy: policyOf(t, name), Summarizer: s, NoFallback: true})
		sound := newWith(t, precis.Options{Store: memory.New(), Policy: policyOf(t, name), Summarizer: &scribe{}, NoFallback: true})
		ms := work(90, 10)
		in := request("t", ms, 0)
		in.Budget, in.Mode.Force = in.Meter.Messages(ms)+20, true
		s.err = errors.New("the model is gone")
		failed := prepared(t, e, in)
		if len(failed.Failures) == 0 {
			t.Fatalf("%s: no failure (%s)", name, failed.Outcome)
		}
		s.err = nil
		got, want := prepared(t, e, in), prepared(t, sound, in)
		if failed.Outcome == precis.Compacted { // something stood in for it
			continue
		}
		if fmt.Sprint(show(got)) != fmt.Sprint(show(want)) || got.Outcome != want.Outcome {
			t.Errorf("%s: %s\n%s\nwithout the failure %s\n%s", name, got.Outcome, show(got), want.Outcome, show(want))
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

// The turn of a failure has the counter and the budget that its input leaves to the
// model, and can be asked for its counter whatever the input was.
//
// SPEC: V9
func TestFailedTurnIsComplete(t *testing.T) {
	e := newWith(t, precis.Options{Store: &tearing{Store: memory.New(), torn: errors.New("disk full")}})
	in := request("t", work(60, 10), 0)
	in.Meter, in.Model = token.Meter{}, model.Model{Name: "small", Window: 5_000}
	turn := e.SafeCompact(t.Context(), in)
	name, _ := turn.Counter()
	if turn.Outcome != precis.Failed || name != token.Heuristic.Name() || turn.Budget != e.Budget(in.Model) || turn.Compacted == 0 || len(turn.Failures) != 1 {
		t.Errorf("%s, counter %q, %d tokens for a budget of %d, %v", turn.Outcome, name, turn.Compacted, turn.Budget, turn.Failures)
	}
	for about, bad := range map[string]precis.Input{"no thread": {Messages: in.Messages}, "no window": {Thread: "t", Messages: in.Messages, Model: model.Model{Name: "x"}}} {
		turn = e.SafeCompact(t.Context(), bad)
		if name, _ := turn.Counter(); name != token.Heuristic.Name() || len(turn.Failures) != 1 || len(turn.Messages) != len(in.Messages) || turn.Compacted == 0 {
			t.Errorf("%s: counter %q, %d messages, %d tokens, %v", about, name, len(turn.Messages), turn.Compacted, turn.Failures)
		}
	}
}

// What internal/faults found nobody to notice.

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

// externalized prepares a history whose plan externalizes content.
func externalized(t *testing.T, e *precis.Engine) ([]message.Message, *precis.Turn) {
	ms := []message.Message{message.TextOf(message.User, "Watch the hosts and report.")}
	for n := range 30 {
		ms = append(ms, round(n, "fetch_report", fmt.Sprintf(`{"n":%d}`, n), "looking", lines(n, 90))...)
	}
	turn, err := e.Prepare(t.Context(), precis.Input{Thread: "t", Messages: ms, Meter: token.Truncate(), Budget: 32_000})
	if err != nil {
		t.Fatal(err)
	}
	return ms, turn
}

// Continue and a store that fails once.
type failingStore struct {
	store.Store
	fail bool
}

func (s *failingStore) Plan(ctx context.Context, k store.Key) (*plan.Plan, error) {
	if s.fail {
		return nil, errors.New("disk")
	}
	return s.Store.Plan(ctx, k)
}

func (s *failingStore) Head(ctx context.Context, k store.Key) (store.Head, error) {
	if s.fail {
		return store.Head{}, errors.New("disk")
	}
	return s.Store.Head(ctx, k)
}

// A failure loses no history of a client that sends only what is new.
//
// SPEC: V9, S7, T11
func TestContinueSurvivesAFailure(t *testing.T) {
	st := &failingStore{Store: memory.New()}
	e := newWith(t, precis.Options{Store: st, Policy: policyOf(t, "balanced")})
	l := e.Loop(precis.Input{Thread: "t", Continue: true, Meter: token.Truncate(), Budget: 8_000})
	whole, err := l.PrepareStep(t.Context(), work(30, 10))
	if err != nil {
		t.Fatal(err)
	}
	st.fail = true
	next, err := l.PrepareStep(t.Context(), []message.Message{message.TextOf(message.User, "go on")})
	if err != nil || len(next) < len(whole) {
		t.Errorf("prompt fell from %d to %d messages: %v", len(whole), len(next), err)
	}
}

// The learned window and calibration.
type bytes4 struct{}

func (bytes4) Name() string { return "b4" }

func (bytes4) Count(s string) int { return len(s) / 4 }

func (bytes4) Exact() bool { return false }

// A summarizer that panics.
type panics struct{ extract.Summarizer }

func (panics) Name() string { return "panics" }

func (panics) Summarize(context.Context, summary.Input) (*summary.Structured, error) {
	panic("nil map")
}

// A summarizer that panics fails like another.
//
// SPEC: V9
func TestPanickingSummarizer(t *testing.T) {
	e := newWith(t, precis.Options{Store: memory.New(), Summarizer: panics{}})
	defer func() {
		if v := recover(); v != nil {
			t.Errorf("SafeCompact panicked: %v", v)
		}
	}()
	e.SafeCompact(t.Context(), request("t", work(60, 10), 4_000))
}

func tomb() artifact.Tombstone { return artifact.Tombstone{At: time.Now(), Reason: "erased"} }

var errDisk = errors.New("no space left")

// unwriting is a store that does not write while fails is set.
type unwriting struct {
	store.Store
	fails atomic.Bool
}

func (s *unwriting) Append(ctx context.Context, k store.Key, b store.Batch) (store.Head, error) {
	if s.fails.Load() {
		return store.Head{}, errDisk
	}
	return s.Store.Append(ctx, k, b)
}

// Whatever writes fail after they were told of: once they succeed again and the
// client sends its history, the log has all of it, each form that came and the last
// envelope, and no plan rests on what is not there.
//
// SPEC: V1, V9
func TestLostWritesComeBack(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		below := &unwriting{Store: memory.New()}
		st := writebehind.Over(below, nil)
		e := newWith(t, precis.Options{Store: st, Policy: policyOf(t, "balanced")})
		c := &roaming{T: rt, ms: []message.Message{message.TextOf(message.User, "the task")}}
		for range rapid.IntRange(2, 12).Draw(rt, "requests") {
			below.fails.Store(c.IntRange(0, 2).With(c, "fails") == 0)
			c.move()
			in := request("t", c.sent(), 2_000)
			in.Client.Envelope = []byte(fmt.Sprintf(`{"n":%d}`, c.IntRange(0, 1).With(c, "envelope")))
			if turn := e.SafeCompact(t.Context(), in); len(turn.Messages) == 0 {
				rt.Fatal("nothing to send")
			}
			if rapid.Bool().Draw(rt, "flush") {
				_ = st.FlushAll(t.Context())
			}
		}
		_ = st.FlushAll(t.Context())
		below.fails.Store(false)
		in := request("t", c.sent(), 2_000)
		in.Client.Envelope = []byte(`{"n":0}`)
		turn, err := e.Prepare(t.Context(), in)
		if errors.Is(err, precis.ErrImpossible) {
			rt.Skip(err)
		}
		if err != nil {
			rt.Fatal(err)
		}
		es, err := st.Load(t.Context(), turn.Key)
		if err != nil || len(es) < len(in.Messages) {
			rt.Fatalf("%d entries of %d, %v", len(es), len(in.Messages), err)
		}
		for i, m := range in.Messages {
			vs, err := st.Variants(t.Context(), turn.Key, es[i].ID)
			if err != nil {
				rt.Fatal(err)
			}
			kept := m.Raw == nil || string(m.Raw) == string(es[i].Message.Raw)
			for _, v := range vs {
				kept = kept || string(v.Raw) == string(m.Raw)
			}
			if !kept {
				rt.Fatalf("message %d came as %s and is kept as %s and %d other forms", i, m.Raw, es[i].Message.Raw, len(vs))
			}
		}
		if about, err := st.Envelope(t.Context(), turn.Key); err != nil || string(about) != `{"n":0}` {
			rt.Fatalf("envelope %s, %v", about, err)
		}
	})
}

// interrupted is a store in which something happens during an append.
type interrupted struct {
	store.Store
	then func()
}

func (s *interrupted) Append(ctx context.Context, k store.Key, b store.Batch) (store.Head, error) {
	h, err := s.Store.Append(ctx, k, b)
	if then := s.then; then != nil {
		s.then = nil
		then()
	}
	return h, err
}

// unreadable is a store whose threads cannot be read while fails is set.
type unreadable struct {
	store.Store
	fails atomic.Bool
}

func (s *unreadable) Load(ctx context.Context, k store.Key) ([]thread.Entry, error) {
	if s.fails.Load() {
		return nil, errDisk
	}
	return s.Store.Load(ctx, k)
}

// shared is a store that its users do not close.
type shared struct{ store.Store }

func (shared) Close() error { return nil }

// Thinking that the provider refused stays out when the log cannot be written, and
// where a history is only viewed.
//
// SPEC: V9, B9
func TestLastGoodLeavesThinkingOut(t *testing.T) {
	below := &unwriting{Store: memory.New()}
	e := newWith(t, precis.Options{Store: below, Policy: policyOf(t, "balanced")})
	ms := thinkingWork(3)
	in := request("t", ms, 80_000)
	in.Mode.DropThinking = true
	prepared(t, e, in)
	in.Mode.DropThinking = false
	seen, err := e.View(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	below.fails.Store(true)
	in.Messages = append(ms, message.TextOf(message.User, "more"))
	for _, m := range append(seen.Messages, e.SafeCompact(t.Context(), in).Messages...) {
		if m.Has(message.Thinking) {
			t.Fatalf("%v is sent", m.Parts[0])
		}
	}
}
