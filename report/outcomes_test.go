package report

import (
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/internal/term"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/store/memory"
)

// A report says how the turn ended, whatever the outcome: also in shadow mode, and where
// preparing it failed before the log was read.
func TestEveryOutcomeIsTold(t *testing.T) {
	said := []message.Message{{Role: message.User, Parts: []message.Part{{Kind: message.Text, Text: "hello"}}}}
	for _, c := range []struct {
		options precis.Options
		in      precis.Input
		outcome precis.Outcome
		want    string
	}{
		{precis.Options{Shadow: true}, precis.Input{Thread: "t", Budget: 1000, Messages: said}, precis.Shadowed, "shadow mode"},
		{precis.Options{}, precis.Input{Budget: 1000, Messages: said}, precis.Failed, "failed"},
	} {
		c.options.Store = memory.New()
		e, err := precis.New(c.options)
		if err != nil {
			t.Fatal(err)
		}
		turn := e.SafeCompact(t.Context(), c.in)
		if turn.Outcome != c.outcome {
			t.Fatalf("%s, want %s: %v", turn.Outcome, c.outcome, turn.Failures)
		}
		if got := term.Plain(Of(turn).String()); !strings.Contains(got, c.want) {
			t.Errorf("the report of a turn that %s does not say %q:\n%s", c.outcome, c.want, got)
		}
		e.Close()
	}
}
