package fantasy

import (
	"errors"
	"reflect"
	"testing"

	charm "charm.land/fantasy"

	"github.com/seed-3db51b0e/precis/adapt"
	"github.com/seed-3db51b0e/precis/message"
)

// unknown is a part of a type that this package does not know.
type unknown struct{ Colour string }

func (unknown) GetType() charm.ContentType     { return "colour" }
func (unknown) Options() charm.ProviderOptions { return nil }

// options are what a provider says beside the content.
type options struct{ Signature string }

func (*options) Options() {}
func (o *options) MarshalJSON() ([]byte, error) {
	return []byte(`{"signature":"` + o.Signature + `"}`), nil
}
func (*options) UnmarshalJSON([]byte) error { return nil }

func signed(s string) charm.ProviderOptions {
	return charm.ProviderOptions{"anthropic": &options{s}}
}

// each is a message with every kind of part.
func each() charm.Message {
	return charm.Message{Role: charm.MessageRoleAssistant, ProviderOptions: signed("message"), Content: []charm.MessagePart{
		charm.ReasoningPart{Text: "hm", ProviderOptions: signed("thinking")},
		charm.TextPart{Text: "I look", ProviderOptions: signed("text")},
		charm.FilePart{Filename: "a.png", Data: []byte{1, 2, 3}, MediaType: "image/png"},
		charm.ToolCallPart{ToolCallID: "1", ToolName: "read", Input: `{"a":1}`, ProviderOptions: signed("call")},
		charm.ToolCallPart{ToolCallID: "2", ToolName: "web_search", Input: `{}`, ProviderExecuted: true},
		charm.ToolResultPart{ToolCallID: "1", Output: charm.ToolResultOutputContentMedia{Data: "AAAA", MediaType: "image/png", Text: "a picture"}, ClientMetadata: "own"},
		&charm.TextPart{Text: "by pointer"},
		unknown{"red"},
	}}
}

// Every part has its place, and what is not understood is one that no plan touches.
//
// SPEC: B26
func TestPartsKeepTheirPlaces(t *testing.T) {
	m := neutral(each())
	var kinds []message.Kind
	for _, p := range m.Parts {
		kinds = append(kinds, p.Kind)
	}
	want := []message.Kind{
		message.Thinking, message.Text, message.Media, message.Call, message.Fixed, message.Result, message.Text, message.Fixed,
	}
	if !reflect.DeepEqual(kinds, want) {
		t.Fatalf("%v, want %v", kinds, want)
	}
	if again := neutral(each()); !reflect.DeepEqual(again, m) {
		t.Errorf("another time it is %+v, not %+v", again, m)
	}
}

// Of an edited message the parts that stand are the same values, and an edited part
// keeps what its provider said beside the content.
//
// SPEC: B26
func TestEditedMessageKeepsItsOtherParts(t *testing.T) {
	own := each()
	m := neutral(own)
	m.Edited = true
	m.Parts[3].Args, m.Parts[3].Edited = `{"cut":true}`, true
	m.Parts[5].Parts, m.Parts[5].Edited = []message.Part{{Kind: message.Text, Text: "[left out]"}}, true
	got := foreign(adapt.Message{Message: m, Of: []int{0, 1, 2, 3, 4, 5, 6, 7}}, &own)
	want := each()
	want.Content[3] = charm.ToolCallPart{ToolCallID: "1", ToolName: "read", Input: `{"cut":true}`, ProviderOptions: signed("call")}
	want.Content[5] = charm.ToolResultPart{ToolCallID: "1", Output: charm.ToolResultOutputContentText{Text: "[left out]"}, ClientMetadata: "own"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
}

// A result of which only the call's id was repaired keeps what it holds, of whatever kind.
//
// SPEC: B26
func TestRepairedResultKeepsWhatItHolds(t *testing.T) {
	for _, output := range []charm.ToolResultOutputContent{
		charm.ToolResultOutputContentMedia{Data: "AAAA", MediaType: "image/png", Text: "a picture"},
		charm.ToolResultOutputContentText{Text: "a text"},
		charm.ToolResultOutputContentError{Error: errors.New("a failure")},
		nil,
	} {
		own := charm.Message{Role: charm.MessageRoleTool, Content: []charm.MessagePart{charm.ToolResultPart{ToolCallID: "1", Output: output}}}
		m := neutral(own)
		m.Edited, m.Parts[0].Edited, m.Parts[0].CallID = true, true, "call_1"
		got := foreign(adapt.Message{Message: m, Of: []int{0}}, &own)
		if want := (charm.ToolResultPart{ToolCallID: "call_1", Output: output}); !reflect.DeepEqual(got.Content, []charm.MessagePart{want}) {
			t.Errorf("%+v\nwant %+v", got.Content, want)
		}
	}
}
