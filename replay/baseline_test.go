package replay

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-3db51b0e/precis/message"
)

// shop is a run of a system message, a user message and n rounds of 100 tokens
// a message; round i looks at shelf i.
func shop(t *testing.T, n int) []message.Message {
	t.Helper()
	var b strings.Builder
	b.WriteString("system: Keep shop.\nuser: Count.\n")
	for i := range n {
		fmt.Fprintf(&b, "call c%d look {\"at\": \"x\"}\nresult c%d shelf %d\n", i, i, i)
	}
	return script(t, b.String())
}

// drawn writes a prompt: S and U for system and user, a digit for each result
// as it was, a dash for each that is gone, w for what the policy said itself.
func drawn(p Prompt) string {
	var b strings.Builder
	for _, m := range p.Messages {
		switch text := m.Parts[0].Body(); {
		case m.Role == message.System:
			b.WriteString("S")
		case m.Role == message.User && text == "Count.":
			b.WriteString("U")
		case m.Role == message.User:
			b.WriteString("w")
		case m.Role == message.Tool && strings.HasPrefix(text, "shelf "):
			b.WriteString(strings.TrimPrefix(text, "shelf "))
		case m.Role == message.Tool:
			b.WriteString("-")
		}
	}
	return b.String()
}

// SPEC: B10. What each baseline sends before rounds are done, by its rule. Every
// message counts 100 tokens.
func TestBaselineRules(t *testing.T) {
	hundred := func(message.Message) int { return 100 }
	for _, c := range []struct {
		policy Policy
		budget int
		want   []string // by number of rounds in the history
	}{
		{window, 600, []string{"SU", "SU0", "SU01", "S12", "S23", "S34"}},
		{dropMiddle40, 1000, []string{"SU", "SU0", "SU01", "SU012", "SU0123", "SU34", "SU345", "SU3456", "SU67"}},
		{prune, 1000, []string{"SU", "SU0", "SU01", "SU012", "SU0123", "SU01234", "SU012345", "SU---3456", "SU---34567", "SU---345678"}},
		{clearToolUses, 1000, []string{"SU", "SU0", "SU01", "SU012", "SU0123", "SU--234", "SU---345"}},
		{clearAtLeast, 1000, []string{"SU", "SU0", "SU01", "SU012", "SU0123", "SU01234"}},
		{externalizePreview, 1000, []string{"SU", "SU0", "SU01", "SU012", "SUw3", "SUw34", "SUw5", "SUw56"}},
	} {
		s := Setup{Budget: c.budget, Count: hundred}
		next, _, err := c.policy.Start(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for n := range c.want {
			p, err := next(context.Background(), shop(t, n))
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, drawn(p))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", c.policy.Name, diff)
		}
	}
}

// Masking keeps ten results, anew at each step or in batches of ten.
func TestMasking(t *testing.T) {
	for _, c := range []struct {
		policy Policy
		want   map[int]int // results gone, by rounds
	}{
		{mask10, map[int]int{10: 0, 11: 1, 12: 2, 20: 10, 29: 19}},
		{maskBatched, map[int]int{10: 0, 19: 0, 20: 10, 29: 10, 30: 20, 31: 20}},
	} {
		next, _, err := c.policy.Start(context.Background(), Setup{})
		if err != nil {
			t.Fatal(err)
		}
		for n := range 32 {
			p, err := next(context.Background(), shop(t, n))
			if err != nil {
				t.Fatal(err)
			}
			want, asked := c.want[n]
			if got := strings.Count(drawn(p), "-"); asked && (got != want || len(p.Pointed) != want) {
				t.Errorf("%s after %d rounds: %d results gone, %d pointed at, want %d", c.policy.Name, n, got, len(p.Pointed), want)
			}
		}
	}
}

// A clearing that frees a quarter of the budget is done, and stays as it is.
func TestClearAtLeast(t *testing.T) {
	small := func(m message.Message) int {
		if m.Has(message.Result) && strings.HasPrefix(m.Parts[0].Body(), "shelf") {
			return 100
		}
		return 10
	}
	next, _, err := clearAtLeast.Start(context.Background(), Setup{Budget: 1000, Count: small})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for n := 8; n < 12; n++ {
		p, err := next(context.Background(), shop(t, n))
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, drawn(p))
	}
	want := []string{"SU01234567", "SU------678", "SU------6789", "SU------678910"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// The oracle keeps what a later step will need and nothing else: the round with
// the key, though it is the oldest.
func TestOracle(t *testing.T) {
	ms := script(t, "system: Keep shop.\nuser: Count.\n"+
		"call a look {\"at\": \"x\"}\nresult a the key is HX-4821-B\n"+
		strings.Repeat("call b look {\"at\": \"x\"}\nresult b dust\n", 6)+
		"call z open {\"with\": \"HX-4821-B\"}\nresult z open\n")
	j := hundred
	x := NewIndex(Run{Messages: ms}, j)
	var last Prompt
	o, _, err := oraclePolicy.Start(context.Background(), Setup{Budget: 1000, Count: j.Count, future: x})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range x.steps {
		if last, err = o(context.Background(), ms[:s.at]); err != nil {
			t.Fatal(err)
		}
	}
	said := ""
	for _, m := range last.Messages {
		said += m.Parts[0].Body() + "\n"
	}
	if !strings.Contains(said, "HX-4821-B") || len(last.Messages) > 10 || strings.Count(said, "dust") > 3 {
		t.Errorf("the last prompt says\n%s", said)
	}
}

// Parallel calls that are recorded one a message stay with their results.
func TestUnits(t *testing.T) {
	ms := script(t, "user: a\ncall a f {}\ncall b f {}\nresult a x\nresult b y\nassistant: done\nuser: b\ncall c f {}\nuser: never answered\n")
	if diff := cmp.Diff("[{0 1} {1 5} {5 6} {6 7} {7 8} {8 9}]", fmt.Sprint(units(ms))); diff != "" {
		t.Error(diff)
	}
}
