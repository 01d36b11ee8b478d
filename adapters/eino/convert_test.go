package eino_test

import (
	"slices"
	"testing"

	"github.com/cloudwego/eino/schema"
	"github.com/google/go-cmp/cmp"

	"github.com/seed-3db51b0e/precis/adapters/eino"
)

// A message that stands in a prompt is the agent's own pointer, and one with a part that
// is not known stands in every prompt.
//
// SPEC: B26
func TestOwnMessagesStand(t *testing.T) {
	m := &scripted{Errand: long()}
	address := "https://example.org/map.png"
	strange := &schema.Message{Role: schema.User, UserInputMultiContent: []schema.MessageInputPart{
		{Type: schema.ChatMessagePartTypeText, Text: "a map"},
		{Type: schema.ChatMessagePartTypeImageURL, Image: &schema.MessageInputImage{MessagePartCommon: schema.MessagePartCommon{URL: &address}}},
		{Type: "hologram", Extra: map[string]any{"depth": 3.0}},
	}}
	before := *strange
	a := agent(t, m, m.Errand, eino.New(engine(t), eino.Options{Budget: 6000}))
	history, err := run(t.Context(), a, false, schema.UserMessage(m.Task()), schema.AssistantMessage("Yes.", nil), strange)
	said(t, m, history, err)
	last := m.prompts[len(m.prompts)-1]
	if len(last) >= len(history) {
		t.Fatalf("%d of %d messages: nothing was compacted", len(last), len(history))
	}
	if !slices.Contains(last, strange) {
		t.Error("a message with a part that is not known is not the agent's own")
	}
	if d := cmp.Diff(before, *strange); d != "" {
		t.Errorf("it was changed: %s", d)
	}
}
