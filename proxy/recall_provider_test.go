package proxy_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/codectest"
	"github.com/seed-3db51b0e/precis/internal/fakeprovider"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/wirecheck"
)

// line is what a model says: thinking, text, then calls.
type line struct {
	thinks string
	text   string
	calls  [][3]string // id, name, arguments
	stop   string      // "" follows from the calls
}

func look(id, args string) [3]string { return [3]string{id, "precis_grep", args} }

// answer is a line as the API's provider says it.
func (l line) answer(a api, n int) fakeprovider.Reply {
	out := fakeprovider.Reply{ID: fmt.Sprintf("r%d", n), Model: a.model, Thinking: l.thinks, Text: l.text, Cut: l.stop != "", Input: 100, Output: 7}
	if l.thinks != "" {
		out.Signature = fmt.Sprintf("c2ln%04d", n)
	}
	for _, c := range l.calls {
		out.Calls = append(out.Calls, fakeprovider.Call{ID: c[0], Name: c[1], Args: c[2]})
	}
	return out
}

func (l line) whole(a api, n int) string { return l.answer(a, n).Whole(a.name) }

// stream is a line as events, with a comment among them.
func (l line) stream(a api, n int) string {
	return strings.Replace(l.answer(a, n).Stream(a.name), "\n\n", "\n\n: still here\n\n", 1)
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

// both runs a test for each API, streaming and not.
func both(t *testing.T, f func(t *testing.T, a api, stream bool)) {
	t.Helper()
	bothOf(t, apis, f)
}

func bothOf(t *testing.T, apis []api, f func(t *testing.T, a api, stream bool)) {
	t.Helper()
	for _, a := range apis {
		for _, stream := range few([]bool{true, false}) {
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

// answer is what the client got last, decoded from its history.
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
	from := len(ms)
	for from > 0 && ms[from-1].Role == message.Assistant {
		from--
	}
	out := message.Message{Role: message.Assistant}
	for _, m := range ms[from:] {
		out.Parts, out.Raw = append(out.Parts, m.Parts...), append(out.Raw, m.Raw...)
	}
	return out
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

// list is how the messages of a request begin.
func (a api) list() string {
	return `"` + codectest.List(a.name) + `":`
}
