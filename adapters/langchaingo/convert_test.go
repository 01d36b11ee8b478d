package langchaingo

import (
	"reflect"
	"testing"

	"github.com/tmc/langchaingo/llms"

	"github.com/seed-3db51b0e/precis/adapt"
	"github.com/seed-3db51b0e/precis/message"
)

// unknown is a part of a type that this package does not know.
type unknown struct {
	llms.TextContent
	Colour string
}

func each() llms.MessageContent {
	return llms.MessageContent{Role: llms.ChatMessageTypeAI, Parts: []llms.ContentPart{
		llms.TextContent{Text: "I look"},
		llms.WithCacheControl(llms.TextContent{Text: "marked"}, &llms.CacheControl{Type: "ephemeral"}),
		llms.ImageURLContent{URL: "https://example.com/a.png", Detail: "low"},
		llms.BinaryContent{MIMEType: "image/png", Data: []byte{1, 2, 3}},
		llms.ToolCall{ID: "1", Type: "function", FunctionCall: &llms.FunctionCall{Name: "read", Arguments: `{"a":1}`}},
		llms.ToolCallResponse{ToolCallID: "1", Name: "read", Content: "long"},
		unknown{Colour: "red"},
		llms.ToolCall{ID: "2", Type: "provider"},
	}}
}

// Every part has its place, and what is not understood is one that no plan touches.
//
// SPEC: B26
func TestPartsKeepTheirPlaces(t *testing.T) {
	m := neutral([]llms.MessageContent{each()})[0]
	var kinds []message.Kind
	for _, p := range m.Parts {
		kinds = append(kinds, p.Kind)
	}
	want := []message.Kind{
		message.Text, message.Text, message.Media, message.Media, message.Call, message.Result, message.Fixed, message.Fixed,
	}
	if !reflect.DeepEqual(kinds, want) {
		t.Fatalf("%v, want %v", kinds, want)
	}
	if again := neutral([]llms.MessageContent{each()})[0]; !reflect.DeepEqual(again, m) {
		t.Errorf("another time it is %+v, not %+v", again, m)
	}
}

// Of an edited message the parts that stand are the same values, and an edited part
// keeps what it has beside its content.
//
// SPEC: B26
func TestEditedMessageKeepsItsOtherParts(t *testing.T) {
	own := each()
	m := neutral([]llms.MessageContent{own})[0]
	m.Edited = true
	m.Parts[1].Text, m.Parts[1].Edited = "cut", true
	m.Parts[5].Parts, m.Parts[5].Edited = []message.Part{{Kind: message.Text, Text: "[left out]"}}, true
	got := foreign(adapt.Message{Message: m, Of: []int{0, 1, 2, 3, 4, 5, 6, 7}}, &own)
	want := each()
	want.Parts[1] = llms.WithCacheControl(llms.TextContent{Text: "cut"}, &llms.CacheControl{Type: "ephemeral"})
	want.Parts[5] = llms.ToolCallResponse{ToolCallID: "1", Name: "read", Content: "[left out]"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
}

// Legacy function calls have no ids: results go to the calls of their round by name and
// order, and no id is sent.
//
// SPEC: B26
func TestCallsWithoutIDsArePaired(t *testing.T) {
	call := func(name string) llms.ToolCall {
		return llms.ToolCall{Type: "function", FunctionCall: &llms.FunctionCall{Name: name, Arguments: "{}"}}
	}
	result := func(name string) llms.MessageContent {
		return llms.MessageContent{Role: llms.ChatMessageTypeFunction, Parts: []llms.ContentPart{llms.ToolCallResponse{Name: name, Content: "x"}}}
	}
	own := []llms.MessageContent{
		{Role: llms.ChatMessageTypeAI, Parts: []llms.ContentPart{call("a"), call("b"), call("a")}},
		result("b"), result("a"), result("a"),
		{Role: llms.ChatMessageTypeAI, Parts: []llms.ContentPart{call("a")}},
		result("a"),
	}
	ms := neutral(own)
	ids := func(i int) (out []string) {
		for _, p := range ms[i].Parts {
			out = append(out, p.CallID)
		}
		return out
	}
	calls := ids(0)
	if calls[0] == calls[2] || ids(1)[0] != calls[1] || ids(2)[0] != calls[0] || ids(3)[0] != calls[2] || ids(4)[0] != ids(5)[0] {
		t.Errorf("%v: %v %v %v; %v: %v", calls, ids(1), ids(2), ids(3), ids(4), ids(5))
	}
	edited := ms[3]
	edited.Parts[0].Edited = true
	if got := foreign(adapt.Message{Message: edited, Of: []int{0}}, &own[3]); !reflect.DeepEqual(got, own[3]) {
		t.Errorf("written as %+v", got)
	}
}
