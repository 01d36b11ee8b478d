package plan_test

import (
	"encoding/json"
	"testing"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/thread"
)

// A record whose text tells what only messages said that the branch does not hold
// stays behind: they may be another conversation's. So does one whose summary or
// fields tell it; a reason is left out.
//
// SPEC: V10
func TestCarryTellsNothingOfOthers(t *testing.T) {
	at := func(texts ...string) *thread.Thread { return userThread(t, texts...) }
	from := at("how are you, friend?", "well", "my card is 4111 22 33, called on 05.12.")
	for name, c := range map[string]struct {
		record  plan.Record
		carried bool
	}{
		"its own text":    {plan.Record{Text: "[a summary: how are you, friend]"}, true},
		"a word":          {plan.Record{Text: "the card is known"}, false},
		"a number":        {plan.Record{Text: "paid with 4111"}, false},
		"a short one":     {plan.Record{Text: "on \"05.12\""}, false},
		"the piece cut":   {plan.Record{Text: "begins with 411"}, false},
		"in a summary":    {plan.Record{Text: "well", Summary: json.RawMessage(`{"facts":["line\n4111"]}`)}, false},
		"in other words":  {plan.Record{Text: "4111"}, false},
		"what both say":   {plan.Record{Text: "22 and a friend"}, true},
		"in that order":   {plan.Record{Text: "22 33 and a friend"}, false},
		"only the reason": {plan.Record{Text: "well", Reason: "since 4111"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			c.record.Action, c.record.Span = plan.Summarize, plan.Span{IDs: []thread.ID{from.At(0).ID, from.At(1).ID}}
			p, err := plan.Build(plan.Plan{Base: from.Tip(), Records: []plan.Record{c.record}}, from)
			if err != nil {
				t.Fatal(err)
			}
			to := at("how are you, friend?", "well", "I have 22 of 33,")
			carried, err := plan.Carry(p, from, to)
			if err != nil {
				t.Fatal(err)
			}
			if got := len(carried.Records) == 1; got != c.carried {
				t.Errorf("carried %t", got)
			}
			if len(carried.Records) == 1 && carried.Records[0].Reason != "" {
				t.Errorf("reason %q", carried.Records[0].Reason)
			}
			if all, err := plan.Carry(p, from, from); err != nil || len(all.Records) != 1 {
				t.Errorf("on its own branch: %v, %v", all, err)
			}
		})
	}
}

// userThread is a conversation of user messages.
func userThread(t *testing.T, texts ...string) *thread.Thread {
	t.Helper()
	var ms []message.Message
	for _, s := range texts {
		ms = append(ms, message.TextOf(message.User, s))
	}
	th, err := thread.New(thread.Extend("", ms))
	if err != nil {
		t.Fatal(err)
	}
	return th
}
