package langchaingo_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/tools"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/adapters/langchaingo"
	"github.com/seed-3db51b0e/precis/internal/errand"
	"github.com/seed-3db51b0e/precis/store/memory"
)

// scripted is a model that answers from what it is shown.
type scripted struct {
	errand.Errand
	prompts  [][]llms.MessageContent
	refused  int // prompts that were too long
	lookedUp int
}

func (s *scripted) Call(context.Context, string, ...llms.CallOption) (string, error) {
	return "", errors.New("not played")
}

// GenerateContent refuses what is too long as langchaingo's providers do.
func (s *scripted) GenerateContent(ctx context.Context, prompt []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	var o llms.CallOptions
	for _, set := range options {
		set(&o)
	}
	s.prompts = append(s.prompts, prompt)
	if len(s.prompts) > 200 {
		panic("the errand does not come to an end")
	}
	view := seen(prompt)
	r, err := s.Reply(view)
	if long := new(errand.TooLong); errors.As(err, &long) {
		s.refused++
		return nil, llms.NewError(llms.ErrCodeTokenLimit, "openai", "API returned unexpected status code: 400: "+long.Error())
	}
	if err != nil {
		return nil, err
	}
	choice := &llms.ContentChoice{Content: r.Text, GenerationInfo: map[string]any{"PromptTokens": errand.Tokens(view), "CompletionTokens": len(r.Text) / 4}}
	for _, c := range r.Calls {
		if c.Name != errand.ReadPage {
			s.lookedUp++
		}
		args, _ := json.Marshal(map[string]string{"__arg1": c.Args}) // as package agents declares its tools
		choice.ToolCalls = append(choice.ToolCalls, llms.ToolCall{ID: c.ID, Type: "function", FunctionCall: &llms.FunctionCall{Name: c.Name, Arguments: string(args)}})
	}
	for word := range strings.SplitAfterSeq(r.Text, " ") {
		if o.StreamingFunc != nil && r.Text != "" {
			if err := o.StreamingFunc(ctx, []byte(word)); err != nil {
				return nil, err
			}
		}
	}
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{choice}}, nil
}

// seen is a prompt as a model reads it.
func seen(prompt []llms.MessageContent) (out []errand.Message) {
	for _, m := range prompt {
		v := errand.Message{Role: string(m.Role)}
		if m.Role == llms.ChatMessageTypeAI {
			v.Role = "assistant"
		}
		for _, p := range m.Parts {
			switch p := p.(type) {
			case llms.TextContent:
				v.Text += p.Text + "\n"
			case llms.ToolCall:
				v.Calls = append(v.Calls, errand.Call{ID: p.ID, Name: p.FunctionCall.Name, Args: p.FunctionCall.Arguments})
			case llms.ToolCallResponse:
				v.Results = append(v.Results, errand.Result{ID: p.ToolCallID, Text: p.Content})
			}
		}
		out = append(out, v)
	}
	return out
}

// page is the agent's own tool.
type page struct{ errand.Errand }

func (page) Name() string                                           { return errand.ReadPage }
func (page) Description() string                                    { return "Reads a page of the catalogue." }
func (p page) Call(_ context.Context, input string) (string, error) { return p.Run(input), nil }

// executor runs a real agent of langchaingo, with Précis around its model.
func executor(m *scripted, c *langchaingo.Model, o ...agents.Option) *agents.Executor {
	a := agents.NewOpenAIFunctionsAgent(c, append(c.Tools(), tools.Tool(page{m.Errand})), o...)
	return agents.NewExecutor(a, append(o, agents.WithMaxIterations(100))...)
}

func run(t *testing.T, m *scripted, o langchaingo.Options, how ...chains.ChainCallOption) {
	t.Helper()
	c := langchaingo.New(engine(t), o).Wrap(m)
	said, err := chains.Run(t.Context(), executor(m, c), m.Task(), how...)
	if err != nil {
		t.Fatalf("after %d calls: %v", len(m.prompts), err)
	}
	if said != m.Answer() {
		t.Errorf("after %d calls: %q, want %q", len(m.prompts), said, m.Answer())
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

// unwrapped returns the arguments of a call as they were before package agents wrapped
// them.
func unwrapped(call llms.ToolCall) string {
	var in map[string]string
	_ = json.Unmarshal([]byte(call.FunctionCall.Arguments), &in)
	return in["__arg1"]
}
