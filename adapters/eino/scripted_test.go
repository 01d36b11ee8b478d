package eino_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/cloudwego/eino/adk"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/components/tool/utils"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/internal/errand"
	"github.com/seed-3db51b0e/precis/store/memory"
)

// scripted is a model that answers from what it is shown.
type scripted struct {
	errand.Errand
	prompts  [][]*schema.Message
	refused  int // prompts that were too long
	lookedUp int
}

func (s *scripted) Generate(_ context.Context, prompt []*schema.Message, _ ...model.Option) (*schema.Message, error) {
	view := seen(prompt)
	s.prompts = append(s.prompts, prompt)
	r, err := s.Reply(view)
	if err != nil {
		var long *errand.TooLong
		if errors.As(err, &long) {
			s.refused++
		}
		return nil, err
	}
	out := schema.AssistantMessage(r.Text, nil)
	out.ResponseMeta = &schema.ResponseMeta{Usage: &schema.TokenUsage{PromptTokens: errand.Tokens(view), CompletionTokens: len(r.Text) / 4}}
	for _, c := range r.Calls {
		out.ToolCalls = append(out.ToolCalls, schema.ToolCall{ID: c.ID, Type: "function", Function: schema.FunctionCall{Name: c.Name, Arguments: c.Args}})
		if c.Name != errand.ReadPage {
			s.lookedUp++
		}
	}
	return out, nil
}

// Stream gives a text word by word, and its refusals where the stream begins.
func (s *scripted) Stream(ctx context.Context, prompt []*schema.Message, opts ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	whole, err := s.Generate(ctx, prompt, opts...)
	out, in := schema.Pipe[*schema.Message](1)
	go func() {
		defer in.Close()
		if err != nil {
			in.Send(nil, err)
			return
		}
		for word := range strings.SplitAfterSeq(whole.Content, " ") {
			in.Send(schema.AssistantMessage(word, nil), nil)
		}
		last := *whole
		last.Content = ""
		in.Send(&last, nil)
	}()
	return out, nil
}

// seen is a prompt as a model reads it.
func seen(prompt []*schema.Message) (out []errand.Message) {
	for _, m := range prompt {
		v := errand.Message{Role: string(m.Role), Text: m.Content}
		for _, c := range m.ToolCalls {
			v.Calls = append(v.Calls, errand.Call{ID: c.ID, Name: c.Function.Name, Args: c.Function.Arguments})
		}
		if m.Role == schema.Tool {
			v.Text, v.Results = "", []errand.Result{{ID: m.ToolCallID, Text: m.Content}}
		}
		out = append(out, v)
	}
	return out
}

// page is the agent's own tool.
func page(e errand.Errand) tool.BaseTool {
	type input struct {
		Page int `json:"page"`
	}
	t, err := utils.InferTool(errand.ReadPage, "Reads a page of the catalogue.", func(_ context.Context, in input) (string, error) {
		return e.Page(in.Page), nil
	})
	if err != nil {
		panic(err)
	}
	return t
}

// agent is a real agent of eino with a model that is played.
func agent(t testing.TB, m model.BaseModel[*schema.Message], e errand.Errand, handlers ...adk.ChatModelAgentMiddleware) adk.Agent {
	t.Helper()
	a, err := adk.NewChatModelAgent(t.Context(), &adk.ChatModelAgentConfig{
		Name: "librarian", Description: "reads catalogues", Instruction: "You are a librarian.", Model: m, MaxIterations: 200,
		ToolsConfig: adk.ToolsConfig{ToolsNodeConfig: compose.ToolsNodeConfig{Tools: []tool.BaseTool{page(e)}}},
		Handlers:    handlers,
	})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// run runs an agent, and returns what its history is then.
func run(ctx context.Context, a adk.Agent, stream bool, history ...*schema.Message) ([]*schema.Message, error) {
	events := adk.NewRunner(ctx, adk.RunnerConfig{Agent: a, EnableStreaming: stream}).Run(ctx, history)
	for {
		e, more := events.Next()
		if !more {
			return history, nil
		}
		if e.Err != nil {
			return history, e.Err
		}
		if e.Output == nil || e.Output.MessageOutput == nil {
			continue
		}
		m, err := e.Output.MessageOutput.GetMessage()
		if err != nil {
			return history, err
		}
		history = append(history, m)
	}
}

func engine(t testing.TB) *precis.Engine {
	t.Helper()
	e, err := precis.New(precis.Options{Store: memory.New()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e
}

// said checks the last words of a run.
func said(t *testing.T, m *scripted, history []*schema.Message, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("after %d calls: %v", len(m.prompts), err)
	}
	if got := history[len(history)-1].Content; got != m.Answer() {
		t.Errorf("after %d calls: %q, want %q", len(m.prompts), got, m.Answer())
	}
}

// long is an errand of about 30,000 tokens for a window of 6,000.
func long() errand.Errand {
	return errand.Errand{Pages: 60, Lines: 40, Window: 6000, Grep: "precis_grep"}
}
