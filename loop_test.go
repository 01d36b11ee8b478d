package precis_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/token"
)

// A refusal because the reply asked for is larger than the window says nothing
// of prompts: the next step sends the whole history again.
//
// SPEC: B6, T8
func TestOversizedReplyTeachesNoWindow(t *testing.T) {
	const refusal = "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":" +
		"\"input length and `max_tokens` exceed context limit: 3000 + 10000 > 8192, decrease input length or `max_tokens` and try again\"}}"
	e := newWith(t, precis.Options{Store: memory.New(), Policy: policyOf(t, "timeline")})
	l := e.Loop(request("t", nil, 80_000))
	ms := turnsOf(12, 4, 4, 4, 0, 1)
	whole, err := l.PrepareStep(t.Context(), ms)
	if err != nil || len(whole) != len(ms) {
		t.Fatalf("%d messages, %v", len(whole), err)
	}
	sent := l.Turn().Compacted
	if _, _, err := l.HandleOverflow(t.Context(), ms, 400, refusal); err != nil {
		t.Errorf("the retry: %v", err)
	}
	if now := l.Turn().Compacted; now > sent*4/5 || now < sent/10 {
		t.Errorf("the retry has %d tokens after %d", now, sent)
	}
	again := turnsOf(14, 4, 4, 4, 0, 1)
	if _, err := l.PrepareStep(t.Context(), again); err != nil {
		t.Fatalf("the step after it: %v", err)
	}
	if now := l.Turn().Budget; now != 80_000 {
		t.Errorf("the step after it has a budget of %d", now)
	}
}

// The hook of an agent loop keeps the history whatever goes wrong inside, and fails
// only where no prompt could be sent.
//
// SPEC: S8, S7, V9
func TestPrepareStep(t *testing.T) {
	ms := work(60, 10)
	st := &tearing{Store: memory.New()}
	e := newWith(t, precis.Options{Store: st})
	l := e.Loop(request("t", nil, 2_000))
	if l.Turn() != nil {
		t.Error("a turn before the first step")
	}
	for n := 1; n <= len(ms); n += 2 {
		prompt, err := l.PrepareStep(t.Context(), ms[:n])
		if err != nil || !reflect.DeepEqual(prompt, l.Turn().Messages) || l.Turn().Compacted > 2_000 {
			t.Fatalf("step %d: %d tokens, %v", n, l.Turn().Compacted, err)
		}
	}
	if n := l.Turn().Plan.Version; n < 2 {
		t.Errorf("%d plans", n)
	}
	if _, err := e.Loop(request("", nil, 4_000)).PrepareStep(t.Context(), ms); err == nil {
		t.Error("a thread without a name")
	}
	huge := append(ms[:60:60], message.TextOf(message.User, strings.Repeat("a long question ", 2_000)))
	if _, err := e.Loop(request("u", nil, 1_000)).PrepareStep(t.Context(), huge); !errors.Is(err, precis.ErrImpossible) {
		t.Errorf("impossible, and the error is %v", err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if prompt, err := l.PrepareStep(over, ms); !errors.Is(err, context.Canceled) || len(prompt) == 0 {
		t.Errorf("%d messages, %v", len(prompt), err)
	}
	st.torn = errors.New("disk full")
	if prompt, err := e.Loop(request("v", nil, 4_000)).PrepareStep(t.Context(), ms); err != nil || !reflect.DeepEqual(prompt, ms) {
		t.Errorf("%d messages of %d, %v", len(prompt), len(ms), err)
	}
}

// What the loop observes calibrates the counts of models whose encoding is not
// public: a provider that counts more than was estimated gets smaller prompts.
//
// SPEC: L12, V4
func TestLoopLearnsCounts(t *testing.T) {
	e := newWith(t, precis.Options{Store: memory.New()})
	m, _ := model.Lookup("claude-sonnet-4-5")
	l := e.Loop(precis.Input{Thread: "t", Model: m, Budget: 6_000})
	ms := work(100, 10)
	var first, last int
	for n := 21; n <= len(ms); n += 6 {
		if _, err := l.PrepareStep(t.Context(), ms[:n]); err != nil {
			t.Fatal(err)
		}
		size := len(said(l.Turn()))
		l.Observe(codec.Usage{Context: size}) // a token a byte
		if n == 21 {
			first = l.Turn().Compacted * 1000 / size
		}
		last = l.Turn().Compacted * 1000 / size
	}
	if last <= first {
		t.Errorf("%d tokens in a thousand bytes at first, %d at last", first, last)
	}
}

// A refused prompt is compacted whatever its size, and sent once more: a second
// refusal of the same step is the caller's, and so is any other error.
//
// SPEC: T8
func TestRefusedOnce(t *testing.T) {
	const tooLong = `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 2500 tokens > 1500 maximum"}}`
	e := newWith(t, precis.Options{Store: memory.New(), Policy: policyOf(t, "timeline")})
	l := e.Loop(request("t", nil, 80_000))
	ms := turnsOf(12, 4, 4, 4, 0, 1)
	if _, retry, err := l.HandleOverflow(t.Context(), ms, 400, tooLong); retry || err != nil {
		t.Errorf("before anything was sent: %v, %v", retry, err)
	}
	whole, err := l.PrepareStep(t.Context(), ms)
	if err != nil || len(whole) != len(ms) {
		t.Fatalf("%d messages, %v", len(whole), err)
	}
	for _, other := range []struct {
		status int
		body   string
	}{{429, tooLong}, {400, `{"error":{"message":"messages.3: tool_use ids must be unique"}}`}, {529, "overloaded"}} {
		if _, retry, err := l.HandleOverflow(t.Context(), ms, other.status, other.body); retry || err != nil {
			t.Errorf("status %d: %v, %v", other.status, retry, err)
		}
	}
	prompt, retry, err := l.HandleOverflow(t.Context(), ms, 400, tooLong)
	if err != nil || !retry || len(prompt) >= len(ms) || l.Turn().Compacted > 1_500 {
		t.Fatalf("%d messages, %d tokens, %v, %v", len(prompt), l.Turn().Compacted, retry, err)
	}
	if _, retry, err := l.HandleOverflow(t.Context(), ms, 400, tooLong); retry || err != nil {
		t.Errorf("the second time: %v, %v", retry, err)
	}
	if next, err := l.PrepareStep(t.Context(), ms); err != nil || !reflect.DeepEqual(next, prompt) {
		t.Errorf("the next step: %d messages, %v", len(next), err)
	}
	if _, retry, err := l.HandleOverflow(t.Context(), ms, 400, tooLong); err != nil || !retry {
		t.Errorf("a new step: %v, %v", retry, err)
	}
}

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
