package openaiagents_test

import (
	"context"
	"fmt"

	"github.com/nlpodyssey/openai-agents-go/agents"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/adapt"
	"github.com/seed-3db51b0e/precis/adapters/openaiagents"
	"github.com/seed-3db51b0e/precis/internal/errand"
	"github.com/seed-3db51b0e/precis/store/memory"
)

// A run through a window that it does not fit, with a model that is played.
func Example() {
	ctx := context.Background()
	played := &scripted{Errand: errand.Errand{Pages: 60, Lines: 40, Window: 6000, Grep: "precis_grep"}}
	var llm agents.Model = played
	own, task := []agents.Tool{page(played.Errand)}, played.Task()

	engine, err := precis.New(precis.Options{Store: memory.New()})
	if err != nil {
		panic(err)
	}
	defer engine.Close()
	model := openaiagents.New(engine, openaiagents.Options{Budget: 6000}).Wrap(llm)
	librarian := agents.New("librarian").WithModelInstance(model).WithTools(append(own, model.Tools()...)...)
	runner := agents.Runner{Config: agents.RunConfig{MaxTurns: 200, TracingDisabled: true}}
	result, err := runner.Run(adapt.WithThread(ctx, "session-1"), librarian, task)
	if err != nil {
		panic(err)
	}
	fmt.Println(result.FinalOutput)
	// Output: Shelf 1-20 holds crate KX02499. The ship is Albatross-9.
}
