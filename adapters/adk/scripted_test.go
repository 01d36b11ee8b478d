package adk_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/agent/llmagent"
	"google.golang.org/adk/v2/model"
	"google.golang.org/adk/v2/runner"
	"google.golang.org/adk/v2/session"
	"google.golang.org/adk/v2/tool"
	"google.golang.org/adk/v2/tool/functiontool"
	"google.golang.org/genai"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/internal/errand"
	"github.com/seed-3db51b0e/precis/store/memory"
)

// scripted is a model that answers from what it is shown.
type scripted struct {
	errand.Errand
	prompts  [][]*genai.Content
	refused  int // prompts that were too long
	lookedUp int
	down     error // what it answers every time, nil: it works
}

func (s *scripted) Name() string { return "scripted-1" }

func (s *scripted) GenerateContent(_ context.Context, req *model.LLMRequest, stream bool) iter.Seq2[*model.LLMResponse, error] {
	return func(yield func(*model.LLMResponse, error) bool) {
		whole, err := s.answer(req)
		if err != nil {
			yield(nil, err)
			return
		}
		if text := whole.Content.Parts[0].Text; stream && text != "" {
			for word := range strings.SplitAfterSeq(text, " ") {
				if !yield(&model.LLMResponse{Content: genai.NewContentFromText(word, genai.RoleModel), Partial: true}, nil) {
					return
				}
			}
		}
		yield(whole, nil)
	}
}

// answer makes calls without ids, as the API does.
func (s *scripted) answer(req *model.LLMRequest) (*model.LLMResponse, error) {
	s.prompts = append(s.prompts, req.Contents)
	if s.down != nil {
		return nil, s.down
	}
	view := seen(req.Contents)
	r, err := s.Reply(view)
	if err != nil {
		var long *errand.TooLong
		if errors.As(err, &long) {
			s.refused++
			err = genai.APIError{Code: 400, Status: "INVALID_ARGUMENT", Message: fmt.Sprintf(
				"The input token count (%d) exceeds the maximum number of tokens allowed (%d).", long.Used, long.Window)}
		}
		return nil, err
	}
	out := &genai.Content{Role: genai.RoleModel}
	if r.Text != "" {
		out.Parts = append(out.Parts, genai.NewPartFromText(r.Text))
	}
	for i, c := range r.Calls {
		var args map[string]any
		if err := json.Unmarshal([]byte(c.Args), &args); err != nil {
			return nil, err
		}
		p := genai.NewPartFromFunctionCall(c.Name, args)
		if i == 0 {
			p.ThoughtSignature = []byte("signed")
		}
		out.Parts = append(out.Parts, p)
		if c.Name != errand.ReadPage {
			s.lookedUp++
		}
	}
	return &model.LLMResponse{Content: out, TurnComplete: true, UsageMetadata: &genai.GenerateContentResponseUsageMetadata{
		PromptTokenCount: int32(errand.Tokens(view)), CandidatesTokenCount: int32(len(r.Text) / 4),
	}}, nil
}

// seen is a prompt as the API reads it: results answer the calls of the content before in
// their order, where there are no ids.
func seen(prompt []*genai.Content) (out []errand.Message) {
	for _, c := range prompt {
		v := errand.Message{Role: "user"}
		if c.Role == genai.RoleModel {
			v.Role = "assistant"
		}
		for i, p := range c.Parts {
			switch {
			case p.FunctionCall != nil:
				args, _ := json.Marshal(p.FunctionCall.Args)
				v.Calls = append(v.Calls, errand.Call{ID: fmt.Sprint(p.FunctionCall.Name, len(v.Calls)), Name: p.FunctionCall.Name, Args: string(args)})
			case p.FunctionResponse != nil:
				text, _ := json.Marshal(p.FunctionResponse.Response)
				v.Results = append(v.Results, errand.Result{ID: fmt.Sprint(p.FunctionResponse.Name, i), Text: string(text)})
			default:
				v.Text += p.Text + "\n"
			}
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
	type output struct {
		Result string `json:"result"`
	}
	t, err := functiontool.New(functiontool.Config{Name: errand.ReadPage, Description: "Reads a page of the catalogue."},
		func(_ agent.Context, in input) (output, error) { return output{e.Page(in.Page)}, nil })
	if err != nil {
		panic(err)
	}
	return t
}

// sessions makes a runner of a real agent with a model that is played.
func sessions(t testing.TB, m model.LLM, e errand.Errand, kept session.Service) *runner.Runner {
	t.Helper()
	a, err := llmagent.New(llmagent.Config{
		Name: "librarian", Description: "reads catalogues", Instruction: "You are a librarian.", Model: m, Tools: []tool.Tool{page(e)},
	})
	if err != nil {
		t.Fatal(err)
	}
	r, err := runner.New(runner.Config{AppName: "library", Agent: a, SessionService: kept, AutoCreateSession: true})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// run says something in a session, and returns the texts that are heard; the last is the
// whole answer.
func run(ctx context.Context, r *runner.Runner, stream bool, text string) (heard []string, err error) {
	var cfg agent.RunConfig
	if stream {
		cfg.StreamingMode = agent.StreamingModeSSE
	}
	for e, err := range r.Run(ctx, "ann", "session-1", genai.NewContentFromText(text, genai.RoleUser), cfg) {
		if err != nil {
			return heard, err
		}
		if e.Content == nil {
			continue
		}
		for _, p := range e.Content.Parts {
			if p.Text != "" {
				heard = append(heard, p.Text)
			}
		}
	}
	return heard, nil
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
func said(t *testing.T, m *scripted, heard []string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("after %d calls: %v", len(m.prompts), err)
	}
	if len(heard) == 0 || heard[len(heard)-1] != m.Answer() {
		t.Errorf("after %d calls: %q, want %q", len(m.prompts), heard, m.Answer())
	}
}

// long is an errand of about 30,000 tokens for a window of 6,000.
func long() errand.Errand {
	return errand.Errand{Pages: 60, Lines: 40, Window: 6000, Grep: "precis_grep"}
}
