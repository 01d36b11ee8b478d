package fantasy_test

import (
	"reflect"
	"slices"
	"testing"

	charm "charm.land/fantasy"

	"github.com/seed-3db51b0e/precis/adapters/fantasy"
)

// Calls that the model makes at once keep their results.
//
// SPEC: B26
func TestParallelToolsStayPaired(t *testing.T) {
	for name, run := range runs {
		m := &scripted{Errand: long()}
		m.AtOnce = 4
		r, err := run(t.Context(), agent(m, fantasy.New(engine(t), fantasy.Options{Budget: 6000})), m.Task())
		t.Log(name)
		said(t, m, r, err)
		if m.refused > 0 {
			t.Errorf("%d prompts were too long", m.refused)
		}
	}
}

// A result that is longer than the window is shown as far as there is room.
//
// SPEC: B26
func TestResultLongerThanTheWindow(t *testing.T) {
	m := &scripted{Errand: long()}
	m.Pages, m.Lines = 5, 2000
	r, err := agent(m, fantasy.New(engine(t), fantasy.Options{Budget: 6000})).Generate(t.Context(), charm.AgentCall{Prompt: m.Task()})
	said(t, m, r, err)
	if m.refused > 0 {
		t.Errorf("%d prompts were too long", m.refused)
	}
}

// What the provider ran itself, and parts of a type that is not known, stand in every
// prompt as the very values that they are, however long the run becomes.
//
// SPEC: B26
func TestUnknownPartsOutliveCompaction(t *testing.T) {
	m := &scripted{Errand: long()}
	strange := charm.Message{Role: charm.MessageRoleAssistant, Content: []charm.MessagePart{
		charm.ToolCallPart{ToolCallID: "w1", ToolName: "web_search", Input: `{"q":"catalogue"}`, ProviderExecuted: true},
		charm.ToolResultPart{ToolCallID: "w1", Output: charm.ToolResultOutputContentText{Text: "found"}, ProviderExecuted: true},
		&coloured{"red"},
	}}
	r, err := agent(m, fantasy.New(engine(t), fantasy.Options{Budget: 6000})).Generate(t.Context(), charm.AgentCall{
		Messages: []charm.Message{charm.NewUserMessage("Is there a catalogue?"), strange}, Prompt: m.Task(),
	})
	said(t, m, r, err)
	shorter := false
	for i, prompt := range m.prompts {
		at := slices.IndexFunc(prompt, func(m charm.Message) bool { return len(m.Content) == 3 })
		if at < 0 || prompt[at].Content[2] != strange.Content[2] || !reflect.DeepEqual(prompt[at], strange) {
			t.Fatalf("prompt %d does not hold it", i)
		}
		shorter = shorter || len(prompt) < 2*i
	}
	if !shorter {
		t.Error("nothing was compacted")
	}
}

// coloured is a part of a type that the adapter does not know.
type coloured struct{ Colour string }

func (*coloured) GetType() charm.ContentType     { return "colour" }
func (*coloured) Options() charm.ProviderOptions { return nil }
