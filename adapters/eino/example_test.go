package eino_test

import (
	"context"
	"fmt"

	"github.com/cloudwego/eino/adk"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/adapt"
	"github.com/seed-3db51b0e/precis/adapters/eino"
	"github.com/seed-3db51b0e/precis/internal/errand"
	"github.com/seed-3db51b0e/precis/store/memory"
)

// A run through a window that it does not fit, with a model that is played.
func Example() {
	ctx := context.Background()
	played := &scripted{Errand: errand.Errand{Pages: 60, Lines: 40, Window: 6000, Grep: "precis_grep"}}
	var chat model.BaseModel[*schema.Message] = played
	tools, task := compose.ToolsNodeConfig{Tools: []tool.BaseTool{page(played.Errand)}}, played.Task()

	engine, err := precis.New(precis.Options{Store: memory.New()})
	if err != nil {
		panic(err)
	}
	defer engine.Close()
	agent, err := adk.NewChatModelAgent(ctx, &adk.ChatModelAgentConfig{
		Name: "librarian", Description: "reads catalogues", Model: chat, MaxIterations: 200,
		ToolsConfig: adk.ToolsConfig{ToolsNodeConfig: tools},
		Handlers:    []adk.ChatModelAgentMiddleware{eino.New(engine, eino.Options{Budget: 6000})},
	})
	if err != nil {
		panic(err)
	}
	runner := adk.NewRunner(ctx, adk.RunnerConfig{Agent: agent})
	events := runner.Query(adapt.WithThread(ctx, "session-1"), task)
	// …
	var last *schema.Message
	for e, more := events.Next(); more; e, more = events.Next() {
		if e.Err != nil {
			panic(e.Err)
		}
		if last, err = e.Output.MessageOutput.GetMessage(); err != nil {
			panic(err)
		}
	}
	fmt.Println(last.Content)
	// Output: Shelf 1-20 holds crate KX02499. The ship is Albatross-9.
}
