package proxy_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/proxy"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/token"
	"github.com/seed-3db51b0e/precis/wirecheck"
)

// Cache markers that were asked for stand where the provider takes them and look
// back far enough, beside the client's own; but for them the prompt grows at its
// end between plans.
//
// SPEC: T7, V3, V6 · WA10, WA11, WC2
func TestCachePoints(t *testing.T) {
	a := apiNamed(t, "anthropic")
	for _, own := range []string{"", `,"cache_control":{"type":"ephemeral"}`, `,"cache_control":{"type":"ephemeral","ttl":"1h"}`} {
		t.Run(own, func(t *testing.T) {
			a := a
			a.head = strings.Replace(a.head, `,"cache_control":{"type":"ephemeral"}`, own, 1)
			up := newProvider(t)
			o := options(up.url)
			o.Budget, o.Prompt.CachePoints = budget, true
			f := serve(t, o)
			g := newAgent(t, a, f.url, true)
			g.lines = 16
			for range 40 {
				g.step()
			}
			var s wirecheck.Session
			var last []string
			broken, marked := 0, 0
			for _, r := range up.requests() {
				for _, fault := range s.Request([]byte(r.body), wirecheck.Options{}) {
					t.Error(fault)
				}
				marked += strings.Count(r.body, "cache_control")
				now := digests(t, a, r.body)
				if len(now) < len(last) || !slices.Equal(now[:len(last)], last) {
					broken++
				}
				last = now
			}
			plans := f.threads(t, "")[0].PlanVersion
			if n := len(up.requests()); marked < n || broken != plans || plans == 0 {
				t.Errorf("%d markers in %d requests, %d breaks, %d plans", marked, n, broken, plans)
			}
		})
	}
}

// digests are the messages of a request, markers aside.
func digests(t testing.TB, a api, body string) (all []string) {
	t.Helper()
	req, err := a.codec.Decode([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range req.Messages {
		all = append(all, fmt.Sprint(m.Digest()))
	}
	return all
}

// A request that has no room for markers, or a model that knows none, leaves as
// it came.
//
// SPEC: V11
func TestCachePointsNowhere(t *testing.T) {
	for name, body := range map[string]string{
		"/v1/messages":         `{"model":"claude-opus-4-5","max_tokens":9,"cache_control":{"type":"ephemeral"},"messages":[{"role":"user","content":"hi"}]}`,
		"/v1/chat/completions": `{"model":"gpt-4.1","messages":[{"role":"user","content":"hi"}]}`,
	} {
		up := newProvider(t)
		o := options(up.url)
		o.Prompt.CachePoints = true
		f := serve(t, o)
		post(t, f.url+name, body)
		if got := up.requests()[0].body; got != body {
			t.Errorf("sent %s", got)
		}
	}
}

// Each request is a trace of its own, or goes on in its client's; its spans say
// numbers and words of ours, and nothing that was said. Without tracing the
// client's headers pass.
//
// SPEC: B6
func TestTraces(t *testing.T) {
	const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	spans := tracetest.NewInMemoryExporter()
	provider := sdk.NewTracerProvider(sdk.WithSyncer(spans))
	up := newProvider(t)
	o := options(up.url)
	o.Budget, o.Tracer = budget, provider
	f := serve(t, o)
	a := apiNamed(t, "anthropic")
	get(t, f.url+"/v1/models")
	g := newAgent(t, a, f.url, true, "Traceparent", parent)
	for range 20 {
		g.step()
	}
	names := map[string]int{}
	for _, s := range spans.GetSpans() {
		names[s.Name]++
		for _, at := range s.Attributes {
			if v := at.Value.String(); strings.Contains(v, secret) || strings.Contains(v, "nightly") || len(v) > 40 {
				t.Errorf("%s says %s=%s", s.Name, at.Key, v)
			}
		}
		if s.Name != "precis request" && s.SpanContext.TraceID().String() != "0af7651916cd43dd8448eb211c80319c" {
			t.Errorf("%s is in trace %s", s.Name, s.SpanContext.TraceID())
		}
	}
	for name, n := range map[string]int{"precis request": 20, "prepare": 20, "upstream": 20, "observe": 20, "record": 20} {
		if names[name] < n {
			t.Errorf("%d spans %q of %d: %v", names[name], name, n, names)
		}
	}
	if got := up.requests()[1].header.Get("Traceparent"); got == parent || !strings.Contains(got, "0af7651916cd43dd8448eb211c80319c") {
		t.Errorf("upstream got %q", got)
	}
	if err := provider.Shutdown(context.Background()); err != nil {
		t.Error(err)
	}

	plain := serve(t, options(up.url))
	newAgent(t, a, plain.url, true, "Traceparent", parent, "Tracestate", "a=b").step()
	rs := up.requests()
	if h := rs[len(rs)-1].header; h.Get("Traceparent") != parent || h.Get("Tracestate") != "a=b" {
		t.Errorf("upstream got %v", h)
	}
}

// What stands around the messages is logged with them, when it changes and not
// else, without the credentials that a body may hold.
//
// SPEC: V1
func TestEnvelopeIsLogged(t *testing.T) {
	for _, a := range apis {
		t.Run(a.name, func(t *testing.T) {
			up := newProvider(t)
			up.lax = true
			s := &appends{Store: onDisk(t, "")}
			o := options(up.url)
			o.Engine.Store = s
			f := serve(t, o)
			if a.name == "anthropic" {
				a.head = `"mcp_servers":[{"type":"url","url":"https://h","name":"n","authorization_token":"` + secret + `"}],` + a.head
			}
			g := newAgent(t, a, f.url, false)
			for range 5 {
				g.step()
			}
			h := f.threads(t, "")[0]
			got, err := s.Envelope(t.Context(), h.Key)
			want := fmt.Sprintf(`{"model":%q,"stream":false,"x_future":{"n":1.50},%s[]}`, a.model, strings.Replace(a.head, secret, "(left out)", 1))
			if err != nil || string(got) != want {
				t.Errorf("%v: got\n%s\nwant\n%s", err, got, want)
			}
			if s.envelopes > 2 { // the second request may not know of the first
				t.Errorf("%d envelopes were written", s.envelopes)
			}
			g.api.head = strings.Replace(a.head, "Read a file.", "Read one file.", 1)
			g.step()
			if got, err = s.Envelope(t.Context(), h.Key); err != nil || !bytes.Contains(got, []byte("Read one file.")) {
				t.Errorf("%v: then %s", err, got)
			}
		})
	}
}

// appends counts what is written.
type appends struct {
	store.Store
	envelopes int
}

func (s *appends) Append(ctx context.Context, k store.Key, b store.Batch) (store.Head, error) {
	if b.Envelope != nil && k.Tenant == "" { // those are of the proxy's own
		s.envelopes++
	}
	return s.Store.Append(ctx, k, b)
}

// shot is a request of an agent that looked at the screen n times.
func shot(n, size int) string {
	ms := []string{`{"role":"user","content":"Book the flight."}`}
	for i := range n {
		ms = append(ms, fmt.Sprintf(`{"role":"assistant","content":[{"type":"tool_use","id":"toolu_%d","name":"screenshot","input":{}}]}`, i),
			fmt.Sprintf(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_%d","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"%s"}}]}]}`, i, strings.Repeat("A", size)))
	}
	return `{"model":"claude-opus-5-5","max_tokens":99,"messages":[` + strings.Join(ms, ",") + `]}`
}

func shown(body string) int { return strings.Count(body, `"type":"image"`) }

// Pictures beyond what the provider takes are left out before it refuses them;
// bytes that it refuses although nobody knew, once, and then never again.
//
// SPEC: B6, V4, V9 · WA12, WE1
func TestTooHeavy(t *testing.T) {
	up := newProvider(t)
	o := options(up.url)
	o.Limits.Images = 10
	f := serve(t, o)
	for n := 1; n < 30; n++ {
		resp, text := post(t, f.url+"/v1/messages", shot(n, 400))
		if resp.StatusCode != http.StatusOK {
			t.Fatalf("status %d: %s", resp.StatusCode, text)
		}
	}
	for i, r := range up.requests() {
		if n := shown(r.body); n > 10 || n == 0 {
			t.Errorf("request %d has %d pictures", i, n)
		}
	}

	path := filepath.Join(t.TempDir(), "p.db")
	o.Limits.Images, o.Limits.File, o.Engine.Store = 0, path+".lessons.json", onDisk(t, path)
	f = serve(t, o)
	const most = 100_000
	up.answer = func(w http.ResponseWriter, r *http.Request, body string) bool {
		if len(body) > most {
			w.WriteHeader(http.StatusRequestEntityTooLarge)
			_, _ = io.WriteString(w, `{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}`)
		}
		return len(body) > most
	}
	before := len(up.requests())
	resp, text := post(t, f.url+"/v1/messages", shot(30, 5000), "X-Precis-Thread", "heavy")
	rs := up.requests()[before:]
	if resp.StatusCode != http.StatusOK || len(rs) != 2 || shown(rs[1].body) >= shown(rs[0].body) {
		t.Fatalf("status %d after %d requests: %s", resp.StatusCode, len(rs), text)
	}
	f.proxy.Close()
	next := serve(t, o) // a restart
	before = len(up.requests())
	if resp, text = post(t, next.url+"/v1/messages", shot(31, 5000), "X-Precis-Thread", "heavy"); resp.StatusCode != http.StatusOK || len(up.requests())-before != 1 {
		t.Errorf("status %d after %d requests: %s", resp.StatusCode, len(up.requests())-before, text)
	}
}

// A proxy that starts again knows the windows and counts that it learned.
//
// SPEC: L12, B6
func TestLimitsOutliveTheProxy(t *testing.T) {
	a := apiNamed(t, "anthropic")
	up := newProvider(t)
	o := options(up.url)
	o.Limits.File, o.Models = filepath.Join(t.TempDir(), "lessons.json"), smaller(a)
	up.window = 9000
	work := func(f *front, when string) {
		g := newAgent(t, a, f.url, false)
		g.messages[0] = strings.Replace(g.messages[0], "nightly", when, 1)
		for range 20 {
			g.step()
		}
	}
	first := serve(t, o)
	work(first, "nightly")
	work(first, "daily") // what one refusal says is believed of its thread only
	refused := strings.Count(first.log.String(), "retried=true")
	if refused < 2 {
		t.Fatalf("%d prompts were refused", refused)
	}
	first.proxy.Close()
	second := serve(t, o)
	work(second, "weekly")
	if n := strings.Count(second.log.String(), "retried=true"); n != 0 {
		t.Errorf("%d prompts were refused, %d before", n, refused)
	}
}

// The owner of a key has the name and the budget that the configuration says.
//
// SPEC: V10
func TestNamedTenant(t *testing.T) {
	up := newProvider(t)
	o := options(up.url)
	o.Tenancy.ByCredential, o.Budget = true, 50_000
	o.Tenancy.Named = map[string]proxy.Tenant{proxy.Credential(http.Header{"Authorization": {"Bearer " + secret}}): {Name: "mine", Budget: 7000}}
	f := serve(t, o)
	newAgent(t, apis[0], f.url, false).step()
	if len(f.threads(t, "mine")) != 1 || !strings.Contains(f.log.String(), "budget=7000") {
		t.Errorf("%+v: %s", f.threads(t, "mine"), f.log)
	}
	for name, bad := range map[string]map[string]proxy.Tenant{"no hash": {"sk-1": {Name: "a"}}, "no name": {"0123456789abcdef01234567": {}}, "budget": {"0123456789abcdef01234567": {Name: "a", Budget: -1}}} {
		o.Tenancy.Named = bad
		if _, err := proxy.New(o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// A model's own limits stand in where none are asked for.
func TestKnownLimits(t *testing.T) {
	var m message.Message
	if err := json.Unmarshal([]byte(`{"role":"user","parts":[{"kind":"media"},{"kind":"tool_result","parts":[{"kind":"media"}]}]}`), &m); err != nil {
		t.Fatal(err)
	}
	if n := token.LoadOf(m).Media; n != 2 {
		t.Errorf("%d pictures", n)
	}
	up := newProvider(t)
	f := serve(t, options(up.url))
	post(t, f.url+"/v1/messages", strings.Replace(shot(120, 100), "claude-opus-5-5", "claude-opus-4-5", 1))
	post(t, f.url+"/v1/messages", shot(120, 100))
	if a, b := shown(up.requests()[0].body), shown(up.requests()[1].body); a > 100 || a == 0 || b != 120 {
		t.Errorf("%d and %d pictures", a, b)
	}
}

// Who asks how many tokens a prompt has is told of the prompt that is sent; what
// no plan is about is counted as it came, and asking changes nothing.
//
// SPEC: B6, V11
func TestCountsWhatIsSent(t *testing.T) {
	up := newProvider(t)
	o := options(up.url)
	o.Budget = budget
	f := serve(t, o)
	g := newAgent(t, apiNamed(t, "anthropic"), f.url, false)
	count := func(body string) string {
		t.Helper()
		up.lax = true
		defer func() { up.lax = false }()
		before := len(up.requests())
		post(t, f.url+"/v1/messages/count_tokens?beta=true", body)
		rs := up.requests()[before:]
		if len(rs) != 1 || rs[0].uri != "/v1/messages/count_tokens?beta=true" {
			t.Fatalf("%d requests", len(rs))
		}
		return rs[0].body
	}
	for range 3 {
		g.step()
	}
	if got := count(g.body()); got != g.body() {
		t.Errorf("counted %s", got)
	}
	for range 30 {
		g.step()
	}
	sent := up.requests()[len(up.requests())-1].body
	h := f.threads(t, "")[0]
	got := count(g.sent)
	if h.PlanVersion == 0 || len(got) > len(g.sent)/2 || !slices.Equal(digests(t, g.api, got), digests(t, g.api, sent)) {
		t.Errorf("plan %d: counted %d bytes of %d, sent %d", h.PlanVersion, len(got), len(g.sent), len(sent))
	}
	if more := count(g.body()); len(more) <= len(got) {
		t.Error("what is not logged yet is not counted")
	}
	for _, other := range []string{`{"model":"claude-opus-4-5","messages":[{"role":"user","content":"hi"}]}`, `no body`, `{"messages":[]}`} {
		if got := count(other); got != other {
			t.Errorf("counted %s", got)
		}
	}
	if now := f.threads(t, ""); len(now) != 1 || now[0].Len != h.Len || now[0].PlanVersion != h.PlanVersion {
		t.Errorf("counting changed the log: %+v", now)
	}
}
