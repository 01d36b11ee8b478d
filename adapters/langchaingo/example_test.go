package langchaingo_test

import (
	"context"
	"fmt"

	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/tools"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/adapt"
	adapter "github.com/seed-3db51b0e/precis/adapters/langchaingo"
	"github.com/seed-3db51b0e/precis/internal/errand"
	"github.com/seed-3db51b0e/precis/store/memory"
)

// A run through a window that it does not fit, with a model that is played.
func Example() {
	ctx := context.Background()
	played := &scripted{Errand: errand.Errand{Pages: 60, Lines: 40, Window: 6000, Grep: "precis_grep"}}
	var llm llms.Model = played
	own, task := []tools.Tool{page{played.Errand}}, played.Task()

	engine, err := precis.New(precis.Options{Store: memory.New()})
	if err != nil {
		panic(err)
	}
	defer engine.Close()
	model := adapter.New(engine, adapter.Options{Budget: 6000}).Wrap(llm)
	agent := agents.NewOpenAIFunctionsAgent(model, append(own, model.Tools()...))
	executor := agents.NewExecutor(agent, agents.WithMaxIterations(100))
	said, err := chains.Run(adapt.WithThread(ctx, "session-1"), executor, task)
	if err != nil {
		panic(err)
	}
	fmt.Println(said)
	// Output: Shelf 1-20 holds crate KX02499. The ship is Albatross-9.
}
