package eino

import (
	"context"
	"fmt"
	"testing"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/internal/errand"
	"github.com/seed-3db51b0e/precis/store/memory"
)

// silent is a model that costs no time.
type silent struct{}

func (silent) Generate(context.Context, []*schema.Message, ...model.Option) (*schema.Message, error) {
	return schema.AssistantMessage("yes", nil), nil
}

func (silent) Stream(context.Context, []*schema.Message, ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	return nil, nil
}

// The time that the adapter adds to a call: 400 messages of 100,000 tokens, of which the
// newest two are new, under a plan that is in force.
func BenchmarkStep(b *testing.B) {
	e, err := precis.New(precis.Options{Store: memory.New()})
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()
	mw := New(e, Options{Thread: "bench", Budget: 32000})
	m, err := mw.WrapModel(b.Context(), silent{}, nil)
	if err != nil {
		b.Fatal(err)
	}
	pages := errand.Errand{Pages: 1 << 20, Lines: 30}
	history := []*schema.Message{schema.UserMessage(pages.Task())}
	grow := func() {
		n := len(history)/2 + 1
		id := fmt.Sprint("call_", n)
		history = append(history,
			schema.AssistantMessage("", []schema.ToolCall{{ID: id, Function: schema.FunctionCall{Name: errand.ReadPage, Arguments: `{"page":1}`}}}),
			schema.ToolMessage(pages.Page(n), id))
	}
	for range 200 {
		grow()
	}
	if _, err := m.Generate(b.Context(), history); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		grow()
		if _, err := m.Generate(b.Context(), history); err != nil {
			b.Fatal(err)
		}
	}
}
