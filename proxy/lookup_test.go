package proxy_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/wirecheck"
)

// line is what a model says: text, then calls.
type line struct {
	text  string
	calls [][3]string // id, name, arguments
	stop  string      // "" follows from the calls
}

func look(id, args string) [3]string { return [3]string{id, "precis_grep", args} }

// woven are the APIs whose models can look things up.
func woven() []api { return apis[:2] }

// whole is a line as an answer that is no stream.
func (l line) whole(a api, n int) string {
	var parts []string
	if a.name == "anthropic" {
		if l.text != "" {
			parts = append(parts, `{"type":"text","text":`+quoted(l.text)+`}`)
		}
		for _, c := range l.calls {
			parts = append(parts, fmt.Sprintf(`{"type":"tool_use","id":%q,"name":%q,"input":%s}`, c[0], c[1], c[2]))
		}
		return fmt.Sprintf(`{"id":"msg_%d","type":"message","role":"assistant","model":%q,"content":[%s],"stop_reason":%q,"stop_sequence":null,"usage":{"input_tokens":100,"output_tokens":7}}`,
			n, a.model, strings.Join(parts, ","), l.reason(a))
	}
	for _, c := range l.calls {
		parts = append(parts, fmt.Sprintf(`{"id":%q,"type":"function","function":{"name":%q,"arguments":%s}}`, c[0], c[1], quoted(c[2])))
	}
	m := `"role":"assistant","content":null`
	if l.text != "" {
		m = `"role":"assistant","content":` + quoted(l.text)
	}
	if parts != nil {
		m += `,"tool_calls":[` + strings.Join(parts, ",") + `]`
	}
	return fmt.Sprintf(`{"id":"chatcmpl_%d","object":"chat.completion","model":%q,"choices":[{"index":0,"message":{%s},"finish_reason":%q}],"usage":{"prompt_tokens":100,"completion_tokens":7,"total_tokens":107}}`,
		n, a.model, m, l.reason(a))
}

func (l line) reason(a api) string {
	words := [3]string{"end_turn", "tool_use", "max_tokens"}
	if a.name == "openai" {
		words = [3]string{"stop", "tool_calls", "length"}
	}
	switch {
	case l.stop != "":
		return words[2]
	case l.calls != nil:
		return words[1]
	}
	return words[0]
}

// stream is a line as events, arguments in two pieces.
func (l line) stream(a api, n int) string {
	var b strings.Builder
	if a.name == "anthropic" {
		put := func(kind, rest string) { fmt.Fprintf(&b, "event: %s\ndata: {\"type\":%q%s}\n\n", kind, kind, rest) }
		put("message_start", fmt.Sprintf(`,"message":{"id":"msg_%d","type":"message","role":"assistant","model":%q,"content":[],"stop_reason":null,"usage":{"input_tokens":100,"output_tokens":1}}`, n, a.model))
		b.WriteString(": still here\n\n")
		i := 0
		if l.text != "" {
			put("content_block_start", `,"index":0,"content_block":{"type":"text","text":""}`)
			put("content_block_delta", `,"index":0,"delta":{"type":"text_delta","text":`+quoted(l.text)+`}`)
			put("content_block_stop", `,"index":0`)
			i++
		}
		for _, c := range l.calls {
			put("content_block_start", fmt.Sprintf(`,"index":%d,"content_block":{"type":"tool_use","id":%q,"name":%q,"input":{}}`, i, c[0], c[1]))
			for _, half := range []string{c[2][:len(c[2])/2], c[2][len(c[2])/2:]} {
				put("content_block_delta", fmt.Sprintf(`,"index":%d,"delta":{"type":"input_json_delta","partial_json":%s}`, i, quoted(half)))
			}
			put("content_block_stop", fmt.Sprintf(`,"index":%d`, i))
			i++
		}
		put("message_delta", fmt.Sprintf(`,"delta":{"stop_reason":%q,"stop_sequence":null},"usage":{"output_tokens":7}`, l.reason(a)))
		put("message_stop", "")
		return b.String()
	}
	put := func(delta, reason string) {
		fmt.Fprintf(&b, `data: {"id":"chatcmpl_%d","object":"chat.completion.chunk","model":%q,"choices":[{"index":0,"delta":{%s},"finish_reason":%s}]}`+"\n\n", n, a.model, delta, reason)
	}
	put(`"role":"assistant","content":""`, "null")
	b.WriteString(": still here\n\n")
	if l.text != "" {
		put(`"content":`+quoted(l.text), "null")
	}
	for i, c := range l.calls {
		put(fmt.Sprintf(`"tool_calls":[{"index":%d,"id":%q,"type":"function","function":{"name":%q,"arguments":""}}]`, i, c[0], c[1]), "null")
		for _, half := range []string{c[2][:len(c[2])/2], c[2][len(c[2])/2:]} {
			put(fmt.Sprintf(`"tool_calls":[{"index":%d,"function":{"arguments":%s}}]`, i, quoted(half)), "null")
		}
	}
	put("", quoted(l.reason(a)))
	fmt.Fprintf(&b, `data: {"id":"chatcmpl_%d","choices":[],"usage":{"prompt_tokens":100,"completion_tokens":7,"total_tokens":107}}`+"\n\ndata: [DONE]\n\n", n)
	return b.String()
}

// speak makes the provider say what next returns for a request: the API's usual
// answer if that is nil. Every request is judged.
func (p *provider) speak(a api, next func(body string) *line) {
	n := 0
	p.pieces = 41
	p.answer = func(w http.ResponseWriter, _ *http.Request, body string) bool {
		l := next(body)
		if l == nil {
			return false
		}
		for _, f := range wirecheck.Check(a.name, []byte(body), wirecheck.Options{AllowUnknown: true}) {
			p.t.Errorf("%s: %s", a.name, f)
		}
		if size := tokens(p.t, a, body); size > budget {
			p.t.Errorf("a request of %d tokens", size)
		}
		n++
		if strings.Contains(body, `"stream":true`) {
			p.send(w, "text/event-stream", l.stream(a, n))
		} else {
			p.send(w, "application/json", l.whole(a, n))
		}
		return true
	}
}

func (p *provider) last() string {
	got := p.requests()
	return got[len(got)-1].body
}

// both runs a test for each API that can be woven, streaming and not.
func both(t *testing.T, f func(t *testing.T, a api, stream bool)) {
	for _, a := range woven() {
		for _, stream := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/stream=%t", a.name, stream), func(t *testing.T) { f(t, a, stream) })
		}
	}
}

// planned steps until a request declares the recall tools.
func planned(t *testing.T, up *provider, g *agent) {
	t.Helper()
	for range 40 {
		if g.step(); strings.Contains(up.last(), `"precis_grep"`) {
			return
		}
		if up.last() != g.sent {
			t.Fatal("a plan without the tools")
		}
	}
	t.Fatal("no plan")
}

// said is what the client got last, decoded from its history.
func (g *agent) answer() message.Message {
	g.t.Helper()
	req, err := g.api.codec.Decode([]byte(g.body()))
	if err != nil {
		g.t.Fatal(err)
	}
	ms := req.Messages
	for len(ms) > 0 && ms[len(ms)-1].Role != message.Assistant {
		ms = ms[:len(ms)-1]
	}
	return ms[len(ms)-1]
}

func texts(m message.Message) (out string) {
	for _, p := range m.Parts {
		if p.Kind == message.Text {
			out += p.Text + "|"
		}
	}
	return out
}

// decoded are the messages of a request as written.
func decoded(t *testing.T, a api, body string) (out []string, req *codec.Request) {
	t.Helper()
	req, err := a.codec.Decode([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range req.Messages {
		out = append(out, string(m.Raw))
	}
	return out, req
}
