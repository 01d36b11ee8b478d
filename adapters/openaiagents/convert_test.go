package openaiagents

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/nlpodyssey/openai-agents-go/agents"
	openai "github.com/openai/openai-go/v2/responses"

	"github.com/seed-3db51b0e/precis/adapt"
	"github.com/seed-3db51b0e/precis/message"
)

func each() agents.InputItems {
	return agents.InputItems{
		agents.UserMessage("look"),
		openai.ResponseInputItemParamOfReasoning("rs_1", []openai.ResponseReasoningItemSummaryParam{{Text: "hm"}}),
		openai.ResponseInputItemParamOfFunctionCall(`{"a":1}`, "c1", "read"),
		openai.ResponseInputItemParamOfFunctionCallOutput("c1", "long"),
		{OfItemReference: nil, OfImageGenerationCall: &openai.ResponseInputItemImageGenerationCallParam{ID: "ig_1", Status: "completed"}},
		agents.UserMessage("and?"),
	}
}

// Items that no plan touches are the agent's own values, also beside edited ones.
//
// SPEC: B26
func TestEditedInputKeepsItsOtherItems(t *testing.T) {
	own := each()
	s, err := read(own)
	if err != nil {
		t.Fatal(err)
	}
	var prompt []adapt.Message
	for i, m := range s.request.Messages {
		prompt = append(prompt, adapt.Message{Message: m, Own: i, Whole: true})
	}
	if got := s.write(prompt, own); !reflect.DeepEqual(got, agents.Input(own)) {
		t.Errorf("untouched: %+v", got)
	}
	m := prompt[3].Message.Clone()
	m.Edited, m.Parts[0].Edited, m.Parts[0].Parts = true, true, []message.Part{{Kind: message.Text, Text: "[left out]"}}
	prompt[3] = adapt.Message{Message: m, Own: 3, Of: []int{0}}
	got, want := s.write(prompt, own), each()
	want[3] = openai.ResponseInputItemParamOfFunctionCallOutput("c1", "[left out]")
	a, _ := json.Marshal(got)
	b, _ := json.Marshal(want)
	if string(a) != string(b) {
		t.Errorf("%s\nwant %s", a, b)
	}
	if items := got.(agents.InputItems); items[1].OfReasoning != own[1].OfReasoning || items[4].OfImageGenerationCall != own[4].OfImageGenerationCall {
		t.Error("items were copied")
	}
}

// A conversation that the provider holds is left to it.
//
// SPEC: B26
func TestStateOfTheProviderIsLeftAlone(t *testing.T) {
	if _, err := read(agents.InputItems{{OfItemReference: &openai.ResponseInputItemItemReferenceParam{ID: "msg_1"}}}); err == nil {
		t.Error("a reference was read as a message")
	}
}
