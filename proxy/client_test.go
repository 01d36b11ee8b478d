package proxy_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/anthropic"
	"github.com/seed-3db51b0e/precis/codec/gemini"
	"github.com/seed-3db51b0e/precis/codec/openai"
	"github.com/seed-3db51b0e/precis/codec/responses"
	"github.com/seed-3db51b0e/precis/internal/sse"
	"github.com/seed-3db51b0e/precis/proxy"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/store/sqlite"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// secret is the key of every client in these tests: no log, no metric and no
// store may hold it.
const secret = "sk-very-secret-0042"

// front is a proxy that serves, and what it logged.
type front struct {
	url   string
	proxy *proxy.Proxy
	store store.Store
	log   *lines
}

// lines is a log that may be read while it is written.
type lines struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(b)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// options are those of a proxy before one provider of all APIs.
func options(upstream string) proxy.Options {
	return proxy.Options{Providers: []proxy.Provider{
		{Name: "openai", URL: upstream, Calls: map[string]proxy.Codec{"/v1/chat/completions": openai.Codec{}, "/v1/responses": responses.Codec{}}},
		{Name: "anthropic", URL: upstream + "/v1", Calls: map[string]proxy.Codec{"/v1/messages": anthropic.Codec{}}},
		{Name: "gemini", URL: upstream + "/v1beta", Calls: map[string]proxy.Codec{"/v1beta": gemini.Codec{}}},
	}}
}

// serve starts a proxy.
func serve(t testing.TB, o proxy.Options) *front {
	t.Helper()
	f := &front{log: &lines{}}
	if o.Engine.Store == nil {
		o.Engine.Store = memory.New()
	}
	f.store = o.Engine.Store
	o.Log = slog.New(slog.NewTextHandler(f.log, nil))
	var err error
	if f.proxy, err = proxy.New(o); err != nil {
		t.Fatal(err)
	}
	h := http.Handler(f.proxy)
	if _, bench := t.(*testing.B); !bench { // tests look into the store when they have the answer
		h = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			defer f.proxy.Flush(context.Background())
			f.proxy.ServeHTTP(w, r)
		})
	}
	s := httptest.NewServer(h)
	f.url = s.URL
	t.Cleanup(func() { s.Close(); f.proxy.Close() })
	return f
}

func onDisk(t testing.TB, path string) store.Store {
	t.Helper()
	if path == "" {
		path = filepath.Join(t.TempDir(), "p.db")
	}
	s, err := sqlite.Open(context.Background(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// client keeps its connections to itself and leaves none behind.
func client(t testing.TB) *http.Client {
	t.Helper()
	tr := &http.Transport{DisableCompression: true}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr}
}

// request is a call as a client sends it.
func request(t testing.TB, ctx context.Context, url string, body string, header ...string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+secret)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return r
}

// post sends a call and reads its whole answer.
func post(t testing.TB, url, body string, header ...string) (*http.Response, string) {
	t.Helper()
	resp, err := client(t).Do(request(t, context.Background(), url, body, header...))
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	return resp, string(b)
}

// agent drives a session: it sends its history, reads the answer as its SDK
// does, and answers the calls in it.
type agent struct {
	t        testing.TB
	api      api
	url      string
	stream   bool
	header   []string
	messages []string
	last     []string                       // of messages: what followed from the last answer
	sent     string                         // the last request
	lines    int                            // of each result
	write    func(messages []string) string // nil: as the API's SDK
}

func newAgent(t testing.TB, a api, url string, stream bool, header ...string) *agent {
	t.Helper()
	return &agent{t: t, api: a, url: url + a.path, stream: stream, header: header, messages: []string{a.first}, lines: 40}
}

func (g *agent) body() string {
	if g.write != nil {
		return g.write(g.messages)
	}
	return g.api.body(g.messages, g.stream)
}

// step is one request and what follows from its answer.
func (g *agent) step() {
	g.t.Helper()
	g.sent = g.body()
	resp, text := post(g.t, g.url, g.sent, g.header...)
	if resp.StatusCode != http.StatusOK {
		g.t.Fatalf("status %d: %s", resp.StatusCode, text)
	}
	r := g.read(text)
	before := len(g.messages)
	for _, m := range r.Messages() {
		g.messages = append(g.messages, string(m.Raw))
	}
	for _, at := range r.Message.Calls() {
		id := r.Message.Parts[at].CallID
		g.messages = append(g.messages, fmt.Sprintf(g.api.result, id, quoted(g.output(id))))
	}
	g.last = g.messages[before:]
}

func (g *agent) read(text string) *codec.Reply {
	g.t.Helper()
	if !g.stream {
		r, err := g.api.codec.Reply(http.StatusOK, []byte(text))
		if err != nil {
			g.t.Fatal(err)
		}
		return r
	}
	a := g.api.codec.Stream()
	p := sse.NewParser(0, func(e sse.Event) error { return a.Event(e.Name, e.Data) })
	if _, err := p.Write([]byte(text)); err != nil {
		g.t.Fatal(err)
	}
	r, err := a.Reply()
	if err != nil {
		g.t.Fatal(err)
	}
	return r
}

// output is what a tool answers: a file that differs from call to call.
func (g *agent) output(id string) string {
	var b strings.Builder
	for i := range g.lines {
		fmt.Fprintf(&b, "%s:%d: func step_%s_%d(total int) error { return check(total, %d) }\n", id, i+1, id, i, i*7919)
	}
	return b.String()
}

// few returns all cases; of a short run, which is one under the race detector,
// the first.
func few[T any](all []T) []T {
	if testing.Short() {
		return all[:1]
	}
	return all
}
