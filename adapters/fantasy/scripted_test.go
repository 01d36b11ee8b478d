package fantasy_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	charm "charm.land/fantasy"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/adapters/fantasy"
	"github.com/seed-3db51b0e/precis/internal/errand"
	"github.com/seed-3db51b0e/precis/store/memory"
)

// scripted is a model that answers from what it is shown.
type scripted struct {
	charm.LanguageModel // what no test calls
	errand.Errand
	prompts  []charm.Prompt
	refused  int // prompts that were too long
	lookedUp int
}

func (s *scripted) Provider() string { return "scripted" }
func (s *scripted) Model() string    { return "scripted-1" }

// answer refuses what is too long as fantasy's providers do.
func (s *scripted) answer(call charm.Call) (errand.Reply, charm.Usage, error) {
	view := seen(call.Prompt)
	s.prompts = append(s.prompts, call.Prompt)
	if len(s.prompts) > 200 {
		panic("the errand does not come to an end")
	}
	r, err := s.Reply(view)
	if long := new(errand.TooLong); errors.As(err, &long) {
		s.refused++
		return r, charm.Usage{}, &charm.ProviderError{Title: "bad request", Message: "the request was not accepted", StatusCode: 400, ContextMaxTokens: long.Window, ContextUsedTokens: long.Used}
	}
	for _, c := range r.Calls {
		if c.Name != errand.ReadPage {
			s.lookedUp++
		}
	}
	return r, charm.Usage{InputTokens: int64(errand.Tokens(view)), OutputTokens: int64(len(r.Text) / 4)}, err
}

func (s *scripted) Generate(_ context.Context, call charm.Call) (*charm.Response, error) {
	r, usage, err := s.answer(call)
	if err != nil {
		return nil, err
	}
	out := &charm.Response{FinishReason: charm.FinishReasonStop, Usage: usage}
	if r.Text != "" {
		out.Content = append(out.Content, charm.TextContent{Text: r.Text})
	}
	for _, c := range r.Calls {
		out.FinishReason = charm.FinishReasonToolCalls
		out.Content = append(out.Content, charm.ToolCallContent{ToolCallID: c.ID, ToolName: c.Name, Input: c.Args})
	}
	return out, nil
}

// Stream gives its refusals as the first part, as fantasy's providers do.
func (s *scripted) Stream(_ context.Context, call charm.Call) (charm.StreamResponse, error) {
	r, usage, err := s.answer(call)
	return func(yield func(charm.StreamPart) bool) {
		if err != nil {
			yield(charm.StreamPart{Type: charm.StreamPartTypeError, Error: err})
			return
		}
		finish := charm.StreamPart{Type: charm.StreamPartTypeFinish, FinishReason: charm.FinishReasonStop, Usage: usage}
		var parts []charm.StreamPart
		if r.Text != "" {
			parts = append(parts, charm.StreamPart{Type: charm.StreamPartTypeTextStart, ID: "0"})
			for word := range strings.SplitAfterSeq(r.Text, " ") {
				parts = append(parts, charm.StreamPart{Type: charm.StreamPartTypeTextDelta, ID: "0", Delta: word})
			}
			parts = append(parts, charm.StreamPart{Type: charm.StreamPartTypeTextEnd, ID: "0"})
		}
		for _, c := range r.Calls {
			finish.FinishReason = charm.FinishReasonToolCalls
			parts = append(parts, charm.StreamPart{Type: charm.StreamPartTypeToolCall, ID: c.ID, ToolCallName: c.Name, ToolCallInput: c.Args})
		}
		for _, p := range append(parts, finish) {
			if !yield(p) {
				return
			}
		}
	}, nil
}

// seen is a prompt as a model reads it.
func seen(prompt charm.Prompt) (out []errand.Message) {
	for _, m := range prompt {
		v := errand.Message{Role: string(m.Role)}
		for _, p := range m.Content {
			switch p := p.(type) {
			case charm.TextPart:
				v.Text += p.Text + "\n"
			case charm.ToolCallPart:
				if p.ProviderExecuted { // paired by its provider, as its result is
					continue
				}
				v.Calls = append(v.Calls, errand.Call{ID: p.ToolCallID, Name: p.ToolName, Args: p.Input})
			case charm.ToolResultPart:
				if p.ProviderExecuted {
					continue
				}
				r := errand.Result{ID: p.ToolCallID}
				switch o := p.Output.(type) {
				case charm.ToolResultOutputContentText:
					r.Text = o.Text
				case charm.ToolResultOutputContentError:
					r.Text = o.Error.Error()
				}
				v.Results = append(v.Results, r)
			}
		}
		out = append(out, v)
	}
	return out
}

// page is the agent's own tool.
func page(e errand.Errand) charm.AgentTool {
	type input struct {
		Page int `json:"page"`
	}
	return charm.NewParallelAgentTool(errand.ReadPage, "Reads a page of the catalogue.",
		func(_ context.Context, in input, _ charm.ToolCall) (charm.ToolResponse, error) {
			return charm.NewTextResponse(e.Page(in.Page)), nil
		})
}

// agent is a real agent of fantasy with a model that is played, and Précis in it.
func agent(m *scripted, p *fantasy.Adapter) charm.Agent {
	return charm.NewAgent(m,
		charm.WithSystemPrompt("You are a librarian."),
		charm.WithTools(append(p.Tools(), page(m.Errand))...),
		charm.WithPrepareStep(p.PrepareStep),
		charm.WithMaxRetries(0),
	)
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
func said(t *testing.T, m *scripted, r *charm.AgentResult, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("after %d calls: %v", len(m.prompts), err)
	}
	if got := r.Response.Content.Text(); got != m.Answer() {
		t.Errorf("after %d calls: %q, want %q", len(m.prompts), got, m.Answer())
	}
}

var errDown = errors.New("the provider is down")

// failing is a model that never answers.
type failing struct {
	scripted
	calls int
}

func (f *failing) Generate(context.Context, charm.Call) (*charm.Response, error) {
	f.calls++
	return nil, errDown
}
