package langchaingo_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/tmc/langchaingo/llms"

	"github.com/seed-3db51b0e/precis/adapters/langchaingo"
)

// Calls that the model makes at once keep their results.
//
// SPEC: B26
func TestParallelToolsStayPaired(t *testing.T) {
	m := &scripted{Errand: long()}
	m.AtOnce = 4
	run(t, m, langchaingo.Options{Budget: 6000})
	if m.refused > 0 {
		t.Errorf("%d prompts were too long", m.refused)
	}
}

// A result that is longer than the window is shown as far as there is room.
//
// SPEC: B26
func TestResultLongerThanTheWindow(t *testing.T) {
	m := &scripted{Errand: long()}
	m.Pages, m.Lines = 5, 2000
	run(t, m, langchaingo.Options{Budget: 6000})
	if m.refused > 0 {
		t.Errorf("%d prompts were too long", m.refused)
	}
}

// coloured is a part of a type that the adapter does not know.
type coloured struct {
	llms.TextContent
	Colour string
}

// A part of a type that is not known stands in every prompt of a loop of one's own as the
// very value that it is, however long the loop becomes.
//
// SPEC: B26
func TestUnknownPartsOutliveCompaction(t *testing.T) {
	m := &scripted{Errand: long()}
	c := langchaingo.New(engine(t), langchaingo.Options{Budget: 6000}).Wrap(m)
	strange := llms.MessageContent{Role: llms.ChatMessageTypeAI, Parts: []llms.ContentPart{llms.TextContent{Text: "look:"}, coloured{Colour: "red"}}}
	history := []llms.MessageContent{
		llms.TextParts(llms.ChatMessageTypeHuman, "Is there a catalogue?"), strange, llms.TextParts(llms.ChatMessageTypeHuman, m.Task()),
	}
	for {
		r, err := c.GenerateContent(t.Context(), history, llms.WithTools(c.Definitions()))
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Choices[0].ToolCalls) == 0 {
			break
		}
		for _, call := range r.Choices[0].ToolCalls {
			answer := llms.ToolCallResponse{ToolCallID: call.ID, Name: call.FunctionCall.Name, Content: m.Run(unwrapped(call))}
			history = append(history,
				llms.MessageContent{Role: llms.ChatMessageTypeAI, Parts: []llms.ContentPart{call}},
				llms.MessageContent{Role: llms.ChatMessageTypeTool, Parts: []llms.ContentPart{answer}})
		}
	}
	for i, prompt := range m.prompts {
		if !slices.ContainsFunc(prompt, func(m llms.MessageContent) bool { return reflect.DeepEqual(m, strange) }) {
			t.Fatalf("prompt %d does not hold it", i)
		}
	}
	if last := m.prompts[len(m.prompts)-1]; len(last) > len(history)/2 || len(m.prompts) < m.Pages {
		t.Errorf("%d prompts, the last of %d messages of %d", len(m.prompts), len(last), len(history))
	}
}
