package trpcagent_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"trpc.group/trpc-go/trpc-agent-go/agent"
	"trpc.group/trpc-go/trpc-agent-go/agent/llmagent"
	"trpc.group/trpc-go/trpc-agent-go/model"
	"trpc.group/trpc-go/trpc-agent-go/runner"
	"trpc.group/trpc-go/trpc-agent-go/tool"
	"trpc.group/trpc-go/trpc-agent-go/tool/function"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/adapters/trpcagent"
	"github.com/seed-3db51b0e/precis/internal/errand"
	"github.com/seed-3db51b0e/precis/store/memory"
)

// scripted is a model that answers from what it is shown.
type scripted struct {
	errand.Errand
	prompts  [][]model.Message
	refused  int // prompts that were too long
	lookedUp int
}

func (s *scripted) Info() model.Info { return model.Info{Name: "scripted-1"} }

// GenerateContent refuses what is too long as trpc-agent-go's providers do.
func (s *scripted) GenerateContent(_ context.Context, req *model.Request) (<-chan *model.Response, error) {
	view := seen(req.Messages)
	s.prompts = append(s.prompts, req.Messages)
	if len(s.prompts) > 200 {
		panic("the errand does not come to an end")
	}
	r, err := s.Reply(view)
	if long := new(errand.TooLong); errors.As(err, &long) {
		s.refused++
	}
	var out []*model.Response
	switch {
	case err != nil:
		out = append(out, &model.Response{Done: true, Error: &model.ResponseError{Type: model.ErrorTypeAPIError, Message: "400 Bad Request: " + err.Error()}})
	case req.Stream && r.Text != "":
		for word := range strings.SplitAfterSeq(r.Text, " ") {
			out = append(out, &model.Response{ID: "r", IsPartial: true, Choices: []model.Choice{{Delta: model.Message{Role: model.RoleAssistant, Content: word}}}})
		}
		fallthrough
	default:
		m := model.NewAssistantMessage(r.Text)
		for _, c := range r.Calls {
			m.ToolCalls = append(m.ToolCalls, model.ToolCall{Type: "function", ID: c.ID, Function: model.FunctionDefinitionParam{Name: c.Name, Arguments: []byte(c.Args)}})
			if c.Name != errand.ReadPage {
				s.lookedUp++
			}
		}
		out = append(out, &model.Response{
			ID: "r", Object: model.ObjectTypeChatCompletion, Done: true, Choices: []model.Choice{{Message: m}},
			Usage: &model.Usage{PromptTokens: errand.Tokens(view), CompletionTokens: len(r.Text) / 4},
		})
	}
	answers := make(chan *model.Response, len(out))
	for _, a := range out {
		answers <- a
	}
	close(answers)
	return answers, nil
}

// seen is a prompt as a model reads it.
func seen(prompt []model.Message) (out []errand.Message) {
	for _, m := range prompt {
		v := errand.Message{Role: string(m.Role), Text: m.Content}
		for _, p := range m.ContentParts {
			if p.Text != nil {
				v.Text += *p.Text
			}
		}
		for _, c := range m.ToolCalls {
			v.Calls = append(v.Calls, errand.Call{ID: c.ID, Name: c.Function.Name, Args: string(c.Function.Arguments)})
		}
		if m.Role == model.RoleTool {
			v.Text, v.Results = "", []errand.Result{{ID: m.ToolID, Text: v.Text}}
		}
		out = append(out, v)
	}
	return out
}

// page is the agent's own tool.
func page(e errand.Errand) tool.Tool {
	type input struct {
		Page int `json:"page"`
	}
	return function.NewFunctionTool(func(_ context.Context, in input) (string, error) { return e.Page(in.Page), nil },
		function.WithName(errand.ReadPage), function.WithDescription("Reads a page of the catalogue."))
}

// librarian is a real agent of trpc-agent-go with a model that is played.
func librarian(m *scripted, stream bool, tools []tool.Tool, o ...llmagent.Option) agent.Agent {
	return llmagent.New("librarian", append(o,
		llmagent.WithModel(m), llmagent.WithInstruction("You are a librarian."), llmagent.WithEnableParallelTools(true),
		llmagent.WithTools(append(tools, page(m.Errand))),
		llmagent.WithGenerationConfig(model.GenerationConfig{Stream: stream}))...)
}

// outcome is what a run's events said.
type outcome struct {
	pieces []string // of the text, as they came
	last   string
	err    string
}

// run runs an agent in a session.
func run(t *testing.T, r runner.Runner, says string) (o outcome) {
	t.Helper()
	events, err := r.Run(t.Context(), "ann", "session-1", model.NewUserMessage(says))
	if err != nil {
		t.Fatal(err)
	}
	for e := range events {
		if e.Error != nil {
			o.err = e.Error.Message
		}
		for _, c := range e.Choices {
			if c.Delta.Content != "" {
				o.pieces = append(o.pieces, c.Delta.Content)
			}
			if c.Message.Role == model.RoleAssistant && c.Message.Content != "" {
				o.last = c.Message.Content
			}
		}
	}
	return o
}

// carried runs the errand with Précis as a plugin, which must end well.
func carried(t *testing.T, m *scripted, stream bool, o trpcagent.Options) outcome {
	t.Helper()
	p := trpcagent.New(engine(t), o)
	r := runner.NewRunner("library", librarian(m, stream, p.Tools()), runner.WithPlugins(p))
	defer r.Close()
	got := run(t, r, m.Task())
	said(t, m, got)
	return got
}

// said checks the last words of a run.
func said(t *testing.T, m *scripted, o outcome) {
	t.Helper()
	if o.err != "" || o.last != m.Answer() {
		t.Fatalf("after %d calls, %d refused: %q %s, want %q", len(m.prompts), m.refused, o.last, o.err, m.Answer())
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

// long is an errand of about 30,000 tokens for a window of 6,000.
func long() errand.Errand {
	return errand.Errand{Pages: 60, Lines: 40, Window: 6000, Grep: "precis_grep"}
}
