package adapt_test

import (
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/adapt"
	"github.com/seed-3db51b0e/precis/message"
)

// What a model thought, and its provider signed, stays with the calls that are being answered; that
// of DeepSeek's models stays without a signature, as they have none and want it back.
//
// SPEC: B26
func TestThinkingOfTheOpenRoundStays(t *testing.T) {
	e, _ := engine(t, "balanced")
	for name, c := range map[string]struct {
		signature, model string
		stays            bool
	}{
		"signed":   {"c2ln", "", true},
		"unsigned": {"", "", false},
		"DeepSeek": {"", "deepseek-v4-flash", true},
	} {
		own := append(history(20),
			message.Message{Role: message.Assistant, Parts: []message.Part{
				{Kind: message.Thinking, Text: strings.Repeat("Hm, the crane. ", 100), Signature: c.signature},
				{Kind: message.Call, CallID: "last", Name: "look", Args: `{}`},
			}},
			message.Message{Role: message.Tool, Parts: []message.Part{{Kind: message.Result, CallID: "last", Text: strings.Repeat("It stands. ", 400)}}})
		s := adapt.New(e, adapt.Options{Thread: name, Budget: 1000}).Conversation("").Step(t.Context(), adapt.Request{Framework: "test", Model: c.model, Messages: own})
		calls, thinks := false, false
		for _, m := range s.Prompt {
			for _, p := range m.Message.Parts {
				calls, thinks = calls || p.CallID == "last", thinks || p.Kind == message.Thinking && strings.HasPrefix(p.Text, "Hm, the crane")
			}
		}
		if len(s.Prompt) == len(own) || !calls || thinks != c.stays {
			t.Errorf("%s: %d of %d messages, calls %t, thinking %t", name, len(s.Prompt), len(own), calls, thinks)
		}
	}
}
