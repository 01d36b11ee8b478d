package proxy_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/codec/responses"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/token"
	"github.com/seed-3db51b0e/precis/token/bpe"
)

// Tools within others are counted by what a model reads, and so are shapes of tools that
// nobody knows.
//
// SPEC: B17, V4
func TestToolsWithinToolsAreCounted(t *testing.T) {
	inner := `{"type":"function","name":"list","description":"` + strings.Repeat("Lists the files of a folder. ", 40) + `","parameters":{"type":"object"}}`
	m, _ := model.Lookup("gpt-5")
	meter, err := bpe.Meter(m)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range []string{`{"type":"namespace","name":"mcp__files","tools":[` + inner + `]}`, `{"type":"hologram","deep":{"of":[` + inner + `]}}`} {
		req, err := responses.Codec{}.Decode([]byte(`{"model":"gpt-5","input":"a","tools":[` + tool + `]}`))
		if err != nil {
			t.Fatal(err)
		}
		n := meter.Tools([]token.Tool{{Name: req.Tools[0].Name, Schema: req.Tools[0].Read()}})
		if least := meter.Text(inner); n < least {
			t.Errorf("%d tokens, at least %d: %.80s", n, least, tool)
		}
	}
}

// A provider that reads more than the exact count says is believed: later prompts fit
// the budget by its count.
//
// SPEC: V4 · WU1
func TestProviderCountsMore(t *testing.T) {
	a := apiNamed(t, "openai")
	up := newProvider(t)
	n, most := 0, 0
	up.answer = func(w http.ResponseWriter, _ *http.Request, body string) bool {
		n++
		size := tokens(t, a, body) * 108 / 100
		if n > 20 {
			most = max(most, size)
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, whole(a, n, size))
		return true
	}
	o := options(up.url)
	o.Budget = budget
	f := serve(t, o)
	g := newAgent(t, a, f.url, false)
	g.lines = 20
	for range 60 {
		g.step()
	}
	if most > budget || most < budget/2 {
		t.Errorf("a request of %d tokens of %d", most, budget)
	}
}

// A client with a tool of our names within another tool keeps it, and gets none of ours.
//
// SPEC: B17, B8
func TestOwnToolWithinATool(t *testing.T) {
	a := apiNamed(t, "responses")
	up := newProvider(t)
	o := options(up.url)
	o.Budget = budget
	f := serve(t, o)
	g := newAgent(t, a, f.url, true)
	g.lines = 20
	const tools = `"tools":[{"type":"namespace","name":"mine","tools":[{"type":"function","name":"precis_read","parameters":{"type":"object"}}]},{"type":"function","name":"read_file","parameters":{"type":"object"}}]`
	g.write = func(messages []string) string {
		return `{"model":"gpt-5","store":false,"stream":true,` + tools + `,"input":[` + strings.Join(messages, ",") + `]}`
	}
	for range 25 {
		g.step()
	}
	if last := up.last(); last == g.sent || !strings.Contains(last, tools+",") {
		t.Errorf("upstream: %.400s", last)
	}
}
