package precis_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/token"
	"pgregory.net/rapid"
)

// roaming is a client that goes on, edits, asks again, goes back and sends what it
// has in other forms.
type roaming struct {
	*rapid.T
	n    int
	ms   []message.Message
	past [][]message.Message
}

func (c *roaming) round() {
	c.n++
	id := fmt.Sprintf("c%d", c.n)
	think := message.Part{Kind: message.Thinking, Text: strings.Repeat(fmt.Sprintf("I think of step %d. ", c.n), 5), Signature: "sig" + id}
	out := words(strings.Repeat(fmt.Sprintf("out_%d value %d\n", c.n, c.n*7), 12))
	switch c.IntRange(0, 5).With(c, "round") {
	case 0:
		c.ms = append(c.ms, says(think, words("so "+id)), message.TextOf(message.User, "question "+id))
	case 1:
		c.ms = append(c.ms, says(think, words("two "+id), asks(id, `{"command":"x"}`), asks(id+"b", `{"command":"y"}`)), answers(id, out), answers(id+"b", out))
	case 2:
		c.ms = append(c.ms, says(think, asks(id, `{"command":"open"}`)))
	case 3:
		c.ms = append(c.ms, says(words("no thought "+id), asks(id, `{"command":"x"}`)), answers(id, out))
	default:
		c.ms = append(c.ms, says(think, words("step "+id), asks(id, `{"command":"x"}`)), answers(id, out))
	}
}

type ranged struct{ a, b int }

func (c *roaming) IntRange(a, b int) ranged { return ranged{a, b} }

func (r ranged) With(c *roaming, label string) int {
	return rapid.IntRange(r.a, r.b).Draw(c.T, label)
}

func (c *roaming) move() {
	switch c.IntRange(0, 11).With(c, "move") {
	case 0: // again
	case 1: // less
		c.past = append(c.past, c.ms)
		c.ms = slices.Clip(c.ms[:c.IntRange(1, len(c.ms)).With(c, "until")])
	case 2: // edit in the middle
		c.past = append(c.past, c.ms)
		c.ms = slices.Clone(c.ms)
		i := c.IntRange(0, len(c.ms)-1).With(c, "edit")
		if c.ms[i].Role == message.User {
			c.n++
			c.ms[i] = message.TextOf(message.User, fmt.Sprint("edited ", c.n))
		}
	case 3: // back to another branch
		if len(c.past) > 0 {
			i := c.IntRange(0, len(c.past)-1).With(c, "branch")
			c.past[i], c.ms = c.ms, slices.Clip(c.past[i])
		}
	default:
		c.ms = slices.Clip(c.ms)
		for range c.IntRange(1, 4).With(c, "rounds") {
			c.round()
		}
	}
}

// sent is the history in the forms of this request.
func (c *roaming) sent() []message.Message {
	out := slices.Clone(c.ms)
	marks, thoughts, spaces := c.IntRange(0, 2).With(c, "marks"), c.IntRange(0, 5).With(c, "thoughts"), c.IntRange(0, 6).With(c, "spaces")
	cut := c.IntRange(0, len(out)).With(c, "cut")
	for i := range out {
		m := &out[i]
		m.Parts = slices.Clone(m.Parts)
		switch {
		case thoughts == 1 || thoughts == 2 && i < cut || thoughts == 3 && i > cut:
			m.Parts = slices.DeleteFunc(m.Parts, func(p message.Part) bool { return p.Kind == message.Thinking })
		case thoughts == 4 && i == cut && m.Role == message.Assistant:
			m.Parts = slices.Insert(m.Parts, 0, message.Part{Kind: message.Thinking, Text: "another thought", Signature: "other"})
		case thoughts == 5 && i == cut && m.Role == message.Assistant:
			if m.Parts[0].Kind == message.Thinking {
				m.Parts[0].Text = "redone"
			}
		}
		if spaces == 1 && i >= cut && m.Role == message.User {
			m.Parts = append(m.Parts, words(""))
		}
		mark := ""
		if marks == 1 && i >= len(out)-2 || marks == 2 && i%3 == 0 {
			mark = "*"
		}
		raw := ""
		for n := range m.Parts {
			r := fmt.Sprintf(`{"k":%q,"s":%q,"n":%d,"c":%q}`, m.Parts[n].Kind, m.Parts[n].Signature, len(m.Parts[n].Text), m.Parts[n].CallID)
			m.Parts[n].Raw = json.RawMessage(r)
			raw += r
		}
		m.Raw = json.RawMessage(fmt.Sprintf(`{"m":%q,"p":[%s]}`, mark, raw))
		m.Dialect = "anthropic"
		if spaces == 2 && i >= cut {
			m.Raw, m.Dialect = nil, ""
			for n := range m.Parts {
				m.Parts[n].Raw = nil
			}
		}
	}
	return out
}

// An engine that goes on and one that starts anew for each request give the same
// prompts, whatever forms and branches a client sends, also where it is behind the log.
//
// SPEC: V4, V5, V11
func TestContinuedIsPlannedForAnyClient(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.SampledFrom([]string{"balanced", "ladder", "session", "timeline"}).Draw(rt, "policy")
		opts := precis.Options{Policy: policyOf(t, name), Now: func() time.Time { return now }, Store: memory.New()}
		lasting := newWith(t, opts)
		opts.Store = memory.New()
		c := &roaming{T: rt, ms: []message.Message{message.TextOf(message.User, "the task")}}
		m := model.Unknown
		if rapid.Bool().Draw(rt, "bound") {
			m.Thinking = model.Bound
		}
		for range rapid.IntRange(3, 12).Draw(rt, "requests") {
			c.move()
			in := request("t", c.sent(), rapid.SampledFrom([]int{2_000, 2_000, 2_000, 2_000, 8_000}).Draw(rt, "budget"))
			in.Model = m
			switch c.IntRange(0, 30).With(c, "how") {
			case 0:
				in.Mode.NoCompact = true
			case 1:
				in.Mode.DropThinking = true
			case 2:
				in.Mode.Force = true
			case 3:
				in.Limits.Payload.Bytes = 2_000
			case 4:
				in.Mode.CloseOpenCalls = true
			}
			a, errA := lasting.Prepare(t.Context(), in)
			b, errB := preparedAnew(rt, opts, in)
			if errA != nil || errB != nil {
				if !errors.Is(errA, precis.ErrImpossible) || !errors.Is(errB, precis.ErrImpossible) {
					rt.Fatalf("lasting: %v; fresh: %v", errA, errB)
				}
				continue
			}
			if !cmp.Equal(a.Messages, b.Messages, cmpopts.EquateEmpty()) || a.Compacted != b.Compacted || a.Original != b.Original || planOf(a) != planOf(b) || a.Key != b.Key {
				for i := range min(len(a.Messages), len(b.Messages)) {
					if !cmp.Equal(a.Messages[i], b.Messages[i], cmpopts.EquateEmpty()) {
						rt.Logf("message %d (%+v):\n%s\n%s", i, a.Origins[i], shown(a.Messages[i]), shown(b.Messages[i]))
						break
					}
				}
				rt.Fatalf("%d messages: lasting %s %s %d/%d/%d plan %d (%d); fresh %s %s %d/%d/%d plan %d (%d)", len(in.Messages), a.Key.Thread, a.Outcome, a.Before, a.Compacted, a.Original, planOf(a), len(a.Messages), b.Key.Thread, b.Outcome, b.Before, b.Compacted, b.Original, planOf(b), len(b.Messages))
			}
			for i, o := range a.Origins {
				x := a.Messages[i]
				if o.Record == nil && o.First >= 0 && !x.Edited && in.Messages[o.First].Raw != nil && string(x.Raw) != string(in.Messages[o.First].Raw) {
					rt.Fatalf("message %d left as %s, it came as %s", o.First, x.Raw, in.Messages[o.First].Raw)
				}
			}
			n := in.Meter.Overhead.Request + in.Meter.Messages(a.Messages)
			if n != a.Compacted || n > in.Budget && !in.Mode.NoCompact {
				rt.Fatalf("%d tokens are sent, the turn says %d of %d", n, a.Compacted, in.Budget)
			}
			if got, most := loadOf(a.Messages).Bytes, in.Limits.Payload.Bytes; most > 0 && got > most && len(a.Failures) == 0 {
				rt.Fatalf("%d bytes of %d are sent, and nothing is said of it", got, most)
			}
		}
	})
}

func shown(m message.Message) string {
	out := fmt.Sprintf("%s %t %s", m.Role, m.Edited, m.Raw)
	for _, p := range m.Parts {
		out += fmt.Sprintf("\n\t%s %q %q %s %d", p.Kind, p.Text, p.Signature, p.Raw, len(p.Parts))
	}
	return out
}

// An engine that goes on and one that starts anew give the same prompts, with parallel
// calls, texts, pins, holds and closed ends.
//
// SPEC: V5
func TestContinuedIsPlanned(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, name := range policy.Names() {
		if testing.Short() && name != "balanced" {
			continue
		}
		one, two := memory.New(), memory.New()
		opts := precis.Options{Policy: policyOf(t, name), Now: func() time.Time { return now }, Store: one}
		lasting := newWith(t, opts)
		opts.Store = two
		ms := []message.Message{message.TextOf(message.User, "the task")}
		for i := range 90 {
			switch i % 6 {
			case 0:
				ms = append(ms, message.TextOf(message.User, fmt.Sprintf("question %d about out_%d", i, i-1)))
			case 1:
				ms = append(ms, message.TextOf(message.Assistant, fmt.Sprintf("thinking aloud %d", i)))
			case 2: // an id used before
				ms = append(ms, says(words("again"), asks("same", `{"command":"x"}`)), answers("same", words(strings.Repeat("dup\n", 20))))
			case 3: // an unanswered call
				ms = append(ms, says(words("lost"), asks(fmt.Sprint("l", i), `{"command":"x"}`)), message.TextOf(message.User, "never mind"))
			case 4: // parallel
				ms = append(ms, says(words("two"), asks(fmt.Sprint("a", i), `{"command":"x"}`), asks(fmt.Sprint("b", i), `{"command":"y"}`)),
					answers(fmt.Sprint("a", i), words(strings.Repeat(fmt.Sprintf("pa_%d\n", i), 40))), answers(fmt.Sprint("b", i), words(strings.Repeat(fmt.Sprintf("pb_%d\n", i), 40))))
			case 5: // meta and orphan
				m := message.TextOf(message.User, "bookkeeping "+strings.Repeat("x ", 50))
				m.Meta = true
				ms = append(ms, m, answers(fmt.Sprint("none", i), words("orphan")))
			}
		}
		for n := 1; n <= len(ms); n++ {
			in := request("t", ms[:n], 4_000)
			a, err := lasting.Prepare(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			b, err := newWith(t, opts).Prepare(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(a.Messages, b.Messages) || a.Compacted != b.Compacted || a.Original != b.Original {
				t.Errorf("%s at %d messages: lasting %s %d/%d plan %d; fresh %s %d/%d plan %d", name, n, a.Outcome, a.Compacted, a.Original, planOf(a), b.Outcome, b.Compacted, b.Original, planOf(b))
				break
			}
		}
	}
}

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
func TestContinuedIsPlannedWithThinking(t *testing.T) {
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

// preparedAnew prepares with an engine that remembers nothing.
func preparedAnew(t *rapid.T, o precis.Options, in precis.Input) (*precis.Turn, error) {
	e, err := precis.New(o)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	return e.Prepare(t.Context(), in)
}
