package precis_test

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/codec/openai"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/token"
)

func thinkingWork(n int) []message.Message {
	ms := work(n, 10)
	for i := range ms {
		if ms[i].Role == message.Assistant {
			ms[i].Parts = append([]message.Part{{Kind: message.Thinking, Text: strings.Repeat(fmt.Sprintf("I think of step %d. ", i), 20), Signature: fmt.Sprintf("sig%d", i)}}, ms[i].Parts...)
		}
	}
	return ms
}

// An engine that goes on and one that starts anew give the same prompts, also where thinking is left out.
//
// SPEC: V5, B9
func TestSteadyIsFullThinking(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, name := range policy.Names() {
		if testing.Short() && name != "balanced" {
			continue
		}
		for _, bound := range []bool{false, true} {
			one, two := memory.New(), memory.New()
			opts := precis.Options{Policy: policyOf(t, name), Now: func() time.Time { return now }}
			opts.Store = one
			lasting := newWith(t, opts)
			m := model.Unknown
			if bound {
				m.Thinking = model.Bound
			}
			ms := thinkingWork(120)
			for n := 3; n <= len(ms); n += 2 {
				in := precis.Input{Thread: "t", Messages: ms[:n], Model: m, Meter: token.Truncate(), Budget: 12_000}
				a, err := lasting.Prepare(t.Context(), in)
				if err != nil {
					t.Fatal(err)
				}
				opts.Store = two
				b, err := newWith(t, opts).Prepare(t.Context(), in)
				if err != nil {
					t.Fatal(err)
				}
				if !reflect.DeepEqual(a.Messages, b.Messages) || a.Compacted != b.Compacted {
					t.Errorf("%s bound %v at %d messages: lasting %s %d tokens plan %d; fresh %s %d (before %d) plan %d", name, bound, n, a.Outcome, a.Compacted, planOf(a), b.Outcome, b.Compacted, b.Before, planOf(b))
					break
				}
			}
		}
	}
}

func planOf(t *precis.Turn) int {
	if t.Plan == nil {
		return 0
	}
	return t.Plan.Version
}

// What is kept of a conversation does not hold the bodies it came in.
//
// SPEC: V1
func TestKeptMessagesDoNotHoldTheirRequest(t *testing.T) {
	e := newWith(t, precis.Options{Store: memory.New(), Policy: policyOf(t, "balanced")})
	var msgs []string
	heap := func() uint64 {
		runtime.GC()
		runtime.GC()
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		return s.HeapAlloc
	}
	before, last := heap(), 0
	for i := range 200 {
		role := "user"
		if i%2 == 1 {
			role = "assistant"
		}
		msgs = append(msgs, fmt.Sprintf(`{"role":%q,"content":"%d %s"}`, role, i, strings.Repeat("words of text ", 300)))
		if i%2 == 1 {
			continue
		}
		body := []byte(`{"model":"gpt-4o","messages":[` + strings.Join(msgs, ",") + `]}`)
		req, err := openai.Codec{}.Decode(body)
		if err != nil {
			t.Fatal(err)
		}
		last = len(body)
		if _, err := e.Prepare(t.Context(), precis.Input{Thread: "t", Messages: req.Messages, Meter: token.Truncate(), Budget: 4_000_000}); err != nil {
			t.Fatal(err)
		}
	}
	grown := heap() - before
	t.Logf("the last body has %d KB, the heap grew by %d KB", last/1024, grown/1024)
	if grown > uint64(10*last) {
		t.Error("each kept message holds the body of its request")
	}
	runtime.KeepAlive(e)
}
