package bpe

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/model"
)

// cookbook is the count of the OpenAI cookbook, each message with four tokens
// of framing, for every field a chat message may have.
func cookbook(c *encoding, m message.Message, framing int) int {
	n := framing + c.Count(string(m.Role))
	if m.Name != "" {
		n += 1 + c.Count(m.Name)
	}
	for _, p := range m.Parts {
		switch p.Kind {
		case message.Text:
			n += c.Count(p.Text)
		case message.Call:
			n += c.Count(p.CallID) + c.Count(p.Name) + c.Count(p.Args)
		case message.Result:
			n += c.Count(p.CallID)
			for _, q := range p.Parts {
				n += c.Count(q.Text)
			}
		}
	}
	return n
}

// SPEC: V4, L12. No count is under the cookbook's.
func TestCookbook(t *testing.T) {
	words := rapid.StringMatching(`[ -~]{0,80}|[a-z ]{0,200}|\PC{0,20}`)
	part := rapid.Custom(func(t *rapid.T) message.Part {
		body := words.Draw(t, "text")
		switch rapid.IntRange(0, 2).Draw(t, "kind") {
		case 0:
			return message.Part{Kind: message.Call, CallID: "call_" + words.Draw(t, "id"), Name: words.Draw(t, "name"), Args: body}
		case 1:
			return message.Part{Kind: message.Result, CallID: "call_1", Parts: []message.Part{{Kind: message.Text, Text: body}}}
		}
		return message.Part{Kind: message.Text, Text: body}
	})
	meters := map[string]*encoding{"gpt-4o": o200k(), "gpt-4": cl100k(), "claude-opus-4-5": o200k(), "gemini-2.5-pro": o200k(), "nobody": o200k()}
	rapid.Check(t, func(t *rapid.T) {
		m := message.Message{
			Role:  rapid.SampledFrom([]message.Role{message.System, message.User, message.Assistant, message.Tool}).Draw(t, "role"),
			Name:  rapid.SampledFrom([]string{"", "ann"}).Draw(t, "participant"),
			Parts: rapid.SliceOfN(part, 0, 4).Draw(t, "parts"),
		}
		for name, e := range meters {
			known, _ := model.Lookup(name)
			meter, err := Meter(known)
			if err != nil {
				t.Fatal(err)
			}
			if got, least := meter.Message(m), cookbook(e, m, 4); got < least {
				t.Fatalf("%s counts %d, the cookbook %d", name, got, least)
			}
		}
	})
}
