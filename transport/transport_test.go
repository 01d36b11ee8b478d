package transport_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/codec/anthropic"
	"github.com/seed-3db51b0e/precis/codec/gemini"
	"github.com/seed-3db51b0e/precis/codec/openai"
	"github.com/seed-3db51b0e/precis/codec/responses"
	"github.com/seed-3db51b0e/precis/proxy"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/transport"
	"github.com/seed-3db51b0e/precis/wirecheck"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// api is a wire format: how a request with so many rounds is written.
type api struct {
	name, path, head, round, refusal, answer string
}

var apis = []api{
	{
		"anthropic", "/v1/messages",
		`{ "model":"claude-opus-4-5","max_tokens":99,"x_future":1.50,"system":"Be brief.","messages":[{"role":"user","content":"Sum the parts."}`,
		`,{"role":"assistant","content":[{"type":"tool_use","id":"call_%[1]d","name":"query","input":{"part": %[1]d}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_%[1]d","content":"%[2]s"}]}`,
		`{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 30000 tokens > 9000 maximum"}}`,
		"event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"type\":\"message\",\"role\":\"assistant\",\"content\":[],\"usage\":{\"input_tokens\":9,\"output_tokens\":1}}}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
	},
	{
		"openai", "/v1/chat/completions",
		`{ "model":"gpt-4.1","x_future":1.50,"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Sum the parts."}`,
		`,{"role":"assistant","content":null,"tool_calls":[{"id":"call_%[1]d","type":"function","function":{"name":"query","arguments":"{\"part\": %[1]d}"}}]},{"role":"tool","tool_call_id":"call_%[1]d","content":"%[2]s"}`,
		`{"error":{"message":"This model's maximum context length is 9000 tokens. However, your messages resulted in 30000 tokens.","code":"context_length_exceeded"}}`,
		"data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"hi\"}}]}\n\ndata: [DONE]\n\n",
	},
	{
		"responses", "/v1/responses",
		`{ "model":"gpt-5","x_future":1.50,"store":false,"instructions":"Be brief.","input":[{"role":"user","content":"Sum the parts."}`,
		`,{"type":"function_call","call_id":"call_%[1]d","name":"query","arguments":"{\"part\": %[1]d}"},{"type":"function_call_output","call_id":"call_%[1]d","output":"%[2]s"}`,
		`{"error":{"message":"Your input exceeds the context window of this model.","code":"context_length_exceeded"}}`,
		"event: response.created\ndata: {\"type\":\"response.created\",\"response\":{\"id\":\"r\"}}\n\nevent: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"delta\":\"hi\"}\n\n" +
			"event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"id\":\"r\",\"status\":\"completed\",\"output\":[{\"type\":\"message\",\"id\":\"m\",\"role\":\"assistant\",\"status\":\"completed\",\"content\":[{\"type\":\"output_text\",\"text\":\"hi\",\"annotations\":[]}]}]}}\n\n",
	},
	{
		"gemini", "/v1beta/models/unheard-of:streamGenerateContent",
		`{ "x_future":1.50,"systemInstruction":{"parts":[{"text":"Be brief."}]},"contents":[{"role":"user","parts":[{"text":"Sum the parts."}]}`,
		`,{"role":"model","parts":[{"functionCall":{"name":"query","args":{"part": %[1]d}}}]},{"role":"user","parts":[{"functionResponse":{"name":"query","response":{"output":"%[2]s"}}}]}`,
		`{"error":{"code":400,"message":"The input token count (30000) exceeds the maximum number of tokens allowed (9000).","status":"INVALID_ARGUMENT"}}`,
		"data: {\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\"hi\"}]},\"finishReason\":\"STOP\"}],\"usageMetadata\":{\"promptTokenCount\":9}}\n\n",
	},
}

// body is a request with so many rounds, each of about 1,000 tokens.
func (a api) body(rounds int) string {
	var b strings.Builder
	b.WriteString(a.head)
	for i := range rounds {
		var rows []string
		for n := range 60 {
			rows = append(rows, fmt.Sprintf("row %d of part%d: order_%d", n, i, i*1000+n))
		}
		fmt.Fprintf(&b, a.round, i, strings.Join(rows, `\n`))
	}
	return b.String() + "] }\n"
}

// provider is a strict fake: it judges every call by the rules of its API.
type provider struct {
	t      *testing.T
	url    string
	window int // in bytes; 0 = no limit
	// refuse answers a request over the window; nil: an error of status 400.
	refuse func(http.ResponseWriter, api)

	mu  sync.Mutex
	got []string
	hdr []http.Header
}

func newProvider(t *testing.T) *provider {
	p := &provider{t: t}
	s := httptest.NewServer(p)
	t.Cleanup(s.Close)
	p.url = s.URL
	return p
}

func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client left
	}
	p.mu.Lock()
	p.got, p.hdr = append(p.got, string(b)), append(p.hdr, r.Header.Clone())
	p.mu.Unlock()
	for _, a := range apis {
		if !strings.HasSuffix(r.URL.Path, a.path) || r.Header.Get("X-Lax") != "" {
			continue
		}
		for _, f := range wirecheck.Check(a.name, b, wirecheck.Options{AllowUnknown: true}) {
			p.t.Errorf("%s: %s", a.name, f)
		}
		if r.ContentLength != int64(len(b)) {
			p.t.Errorf("Content-Length %d of %d bytes", r.ContentLength, len(b))
		}
		switch {
		case p.window == 0 || len(b) <= p.window:
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, a.answer)
		case p.refuse != nil:
			p.refuse(w, a)
		default:
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, a.refusal)
		}
		return
	}
	_, _ = io.WriteString(w, "other")
}

func (p *provider) bodies() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.got...)
}

// options are those of a transport with connections of its own.
func options(t *testing.T, s store.Store) transport.Options {
	t.Helper()
	e, err := precis.New(precis.Options{Store: s})
	if err != nil {
		t.Fatal(err)
	}
	base := &http.Transport{}
	t.Cleanup(func() { base.CloseIdleConnections(); e.Close() })
	return transport.Options{Engine: e, Base: base, Codecs: codecs()}
}

func codecs() map[string]transport.Codec {
	return map[string]transport.Codec{"/messages": anthropic.Codec{}, "/chat/completions": openai.Codec{}, "/responses": responses.Codec{}, ":generateContent": gemini.Codec{}, ":streamGenerateContent": gemini.Codec{}}
}

func post(t *testing.T, rt http.RoundTripper, url, body string, header ...string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	resp, err := (&http.Client{Transport: rt}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(resp.Body)
	if err := errors.Join(err, resp.Body.Close()); err != nil {
		t.Fatal(err)
	}
	return resp, string(b)
}

// A small prompt goes as it is, a large one compacted and valid; the answer is
// the provider's, byte for byte.
//
// SPEC: B7, V3, V11
func TestCompacts(t *testing.T) {
	for _, a := range apis {
		t.Run(a.name, func(t *testing.T) {
			st := memory.New()
			up, o := newProvider(t), options(t, st)
			o.Budget = 8_000
			rt := transport.New(o)
			for i, rounds := range []int{0, 3, 20} {
				if resp, got := post(t, rt, up.url+"/deployment"+a.path+"?x=1", a.body(rounds), transport.ThreadHeader, "t"); got != a.answer || resp.Request.ContentLength != int64(len(a.body(rounds))) {
					t.Errorf("answer %q to a request of %d bytes", got, resp.Request.ContentLength)
				}
				if same := up.bodies()[i] == a.body(rounds); same != (rounds < 20) {
					t.Errorf("%d rounds: sent as it came is %t", rounds, same)
				}
			}
			if last := up.bodies()[2]; len(last) > len(a.body(20))/2 || !strings.Contains(last, `"x_future":1.50`) {
				t.Errorf("sent %d bytes: %.200s", len(last), last)
			}
			if kept, err := precis.LastReply(t.Context(), st, store.Key{Thread: "t"}); err != nil || len(kept) == 0 {
				t.Errorf("no answer is kept: %v", err)
			}
			if up.hdr[2].Get(transport.ThreadHeader) != "" {
				t.Error("the thread's name was sent on")
			}
		})
	}
}

// named is the model of a request.
var named = regexp.MustCompile(`"model":"[^"]*"`)

// A refused prompt is compacted and sent once more, also where the refusal is
// inside a stream or a success; what was learned holds for the next request. An
// upstream that always refuses is asked twice and its answer is the caller's.
//
// SPEC: B7, T8, V3
func TestOverflow(t *testing.T) {
	inside := func(w http.ResponseWriter, a api) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "event: response.created\ndata: {\"type\":\"response.created\",\"response\":{\"id\":\"r\"}}\n\n")
		w.(http.Flusher).Flush()
		_, _ = io.WriteString(w, "event: error\ndata: {\"type\":\"error\",\"error\":{\"code\":\"context_length_exceeded\",\"message\":\"Your input exceeds the context window of this model.\"}}\n\n")
	}
	success := func(w http.ResponseWriter, a api) { _, _ = io.WriteString(w, a.refusal) }
	for _, c := range []struct {
		name   string
		api    api
		refuse func(http.ResponseWriter, api)
	}{{"anthropic", apis[0], nil}, {"openai", apis[1], nil}, {"a success that is none", apis[1], success}, {"responses", apis[2], nil}, {"gemini", apis[3], nil}, {"inside a stream", apis[2], inside}} {
		t.Run(c.name, func(t *testing.T) {
			up := newProvider(t)
			rt := transport.New(options(t, memory.New()))
			a := c.api
			body := func(n int) string { return named.ReplaceAllString(a.body(n), `"model":"unheard-of"`) }
			whole := body(20)
			up.window, up.refuse = len(whole)*9/10, c.refuse
			if _, got := post(t, rt, up.url+a.path, whole); got != a.answer {
				t.Errorf("answer %q", got)
			}
			post(t, rt, up.url+a.path, body(21))
			if got := up.bodies(); len(got) != 3 || got[0] != whole {
				t.Errorf("%d requests", len(got))
			}
			up.window = 1
			before := len(up.bodies())
			if _, got := post(t, rt, up.url+a.path, body(22)); got == a.answer || got == "" {
				t.Errorf("answer %q", got)
			}
			if n := len(up.bodies()) - before; n != 2 {
				t.Errorf("asked %d times", n)
			}
		})
	}
}

// What is no call passes as it is.
//
// SPEC: B7, V11
func TestPasses(t *testing.T) {
	up, s := newProvider(t), memory.New()
	o := options(t, s)
	o.Budget, o.MaxBody = 1_000, 40_000
	rt := transport.New(o)
	long := apis[1].body(20)
	for _, c := range []struct {
		name, path, body string
		header           []string
	}{
		{"another path", "/v1/embeddings", long, nil},
		{"below a call", "/v1/messages/count_tokens", apis[0].body(20), []string{transport.ThreadHeader, "x"}},
		{"too large", apis[1].path, long + strings.Repeat(" ", 40_000), nil},
		{"encoded", apis[1].path, long, []string{"Content-Encoding", "gzip"}},
		{"signed", apis[1].path, long, []string{"X-Amz-Date", "20260101T000000Z"}},
		{"not JSON", apis[1].path, "{", nil},
		{"no messages", apis[1].path, `{"model":"gpt-4.1"}`, nil},
		{"stateful", apis[2].path, `{"model":"gpt-5","previous_response_id":"r","input":"` + strings.Repeat("again ", 3000) + `"}`, nil},
		{"empty", apis[1].path, "", nil},
	} {
		post(t, rt, up.url+c.path, c.body, append(c.header, "X-Lax", "1")...)
		got := up.bodies()
		if got[len(got)-1] != c.body {
			t.Errorf("%s: sent %.200q", c.name, got[len(got)-1])
		}
		if h := up.hdr[len(got)-1]; h.Get(transport.ThreadHeader) != "" {
			t.Errorf("%s: the thread's name was sent on", c.name)
		}
	}
	if hs, err := s.Heads(t.Context(), ""); err != nil || len(hs) > 0 {
		t.Errorf("%v: logged %+v", err, hs)
	}
}

// The same request is the same thread through the proxy, and the key is the
// caller's to choose.
//
// SPEC: B6, B7
func TestThread(t *testing.T) {
	up, s := newProvider(t), memory.New()
	o := options(t, s)
	p, err := proxy.New(proxy.Options{Engine: precis.Options{Store: s}, Providers: []proxy.Provider{
		{Name: "anthropic", URL: up.url, Calls: map[string]proxy.Codec{apis[0].path: anthropic.Codec{}}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	front := httptest.NewServer(p)
	defer front.Close()
	post(t, o.Base, front.URL+apis[0].path, apis[0].body(1))
	post(t, transport.New(o), up.url+apis[0].path, apis[0].body(2))
	post(t, transport.New(o), up.url+apis[0].path, apis[0].body(2), transport.ThreadHeader, "said")
	o.Key = func(r *http.Request) string { return strings.Repeat(r.Header.Get("X-Session"), 200) }
	post(t, transport.New(o), up.url+apis[0].path, apis[0].body(2), "X-Session", "s")
	hs, err := s.Heads(t.Context(), "")
	if err != nil || len(hs) != 3 {
		t.Fatalf("%v: %+v", err, hs)
	}
	for _, h := range hs {
		if h.Len != 5 || len(h.Key.Thread) > 128 {
			t.Errorf("thread %q of %d messages", h.Key.Thread, h.Len)
		}
	}
}

// failing is a store that does not work.
type failing struct{ store.Store }

func (failing) Head(context.Context, store.Key) (store.Head, error) {
	return store.Head{}, errors.New("disk on fire")
}

// counted is a request body that knows whether it was closed.
type counted struct {
	io.Reader
	closed atomic.Int32
}

func (c *counted) Close() error { c.closed.Add(1); return nil }

// The rules of a RoundTripper: the body is closed whatever happens, the request
// is not changed, a context that has ended ends the exchange.
//
// SPEC: B7
func TestContract(t *testing.T) {
	up, o := newProvider(t), options(t, memory.New())
	o.Budget = 8_000
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		name string
		rt   http.RoundTripper
		ctx  context.Context
		path string
		body io.Reader
		fail bool
	}{
		{"call", transport.New(o), t.Context(), apis[0].path, strings.NewReader(apis[0].body(20)), false},
		{"passed", transport.New(o), t.Context(), "/v1/models", strings.NewReader("x"), false},
		{"cancelled", transport.New(o), ended, apis[0].path, strings.NewReader(apis[0].body(20)), true},
		{"broken body", transport.New(o), t.Context(), apis[0].path, io.MultiReader(strings.NewReader("{"), broken{}), true},
		{"bad options", transport.New(transport.Options{}), t.Context(), apis[0].path, strings.NewReader("{}"), true},
	} {
		b := &counted{Reader: c.body}
		r, err := http.NewRequestWithContext(c.ctx, http.MethodPost, up.url+c.path, b)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set(transport.ThreadHeader, "t")
		resp, err := c.rt.RoundTrip(r)
		if (err != nil) != c.fail {
			t.Errorf("%s: error %v", c.name, err)
		}
		if err == nil {
			_, _ = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
			if _, err := resp.Body.Read(make([]byte, 1)); err == nil {
				t.Errorf("%s: read after close", c.name)
			}
		}
		if b.closed.Load() == 0 || r.Header.Get(transport.ThreadHeader) != "t" || r.Body != b || r.GetBody != nil {
			t.Errorf("%s: closed %d times; request %+v", c.name, b.closed.Load(), r)
		}
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("pulled") }

// An answer that does not begin is the caller's after the time it may be held,
// and closing it ends what waits for it.
//
// SPEC: B7, V9
func TestHold(t *testing.T) {
	silent := make(chan bool)
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, ": wait\n\n")
		w.(http.Flusher).Flush()
		select {
		case <-silent:
		case <-r.Context().Done():
		}
		_, _ = io.WriteString(w, apis[0].answer)
	}))
	defer up.Close()
	o := options(t, memory.New())
	o.SniffTimeout = 1
	rt := transport.New(o)
	for _, wait := range []bool{true, false} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, up.URL+apis[0].path, strings.NewReader(apis[0].body(1)))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := rt.RoundTrip(r) // nothing has been said yet
		if err != nil {
			t.Fatal(err)
		}
		if wait {
			silent <- true
			if b, err := io.ReadAll(resp.Body); err != nil || string(b) != ": wait\n\n"+apis[0].answer {
				t.Errorf("%v: answer %q", err, b)
			}
		}
		if err := resp.Body.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A store that fails costs compaction and nothing else; it is told once.
//
// SPEC: B7, V9
func TestFailsOpen(t *testing.T) {
	up := newProvider(t)
	o := options(t, failing{memory.New()})
	var log bytes.Buffer
	o.Budget, o.Log = 8_000, slog.New(slog.NewTextHandler(&log, nil))
	if _, got := post(t, transport.New(o), up.url+apis[1].path, apis[1].body(20)); got != apis[1].answer {
		t.Errorf("answer %q", got)
	}
	if up.bodies()[0] != apis[1].body(20) {
		t.Error("the request was changed")
	}
	if strings.Count(log.String(), "disk on fire") != 1 || strings.Contains(log.String(), "Sum the parts") {
		t.Errorf("log %s", log.String())
	}
}

// Many conversations at a time.
//
// SPEC: B7, V3
func TestParallel(t *testing.T) {
	up, o := newProvider(t), options(t, memory.New())
	o.Budget = 8_000
	client := &http.Client{Transport: transport.New(o)}
	var all sync.WaitGroup
	for i := range 12 {
		all.Go(func() {
			a := apis[i%len(apis)]
			for _, rounds := range []int{4, 12} {
				r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, up.url+a.path, strings.NewReader(a.body(rounds)))
				if err != nil {
					t.Error(err)
					return
				}
				r.Header.Set(transport.ThreadHeader, fmt.Sprint(i/2))
				resp, err := client.Do(r)
				if err != nil {
					t.Error(err)
					return
				}
				b, err := io.ReadAll(resp.Body)
				if err := errors.Join(err, resp.Body.Close()); err != nil || string(b) != a.answer {
					t.Errorf("%v: answer %q", err, b)
				}
			}
		})
	}
	all.Wait()
}
