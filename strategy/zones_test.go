package strategy_test

import (
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/render"
	"github.com/seed-3db51b0e/precis/strategy"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/token"
)

// A greeting before the first user message stays with it: a summary that began there would
// stand before what the user said first. One that is long may go.
//
// SPEC: B16
func TestGreetingStaysWithTheFirstMessage(t *testing.T) {
	for _, c := range []struct {
		greeting string
		want     strategy.Zone
	}{
		{"Hi! How can I help you today?", strategy.Pinned},
		{strings.Repeat("These are the terms of this service. ", 100), strategy.Old},
	} {
		ms := []message.Message{message.TextOf(message.Assistant, c.greeting), message.TextOf(message.User, "I want to change my order.")}
		for range 10 {
			ms = append(ms, message.TextOf(message.Assistant, "Which one?"), message.TextOf(message.User, "The last one."))
		}
		th, err := thread.New(thread.Extend("", ms))
		if err != nil {
			t.Fatal(err)
		}
		d := strategy.NewDraft(th, nil, render.StyleOf("balanced"), token.Truncate(), 0)
		z := strategy.ZonesOf(d, strategy.Limits{Budget: 1000}, true, nil, nil)
		if z[0] != c.want || z[1] != strategy.Pinned || z[2] != strategy.Old {
			t.Errorf("%.20q: zones %v, want the first %v", c.greeting, z[:3], c.want)
		}
	}
}
