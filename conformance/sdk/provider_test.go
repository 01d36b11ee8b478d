package sdk_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/anthropic"
	"github.com/seed-3db51b0e/precis/codec/gemini"
	"github.com/seed-3db51b0e/precis/codec/openai"
	"github.com/seed-3db51b0e/precis/codec/responses"
	"github.com/seed-3db51b0e/precis/conformance/schema"
	"github.com/seed-3db51b0e/precis/internal/fakeprovider"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/proxy"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/token"
	"github.com/seed-3db51b0e/precis/token/bpe"
	"github.com/seed-3db51b0e/precis/transport"
	"github.com/seed-3db51b0e/precis/wirecheck"
)

// api is an API and the SDK that speaks it.
type api struct {
	name, path, model string
	thinks            bool
	recalls           bool // the model can look things up in the proxy
	codec             proxy.Codec
	client            func(url string, h *http.Client, retries int) client
}

var apis = []api{
	{"anthropic", "/v1/messages", "claude-opus-4-5", true, true, anthropic.Codec{}, func(u string, h *http.Client, n int) client { return newMessages(u, h, n) }},
	{"openai", "/v1/chat/completions", "gpt-4.1", false, true, openai.Codec{}, func(u string, h *http.Client, n int) client { return newChat(u, h, n) }},
	{"responses", "/v1/responses", "gpt-5", true, false, responses.Codec{}, func(u string, h *http.Client, n int) client { return newItems(u, h, n) }},
	{"gemini", "/v1beta/models/gemini-3-flash-preview:", "gemini-3-flash-preview", true, true, gemini.Codec{}, func(u string, h *http.Client, n int) client { return newContents(u, h, n) }},
}

// provider is a fake that judges every request by the checker and by the
// provider's published schema, and counts it.
type provider struct {
	t    testing.TB
	api  api
	url  string
	next func(body string) fakeprovider.Reply
	// take answers in another way; it says whether it did.
	take func(w http.ResponseWriter, r *http.Request) bool

	mu     sync.Mutex
	bodies []string
	most   int // tokens of the largest request
}

func newProvider(t testing.TB, a api) *provider {
	t.Helper()
	p := &provider{t: t, api: a}
	s := httptest.NewServer(p)
	t.Cleanup(s.Close)
	p.url = s.URL
	return p
}

// ServeHTTP implements http.Handler.
func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client left
	}
	if !strings.HasPrefix(r.URL.Path, p.api.path) || !strings.Contains(r.Header.Get("X-Api-Key")+r.Header.Get("Authorization")+r.Header.Get("X-Goog-Api-Key"), key) {
		p.t.Errorf("%s %v", r.URL, r.Header)
	}
	for _, f := range wirecheck.Check(p.api.name, b, wirecheck.Options{Model: p.api.model}) {
		p.t.Errorf("%s", f)
	}
	if err := schema.Check(p.api.name, b); err != nil {
		p.t.Error(err)
	}
	size := p.tokens(b)
	p.mu.Lock()
	p.bodies, p.most = append(p.bodies, string(b)), max(p.most, size)
	p.mu.Unlock()
	if p.take != nil && p.take(w, r) {
		return
	}
	a := p.next(string(b))
	a.Model, a.Input, a.Cached, a.Output = p.api.model, size, size/2, 40
	kind, text := "application/json", ""
	if strings.Contains(string(b), `"stream":true`) || strings.HasSuffix(r.URL.Path, ":streamGenerateContent") {
		kind, text = "text/event-stream; charset=utf-8", a.Stream(p.api.name)
	} else {
		text = a.Whole(p.api.name)
	}
	w.Header().Set("Content-Type", kind)
	for len(text) > 0 { // in pieces that end anywhere
		n := min(97, len(text))
		_, _ = io.WriteString(w, text[:n]) // the client may have left
		w.(http.Flusher).Flush()
		text = text[n:]
	}
}

func (p *provider) tokens(body []byte) int {
	req, err := p.api.codec.Decode(body)
	if err != nil {
		p.t.Error(err)
		return 0
	}
	m, _ := model.Lookup(p.api.model)
	meter, err := bpe.Meter(m)
	if err != nil {
		p.t.Error(err)
		return 0
	}
	meter.Margin = 0
	tools := make([]token.Tool, len(req.Tools))
	for i, t := range req.Tools {
		tools[i] = token.Tool{Name: t.Name, Description: t.Description, Schema: t.Schema}
	}
	return meter.Request(token.Request{System: req.System, Tools: tools, Messages: req.Messages})
}

// breaks counts the requests that do not begin with the messages of the request
// before.
func (p *provider) breaks() (n int) {
	var last *codec.Request
	for _, b := range p.bodies {
		req, err := p.api.codec.Decode([]byte(b))
		if err != nil {
			p.t.Fatal(err)
		}
		if last != nil {
			for i, m := range last.Messages {
				if i >= len(req.Messages) || string(req.Messages[i].Raw) != string(m.Raw) {
					n++
					break
				}
			}
		}
		last = req
	}
	return n
}

// way is how requests get to the provider.
type way struct {
	name string
	open func(t testing.TB, p *provider, budget int) (url string, h *http.Client, s store.Store)
}

var ways = []way{{"proxy", throughProxy}, {"transport", throughTransport}}

func throughProxy(t testing.TB, p *provider, budget int) (string, *http.Client, store.Store) {
	t.Helper()
	s := memory.New()
	o := proxy.Options{Budget: budget, Engine: precis.Options{Store: s}, Providers: []proxy.Provider{
		{Name: "openai", URL: p.url, Calls: map[string]proxy.Codec{"/v1/chat/completions": openai.Codec{}, "/v1/responses": responses.Codec{}}},
		{Name: "anthropic", URL: p.url, Calls: map[string]proxy.Codec{"/v1/messages": anthropic.Codec{}}},
		{Name: "gemini", URL: p.url, Calls: map[string]proxy.Codec{"/v1beta": gemini.Codec{}}},
	}}
	x, err := proxy.New(o)
	if err != nil {
		t.Fatal(err)
	}
	front := httptest.NewServer(x)
	tr := &http.Transport{}
	t.Cleanup(func() { tr.CloseIdleConnections(); front.Close(); x.Close() })
	return front.URL, &http.Client{Transport: tr}, s
}

func throughTransport(t testing.TB, p *provider, budget int) (string, *http.Client, store.Store) {
	t.Helper()
	s := memory.New()
	e, err := precis.New(precis.Options{Store: s})
	if err != nil {
		t.Fatal(err)
	}
	base := &http.Transport{}
	t.Cleanup(func() { base.CloseIdleConnections(); e.Close() })
	rt := transport.New(transport.Options{Engine: e, Base: base, Budget: budget, Codecs: map[string]transport.Codec{
		"/messages": anthropic.Codec{}, "/chat/completions": openai.Codec{}, "/responses": responses.Codec{}, ":generateContent": gemini.Codec{}, ":streamGenerateContent": gemini.Codec{},
	}})
	return p.url, &http.Client{Transport: rt}, s
}

// each runs a test for every API, way, and streaming or not.
func each(t *testing.T, f func(t *testing.T, a api, w way, stream bool)) {
	for _, a := range apis {
		for _, w := range ways {
			for _, stream := range []bool{true, false} {
				t.Run(fmt.Sprintf("%s/%s/stream=%t", a.name, w.name, stream), func(t *testing.T) { f(t, a, w, stream) })
			}
		}
	}
}
