package trpcagent

import (
	"slices"
	"strconv"
	"testing"

	"trpc.group/trpc-go/trpc-agent-go/model"

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
	p := New(e, Options{Thread: "bench", Budget: 32000})
	pages := errand.Errand{Pages: 1 << 20, Lines: 30}
	history := []model.Message{model.NewUserMessage(pages.Task())}
	grow := func() {
		n := len(history)/2 + 1
		id := strconv.Itoa(n)
		call := model.NewAssistantMessage("")
		call.ToolCalls = []model.ToolCall{{Type: "function", ID: id, Function: model.FunctionDefinitionParam{Name: errand.ReadPage, Arguments: []byte(`{"page":1}`)}}}
		history = append(history, call, model.NewToolMessage(id, errand.ReadPage, pages.Page(n)))
	}
	step := func() {
		grow()
		if _, err := p.beforeModel(b.Context(), &model.BeforeModelArgs{Request: &model.Request{Messages: slices.Clone(history)}}); err != nil {
			b.Fatal(err)
		}
	}
	for range 200 {
		grow()
	}
	step()
	for b.Loop() {
		step()
	}
}
