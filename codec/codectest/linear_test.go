package codectest_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis/codec/codectest"
	"github.com/seed-3db51b0e/precis/message"
)

// long holds, for each API, conversations of which something can be long: each takes n, and
// returns items.
var long = map[string]map[string]func(n int) []string{
	"anthropic": {
		"calls in a round, unknown blocks beside": func(n int) []string {
			uses := repeated(n, ",", `{"type":"tool_use","id":"c%d","name":"f","input":{}},{"type":"hologram","n":%[1]d}`)
			return []string{
				`{"role":"user","content":"go"}`, `{"role":"assistant","content":[` + uses + `]}`,
				`{"role":"user","content":[` + repeated(n, ",", `{"type":"tool_result","tool_use_id":"c%d","content":"x"}`) + `]}`,
			}
		},
		"rounds with what is not known": func(n int) []string {
			return strings.Split(repeated(n, "\n", `{"role":"user","content":"go"}`+"\n"+`{"role":"assistant","content":[{"type":"hologram","n":"%d"},{"type":"tool_use","id":"c%[1]d","name":"f","input":{}}]}`+"\n"+`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c%[1]d","content":"x"}]}`+"\n"+`{"role":"assistant","content":"ok"}`), "\n")
		},
	},
	"openai": {
		"calls in a round, words before the results": func(n int) []string {
			calls := repeated(n, ",", `{"id":"c%d","type":"function","function":{"name":"f","arguments":"{}"}}`)
			return append([]string{`{"role":"user","content":"go"}`, `{"role":"assistant","content":null,"tool_calls":[` + calls + `]}`, `{"role":"assistant","content":"so"}`},
				strings.Split(repeated(n, "\n", `{"role":"tool","tool_call_id":"c%d","content":"x"}`), "\n")...)
		},
		"calls in a round, unknown parts beside": func(n int) []string {
			calls := repeated(n, ",", `{"id":"c%d","type":"function","function":{"name":"f","arguments":"{}"}}`)
			return append([]string{`{"role":"user","content":"go"}`, `{"role":"assistant","content":null,"tool_calls":[` + calls + `]}`},
				strings.Split(repeated(n, "\n", `{"role":"tool","tool_call_id":"c%d","content":[{"type":"hologram","x":1}]}`), "\n")...)
		},
	},
	"responses": {
		"reasoning after reasoning": func(n int) []string {
			return append(strings.Split(repeated(n, "\n", `{"type":"reasoning","id":"rs_%d","summary":[]}`), "\n"), `{"role":"assistant","content":"so"}`)
		},
	},
	"gemini": {
		"calls in a round": func(n int) []string {
			return []string{
				`{"role":"user","parts":[{"text":"go"}]}`, `{"role":"model","parts":[` + repeated(n, ",", `{"functionCall":{"id":"c%d","name":"f","args":{}},"thoughtSignature":"c2ln"}`) + `]}`,
				`{"role":"user","parts":[` + repeated(n, ",", `{"functionResponse":{"id":"c%d","name":"f","response":{}}}`) + `]}`,
			}
		},
		"rounds with what is not known": func(n int) []string {
			return strings.Split(repeated(n, "\n", `{"role":"user","parts":[{"text":"go"}]}`+"\n"+`{"role":"model","parts":[{"hologram":"%d"},{"functionCall":{"id":"c%[1]d","name":"f","args":{}},"thoughtSignature":"c2ln"}]}`+"\n"+`{"role":"user","parts":[{"functionResponse":{"id":"c%[1]d","name":"f","response":{}}}]}`+"\n"+`{"role":"model","parts":[{"text":"ok"}]}`), "\n")
		},
	},
}

// repeated is a format filled with 0 to n-1.
func repeated(n int, between, format string) string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf(format, i)
	}
	return strings.Join(all, between)
}

// Sixteen times the conversation is written in not much more than sixteen times the time,
// whatever is long in it: a quadratic way takes 256 times.
//
// SPEC: V11
func TestEncodeIsLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures time")
	}
	for _, c := range codecs {
		for name, items := range long[c.Name()] {
			took := func(n int) time.Duration {
				req, err := c.Decode([]byte(`{"model":"m","` + codectest.List(c.Name()) + `":[` + strings.Join(items(n), ",") + `]}`))
				if err != nil {
					t.Fatal(err)
				}
				ms := append(req.Messages, message.TextOf(message.User, "and now?"))
				if c.Name() == "gemini" || c.Name() == "anthropic" { // so that every turn is written anew
					ms[len(ms)-2].Edited = true
				}
				best := time.Duration(1 << 62)
				for range 6 {
					at := time.Now()
					if _, err := c.Encode(req, ms); err != nil {
						t.Fatal(c.Name(), name, err)
					}
					best = min(best, time.Since(at))
				}
				return best
			}
			const n, times, most = 250, 16, 100
			if one, many := took(n), took(times*n); many > most*one {
				t.Errorf("%s, %s: %d took %v, %d took %v", c.Name(), name, n, one, times*n, many)
			}
		}
	}
}
