package adk_test

import (
	"context"
	"fmt"

	"google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/agent/llmagent"
	"google.golang.org/adk/v2/model"
	"google.golang.org/adk/v2/runner"
	"google.golang.org/adk/v2/session"
	"google.golang.org/adk/v2/tool"
	"google.golang.org/genai"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/adapters/adk"
	"github.com/seed-3db51b0e/precis/internal/errand"
	"github.com/seed-3db51b0e/precis/store/memory"
)

// A run through a window that it does not fit, with a model that is played.
func Example() {
	ctx := context.Background()
	played := &scripted{Errand: errand.Errand{Pages: 60, Lines: 40, Window: 6000, Grep: "precis_grep"}}
	var llm model.LLM = played
	tools := []tool.Tool{page(played.Errand)}

	engine, err := precis.New(precis.Options{Store: memory.New()})
	if err != nil {
		panic(err)
	}
	defer engine.Close()
	librarian, err := llmagent.New(llmagent.Config{
		Name: "librarian", Description: "reads catalogues", Tools: tools,
		Model: adk.Wrap(llm, engine, adk.Options{Budget: 6000}),
	})
	if err != nil {
		panic(err)
	}
	// …
	r, err := runner.New(runner.Config{AppName: "library", Agent: librarian, SessionService: session.InMemoryService(), AutoCreateSession: true})
	if err != nil {
		panic(err)
	}
	last := ""
	for e, err := range r.Run(ctx, "ann", "session-1", genai.NewContentFromText(played.Task(), genai.RoleUser), agent.RunConfig{}) {
		if err != nil {
			panic(err)
		}
		if e.Content != nil && e.Content.Parts[0].Text != "" {
			last = e.Content.Parts[0].Text
		}
	}
	fmt.Println(last)
	// Output: Shelf 1-20 holds crate KX02499. The ship is Albatross-9.
}
