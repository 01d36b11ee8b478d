package extract_test

import (
	"testing"

	"github.com/seed-3db51b0e/precis/message"
)

// SPEC: B2. A value that the agent names and then uses in a call is worth the same whether the call
// stands in the message that names it or in the next.
func TestValuesUsedInTheMessageThatNamesThem(t *testing.T) {
	said := message.Part{Kind: message.Text, Text: "The order is ORD-48213-XK, which I open."}
	call := message.Part{Kind: message.Call, CallID: "1", Name: "get_order", Args: `{"order":"ORD-48213-XK"}`}
	done := message.Message{Role: message.Tool, Parts: []message.Part{{Kind: message.Result, CallID: "1", Parts: []message.Part{{Kind: message.Text, Text: "open"}}}}}
	agent := func(parts ...message.Part) message.Message {
		return message.Message{Role: message.Assistant, Parts: parts}
	}
	score := func(ms ...message.Message) float64 {
		s := summarize(t, append([]message.Message{message.TextOf(message.User, "Open my order.")}, ms...))
		if len(s.Ledger) != 1 {
			t.Fatalf("the ledger is %+v", s.Ledger)
		}
		return s.Ledger[0].Score
	}
	together, apart := score(agent(said, call), done), score(agent(said), agent(call), done)
	if d := apart - together; d < 0 || d > 1.5 { // it was seen in two messages, and later
		t.Errorf("in one message it is worth %v, in two %v", together, apart)
	}
}
