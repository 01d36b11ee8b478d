package openaiagents_test

import (
	"strings"
	"testing"

	"github.com/nlpodyssey/openai-agents-go/agents"

	"github.com/seed-3db51b0e/precis/adapters/openaiagents"
)

// A stream reaches its listener piece by piece, once, also where a prompt was refused
// before.
//
// SPEC: B26
func TestStreamIsHandedOn(t *testing.T) {
	for _, budget := range []int{6000, 60000} {
		m := &scripted{Errand: long()}
		c := openaiagents.New(engine(t), openaiagents.Options{Budget: budget}).Wrap(m)
		r, err := runner.RunStreamed(t.Context(), librarian(c, append(c.Tools(), page(m.Errand))...), m.Task())
		if err != nil {
			t.Fatal(err)
		}
		var heard []string
		err = r.StreamEvents(func(e agents.StreamEvent) error {
			if raw, ok := e.(agents.RawResponsesStreamEvent); ok && raw.Data.Delta != "" {
				heard = append(heard, raw.Data.Delta)
			}
			return nil
		})
		if err != nil || len(heard) < 5 || strings.Join(heard, "") != m.Answer() {
			t.Errorf("budget %d, %d calls, %d refused, %v: heard %q", budget, m.calls, m.refused, err, heard)
		}
	}
}
