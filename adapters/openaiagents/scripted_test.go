package openaiagents_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/nlpodyssey/openai-agents-go/agents"
	"github.com/nlpodyssey/openai-agents-go/usage"
	"github.com/openai/openai-go/v2/packages/param"
	openai "github.com/openai/openai-go/v2/responses"
	"github.com/openai/openai-go/v2/shared/constant"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/adapters/openaiagents"
	"github.com/seed-3db51b0e/precis/internal/errand"
	"github.com/seed-3db51b0e/precis/store/memory"
)

// scripted is a model that answers from what it is shown.
type scripted struct {
	errand.Errand
	calls    int
	refused  int // prompts that were too long
	lookedUp int
}

// answer refuses what is too long as OpenAI does.
func (s *scripted) answer(p agents.ModelResponseParams) (out []agents.TResponseOutputItem, tokens int, err error) {
	view := seen(p.Input)
	s.calls++
	if s.calls > 200 {
		panic("the errand does not come to an end")
	}
	r, err := s.Reply(view)
	if long := new(errand.TooLong); errors.As(err, &long) {
		s.refused++
		return nil, 0, errors.New(`POST "/responses": 400 Bad Request {"message":"` + long.Error() + `","code":"context_length_exceeded"}`)
	}
	if err != nil {
		return nil, 0, err
	}
	for _, c := range r.Calls {
		if c.Name != errand.ReadPage {
			s.lookedUp++
		}
		out = append(out, agents.TResponseOutputItem{Type: "function_call", ID: "fc_" + c.ID, CallID: c.ID, Name: c.Name, Arguments: c.Args, Status: "completed"})
	}
	if r.Text != "" {
		out = append(out, agents.TResponseOutputItem{
			Type: "message", ID: "msg_1", Role: constant.ValueOf[constant.Assistant](), Status: "completed",
			Content: []openai.ResponseOutputMessageContentUnion{{Type: "output_text", Text: r.Text}},
		})
	}
	return out, errand.Tokens(view), nil
}

func (s *scripted) GetResponse(_ context.Context, p agents.ModelResponseParams) (*agents.ModelResponse, error) {
	out, tokens, err := s.answer(p)
	if err != nil {
		return nil, err
	}
	return &agents.ModelResponse{Output: out, Usage: &usage.Usage{InputTokens: uint64(tokens)}}, nil
}

// StreamResponse gives a text word by word, and its refusals before anything is said.
func (s *scripted) StreamResponse(ctx context.Context, p agents.ModelResponseParams, yield agents.ModelStreamResponseCallback) error {
	out, tokens, err := s.answer(p)
	if err != nil {
		return err
	}
	for _, o := range out {
		for _, c := range o.Content {
			for word := range strings.SplitAfterSeq(c.Text, " ") {
				if err := yield(ctx, agents.TResponseStreamEvent{Type: "response.output_text.delta", Delta: word}); err != nil {
					return err
				}
			}
		}
	}
	return yield(ctx, agents.TResponseStreamEvent{Type: "response.completed", Response: openai.Response{
		ID: "r", Output: out, Usage: openai.ResponseUsage{InputTokens: int64(tokens)},
	}})
}

// seen is a prompt as a model reads it: the items of one reply are one message.
func seen(in agents.Input) (out []errand.Message) {
	if text, ok := in.(agents.InputString); ok {
		return []errand.Message{{Role: "user", Text: text.String()}}
	}
	add := func(m errand.Message) {
		if last := len(out) - 1; last >= 0 && out[last].Role == m.Role && m.Role != "user" {
			out[last].Text += m.Text
			out[last].Calls = append(out[last].Calls, m.Calls...)
			out[last].Results = append(out[last].Results, m.Results...)
			return
		}
		out = append(out, m)
	}
	for _, i := range in.(agents.InputItems) {
		switch {
		case i.OfFunctionCall != nil:
			add(errand.Message{Role: "assistant", Calls: []errand.Call{{ID: i.OfFunctionCall.CallID, Name: i.OfFunctionCall.Name, Args: i.OfFunctionCall.Arguments}}})
		case i.OfFunctionCallOutput != nil:
			add(errand.Message{Role: "tool", Results: []errand.Result{{ID: i.OfFunctionCallOutput.CallID, Text: i.OfFunctionCallOutput.Output}}})
		case i.OfMessage != nil:
			add(errand.Message{Role: string(i.OfMessage.Role), Text: i.OfMessage.Content.OfString.Value})
		case i.OfOutputMessage != nil:
			for _, c := range i.OfOutputMessage.Content {
				add(errand.Message{Role: "assistant", Text: c.OfOutputText.Text})
			}
		}
	}
	return out
}

// page is the agent's own tool.
func page(e errand.Errand) agents.Tool {
	return agents.FunctionTool{
		Name: errand.ReadPage, Description: "Reads a page of the catalogue.", StrictJSONSchema: param.NewOpt(false),
		ParamsJSONSchema: map[string]any{"type": "object", "properties": map[string]any{"page": map[string]any{"type": "integer"}}},
		OnInvokeTool:     func(_ context.Context, args string) (any, error) { return e.Run(args), nil },
	}
}

// librarian is a real agent of openai-agents-go.
func librarian(m agents.Model, tools ...agents.Tool) *agents.Agent {
	return agents.New("librarian").WithInstructions("You are a librarian.").WithModelInstance(m).WithTools(tools...)
}

var runner = agents.Runner{Config: agents.RunConfig{MaxTurns: 200, TracingDisabled: true}}

// carried runs the errand with Précis around the model, which must end well.
func carried(t *testing.T, m *scripted, o openaiagents.Options) {
	t.Helper()
	c := openaiagents.New(engine(t), o).Wrap(m)
	r, err := runner.Run(t.Context(), librarian(c, append(c.Tools(), page(m.Errand))...), m.Task())
	if err != nil {
		t.Fatalf("after %d calls: %v", m.calls, err)
	}
	if r.FinalOutput != m.Answer() {
		t.Errorf("after %d calls: %q, want %q", m.calls, r.FinalOutput, m.Answer())
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
