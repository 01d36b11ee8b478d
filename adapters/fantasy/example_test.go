package fantasy_test

import (
	"context"
	"fmt"

	"charm.land/fantasy"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/adapt"
	adapter "github.com/seed-3db51b0e/precis/adapters/fantasy"
	"github.com/seed-3db51b0e/precis/internal/errand"
	"github.com/seed-3db51b0e/precis/store/memory"
)

// A run through a window that it does not fit, with a model that is played.
func Example() {
	ctx := context.Background()
	played := &scripted{Errand: errand.Errand{Pages: 60, Lines: 40, Window: 6000, Grep: "precis_grep"}}
	var model fantasy.LanguageModel = played
	tools, task := []fantasy.AgentTool{page(played.Errand)}, played.Task()

	engine, err := precis.New(precis.Options{Store: memory.New()})
	if err != nil {
		panic(err)
	}
	defer engine.Close()
	compact := adapter.New(engine, adapter.Options{Budget: 6000})
	agent := fantasy.NewAgent(model,
		fantasy.WithTools(append(tools, compact.Tools()...)...),
		fantasy.WithPrepareStep(compact.PrepareStep),
	)
	result, err := agent.Generate(adapt.WithThread(ctx, "session-1"), fantasy.AgentCall{Prompt: task})
	if err != nil {
		panic(err)
	}
	fmt.Println(result.Response.Content.Text())
	// Output: Shelf 1-20 holds crate KX02499. The ship is Albatross-9.
}
