package precis_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/store/memory"
)

// What was done and is not done twice stands beside the user's rules, in a prompt that has
// little room for either: of two orders that were cancelled, both.
//
// SPEC: B18, B20
func TestWhatWasDoneStandsBesideRules(t *testing.T) {
	e := newWith(t, precis.Options{Store: memory.New(), Policy: policyOf(t, "balanced")})
	say := func(r message.Role, text string) message.Message { return message.TextOf(r, text) }
	long := strings.Repeat("You are an agent of a shop, and help its customers with what they ask for, as the rules of the shop have it. ", 60)
	ms := []message.Message{say(message.System, long), say(message.User, "Hi, I need help with my orders.")}
	call := func(n int, name, args, result string) {
		id := fmt.Sprintf("call_%d", n)
		ms = append(ms,
			message.Message{Role: message.Assistant, Parts: []message.Part{{Kind: message.Call, CallID: id, Name: name, Args: args}}},
			message.Message{Role: message.Tool, Parts: []message.Part{{Kind: message.Result, CallID: id, Name: name, Parts: []message.Part{{Kind: message.Text, Text: result}}}}})
	}
	for n := range 5 {
		ms = append(ms, say(message.Assistant, "What else should I know?"),
			say(message.User, fmt.Sprintf("You must never touch order #W10%02d, which is a present for a friend of mine who has her birthday soon and knows nothing of it.", n)))
		call(n, "get_order_details", fmt.Sprintf(`{"order_id":"#W10%02d"}`, n), strings.Repeat(fmt.Sprintf(`{"order_id":"#W10%02d","status":"pending"}`, n), 12))
	}
	ms = append(ms, say(message.Assistant, "Shall I cancel both?"), say(message.User, "Thank you so much for breaking that down, it helps to see everything clearly. Please cancel both pending orders, as I just can't afford them right now. "+strings.Repeat("It was a hard year for all of us here. ", 12)))
	for n, id := range []string{"#W4836353", "#W7342738"} {
		call(10+n, "cancel_pending_order", fmt.Sprintf(`{"order_id":%q,"reason":"no longer needed"}`, id), fmt.Sprintf(`{"order_id":%q,"user_id":"amelia_silva_7726","status":"cancelled","lines":%q}`, id, strings.Repeat("x1 ", 60)))
	}
	for n := range 3 {
		call(20+n, "get_order_details", fmt.Sprintf(`{"order_id":"#W20%02d"}`, n), strings.Repeat(fmt.Sprintf(`{"order_id":"#W20%02d","status":"delivered"} `, n), 30))
	}
	turn := prepared(t, e, request("t", ms, 3_400))
	if turn.Outcome != precis.Compacted {
		t.Fatal(turn.Outcome)
	}
	text := ""
	for _, m := range turn.Messages {
		if body := m.Parts[0].Body(); strings.Contains(body, "[Summary v1.1]") {
			text, _, _ = strings.Cut(body, "\nLines of the log")
		}
	}
	if !strings.Contains(text, "#W4836353") || !strings.Contains(text, "#W7342738") || strings.Count(text, "You must never touch") < 5 {
		t.Errorf("of two cancelled orders and five rules, the state tells:\n%s", text)
	}
}
