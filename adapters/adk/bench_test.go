package adk

import (
	"context"
	"iter"
	"testing"

	"google.golang.org/adk/v2/model"
	"google.golang.org/genai"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/internal/errand"
	"github.com/seed-3db51b0e/precis/store/memory"
)

// silent is a model that costs no time.
type silent struct{}

func (silent) Name() string { return "silent" }

func (silent) GenerateContent(context.Context, *model.LLMRequest, bool) iter.Seq2[*model.LLMResponse, error] {
	return func(yield func(*model.LLMResponse, error) bool) {
		yield(&model.LLMResponse{Content: genai.NewContentFromText("yes", genai.RoleModel)}, nil)
	}
}

// The time that the adapter adds to a call: 400 contents of 100,000 tokens, of which the
// newest two are new, under a plan that is in force.
func BenchmarkStep(b *testing.B) {
	e, err := precis.New(precis.Options{Store: memory.New()})
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()
	m := Wrap(silent{}, e, Options{Thread: "bench", Budget: 32000})
	pages := errand.Errand{Pages: 1 << 20, Lines: 30}
	history := []*genai.Content{genai.NewContentFromText(pages.Task(), genai.RoleUser)}
	grow := func() {
		n := len(history)/2 + 1
		history = append(history,
			genai.NewContentFromFunctionCall(errand.ReadPage, map[string]any{"page": n}, genai.RoleModel),
			genai.NewContentFromFunctionResponse(errand.ReadPage, map[string]any{"result": pages.Page(n)}, genai.RoleUser))
	}
	ask := func() {
		for _, err := range m.GenerateContent(b.Context(), &model.LLMRequest{Contents: history}, false) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	for range 200 {
		grow()
	}
	ask()
	for b.Loop() {
		grow()
		ask()
	}
}
