package genkit_test

import (
	"context"
	"fmt"

	"github.com/firebase/genkit/go/ai"
	"github.com/firebase/genkit/go/genkit"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/adapt"
	adapter "github.com/seed-3db51b0e/precis/adapters/genkit"
	"github.com/seed-3db51b0e/precis/internal/errand"
	"github.com/seed-3db51b0e/precis/store/memory"
)

// A run through a window that it does not fit, with a model that is played.
func Example() {
	ctx := context.Background()
	played := &scripted{Errand: errand.Errand{Pages: 60, Lines: 40, Window: 6000, Grep: "precis_grep"}}
	g, model, page := kit(ctx, played)
	task := played.Task()

	engine, err := precis.New(precis.Options{Store: memory.New()})
	if err != nil {
		panic(err)
	}
	defer engine.Close()
	compact := adapter.New(engine, adapter.Options{Budget: 6000})
	reply, err := genkit.Generate(adapt.WithThread(ctx, "session-1"), g,
		ai.WithModel(model), ai.WithTools(page), ai.WithMaxTurns(200),
		ai.WithUse(compact), ai.WithPrompt(task),
	)
	if err != nil {
		panic(err)
	}
	fmt.Println(reply.Text())
	// Output: Shelf 1-20 holds crate KX02499. The ship is Albatross-9.
}
