package precis_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/store/writebehind"
	"github.com/seed-3db51b0e/precis/thread"
)

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

// An engine is asked with the whole history, then with what is new alone.
//
// SPEC: V9, V5
func TestContinueAfterOtherForms(t *testing.T) {
	e := newWith(t, precis.Options{Store: memory.New(), Policy: policyOf(t, "balanced")})
	ms := work(5, 3)
	prepared(t, e, request("t", marked(ms), 80_000))
	prepared(t, e, request("t", marked(ms[:len(ms):len(ms)]), 80_000))
	ms = append(ms, message.TextOf(message.User, "more"))
	prepared(t, e, request("t", marked(ms), 80_000))
	in := request("t", []message.Message{message.TextOf(message.Assistant, "yes"), message.TextOf(message.User, "and now?")}, 80_000)
	in.Continue = true
	turn := prepared(t, e, in)
	if n := len(ms) + 2; len(turn.Messages) != n {
		t.Fatalf("%d messages of %d", len(turn.Messages), n)
	}
	for i := range turn.Messages {
		if string(turn.Messages[i].Raw) != string(turn.Thread.At(i).Message.Raw) {
			t.Errorf("message %d is not in the log's form", i)
		}
	}
}

// What a kept result holds does not hold the body that it came in.
//
// SPEC: V1
func TestKeptResultsDoNotHoldTheirRequest(t *testing.T) {
	e := newWith(t, precis.Options{Store: memory.New(), Policy: policyOf(t, "balanced")})
	freed := make(chan struct{})
	func() {
		raw := `{"role":"user","content":[{"type":"tool_result","tool_use_id":"c0","content":[{"type":"text","text":"out"}]}]}`
		body := &[1 << 20]byte{}
		runtime.AddCleanup(body, func(c chan struct{}) { close(c) }, freed)
		at := copy(body[:], raw)
		ms := []message.Message{message.TextOf(message.User, "the task"), says(asks("c0", `{}`)), answers("c0", words("out"))}
		m := &ms[2]
		m.Dialect, m.Raw = "anthropic", body[:at]
		part := strings.Index(raw, `{"type":"text"`)
		m.Parts[0].Parts[0].Raw = body[part : at-4]
		prepared(t, e, request("t", ms, 80_000))
	}()
	for range 100 {
		runtime.GC()
		select {
		case <-freed:
			runtime.KeepAlive(e)
			return
		default:
			runtime.Gosched()
		}
	}
	t.Error("a kept message holds the body of its request")
}

// A message that is erased is not shown again although its answer could not be.
//
// SPEC: V1, L16
func TestErasedIsForgottenAtOnce(t *testing.T) {
	st := &unreadable{Store: memory.New()}
	e := newWith(t, precis.Options{Store: st, Policy: policyOf(t, "balanced")})
	ms := []message.Message{message.TextOf(message.User, "the key?"), message.TextOf(message.Assistant, "it is under the stone")}
	id := prepared(t, e, request("t", ms, 8_000)).Thread.At(1).ID
	st.fails.Store(true)
	if err := e.Erase(t.Context(), "t", id, artifact.Tombstone{Reason: "asked to"}); !errors.Is(err, errDisk) {
		t.Fatalf("erased: %v", err)
	}
	st.fails.Store(false)
	in := request("t", []message.Message{message.TextOf(message.User, "what was it?")}, 8_000)
	in.Continue = true
	for _, m := range prepared(t, e, in).Messages {
		if strings.Contains(m.Parts[0].Text, "stone") {
			t.Error("what was erased is shown")
		}
	}
}

// What is erased while a request is answered is not kept by that request.
//
// SPEC: V1, L16
func TestErasedMeanwhileIsForgotten(t *testing.T) {
	st := &interrupted{Store: memory.New()}
	e := newWith(t, precis.Options{Store: st, Policy: policyOf(t, "balanced")})
	ms := []message.Message{message.TextOf(message.User, "the key?"), message.TextOf(message.Assistant, "it is under the stone")}
	id := prepared(t, e, request("t", ms, 8_000)).Thread.At(1).ID
	st.then = func() {
		if err := e.Erase(t.Context(), "t", id, artifact.Tombstone{Reason: "asked to"}); err != nil {
			t.Error(err)
		}
	}
	prepared(t, e, request("t", append(ms, message.TextOf(message.User, "thanks")), 8_000))
	in := request("t", []message.Message{message.TextOf(message.Assistant, "welcome"), message.TextOf(message.User, "what was it?")}, 8_000)
	in.Continue = true
	for _, m := range prepared(t, e, in).Messages {
		if strings.Contains(m.Parts[0].Text, "stone") {
			t.Error("what was erased is shown")
		}
	}
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
	for _, m := range append(seen, e.SafeCompact(t.Context(), in).Messages...) {
		if m.Has(message.Thinking) {
			t.Fatalf("%v is sent", m.Parts[0])
		}
	}
}
