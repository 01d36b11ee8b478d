package genkit

import (
	"context"
	"testing"

	"github.com/firebase/genkit/go/ai"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/internal/errand"
	"github.com/seed-3db51b0e/precis/store/memory"
)

// The time that the adapter adds to a call: 400 messages of 100,000 tokens, of which the
// newest two are new, under a plan that is in force.
func BenchmarkStep(b *testing.B) {
	e, err := precis.New(precis.Options{Store: memory.New()})
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()
	hooks, err := New(e, Options{Thread: "bench", Budget: 32000}).New(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	silent := func(context.Context, *ai.ModelParams) (*ai.ModelResponse, error) { return &ai.ModelResponse{}, nil }
	pages := errand.Errand{Pages: 1 << 20, Lines: 30}
	history := []*ai.Message{ai.NewUserTextMessage(pages.Task())}
	grow := func() {
		n := len(history)/2 + 1
		history = append(history,
			ai.NewModelMessage(ai.NewToolRequestPart(&ai.ToolRequest{Name: errand.ReadPage, Input: map[string]any{"page": n}})),
			ai.NewMessage(ai.RoleTool, nil, ai.NewToolResponsePart(&ai.ToolResponse{Name: errand.ReadPage, Output: pages.Page(n)})))
	}
	ask := func() {
		if _, err := hooks.WrapModel(b.Context(), &ai.ModelParams{Request: &ai.ModelRequest{Messages: history}}, silent); err != nil {
			b.Fatal(err)
		}
	}
	for range 200 {
		grow()
	}
	ask()
	for b.Loop() {
		grow()
		ask()
	}
}
