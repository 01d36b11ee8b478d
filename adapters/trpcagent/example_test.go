package trpcagent_test

import (
	"context"
	"fmt"

	"trpc.group/trpc-go/trpc-agent-go/agent/llmagent"
	"trpc.group/trpc-go/trpc-agent-go/model"
	"trpc.group/trpc-go/trpc-agent-go/runner"
	"trpc.group/trpc-go/trpc-agent-go/tool"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/adapters/trpcagent"
	"github.com/seed-3db51b0e/precis/internal/errand"
	"github.com/seed-3db51b0e/precis/store/memory"
)

// A run through a window that it does not fit, with a model that is played.
func Example() {
	ctx := context.Background()
	played := &scripted{Errand: errand.Errand{Pages: 60, Lines: 40, Window: 6000, Grep: "precis_grep"}}
	var llm model.Model = played
	tools, task := []tool.Tool{page(played.Errand)}, played.Task()

	engine, err := precis.New(precis.Options{Store: memory.New()})
	if err != nil {
		panic(err)
	}
	defer engine.Close()
	compact := trpcagent.New(engine, trpcagent.Options{Budget: 6000})
	librarian := llmagent.New("librarian",
		llmagent.WithModel(llm),
		llmagent.WithTools(append(tools, compact.Tools()...)))
	run := runner.NewRunner("library", librarian, runner.WithPlugins(compact))
	defer run.Close()
	events, err := run.Run(ctx, "ann", "session-1", model.NewUserMessage(task))
	if err != nil {
		panic(err)
	}
	for e := range events {
		for _, c := range e.Choices {
			if e.IsFinalResponse() && !e.IsRunnerCompletion() {
				fmt.Println(c.Message.Content)
			}
		}
	}
	// Output: Shelf 1-20 holds crate KX02499. The ship is Albatross-9.
}
