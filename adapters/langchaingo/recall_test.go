package langchaingo_test

import (
	"strings"
	"testing"

	"github.com/tmc/langchaingo/llms"

	"github.com/seed-3db51b0e/precis/adapters/langchaingo"
)

// What left the prompt long ago is looked up with the tools that Précis adds.
//
// SPEC: B26
func TestModelLooksUpWhatLeftThePrompt(t *testing.T) {
	m := &scripted{Errand: long()}
	m.Ask = 3
	run(t, m, langchaingo.Options{Budget: 6000})
	if m.lookedUp == 0 {
		t.Error("nothing was looked up: the errand is too easy")
	}
}

// A loop of one's own declares the tools with their schemas, and has their calls
// answered.
//
// SPEC: B26
func TestOwnLoopHasTheToolsToo(t *testing.T) {
	m := &scripted{Errand: long()}
	c := langchaingo.New(engine(t), langchaingo.Options{Budget: 6000}).Wrap(m)
	declared := c.Definitions()
	if len(declared) != 4 || declared[1].Function.Name != "precis_grep" || declared[1].Function.Parameters == nil {
		t.Fatalf("declared: %+v", declared)
	}
	history := []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, m.Task())}
	if _, err := c.GenerateContent(t.Context(), history, llms.WithTools(declared)); err != nil {
		t.Fatal(err)
	}
	call := llms.ToolCall{ID: "7", FunctionCall: &llms.FunctionCall{Name: "precis_grep", Arguments: `{"query":"Albatross"}`}}
	if got, ok := c.Answer(t.Context(), call); !ok || got.ToolCallID != "7" || !strings.Contains(got.Content, "Albatross-9") {
		t.Errorf("%v, %+v", ok, got)
	}
	call.FunctionCall.Name = "read_page"
	if _, ok := c.Answer(t.Context(), call); ok {
		t.Error("another tool was answered")
	}
}

// The tools of package agents take one string: the first argument alone is enough.
func TestToolTakesOneWord(t *testing.T) {
	m := &scripted{Errand: long()}
	c := langchaingo.New(engine(t), langchaingo.Options{Budget: 6000}).Wrap(m)
	if _, err := c.Call(t.Context(), m.Task()); err != nil {
		t.Fatal(err)
	}
	for _, input := range []string{"Albatross", `{"query":"Albatross"}`} {
		if got, err := c.Tools()[1].Call(t.Context(), input); err != nil || !strings.Contains(got, "Albatross-9") {
			t.Errorf("%s: %q, %v", input, got, err)
		}
	}
}
