package replay

import (
	"context"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-3db51b0e/precis/message"
)

// Step 8 of errand is the only active one at a budget of 700, where LR begins
// beyond 175 tokens: it needs 5 values, three of them LR (48213, HX-4821-B,
// os.path.join), the first two strict.
func TestRecall(t *testing.T) {
	note := func(s string) []message.Message { return []message.Message{message.TextOf(message.User, s)} }
	for _, c := range []struct {
		name        string
		prompt      func(h []message.Message) Prompt
		all, strict Recall
	}{
		{
			"everything", func(h []message.Message) Prompt { return Prompt{Messages: h} },
			Recall{5, 5, 5, 5},
			Recall{2, 2, 2, 2},
		},
		{
			"nothing", func(h []message.Message) Prompt { return Prompt{} },
			Recall{5, 0, 0, 0},
			Recall{2, 0, 0, 0},
		},
		{
			"one original message", func(h []message.Message) Prompt { return Prompt{Messages: h[3:4]} },
			Recall{5, 2, 2, 2},
			Recall{2, 1, 1, 1},
		},
		{
			"a bare ledger", func(h []message.Message) Prompt {
				return Prompt{Messages: note("48213\nHX-4821-B\nmy_own_helper_name")}
			},
			Recall{5, 3, 0, 3},
			Recall{2, 2, 0, 2},
		},
		{
			"a ledger of words that belong", func(h []message.Message) Prompt {
				return Prompt{Messages: note("refill rate 48213\n" + "order refused: HX-4821-B")}
			},
			Recall{5, 2, 2, 2},
			Recall{2, 2, 2, 2},
		},
		{
			"a word of another line", func(h []message.Message) Prompt { return Prompt{Messages: note("return 48213")} },
			Recall{5, 1, 0, 1},
			Recall{2, 1, 0, 1},
		},
		{
			"part of a longer token", func(h []message.Message) Prompt { return Prompt{Messages: note("refill rate x/48213/y")} },
			Recall{5, 0, 0, 0},
			Recall{2, 0, 0, 0},
		},
		{
			"a pointer", func(h []message.Message) Prompt { return Prompt{Messages: note("see message 3"), Pointed: []int{3}} },
			Recall{5, 0, 0, 2},
			Recall{2, 0, 0, 1},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := NewIndex(Run{Messages: script(t, errand)}, hundred)
			s, err := x.Replay(context.Background(), fixed(c.name, func(h []message.Message) Prompt {
				if len(h) < 8 {
					return Prompt{}
				}
				return c.prompt(h)
			}), 700, nil)
			if err != nil {
				t.Fatal(err)
			}
			if s.Active != 1 || s.Steps != 4 {
				t.Errorf("%d active steps of %d", s.Active, s.Steps)
			}
			if diff := cmp.Diff([2]Recall{c.all, c.strict}, [2]Recall{s.Recall[All], s.Recall[LongRangeStrict]}); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Messages of 1,000 tokens, 24 of every request: requests of 2024, 4024, 6024
// and 8024 tokens, each beginning with the one before.
func TestBill(t *testing.T) {
	j := Judge{Count: func(message.Message) int { return 1000 }, Fixed: func(Run) int { return 24 }}
	x := NewIndex(Run{Messages: script(t, errand)}, j)
	s, err := x.Replay(context.Background(), nonePolicy, 5000, nil)
	if err != nil {
		t.Fatal(err)
	}
	fresh, cached := 2024+2000+2000+2000, 2024+4024+6024
	for i, p := range Prices {
		if want := float64(fresh)*p.Fresh + float64(cached)*p.Cached; math.Abs(s.Billed[i]-want) > 1e-6 {
			t.Errorf("%s: billed %v, want %v", p.Name, s.Billed[i], want)
		}
	}
	if s.Tokens != fresh+cached || s.Peak != 8024 || s.Breaks != 0 || s.Active != 2 || s.Over != 2 {
		t.Errorf("score %+v", s)
	}
}

// A prefix under 1,024 tokens is not cached: messages of 300 tokens, of which
// the first stays, and the newest changes every time.
func TestBillUncached(t *testing.T) {
	j := Judge{Count: func(message.Message) int { return 300 }}
	x := NewIndex(Run{Messages: script(t, errand)}, j)
	ends := fixed("ends", func(h []message.Message) Prompt {
		return Prompt{Messages: []message.Message{h[0], h[len(h)-1]}}
	})
	s, err := x.Replay(context.Background(), ends, 1000, nil)
	if err != nil {
		t.Fatal(err)
	}
	if s.Billed[1] != 4*600 || s.Breaks != 3 || s.Over != 0 || s.Tokens != 2400 {
		t.Errorf("score %+v", s)
	}
}

// SPEC: V3. A result without its call and a call without its result are
// invalid. The second step's history ends with call and result.
func TestInvalid(t *testing.T) {
	for _, c := range []struct {
		name string
		f    func(h []message.Message) Prompt
		want int
	}{
		{"whole", func(h []message.Message) Prompt { return Prompt{Messages: h} }, 0},
		{"tail", func(h []message.Message) Prompt { return Prompt{Messages: h[len(h)-1:]} }, 2},
		{"no results", func(h []message.Message) Prompt { return Prompt{Messages: h[:min(3, len(h))]} }, 3},
	} {
		x := NewIndex(Run{Messages: script(t, errand)}, hundred)
		s, err := x.Replay(context.Background(), fixed(c.name, c.f), 500, nil)
		if err != nil {
			t.Fatal(err)
		}
		if s.Invalid != c.want {
			t.Errorf("%s: %d invalid, want %d", c.name, s.Invalid, c.want)
		}
	}
}

// SPEC: V9. A policy that fails lets the history through, and is counted.
func TestFailed(t *testing.T) {
	fails := Policy{Name: "fails", Start: func(context.Context, Setup) (Step, func() error, error) {
		return func(context.Context, []message.Message) (Prompt, error) { return Prompt{}, context.DeadlineExceeded }, nil, nil
	}}
	x := NewIndex(Run{Messages: script(t, errand)}, hundred)
	s, err := x.Replay(context.Background(), fails, 700, nil)
	if err != nil {
		t.Fatal(err)
	}
	if s.Failed != 4 || s.Over != 1 || s.Recall[All].Literal != 5 {
		t.Errorf("score %+v", s)
	}
}
