package precis_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/event"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/store/sqlite"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/summary/extract"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/token"
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

// A compaction is prepared before it is due and applied when it is: the request
// that needs it does not wait for the model.
//
// SPEC: B11
func TestPreparedAhead(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	var bus event.Bus
	told := record(t, &bus)
	ready := make(chan struct{})
	bus.Subscribe(func(v event.Event) {
		if v.Kind == event.ProposalReady {
			close(ready)
		}
	}, event.Options{})
	s := &scribe{asked: make(chan summary.Input, 10)}
	e, err := precis.New(precis.Options{Store: memory.New(), Policy: policyOf(t, "session"), Summarizer: s, Background: true, Events: &bus})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	ms := work(60, 10)
	near := 0
	for n := 21; n < len(ms); n += 2 { // until one comes near the trigger
		turn, err := e.Prepare(t.Context(), request("t", ms[:n], 4_000))
		if err != nil {
			t.Fatal(err)
		}
		if turn.Outcome != precis.WithinBudget {
			t.Fatalf("%d messages: %s before anything was prepared", n, turn.Outcome)
		}
		if turn.Compacted > 1_800 {
			near = n
			break
		}
	}
	<-ready
	s.wait = make(chan struct{}) // from now on the model answers nobody
	turn, err := e.Prepare(t.Context(), request("t", ms[:near+16], 4_000))
	if err != nil {
		t.Fatal(err)
	}
	if turn.Outcome != precis.Compacted || len(turn.Plan.Records) != 1 {
		t.Fatalf("%s, %+v", turn.Outcome, turn.Plan)
	}
	if in := <-s.asked; turn.Plan.Records[0].Span.Count() != in.Span.Count() {
		t.Errorf("the plan covers %d messages, the proposal %d", turn.Plan.Records[0].Span.Count(), in.Span.Count())
	}
	_ = told()
}

// A proposal whose plan was undone meanwhile is not applied.
//
// SPEC: B11, V8
func TestProposalFallsWithItsPlan(t *testing.T) {
	ready := make(chan struct{}, 10)
	var bus event.Bus
	bus.Subscribe(func(v event.Event) {
		if v.Kind == event.ProposalReady {
			ready <- struct{}{}
		}
	}, event.Options{})
	s := &scribe{}
	e := newWith(t, precis.Options{Store: memory.New(), Summarizer: s, Background: true, Events: &bus})
	ms := work(60, 10)
	if _, err := e.Prepare(t.Context(), request("t", ms[:71], 4_000)); err != nil {
		t.Fatal(err)
	}
	<-ready
	before := s.calls.Load()
	if _, err := e.Pin(t.Context(), "t", plan.Ref{ID: idOf(ms[:71], 3)}); err != nil {
		t.Fatal(err)
	}
	turn, err := e.Prepare(t.Context(), request("t", ms[:85], 4_000))
	if err != nil {
		t.Fatal(err)
	}
	if s.calls.Load() != before {
		t.Error("the request waited for the model")
	}
	pinned := false
	for _, m := range turn.Messages {
		pinned = pinned || len(m.Parts) > 0 && m.Parts[0].Text == "step 1"
	}
	if !pinned {
		t.Errorf("the proposal covered what was pinned after it was made:\n%s", show(turn))
	}
}

// Shadow mode says what would have happened and changes nothing: the prompt is
// the history, no plan is committed.
//
// SPEC: B15
func TestShadow(t *testing.T) {
	st := memory.New()
	e := newWith(t, precis.Options{Store: st, Shadow: true})
	real := newWith(t, precis.Options{Store: memory.New()})
	ms := work(60, 10)
	for n := 1; n <= len(ms); n += 2 {
		turn, err := e.Prepare(t.Context(), request("t", ms[:n], 4_000))
		if err != nil {
			t.Fatal(err)
		}
		want, err := real.Prepare(t.Context(), request("t", ms[:n], 4_000))
		if err != nil {
			t.Fatal(err)
		}
		if turn.Outcome != precis.Shadowed || turn.Plan != nil || !reflect.DeepEqual(turn.Messages, ms[:n]) {
			t.Fatalf("shadow mode changed the prompt: %s", turn.Outcome)
		}
		if turn.Shadow.Outcome != want.Outcome || turn.Shadow.Compacted != want.Compacted || !reflect.DeepEqual(turn.Shadow.Messages, want.Messages) {
			t.Fatalf("%d messages: shadow %s %d, real %s %d", n, turn.Shadow.Outcome, turn.Shadow.Compacted, want.Outcome, want.Compacted)
		}
	}
	if _, err := st.Plan(t.Context(), store.Key{Thread: "t"}); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a plan was committed: %v", err)
	}
}

// Hooks hear of a compaction before and after it, may add instructions or object,
// and cannot hold up or break what the budget forces.
//
// SPEC: L19, G5, T9, V4, V9
func TestHooksAndEvents(t *testing.T) {
	var bus event.Bus
	told := record(t, &bus)
	var before, after []event.Payload
	verdict, broken := event.Verdict{}, error(nil)
	s := &scribe{asked: make(chan summary.Input, 100)}
	e := newWith(t, precis.Options{
		Store: memory.New(), Summarizer: s, Events: &bus,
		Hooks: event.Hooks{
			Before: func(_ context.Context, p event.Payload) (event.Verdict, error) {
				before = append(before, p)
				return verdict, broken
			},
			After: func(_ context.Context, p event.Payload) error {
				after = append(after, p)
				return nil
			},
		},
	})
	ms := work(60, 10)
	try := func(name string, n, budget int) *precis.Turn {
		t.Helper()
		turn, err := e.Prepare(t.Context(), request(name, ms[:n], budget))
		if err != nil {
			t.Fatal(err)
		}
		return turn
	}
	verdict = event.Verdict{Veto: true, Reason: "not now"}
	if turn := try("t", 61, 2_000); turn.Outcome != precis.Vetoed || turn.Plan != nil {
		t.Errorf("vetoed, yet %s", turn.Outcome)
	}
	if turn := try("over", 101, 2_000); turn.Outcome != precis.Compacted {
		t.Errorf("a veto held up what the budget forces: %s", turn.Outcome)
	}
	for len(s.asked) > 0 {
		<-s.asked
	}
	verdict, broken = event.Verdict{Instructions: "mind the ports"}, errors.New("half broken")
	turn := try("t", 65, 2_000)
	if turn.Outcome != precis.Compacted || len(turn.Failures) != 1 {
		t.Errorf("%s, %v", turn.Outcome, turn.Failures)
	}
	if in := <-s.asked; in.Instructions != "mind the ports" || in.Part != summary.Session {
		t.Errorf("the summarizer was asked for %q with %q", in.Part, in.Instructions)
	}
	e.Close()
	all := told()
	last := before[len(before)-1]
	if last.BeforeTokens != turn.Before || last.Messages != 65 || last.Budget != 2_000 || last.Trigger != event.Auto {
		t.Errorf("before: %+v", last)
	}
	if n := len(after); n != 4 || after[n-2].Name != event.PostCompact || after[n-1].Name != event.SessionStart || after[n-1].Source != event.Compact {
		t.Fatalf("after: %+v", after)
	}
	if p := after[len(after)-1]; p.BeforeTokens != turn.Before || p.AfterTokens != turn.Compacted || p.CompactedTokens <= 0 {
		t.Errorf("after: %+v", p)
	}
	var kinds []string
	for _, v := range all {
		if v.Thread == "t" {
			kinds = append(kinds, string(v.Kind))
		}
	}
	want := []event.Kind{
		event.CheckStarted, event.Skipped, // vetoed
		event.CheckStarted, event.Failed, event.ProposalGenerated, event.Summarized, event.Completed, event.Boundary, event.Session,
	}
	if got := strings.Join(kinds, " "); got != strings.Trim(fmt.Sprint(want), "[]") {
		t.Errorf("events: %s", got)
	}
}
