package langchaingo

import (
	"context"
	"strconv"
	"testing"

	"github.com/tmc/langchaingo/llms"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/internal/errand"
	"github.com/seed-3db51b0e/precis/store/memory"
)

// silent is a model that costs no time.
type silent struct{}

func (silent) Call(context.Context, string, ...llms.CallOption) (string, error) { return "", nil }

func (silent) GenerateContent(context.Context, []llms.MessageContent, ...llms.CallOption) (*llms.ContentResponse, error) {
	return &llms.ContentResponse{}, nil
}

// The time that the adapter adds to a call: 400 messages of 100,000 tokens, of which the
// newest two are new, under a plan that is in force.
func BenchmarkStep(b *testing.B) {
	e, err := precis.New(precis.Options{Store: memory.New()})
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()
	m := New(e, Options{Thread: "bench", Budget: 32000}).Wrap(silent{})
	pages := errand.Errand{Pages: 1 << 20, Lines: 30}
	history := []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, pages.Task())}
	grow := func() {
		n := len(history)/2 + 1
		id := strconv.Itoa(n)
		call := llms.ToolCall{ID: id, Type: "function", FunctionCall: &llms.FunctionCall{Name: errand.ReadPage, Arguments: `{"page":1}`}}
		result := llms.ToolCallResponse{ToolCallID: id, Name: errand.ReadPage, Content: pages.Page(n)}
		history = append(history,
			llms.MessageContent{Role: llms.ChatMessageTypeAI, Parts: []llms.ContentPart{call}},
			llms.MessageContent{Role: llms.ChatMessageTypeTool, Parts: []llms.ContentPart{result}})
	}
	for range 200 {
		grow()
	}
	if _, err := m.GenerateContent(b.Context(), history); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		grow()
		if _, err := m.GenerateContent(b.Context(), history); err != nil {
			b.Fatal(err)
		}
	}
}
