package genkit_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/firebase/genkit/go/ai"
	"github.com/firebase/genkit/go/genkit"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/internal/errand"
	"github.com/seed-3db51b0e/precis/store/memory"
)

// scripted is a model that answers from what it is shown.
type scripted struct {
	errand.Errand
	prompts  [][]*ai.Message
	refused  int // prompts that were too long
	lookedUp int
	down     error // what it answers every time, nil: it works
}

// ask is an ai.ModelFunc.
func (s *scripted) ask(ctx context.Context, req *ai.ModelRequest, stream ai.ModelStreamCallback) (*ai.ModelResponse, error) {
	s.prompts = append(s.prompts, req.Messages)
	if s.down != nil {
		return nil, s.down
	}
	view := seen(req.Messages)
	r, err := s.Reply(view)
	if err != nil {
		var long *errand.TooLong
		if errors.As(err, &long) {
			s.refused++
		}
		return nil, err
	}
	out := &ai.Message{Role: ai.RoleModel}
	if r.Text != "" {
		out.Content = append(out.Content, ai.NewTextPart(r.Text))
		for word := range strings.SplitAfterSeq(r.Text, " ") {
			if stream == nil {
				break
			}
			if err := stream(ctx, &ai.ModelResponseChunk{Content: []*ai.Part{ai.NewTextPart(word)}}); err != nil {
				return nil, err
			}
		}
	}
	for _, c := range r.Calls {
		var args map[string]any
		if err := json.Unmarshal([]byte(c.Args), &args); err != nil {
			return nil, err
		}
		out.Content = append(out.Content, ai.NewToolRequestPart(&ai.ToolRequest{Name: c.Name, Ref: c.ID, Input: args}))
		if c.Name != errand.ReadPage {
			s.lookedUp++
		}
	}
	return &ai.ModelResponse{Request: req, Message: out, FinishReason: ai.FinishReasonStop, Usage: &ai.GenerationUsage{
		InputTokens: errand.Tokens(view), OutputTokens: len(r.Text) / 4,
	}}, nil
}

// seen is a prompt as a model reads it.
func seen(prompt []*ai.Message) (out []errand.Message) {
	for _, m := range prompt {
		v := errand.Message{Role: string(m.Role)}
		if m.Role == ai.RoleModel {
			v.Role = "assistant"
		}
		for _, p := range m.Content {
			switch {
			case p.IsToolRequest():
				args, _ := json.Marshal(p.ToolRequest.Input)
				v.Calls = append(v.Calls, errand.Call{ID: p.ToolRequest.Ref, Name: p.ToolRequest.Name, Args: string(args)})
			case p.IsToolResponse():
				text, ok := p.ToolResponse.Output.(string)
				if !ok {
					raw, _ := json.Marshal(p.ToolResponse.Output)
					text = string(raw)
				}
				v.Results = append(v.Results, errand.Result{ID: p.ToolResponse.Ref, Text: text})
			default:
				v.Text += p.Text + "\n"
			}
		}
		out = append(out, v)
	}
	return out
}

// kit is Genkit with a model that is played and the tool that it needs.
func kit(ctx context.Context, m *scripted) (*genkit.Genkit, ai.Model, ai.ToolRef) {
	g := genkit.Init(ctx)
	model := genkit.DefineModel(g, "test/scripted-1", &ai.ModelOptions{Supports: &ai.ModelSupports{
		Tools: true, Multiturn: true, SystemRole: true, Media: true,
	}}, m.ask)
	type input struct {
		Page int `json:"page"`
	}
	page := genkit.DefineTool(g, errand.ReadPage, "Reads a page of the catalogue.", func(_ *ai.ToolContext, in input) (string, error) {
		return m.Page(in.Page), nil
	})
	return g, model, page
}

// run has a model that is played carry its errand out.
func run(ctx context.Context, m *scripted, opts ...ai.GenerateOption) (*ai.ModelResponse, error) {
	g, model, page := kit(ctx, m)
	return genkit.Generate(ctx, g, append([]ai.GenerateOption{ai.WithModel(model), ai.WithTools(page), ai.WithMaxTurns(200), ai.WithSystem("You are a librarian.")}, opts...)...)
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
func said(t *testing.T, m *scripted, r *ai.ModelResponse, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("after %d calls: %v", len(m.prompts), err)
	}
	if got := r.Text(); got != m.Answer() {
		t.Errorf("after %d calls: %q, want %q", len(m.prompts), got, m.Answer())
	}
}

// long is an errand of about 30,000 tokens for a window of 6,000.
func long() errand.Errand {
	return errand.Errand{Pages: 60, Lines: 40, Window: 6000, Grep: "precis_grep"}
}
