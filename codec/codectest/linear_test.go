package codectest_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/codec"
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

// Four times the conversation is written with little more than four times the work, counted in
// allocations and their bytes, whatever is long in it.
//
// SPEC: V11
func TestEncodeIsLinear(t *testing.T) {
	for _, c := range codecs {
		for name, items := range long[c.Name()] {
			work := func(n int) (objects, bytes float64) {
				write := rewriting(t, c, items(n))
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				write()
				runtime.ReadMemStats(&after)
				return float64(after.Mallocs - before.Mallocs), float64(after.TotalAlloc - before.TotalAlloc)
			}
			const n, most = 250, 6
			objects, bytes := work(n)
			objects4, bytes4 := work(4 * n)
			if objects4 > most*objects || bytes4 > most*bytes {
				t.Errorf("%s, %s: %d took %.0f allocations of %.0f bytes, %d took %.0f of %.0f", c.Name(), name, n, objects, bytes, 4*n, objects4, bytes4)
			}
		}
	}
}

// What a scan of a list costs is no allocation: the time of one item tells that.
func BenchmarkEncodeLong(b *testing.B) {
	for _, c := range codecs {
		for name, items := range long[c.Name()] {
			for _, n := range []int{250, 4_000} {
				b.Run(fmt.Sprintf("%s/%s/%d", c.Name(), name, n), func(b *testing.B) {
					write := rewriting(b, c, items(n))
					b.ReportAllocs()
					for b.Loop() {
						write()
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/item")
				})
			}
		}
	}
}

// rewriting returns what writes a conversation that goes on by a message.
func rewriting(t testing.TB, c codec.Codec, items []string) (write func()) {
	t.Helper()
	req, err := c.Decode([]byte(`{"model":"m","` + codectest.List(c.Name()) + `":[` + strings.Join(items, ",") + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	ms := append(req.Messages, message.TextOf(message.User, "and now?"))
	if c.Name() == "gemini" || c.Name() == "anthropic" { // so that every turn is written anew
		ms[len(ms)-2].Edited = true
	}
	return func() {
		if _, err := c.Encode(req, ms); err != nil {
			t.Fatal(c.Name(), err)
		}
	}
}
