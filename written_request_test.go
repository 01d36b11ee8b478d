package precis_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/anthropic"
	"github.com/seed-3db51b0e/precis/codec/gemini"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/token"
)

// The request fits as its codec writes it: what a codec puts before and behind a summary in
// the assistant's name, or at the end, where the API wants the user to speak, has room. The turn tells of the prompt's
// own tokens.
//
// SPEC: V4, WA1, WG7
func TestRequestFitsAsItIsWritten(t *testing.T) {
	for _, x := range []struct {
		codec  codec.Codec
		preset string
		ends   bool // the assistant has the last word
	}{
		{anthropic.Codec{}, "session", false},
		{anthropic.Codec{}, "ladder", false},
		{gemini.Codec{}, "session", false},
		{anthropic.Codec{}, "session", true},
		{anthropic.Codec{}, "balanced", true},
		{gemini.Codec{}, "truncate", true},
	} {
		t.Run(fmt.Sprint(x.codec.Name(), "/", x.preset, "/", x.ends), func(t *testing.T) {
			added := 0
			for budget := 200; budget < 900; budget++ {
				req, err := x.codec.Decode([]byte(errand(x.codec.Name(), x.ends)))
				if err != nil {
					t.Fatal(err)
				}
				added += fitsAsWritten(t, x.codec, req, x.preset, budget)
			}
			if added == 0 {
				t.Error("the codec never added a message")
			}
		})
	}
}

// fitsAsWritten returns how many messages the codec added.
func fitsAsWritten(t *testing.T, c codec.Codec, req *codec.Request, preset string, budget int) int {
	t.Helper()
	m := token.Truncate()
	turn, err := newEngine(t, memory.New(), policyOf(t, preset)).Prepare(t.Context(), precis.Input{
		Thread: "t", Messages: req.Messages, Budget: budget, Meter: m, Client: precis.Client{UserLeads: req.UserLeads},
	})
	if errors.Is(err, precis.ErrImpossible) {
		return 0
	}
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Overhead.Request + m.Messages(turn.Messages); got != turn.Compacted {
		t.Errorf("the prompt has %d tokens, the turn says %d", got, turn.Compacted)
	}
	body, err := c.Encode(req, turn.Messages)
	if err != nil {
		t.Fatal(err)
	}
	sent, err := c.Decode(body)
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Overhead.Request + m.Messages(sent.Messages); got > budget {
		t.Errorf("%d tokens are written for a budget of %d, the turn says %d\n%s", got, budget, turn.Compacted, body)
	}
	return strings.Count(string(body), `"(continued)"`) + strings.Count(string(body), `"Continue."`)
}

// errand is a conversation whose rounds begin with thinking.
func errand(api string, ends bool) string {
	var items []string
	add := func(format string, args ...any) { items = append(items, fmt.Sprintf(format, args...)) }
	for n := range 6 {
		said := strings.Repeat(fmt.Sprintf("line %d of /srv/part%d.go says so. ", n, n), 2+n)
		if api == gemini.Name {
			add(`{"role":"user","parts":[{"text":%q}]}`, said)
			add(`{"role":"model","parts":[{"functionCall":{"name":"f","args":{}},"thoughtSignature":"c2ln"}]}`)
			add(`{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":%q}}}]}`, said)
			add(`{"role":"model","parts":[{"text":"Done."}]}`)
			continue
		}
		add(`{"role":"user","content":%q}`, said)
		add(`{"role":"assistant","content":[{"type":"thinking","thinking":"Hm.","signature":"s%d"},{"type":"tool_use","id":"toolu_%d","name":"f","input":{}}]}`, n, n)
		add(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_%d","content":%q}]}`, n, said)
		add(`{"role":"assistant","content":"Done."}`)
	}
	if !ends && api == gemini.Name {
		add(`{"role":"user","parts":[{"text":"Go on."}]}`)
	} else if !ends {
		add(`{"role":"user","content":"Go on."}`)
	}
	all := strings.Join(items, ",")
	if api == gemini.Name {
		return `{"contents":[` + all + `]}`
	}
	return `{"model":"claude-opus-5","max_tokens":100,"messages":[` + all + `]}`
}
