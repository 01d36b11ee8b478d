package main

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/store/sqlite"
	"github.com/seed-3db51b0e/precis/token/bpe"
)

// task is a run of the whole task under a policy, with lookups.
func task(t *testing.T, name string) options {
	t.Helper()
	p, err := named(name)
	if err != nil {
		t.Fatal(err)
	}
	return options{policy: p, store: memory.New(), window: 8000, output: 300, steps: 60, lookups: lookups(p.Recall)}
}

// alone leaves a test to the long form: in the race job one agent in one goroutine has
// nothing to show that TestFinishes does not.
func alone(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("one agent in one goroutine")
	}
}

// finish runs a task that must end well.
func finish(t *testing.T, o options) *agent {
	t.Helper()
	a, err := o.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if a.harbour.done != o.steps {
		t.Fatalf("%d orders of %d", a.harbour.done, o.steps)
	}
	return a
}

// Under every preset the agent works to the end: it obeys what the user said
// first and what the user corrected, finds what it needs or looks it up, and no
// request is invalid or too long.
//
// SPEC: S8, L21, B8, V3, V4
func TestFinishes(t *testing.T) {
	names := policy.Names()
	if testing.Short() {
		names = []string{"balanced", "timeline"} // the race job: the engine is the same under all
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := task(t, name)
			a := finish(t, o)
			plans, err := o.store.PlanVersions(t.Context(), a.key)
			if err != nil {
				t.Fatal(err)
			}
			if len(plans) < 5 {
				t.Errorf("%d plans: too few to prove anything", len(plans))
			}
			if a.tally.retries+a.tally.cuts > 0 || a.tally.largest > o.window-o.output {
				t.Errorf("a prompt did not fit:\n%v", a.tally)
			}
			if a.tally.recalls == 0 {
				t.Error("nothing was looked up: the task is too easy")
			}
		})
	}
}

// Without Précis the same agent ends in an overflow.
//
// SPEC: L21
func TestFailsWithout(t *testing.T) {
	o := task(t, "balanced")
	o.noPrecis = true
	a, err := o.run(t.Context())
	var refused *codec.Failure
	if !errors.As(err, &refused) || refused.Code != "context_length_exceeded" || a.harbour.done > o.steps/2 {
		t.Errorf("%d orders, then: %v", a.harbour.done, err)
	}
}

// A window over the newest turns fits too, but the agent gets lost. The log
// makes the difference, not the policy: with lookups even this one sees the task
// through, and without them the presets lose their way on this task as well.
//
// SPEC: V1, B8, L21
func TestFailsForgetting(t *testing.T) {
	alone(t)
	o := task(t, "forgetful")
	o.lookups = nil
	if a, err := o.run(t.Context()); !errors.Is(err, errUnfinished) {
		t.Errorf("%d orders, then: %v", a.harbour.done, err)
	}
	finish(t, task(t, "forgetful"))
}

// What was moved out is read back by the id and under the tool that its pointer
// names.
//
// SPEC: L13, B8
func TestReadsPointers(t *testing.T) {
	alone(t)
	o := task(t, "ladder")
	o.steps, o.policy.Rungs = 20, []policy.Rung{{Strategy: "externalize", Above: 300, To: 20}}
	o.lookups = o.lookups[1:] // no search
	if name := o.lookups[0].Name; name != "read_artifact" {
		t.Fatalf("the tool is %s", name)
	}
	if a := finish(t, o); a.tally.recalls == 0 || a.tally.compactions == 0 {
		t.Errorf("nothing was read back:\n%v", a.tally)
	}
}

// An answer that the end of the window cut is thrown away as far as it is
// incomplete, never acted on, and asked for again in a shorter prompt. Nothing
// is reserved for answers here, so in one window or another one does not fit.
//
// SPEC: G2
func TestCutAnswer(t *testing.T) {
	alone(t)
	for window := 7000; window < 8000; window += 20 {
		o := task(t, "balanced")
		o.window, o.output, o.steps = window, 0, 20
		o.policy.Economy, o.policy.ColdSoft, o.policy.Soft = false, 0, 1 // it fills the window
		if a := finish(t, o); a.tally.cuts > 0 {
			return
		}
	}
	t.Error("no answer was cut")
}

// Where the cap of the answer cuts it, a shorter prompt does not help: the loop
// ends, and nothing of the answer was acted on.
//
// SPEC: G2
func TestAnswerCap(t *testing.T) {
	o := task(t, "balanced")
	o.output = 12
	a, err := o.run(t.Context())
	if !errors.Is(err, precis.ErrMaxTokens) || a.tally.requests != 1 || a.harbour.done != 0 {
		t.Errorf("%d orders, %d requests, then: %v", a.harbour.done, a.tally.requests, err)
	}
}

// A loop that was told of too large a window learns the true one from the first
// refusal, and keeps to it.
//
// SPEC: T8
func TestWrongWindow(t *testing.T) {
	alone(t)
	for _, name := range []string{"balanced", "timeline", "clip"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := task(t, name)
			o.window, o.told = 6000, 9000
			if a := finish(t, o); a.tally.retries != 1 {
				t.Errorf("not learned at once:\n%v", a.tally)
			}
		})
	}
}

// A provider that from some order on finds everything too long is asked twice,
// however it says so; where nothing can be compacted yet, once.
//
// SPEC: T8
func TestAlwaysRefused(t *testing.T) {
	for name, refusal := range map[string]struct {
		status int
		body   string
	}{
		"numbers":    {400, `{"error":{"message":"This model's maximum context length is 8000 tokens. However, you requested 8001 tokens (7701 in the messages, 300 in the completion).","type":"invalid_request_error","code":"context_length_exceeded"}}`},
		"no numbers": {400, `{"error":{"message":"Your input exceeds the context window of this model.","code":"context_length_exceeded"}}`},
		"no words":   {413, ""},
	} {
		for from, want := range map[string]int{"order 9: ": 2, "order 1: ": 1} {
			t.Run(name+" from "+from, func(t *testing.T) {
				s, refused := newServer(t), 0
				srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					body, _ := io.ReadAll(r.Body)
					if !bytes.Contains(body, []byte(from)) {
						_, _ = w.Write(exchangeWith(s, body))
						return
					}
					refused++
					w.WriteHeader(refusal.status)
					_, _ = io.WriteString(w, refusal.body)
				}))
				defer srv.Close()
				o := task(t, "balanced")
				o.url = srv.URL
				a, err := o.run(t.Context())
				var failure *codec.Failure
				if !errors.As(err, &failure) || refused != want || a.tally.retries != want-1 {
					t.Errorf("refused %d times, then: %v", refused, err)
				}
			})
		}
	}
}

// A store that fails does not stop the agent: its messages go out as they are,
// and every step says why.
//
// SPEC: S7, V9
func TestStoreFails(t *testing.T) {
	st, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "log.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	o := task(t, "balanced")
	o.store, o.window, o.steps, o.lookups = st, 1<<20, 20, nil
	a := finish(t, o)
	if turn := a.loop.Turn(); turn.Outcome != precis.Failed || len(turn.Failures) != 1 || len(turn.Messages) != 2*o.steps {
		t.Errorf("%s, %d messages, %v", turn.Outcome, len(turn.Messages), turn.Failures)
	}
	if _, err := st.Head(t.Context(), a.key); err == nil || errors.Is(err, store.ErrNotFound) {
		t.Errorf("the store works: %v", err)
	}
}

// Two runs send the same bytes, and the server's answers depend on these bytes
// alone: asked in any order, another server gives the same.
//
// SPEC: V5
func TestNothingIsHidden(t *testing.T) {
	alone(t)
	first, second := record(t), record(t)
	if len(first) < 20 || len(first) != len(second) {
		t.Fatalf("%d and %d requests", len(first), len(second))
	}
	other := newServer(t)
	for i := len(first) - 1; i >= 0; i-- {
		if !bytes.Equal(first[i].request, second[i].request) {
			t.Errorf("request %d differs:\n%s\n%s", i, first[i].request, second[i].request)
		}
		if answer := exchangeWith(other, first[i].request); !bytes.Equal(answer, first[i].answer) {
			t.Errorf("answer %d depends on more than its request:\n%s\n%s", i, answer, first[i].answer)
		}
	}
}

type exchange struct{ request, answer []byte }

// record is all that passes between an agent and a server.
func record(t *testing.T) (seen []exchange) {
	t.Helper()
	s := newServer(t)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		answer := exchangeWith(s, body)
		seen = append(seen, exchange{body, answer})
		_, _ = w.Write(answer)
	}))
	defer srv.Close()
	o := task(t, "balanced")
	o.url, o.steps = srv.URL, 24
	finish(t, o)
	return seen
}

func newServer(t *testing.T) server {
	t.Helper()
	tokens, err := bpe.Counter("o200k")
	if err != nil {
		t.Fatal(err)
	}
	return server{window: 8000, tokens: tokens}
}

func exchangeWith(s server, body []byte) []byte {
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/v1/chat/completions", bytes.NewReader(body)))
	return w.Body.Bytes()
}
