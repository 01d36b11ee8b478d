package precis_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/event"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/summary/extract"
	"github.com/seed-3db51b0e/precis/token"
)

var (
	_ = errors.Is
	_ context.Context
	_ extract.Summarizer
)

// A refused or truncated step of a client that sends only what is new is not logged again.
//
// SPEC: T8, T11, G2
func TestRefusedStepIsNotLoggedAgain(t *testing.T) {
	st := memory.New()
	e := newWith(t, precis.Options{Store: st, Policy: policyOf(t, "balanced")})
	l := e.Loop(precis.Input{Thread: "t", Continue: true, Meter: token.Truncate(), Budget: 8_000})
	if _, err := l.PrepareStep(t.Context(), work(30, 10)); err != nil {
		t.Fatal(err)
	}
	q := []message.Message{message.TextOf(message.User, "and now the last question")}
	if _, err := l.PrepareStep(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	k := store.Key{Thread: "t"}
	before, _ := st.Load(t.Context(), k)
	_, retry, err := l.HandleOverflow(t.Context(), q, 400, `{"error":{"message":"prompt is too long: 2500 tokens > 1500 maximum"}}`)
	after, _ := st.Load(t.Context(), k)
	if len(after) != len(before) {
		t.Errorf("refused (%v %v): the log grew from %d to %d; last two: %q %q", retry, err, len(before), len(after), after[len(after)-2].Message.Parts[0].Text, after[len(after)-1].Message.Parts[0].Text)
	}
}

// A fork rests by its own clock: it is not pruned while it is in use.
//
// SPEC: T5, V6
func TestForkIsNotPrunedHot(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	e := newWith(t, precis.Options{Store: memory.New(), Policy: policyOf(t, "timeline"), Now: func() time.Time { return now }})
	ms := turnsOf(60, 2, 2, 2, 2, 2, 2, 2, 2)
	prepared(t, e, request("t", ms, 80_000))
	ms = append(ms[:len(ms)-1:len(ms)-1], message.TextOf(message.User, "another way"))
	for i := range 10 { // one request a minute: the cache is always hot
		now = now.Add(time.Minute)
		turn := prepared(t, e, request("t", ms, 80_000))
		if turn.Outcome == precis.Pruned {
			t.Fatalf("request %d on %s, a minute after the one before: pruned, rest %ds", i, turn.Key.Thread, turn.Plan.Inputs.Rest)
		}
		ms = append(ms, message.TextOf(message.Assistant, fmt.Sprint("ok ", i)), message.TextOf(message.User, fmt.Sprint("go on ", i)))
	}
}

func externalized(t *testing.T, e *precis.Engine, st store.Store) ([]message.Message, *precis.Turn) {
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

// A fork of a thread whose artifact is gone keeps the rest of its plan.
//
// SPEC: V8, V9, B16, L16
func TestForkOfExpired(t *testing.T) {
	st := memory.New()
	e := newEngine(t, st, policyOf(t, "ladder"))
	ms, turn := externalized(t, e, st)
	ids := pointers(turn.Plan)
	if len(ids) == 0 {
		t.Fatal("nothing externalized")
	}
	if _, err := e.Pin(t.Context(), "t", plan.Ref{ID: idOf(ms, 1)}); err != nil {
		t.Fatal(err)
	}
	k := store.Key{Thread: "t"}
	p, _ := st.Plan(t.Context(), k)
	ids = pointers(p)
	if err := st.Erase(t.Context(), k, ids[0], tomb()); err != nil {
		t.Fatal(err)
	}
	ms = append(ms[:len(ms)-1:len(ms)-1], message.TextOf(message.User, "another way"))
	in := precis.Input{Thread: "t", Messages: ms, Meter: token.Truncate(), Budget: 32_000}
	_, err := e.Prepare(t.Context(), in)
	t.Logf("first: %v", err)
	turn2, err2 := e.Prepare(t.Context(), in)
	if err2 != nil {
		t.Fatal(err2)
	}
	pins := 0
	if turn2.Plan != nil {
		pins = len(turn2.Plan.Pins)
	}
	if err != nil || pins != 1 {
		t.Errorf("fork fails: %v; then %d pins, plan version %v", err, pins, turn2.Plan.Version)
	}
}

// Batches stand without times where messages have none or a clock went back.
//
// SPEC: C2, V9
func TestArchiveWithOddClocks(t *testing.T) {
	e := newWith(t, precis.Options{Store: memory.New(), Policy: policyOf(t, "clip")})
	ms := work(60, 10)
	for i := range ms {
		if ms[i].Role != message.Assistant {
			ms[i].Time = time.Date(2026, 1, 2, 3, i, 0, 0, time.UTC)
		}
	}
	in := request("t", ms, 100_000)
	in.Mode.Force = true
	turn := prepared(t, e, in)
	if turn.Outcome != precis.Compacted {
		t.Errorf("times on some messages: %s %v", turn.Outcome, turn.Failures)
	}
	ms = timed(work(60, 10))
	ms[30].Time = ms[30].Time.Add(-time.Hour) // a clock set back
	for i := 31; i < len(ms); i++ {
		ms[i].Time = ms[i].Time.Add(-time.Hour)
	}
	in = request("u", ms, 100_000)
	in.Mode.Force = true
	turn = prepared(t, e, in)
	if turn.Outcome != precis.Compacted {
		t.Errorf("a clock set back: %s %v", turn.Outcome, turn.Failures)
	}
}

// A client that is behind the log commits nothing: nobody is told of a compaction, and no pointer leads nowhere.
//
// SPEC: L19, L13, V1
func TestBehindTellsNothing(t *testing.T) {
	st := memory.New()
	var bus event.Bus
	told := record(t, &bus)
	hooked := make(chan event.Payload, 10)
	e := newWith(t, precis.Options{Store: st, Policy: policyOf(t, "ladder"), Events: &bus, Hooks: event.Hooks{After: func(_ context.Context, p event.Payload) error { hooked <- p; return nil }}})
	ms := []message.Message{message.TextOf(message.User, "Watch the hosts and report.")}
	for n := range 30 {
		ms = append(ms, round(n, "fetch_report", fmt.Sprintf(`{"n":%d}`, n), "looking", lines(n, 90))...)
	}
	in := precis.Input{Thread: "t", Messages: ms, Meter: token.Truncate(), Budget: 400_000}
	if _, err := e.Prepare(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	in.Messages, in.Budget = ms[:len(ms)-2], 32_000 // regenerate the last reply
	turn, err := e.Prepare(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	k := store.Key{Thread: "t"}
	_, perr := st.Plan(t.Context(), k)
	e.Close()
	done := count(told(), event.Completed)
	bad := 0
	for _, id := range pointers(turn.Plan) {
		if _, err := st.Artifact(t.Context(), k, id); err != nil {
			bad++
		}
	}
	t.Logf("outcome %s, stored plan: %v", turn.Outcome, perr)
	if perr != nil && (done > 0 || bad > 0 || len(hooked) > 0) {
		t.Errorf("nothing committed, %d completed events, %d hooks told, %d of %d pointers lead nowhere", done, len(hooked), bad, len(pointers(turn.Plan)))
	}
}

// A reply cut by the window teaches a window one can work in, whatever its cap.
//
// SPEC: G2, T8
func TestCutByWindowWithLargeCap(t *testing.T) {
	e := newWith(t, precis.Options{Store: memory.New(), Policy: policyOf(t, "balanced")})
	l := e.Loop(precis.Input{Thread: "t", Meter: token.Truncate(), Limits: precis.Limits{MaxOutput: 8_192}})
	ms := work(40, 10)
	if _, err := l.PrepareStep(t.Context(), ms); err != nil {
		t.Fatal(err)
	}
	n := l.Turn().Compacted
	r := &codec.Reply{Message: message.TextOf(message.Assistant, "cut"), Stop: codec.StopWindow, Usage: codec.Usage{Context: n, Output: 8_192 - n}}
	_, _, err := l.HandleTruncated(t.Context(), ms, r)
	t.Logf("truncated: prompt %d: %v", n, err)
	if _, err := l.PrepareStep(t.Context(), ms); err != nil {
		t.Errorf("next step, of %d tokens in a window of 8,192: %v", n, err)
	}
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

func (bytes4) Name() string       { return "b4" }
func (bytes4) Count(s string) int { return len(s) / 4 }
func (bytes4) Exact() bool        { return false }

// A learned window is measured by the counts of the day.
//
// SPEC: T8, L12
func TestLearnedWindowFollowsCalibration(t *testing.T) {
	e := newWith(t, precis.Options{Store: memory.New(), Policy: policyOf(t, "balanced")})
	l := e.Loop(precis.Input{Thread: "t", Meter: token.Meter{Counter: bytes4{}}, Budget: 200_000})
	ms := work(100, 40)
	if _, err := l.PrepareStep(t.Context(), ms); err != nil {
		t.Fatal(err)
	}
	sent := l.Turn().Compacted // estimated; the provider counts 1.4 times that
	real := func(n int) int { return n * 14 / 10 }
	window := real(sent) * 9 / 10
	_, _, err := l.HandleOverflow(t.Context(), ms, 400, fmt.Sprintf(`{"error":{"message":"prompt is too long: %d tokens > %d maximum"}}`, real(sent), window))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("window %d real tokens; learned budget %d estimated", window, l.Turn().Budget)
	for i := range 30 {
		bare := l.Turn().Compacted
		_ = bare
		n := 0
		for _, m := range l.Turn().Messages {
			n += token.Meter{Counter: bytes4{}}.Message(m)
		}
		l.Observe(codec.Usage{Context: real(n)})
		ms = append(ms, round(1000+i, "x", `{}`, "", strings.Repeat("more ", 20))...)
		if _, err := l.PrepareStep(t.Context(), ms); err != nil {
			t.Fatal(err)
		}
	}
	if b := l.Turn().Budget; b < window*9/10 {
		t.Errorf("counts are now real tokens, the window is %d, and the budget is %d", window, b)
	}
}

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

// An undo that does not fit is taken back in one go: it does not make every later
// step compact.
//
// SPEC: V8, V4, V6
func TestUndoThatDoesNotFit(t *testing.T) {
	for _, name := range policy.Names() {
		e := newWith(t, precis.Options{Store: memory.New(), Policy: policyOf(t, name)})
		ms := work(150, 40)
		in := request("t", ms[:121], 8_000)
		if turn := prepared(t, e, in); turn.Outcome != precis.Compacted {
			t.Fatalf("%s: %s", name, turn.Outcome)
		}
		if _, err := e.Restore(t.Context(), "t", 0); err != nil {
			t.Fatal(err)
		}
		compacted := 0
		for n := 123; n <= 181; n += 2 {
			in.Messages = ms[:n]
			if prepared(t, e, in).Outcome == precis.Compacted {
				compacted++
			}
		}
		if compacted > 15 {
			t.Errorf("%s: %d compactions in 30 steps", name, compacted)
		}
	}
}
