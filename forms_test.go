package precis_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
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
