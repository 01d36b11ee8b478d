package strategy_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/render"
	"github.com/seed-3db51b0e/precis/strategy"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/token"
)

// denseCounter counts a token for each byte, as vocabularies do for some texts.
type denseCounter struct{}

func (denseCounter) Name() string          { return "dense" }
func (denseCounter) Exact() bool           { return true }
func (denseCounter) Count(text string) int { return len(text) }

// A text that has hardly more bytes than tokens is cut like any other of so many tokens.
func TestDenseTextsAreCut(t *testing.T) {
	body := strings.Repeat("7381920465\n", 50) // 550 tokens
	args, err := json.Marshal(map[string]string{"path": "a.txt", "body": body})
	if err != nil {
		t.Fatal(err)
	}
	th, err := thread.New(thread.Extend("", []message.Message{
		message.TextOf(message.User, "Fix it."),
		{Role: message.Assistant, Parts: []message.Part{{Kind: message.Call, CallID: "c", Name: "write", Args: string(args)}}},
		{Role: message.Tool, Parts: []message.Part{{Kind: message.Result, CallID: "c", Parts: []message.Part{{Kind: message.Text, Text: body}}}}},
		message.TextOf(message.User, "Go on."),
	}))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		s    strategy.Strategy
		want int // records
	}{
		"preview":                     {strategy.Preview{Above: 500, To: 200, From: strategy.Recent}, 1},
		"preview, larger threshold":   {strategy.Preview{Above: 550, To: 200, From: strategy.Recent}, 0},
		"arguments":                   {strategy.Args{Above: 500, To: 200, From: strategy.Recent}, 1},
		"arguments, larger threshold": {strategy.Args{Above: 650, To: 200, From: strategy.Recent}, 0},
		"hide":                        {strategy.Hide{Cold: true, MaxTokens: 500}, 2},
		"hide, larger threshold":      {strategy.Hide{Cold: true, MaxTokens: 650}, 0},
	} {
		d := strategy.NewDraft(th, nil, render.StyleOf("ladder"), token.Meter{Counter: denseCounter{}}, 0)
		if rs := run(t, c.s, view(d, 0)); len(rs) != c.want {
			t.Errorf("%s: %d records, want %d", name, len(rs), c.want)
		}
	}
}
