package eino

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/cloudwego/eino/schema"
	"github.com/google/go-cmp/cmp"

	"github.com/seed-3db51b0e/precis/adapt"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/recall"
)

// shown is a message of which the parts at the positions are shown, as change leaves them.
func shown(own *schema.Message, change func(ps []message.Part), at ...int) adapt.Message {
	m := adapt.Message{Message: neutral(own), Of: at}
	all := m.Parts
	m.Parts = nil
	for _, n := range at {
		p := message.Part{Kind: message.Text}
		if n >= 0 {
			p = all[n]
		}
		m.Parts = append(m.Parts, p)
	}
	change(m.Parts)
	return m
}

// A message that is shortened keeps what is not shortened, and the agent's own is not
// changed.
//
// SPEC: B26
func TestShortenedMessagesKeepTheRest(t *testing.T) {
	extra := map[string]any{"ours": "kept"}
	address := "https://example.org/map.png"
	image := schema.MessageInputPart{Type: schema.ChatMessagePartTypeImageURL, Image: &schema.MessageInputImage{MessagePartCommon: schema.MessagePartCommon{URL: &address}}}
	strange := schema.MessageInputPart{Type: "hologram", Extra: extra}
	text := func(s string) schema.MessageInputPart {
		return schema.MessageInputPart{Type: schema.ChatMessagePartTypeText, Text: s}
	}
	short := func(n int) func([]message.Part) {
		return func(ps []message.Part) { ps[n].Text, ps[n].Edited = "short", true }
	}
	for name, tt := range map[string]struct {
		own    *schema.Message
		change func([]message.Part)
		at     []int
		want   *schema.Message
	}{
		"a result": {
			&schema.Message{Role: schema.Tool, Content: "long", ToolCallID: "c", ToolName: "t", Extra: extra},
			func(ps []message.Part) {
				ps[0].Parts, ps[0].Edited = []message.Part{{Kind: message.Text, Text: "short"}}, true
			},
			[]int{0},
			&schema.Message{Role: schema.Tool, Content: "short", ToolCallID: "c", ToolName: "t", Extra: extra},
		},
		"a call's arguments": {
			&schema.Message{Role: schema.Assistant, Content: "I look.", ReasoningContent: "hm", Extra: extra, ToolCalls: []schema.ToolCall{
				{ID: "1", Type: "function", Extra: extra, Function: schema.FunctionCall{Name: "f", Arguments: `{"long":1}`}},
				{ID: "2", Function: schema.FunctionCall{Name: "g", Arguments: `{}`}},
			}},
			func(ps []message.Part) { ps[2].Args, ps[2].Edited = `{}`, true },
			[]int{0, 1, 2, 3},
			&schema.Message{Role: schema.Assistant, Content: "I look.", ReasoningContent: "hm", Extra: extra, ToolCalls: []schema.ToolCall{
				{ID: "1", Type: "function", Extra: extra, Function: schema.FunctionCall{Name: "f", Arguments: `{}`}},
				{ID: "2", Function: schema.FunctionCall{Name: "g", Arguments: `{}`}},
			}},
		},
		"without its thinking": {
			&schema.Message{Role: schema.Assistant, Content: "Yes.", ReasoningContent: "hm", ResponseMeta: &schema.ResponseMeta{FinishReason: "stop"}},
			func([]message.Part) {},
			[]int{1},
			&schema.Message{Role: schema.Assistant, Content: "Yes.", ResponseMeta: &schema.ResponseMeta{FinishReason: "stop"}},
		},
		"a text between others": {
			&schema.Message{Role: schema.User, UserInputMultiContent: []schema.MessageInputPart{text("long"), image, strange}},
			short(0),
			[]int{0, 1, 2},
			&schema.Message{Role: schema.User, UserInputMultiContent: []schema.MessageInputPart{text("short"), image, strange}},
		},
		"a text in place of a picture": {
			&schema.Message{Role: schema.User, UserInputMultiContent: []schema.MessageInputPart{text("look"), image, strange}},
			short(1),
			[]int{0, -1, 2},
			&schema.Message{Role: schema.User, UserInputMultiContent: []schema.MessageInputPart{text("look"), text("short"), strange}},
		},
		"a result with a picture": {
			&schema.Message{Role: schema.Tool, ToolCallID: "c", UserInputMultiContent: []schema.MessageInputPart{text("long"), image}},
			func(ps []message.Part) {
				ps[0].Parts, ps[0].Edited = []message.Part{{Kind: message.Text, Text: "short"}, ps[0].Parts[1]}, true
			},
			[]int{0},
			&schema.Message{Role: schema.Tool, ToolCallID: "c", UserInputMultiContent: []schema.MessageInputPart{text("short"), image}},
		},
	} {
		before := *tt.own
		if d := cmp.Diff(tt.want, build(shown(tt.own, tt.change, tt.at...), &tt.own)); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
		if d := cmp.Diff(before, *tt.own); d != "" {
			t.Errorf("%s: the agent's own message was changed:\n%s", name, d)
		}
	}
}

// A message that is missing is nothing to stumble over: it stands.
func TestMissingMessageStands(t *testing.T) {
	if m := neutral(nil); !m.Fixed() {
		t.Errorf("%+v", m)
	}
}

// The tools that read back are declared as they are.
func TestDeclarations(t *testing.T) {
	for _, own := range recall.Definitions("") {
		info, err := toolInfo(own)
		if err != nil {
			t.Fatal(err)
		}
		var want, got any
		if err := errors.Join(json.Unmarshal(own.Schema, &want), json.Unmarshal(codecTool(info).Schema, &got)); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got); d != "" || info.Name != own.Name || info.Desc != own.Description {
			t.Errorf("%s: %s", own.Name, d)
		}
	}
}
