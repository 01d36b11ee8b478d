package proxy_test

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// A refusal that is about the one request, of a model that nobody has or an item
// that cannot be read, is the client's to be told: nobody's compactions are made
// here for it.
//
// SPEC: B6, V10, V11 · WO6
func TestRefusalOfOneRequest(t *testing.T) {
	const noModel = `{"error":{"message":"The model gpt-nope does not exist or you do not have access to it.","type":"invalid_request_error","param":null,"code":"model_not_found"}}`
	const noItem = `{"error":{"message":"The encrypted content of the compaction item could not be verified.","type":"invalid_request_error","param":"input[1]","code":"invalid_encrypted_content"}}`
	up := newProvider(t)
	up.answer = func(w http.ResponseWriter, _ *http.Request, body string) bool {
		switch {
		case strings.Contains(body, "gpt-nope"):
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, noModel)
		case strings.Contains(body, "broken"):
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, noItem)
		default:
			_, _ = io.WriteString(w, `{"output":[]}`)
		}
		return true
	}
	f := serve(t, options(up.url))
	g := newCodexer(t, f.url, "0204")
	body := g.request(append(slices.Clone(g.messages), `{"type":"compaction_trigger"}`))
	compact := strings.Replace(g.request(g.messages), `"stream":true`, `"stream":false`, 1)
	for _, c := range [][3]string{
		{"/compact", strings.Replace(compact, `"gpt-5"`, `"gpt-nope"`, 1), noModel},
		{"", strings.Replace(body, "nightly", "broken", 1), noItem},
		{"/compact", compact, `{"output":[]}`},
		{"", body, `{"output":[]}`},
	} {
		before := len(up.requests())
		if _, text := post(t, g.url+c[0], c[1]); text != c[2] || len(up.requests()) != before+1 || up.last() != c[1] {
			t.Errorf("%q: %d requests, the client got %s", c[0], len(up.requests())-before, text)
		}
	}
}

// What a provider is to compact has no recall tools, whichever way it is asked.
//
// SPEC: B6, B8 · WO6
func TestCompactWithoutTools(t *testing.T) {
	up := newProvider(t)
	o := options(up.url)
	o.Budget = budget
	f := serve(t, o)
	g := newCodexer(t, f.url, "0205")
	for f.plans(t) == 0 {
		g.steps(1)
	}
	g.steps(1)
	if !strings.Contains(up.last(), "precis_grep") {
		t.Fatal("no tools with a plan")
	}
	up.answer = func(w http.ResponseWriter, _ *http.Request, _ string) bool {
		_, _ = io.WriteString(w, `{"output":[]}`)
		return true
	}
	for path, body := range map[string]string{
		"/compact": strings.Replace(g.request(g.messages), `"stream":true`, `"stream":false`, 1),
		"":         g.request(append(slices.Clone(g.messages), `{"type":"compaction_trigger"}`)),
	} {
		if post(t, g.url+path, body); strings.Contains(up.last(), "precis_grep") {
			t.Errorf("%q: tools were declared", path)
		}
	}
}
