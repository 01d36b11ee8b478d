package trpcagent

import (
	"reflect"
	"testing"

	"trpc.group/trpc-go/trpc-agent-go/model"

	"github.com/seed-3db51b0e/precis/adapt"
	"github.com/seed-3db51b0e/precis/message"
)

// each is a message with every kind of part.
func each() model.Message {
	m := model.NewAssistantMessage("I look")
	m.ReasoningContent, m.ReasoningSignature = "hm", "signed"
	m.AddImageURL("https://example.com/a.png", "low")
	m.AddAudioData([]byte{1, 2, 3}, "wav")
	text := "and see"
	m.ContentParts = append(m.ContentParts,
		model.ContentPart{Type: model.ContentTypeText, Text: &text},
		model.ContentPart{Type: "colour"},
		model.ContentPart{Type: model.ContentTypeText, ContentRef: &model.ContentRef{ArtifactRef: "artifact://a@0"}})
	m.ToolCalls = []model.ToolCall{{
		Type: "function", ID: "1", Function: model.FunctionDefinitionParam{Name: "read", Arguments: []byte(`{"a":1}`)},
		ExtraFields: map[string]any{"thought_signature": "signed"},
	}}
	return m
}

// Every part has its place, and what is not understood is one that no plan touches.
//
// SPEC: B26
func TestPartsKeepTheirPlaces(t *testing.T) {
	m := neutral([]model.Message{each()})[0]
	var kinds []message.Kind
	for _, p := range m.Parts {
		kinds = append(kinds, p.Kind)
	}
	want := []message.Kind{
		message.Thinking, message.Text, message.Media, message.Media, message.Text, message.Fixed, message.Fixed, message.Call,
	}
	if !reflect.DeepEqual(kinds, want) {
		t.Fatalf("%v, want %v", kinds, want)
	}
	if again := neutral([]model.Message{each()})[0]; !reflect.DeepEqual(again, m) {
		t.Errorf("another time it is %+v, not %+v", again, m)
	}
}

// Of an edited message the parts that stand are the same values, and an edited call keeps
// its extra fields.
//
// SPEC: B26
func TestEditedMessageKeepsItsOtherParts(t *testing.T) {
	own := each()
	m := neutral([]model.Message{own})[0]
	m.Edited = true
	m.Parts[1].Text, m.Parts[1].Edited = "cut", true
	m.Parts[7].Args, m.Parts[7].Edited = `{"cut":true}`, true
	got := foreign(adapt.Message{Message: m, Of: []int{0, 1, 2, 3, 4, 5, 6, 7}}, &own)
	want := each()
	want.Content = "cut"
	want.ToolCalls[0].Function.Arguments = []byte(`{"cut":true}`)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
}

// The result of a tool that returns a string is read as its text, and leaves as it came
// where it stands.
//
// SPEC: B26
func TestResultOfAStringIsItsText(t *testing.T) {
	own := model.NewToolMessage("1", "read", `"a\nb"`)
	own.AddImageURL("https://example.com/a.png", "low")
	m := neutral([]model.Message{own})[0]
	if got := m.Parts[0].Parts[0].Text; got != "a\nb" || m.Parts[0].Parts[1].Kind != message.Media {
		t.Errorf("%+v", m.Parts[0])
	}
	if got := foreign(adapt.Message{Message: m, Of: []int{0}}, &own); !reflect.DeepEqual(got, own) {
		t.Errorf("it leaves as %+v", got)
	}
	m.Parts[0].Edited, m.Parts[0].Parts = true, []message.Part{{Kind: message.Text, Text: "[left out]"}}
	want := model.NewToolMessage("1", "read", "[left out]")
	if got := foreign(adapt.Message{Message: m, Of: []int{0}}, &own); !reflect.DeepEqual(got, want) {
		t.Errorf("edited it leaves as %+v", got)
	}
}

// A result of which only the call's id was repaired keeps what it holds, of whatever kind.
//
// SPEC: B26
func TestRepairedResultKeepsWhatItHolds(t *testing.T) {
	own := model.NewToolMessage("1", "read", `"a\nb"`)
	own.AddImageURL("https://example.com/a.png", "low")
	own.ContentParts = append(own.ContentParts, model.ContentPart{Type: "colour"})
	m := neutral([]model.Message{own})[0]
	m.Edited, m.Parts[0].Edited, m.Parts[0].CallID = true, true, "call_1"
	want := own
	want.ToolID = "call_1"
	if got := foreign(adapt.Message{Message: m, Of: []int{0}}, &own); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
}
