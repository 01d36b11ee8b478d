package adapt_test

import (
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/adapt"
	"github.com/seed-3db51b0e/precis/message"
)

// What a model thought, and its provider signed, stays with the calls that are being answered.
//
// SPEC: B26
func TestSignedThinkingOfTheOpenRoundStays(t *testing.T) {
	e, _ := engine(t, "balanced")
	for _, signature := range []string{"c2ln", ""} {
		own := append(history(20),
			message.Message{Role: message.Assistant, Parts: []message.Part{
				{Kind: message.Thinking, Text: strings.Repeat("Hm, the crane. ", 100), Signature: signature},
				{Kind: message.Call, CallID: "last", Name: "look", Args: `{}`},
			}},
			message.Message{Role: message.Tool, Parts: []message.Part{{Kind: message.Result, CallID: "last", Text: strings.Repeat("It stands. ", 400)}}})
		s := adapt.New(e, adapt.Options{Thread: "t" + signature, Budget: 1000}).Conversation("").Step(t.Context(), adapt.Request{Framework: "test", Messages: own})
		calls, thinks := false, false
		for _, m := range s.Prompt {
			for _, p := range m.Message.Parts {
				calls, thinks = calls || p.CallID == "last", thinks || p.Kind == message.Thinking && strings.HasPrefix(p.Text, "Hm, the crane")
			}
		}
		if len(s.Prompt) == len(own) || !calls || thinks != (signature != "") {
			t.Errorf("signature %q: %d of %d messages, calls %t, thinking %t", signature, len(s.Prompt), len(own), calls, thinks)
		}
	}
}
