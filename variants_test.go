package precis_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/token"
)

// formTally is a store that counts the forms brought to it.
type formTally struct {
	store.Store
	mu    sync.Mutex
	forms int
}

func (s *formTally) Append(ctx context.Context, k store.Key, b store.Batch) (store.Head, error) {
	s.mu.Lock()
	s.forms += len(b.Variants)
	s.mu.Unlock()
	return s.Store.Append(ctx, k, b)
}

// tallied is a counter that counts how often it is asked.
type tallied struct {
	token.Counter
	texts *atomic.Int64
}

func (c tallied) Count(s string) int {
	c.texts.Add(1)
	return c.Counter.Count(s)
}

// marked is the history as a client sends it that marks its last messages for
// the provider's cache, as Claude Code does.
func marked(ms []message.Message) []message.Message {
	out := slices.Clone(ms)
	for i := range out {
		mark := ""
		if i >= len(out)-2 {
			mark = `,"cache_control":{"type":"ephemeral"}`
		}
		out[i].Raw = json.RawMessage(fmt.Sprintf(`{"n":%d%s}`, i, mark))
		out[i].Dialect = "anthropic"
	}
	return out
}

// A client whose marker moves along the history is answered at the cost of what
// is new; what no plan touches leaves in the bytes it came in; each form of a
// message is logged once.
//
// SPEC: V1, V5, V11
func TestMarkersMove(t *testing.T) {
	for _, budget := range []int{400_000, 12_000} {
		st := &formTally{Store: memory.New()}
		var asked atomic.Int64
		meter, err := token.For(model.Unknown, nil)
		if err != nil {
			t.Fatal(err)
		}
		meter.Counter = tallied{meter.Counter, &asked}
		e := newWith(t, precis.Options{Store: st, Policy: policyOf(t, "balanced")})
		all := work(150, 12)
		most, plans := int64(0), 0
		for n := 1; n <= len(all); n += 2 {
			in := request("t", marked(all[:n]), budget)
			in.Meter = meter
			before := asked.Load()
			turn := prepared(t, e, in)
			if turn.Outcome == precis.WithinBudget && n > 9 {
				most = max(most, asked.Load()-before)
			} else if turn.Outcome == precis.Compacted {
				plans++
			}
			for i, o := range turn.Origins {
				m := turn.Messages[i]
				if o.Record == nil && o.First >= 0 && !m.Edited && string(m.Raw) != string(in.Messages[o.First].Raw) {
					t.Fatalf("budget %d, %d messages, %s: message %d left as %s, it came as %s", budget, n, turn.Outcome, o.First, m.Raw, in.Messages[o.First].Raw)
				}
			}
		}
		if most > 40 && !verifies {
			t.Errorf("budget %d: a turn without a plan counted %d texts", budget, most)
		}
		if budget == 12_000 && plans == 0 {
			t.Error("nothing was compacted")
		}
		if st.forms > len(all) {
			t.Errorf("budget %d: %d forms logged of %d messages", budget, st.forms, len(all))
		}
		t.Logf("budget %d: %d plans, at most %d texts counted in a turn without one, %d forms", budget, plans, most, st.forms)
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

// A client may leave out or bring back thinking: the parts move, the records
// that address them must not.
//
// SPEC: V1, V4, V9
func TestClientsFormDiffers(t *testing.T) {
	for _, thinksFirst := range []bool{true, false} {
		s := newSession(t, "balanced")
		args, err := json.Marshal(map[string]string{"path": "a.go", "content": strings.Repeat("line of code to write\n", 300)})
		if err != nil {
			t.Fatal(err)
		}
		history := func(thinks bool, tag string) []message.Message {
			a := says(words("writing"), asks("c1", string(args)))
			if thinks {
				a.Parts = append([]message.Part{{Kind: message.Thinking, Text: strings.Repeat("hm ", 20), Signature: "x"}}, a.Parts...)
			}
			return tagged([]message.Message{message.TextOf(message.User, "go"), a, answers("c1", words("ok"))}, tag)
		}
		s.prepare(precis.Input{Messages: history(thinksFirst, "1"), Budget: 1000})
		turn := s.prepare(precis.Input{Messages: append(history(!thinksFirst, "2"), message.TextOf(message.User, "next")), Budget: 1000})
		for _, m := range turn.Messages {
			for _, p := range m.Parts {
				if p.Kind == message.Text && strings.Contains(p.Text, `"path"`) {
					t.Errorf("arguments stand where text was:\n%s", show(turn))
				}
			}
		}
		vs, err := s.store.Variants(t.Context(), store.Key{Thread: "t"}, turn.Thread.At(1).ID)
		if err != nil || len(vs) != 1 {
			t.Errorf("%d variants kept, %v", len(vs), err)
		}
	}
}

// SPEC: V4
func TestVariantIsCountedAsItIs(t *testing.T) {
	s := newSession(t, "balanced")
	ms := []message.Message{message.TextOf(message.User, "go"), says(words("hello")), message.TextOf(message.User, "on")}
	s.prepare(precis.Input{Messages: ms, Budget: 1000})
	ms[1] = says(message.Part{Kind: message.Thinking, Text: strings.Repeat("thought ", 300), Signature: "x"}, words("hello"))
	ms[1].Raw = []byte(`{"x":1}`)
	s.prepare(precis.Input{Messages: ms, Budget: 1000})
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
