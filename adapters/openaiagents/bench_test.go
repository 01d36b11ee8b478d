package openaiagents

import (
	"context"
	"strconv"
	"testing"

	"github.com/nlpodyssey/openai-agents-go/agents"
	openai "github.com/openai/openai-go/v2/responses"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/internal/errand"
	"github.com/seed-3db51b0e/precis/store/memory"
)

// silent is a model that costs no time.
type silent struct{ agents.Model }

func (silent) GetResponse(context.Context, agents.ModelResponseParams) (*agents.ModelResponse, error) {
	return &agents.ModelResponse{}, nil
}

// The time that the adapter adds to a call: 400 items of 100,000 tokens, of which the
// newest two are new, under a plan that is in force.
func BenchmarkStep(b *testing.B) {
	e, err := precis.New(precis.Options{Store: memory.New()})
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()
	m := New(e, Options{Thread: "bench", Budget: 32000}).Wrap(silent{})
	pages := errand.Errand{Pages: 1 << 20, Lines: 30}
	history := agents.InputItems{agents.UserMessage(pages.Task())}
	grow := func() {
		n := len(history)/2 + 1
		id := strconv.Itoa(n)
		history = append(history,
			openai.ResponseInputItemParamOfFunctionCall(`{"page":1}`, id, errand.ReadPage),
			openai.ResponseInputItemParamOfFunctionCallOutput(id, pages.Page(n)))
	}
	for range 200 {
		grow()
	}
	if _, err := m.GetResponse(b.Context(), agents.ModelResponseParams{Input: history}); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		grow()
		if _, err := m.GetResponse(b.Context(), agents.ModelResponseParams{Input: history}); err != nil {
			b.Fatal(err)
		}
	}
}
