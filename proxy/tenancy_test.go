package proxy_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/seed-3db51b0e/precis/proxy"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
)

// Nothing that is kept, logged or counted has a key or, but for the log of the
// conversation, a word of what was said.
//
// SPEC: B6
func TestNoSecretsKept(t *testing.T) {
	up := newProvider(t)
	up.lax = true
	up.answer = func(w http.ResponseWriter, _ *http.Request, body string) bool {
		if strings.Contains(body, "fail now") {
			w.WriteHeader(http.StatusInternalServerError)
		}
		return strings.Contains(body, "fail now")
	}
	o := options(up.url)
	o.Budget, o.Tenancy.ByCredential = budget, true
	f := serve(t, o)
	for _, a := range apis {
		g := newAgent(t, a, f.url, true, "X-Api-Key", secret, "X-Goog-Api-Key", secret)
		for range 20 {
			g.step()
		}
		post(t, f.url+a.path+"?key="+secret, `{"messages":[{"role":"user","content":"fail now"}],"input":"fail now"}`)
		post(t, f.url+a.path, `{"nightly":`)
	}
	_, metrics := get(t, f.url+"/metrics")
	for _, word := range []string{secret, secret[3:12], "nightly", "migrations", "größer", "fail now"} {
		if strings.Contains(f.log.String(), word) {
			t.Errorf("the log has %q", word)
		}
		if strings.Contains(metrics, word) {
			t.Errorf("the metrics have %q", word)
		}
	}
	sum := sha256.Sum256([]byte(secret))
	for _, hint := range []string{secret, hex.EncodeToString(sum[:])[:12]} {
		if strings.Contains(f.log.String(), hint) {
			t.Errorf("the log has %q", hint)
		}
	}
}

// tenantOf is the tenant of the only thread that a key of a client has, found by
// what a shared store holds.
func tenantsOf(t *testing.T, f *front, keys ...string) map[string][]store.Head {
	t.Helper()
	out := map[string][]store.Head{}
	for _, k := range keys {
		h := http.Header{"Authorization": {"Bearer " + k}}
		out[k] = f.threads(t, f.proxy.Tenant(h))
	}
	return out
}

// Callers with other keys never meet, even if they say the same and give it the
// same name; one caller's conversations are one thread each.
//
// SPEC: B6, V10
func TestTenants(t *testing.T) {
	up := newProvider(t)
	o := options(up.url)
	o.Tenancy.ByCredential = true
	f := serve(t, o)
	for _, a := range apis {
		for _, key := range []string{"one", "two", "one"} {
			post(t, f.url+a.path, a.body([]string{a.first}, false), "Authorization", "Bearer "+key, proxy.ThreadHeader, "shared-"+a.name)
		}
	}
	got := tenantsOf(t, f, "one", "two", "three")
	if len(got["one"]) != len(apis) || len(got["two"]) != len(apis) || len(got["three"]) != 0 || len(f.threads(t, "")) != 0 {
		t.Errorf("threads %v", got)
	}
	if got["one"][0].Key.Tenant == got["two"][0].Key.Tenant {
		t.Error("two keys are one tenant")
	}
}

// A thread is named by its client, by Claude Code's session and agent, or by
// what it says: its system prompt and first user message.
//
// SPEC: B6 · WP6
func TestThreads(t *testing.T) {
	up := newProvider(t)
	up.lax = true
	f := serve(t, options(up.url))
	a := apiNamed(t, "anthropic")
	body := func(system, first string, more ...string) string {
		ms := append([]string{`{"role":"user","content":` + quoted(first) + `}`}, more...)
		return fmt.Sprintf(`{"model":"m","max_tokens":9,"system":%s,"messages":[%s]}`, quoted(system), strings.Join(ms, ","))
	}
	answer, next := `{"role":"assistant","content":"yes"}`, `{"role":"user","content":"go on"}`
	url := f.url + a.path
	post(t, url, body("s", "hi"))
	post(t, url, body("s", "hi", answer, next)) // continues it
	post(t, url, body("other", "hi"))           // a sub-agent
	post(t, url, body("s", "hello"))
	post(t, url, body("s", "hi"), proxy.ThreadHeader, "mine")
	post(t, url, body("other", "hi", answer, next), proxy.ThreadHeader, "mine") // continues it
	post(t, url, body("s", "hi"), proxy.ThreadHeader, strings.Repeat("long", 99))
	post(t, url, body("s", "hi"), "X-Claude-Code-Session-Id", "5f2c")
	post(t, url, body("s", "title of this"), "X-Claude-Code-Session-Id", "5f2c") // beside it
	post(t, url, body("s", "hi"), "X-Claude-Code-Session-Id", "5f2c", "X-Claude-Code-Agent-Id", "a1")
	var keys []string
	for _, h := range f.threads(t, "") {
		keys = append(keys, fmt.Sprintf("%s %d", h.Key.Thread, h.Len))
	}
	slices.Sort(keys)
	if len(keys) != 8 {
		t.Errorf("%d threads: %v", len(keys), keys)
	}
	for _, want := range []string{"mine 3", "5f2c 1", "5f2c/a1 1"} {
		if !slices.Contains(keys, want) {
			t.Errorf("no %q in %v", want, keys)
		}
	}
}

// Sub-agents that share a beginning, and requests that are sent again, disturb
// nobody: the same request gives the same bytes, and each branch keeps its
// prefix.
//
// SPEC: B6, V5, V6, L17
func TestConcurrentBranches(t *testing.T) {
	for _, a := range apis {
		t.Run(a.name, func(t *testing.T) {
			up := newProvider(t)
			o := options(up.url)
			o.Budget, o.Engine.Store = budget, onDisk(t, "")
			f := serve(t, o)
			trunk := newAgent(t, a, f.url, true)
			for f.plans(t) == 0 {
				trunk.step()
			}
			before := len(up.requests())
			var all sync.WaitGroup
			for range 8 {
				all.Go(func() { post(t, trunk.url, trunk.body()) })
			}
			all.Wait()
			for _, r := range up.requests()[before:] {
				if r.body != up.requests()[before].body {
					t.Fatal("one request gave two prompts")
				}
			}
			branches := make([]*agent, 6)
			for i := range branches {
				b := *trunk
				b.messages = append(slices.Clone(trunk.messages), fmt.Sprintf(`{"role":"user","content":"branch %d"}`, i))
				branches[i] = &b
				all.Go(func() {
					for range 12 {
						b.step()
					}
				})
			}
			all.Wait()
			if t.Failed() {
				return
			}
			for i := range branches {
				var mine []received
				for _, r := range up.requests() {
					if strings.Contains(r.body, fmt.Sprintf(`"branch %d"`, i)) {
						mine = append(mine, r)
					}
				}
				if n := breaks(t, a, mine); n > 4 {
					t.Errorf("branch %d: %d breaks in %d requests", i, n, len(mine))
				}
			}
			if up.most > budget {
				t.Errorf("a request of %d tokens", up.most)
			}
		})
	}
}

// A client that rewrites its history in the middle gets a branch: what of the
// plan still stands is carried over, and what it rewrote goes out as it says.
//
// SPEC: B6, V1, V3
func TestEditInTheMiddle(t *testing.T) {
	for _, a := range apis {
		t.Run(a.name, func(t *testing.T) {
			up := newProvider(t)
			o := options(up.url)
			o.Budget = budget
			f := serve(t, o)
			g := newAgent(t, a, f.url, true)
			for range 14 {
				g.step()
			}
			at := len(g.messages) - 3
			for !strings.Contains(g.messages[at], "step_") {
				at--
			}
			g.messages = slices.Clone(g.messages)
			g.messages[at] = strings.Replace(g.messages[at], "step_", "rewritten_", 1)
			g.step()
			got := up.requests()
			if last := got[len(got)-1].body; !strings.Contains(last, "rewritten_") {
				t.Error("the edit did not go out")
			}
			for range 3 {
				g.step()
			}
			if hs := f.threads(t, ""); len(hs) != 2 {
				t.Errorf("%d threads", len(hs))
			}
			if up.most > budget {
				t.Errorf("a request of %d tokens", up.most)
			}
		})
	}
}

// Observing changes nothing and tells what would have been; off keeps nothing.
//
// SPEC: B15, V11
func TestModes(t *testing.T) {
	for _, mode := range []proxy.Mode{proxy.Observe, proxy.Off} {
		for _, a := range apis {
			t.Run(string(mode)+"/"+a.name, func(t *testing.T) {
				up := newProvider(t)
				o := options(up.url)
				o.Budget, o.Mode = budget, mode
				f := serve(t, o)
				g := newAgent(t, a, f.url, true, "Accept-Encoding", "gzip;q=0.1")
				for range 20 {
					g.step()
					got := up.requests()
					if last := got[len(got)-1]; last.body != g.sent || last.header.Get("Accept-Encoding") != "gzip;q=0.1" {
						t.Fatal("the request was changed")
					}
				}
				hs := f.threads(t, "")
				if mode == proxy.Off {
					if len(hs) != 0 {
						t.Errorf("threads %v", hs)
					}
					return
				}
				if len(hs) != 1 || hs[0].PlanVersion != 0 || hs[0].Len == 0 {
					t.Errorf("threads %+v", hs)
				}
				if !strings.Contains(f.log.String(), "would=compacted would_send=") {
					t.Errorf("log %s", f.log)
				}
			})
		}
	}
}

// What observing says would be sent is what is sent: with the recall tools where they are
// declared, and else without them and what names them.
//
// SPEC: B15
func TestObservedIsWhatIsSent(t *testing.T) {
	for _, recall := range []proxy.Recall{proxy.RecallOff, proxy.RecallWithPlan} {
		for _, a := range apis {
			t.Run(string(recall)+"/"+a.name, func(t *testing.T) {
				told := map[proxy.Mode]string{}
				for _, mode := range []proxy.Mode{proxy.Compact, proxy.Observe} {
					number := regexp.MustCompile(map[proxy.Mode]string{proxy.Compact: ` sent=([0-9]+)`, proxy.Observe: ` would_send=([0-9]+)`}[mode])
					o := options(newProvider(t).url)
					o.Budget, o.Mode, o.Prompt.Recall = budget, mode, recall
					f := serve(t, o)
					g := newAgent(t, a, f.url, true)
					for told[mode] == "" && len(f.log.String()) < 1<<20 {
						g.step()
						for line := range strings.Lines(f.log.String()) {
							if told[mode] == "" && (strings.Contains(line, "would=compacted") || strings.Contains(line, "outcome=compacted")) {
								told[mode] = number.FindStringSubmatch(line)[1]
							}
						}
					}
				}
				if told[proxy.Compact] != told[proxy.Observe] {
					t.Errorf("%s tokens were sent, observing says %s", told[proxy.Compact], told[proxy.Observe])
				}
			})
		}
	}
}

// Health is for supervisors: alive as long as it serves, ready while the store
// answers and nobody stops it.
func TestHealth(t *testing.T) {
	b := &broken{Store: onDisk(t, "")}
	o := options("http://127.0.0.1:1")
	o.Engine.Store = b
	f := serve(t, o)
	want := func(path string, status int) {
		t.Helper()
		if got, text := get(t, f.url+path); got != status {
			t.Errorf("%s: status %d: %s", path, got, text)
		}
	}
	want("/healthz", 200)
	want("/readyz", 200)
	b.head = func(context.Context) error { return errDisk }
	want("/healthz", 200)
	want("/readyz", 503)
	b.head = nil
	f.proxy.Stop()
	want("/healthz", 200)
	want("/readyz", 503)

	full := &full{Store: onDisk(t, "")}
	o.Engine.Store = full
	f = serve(t, o)
	want("/readyz", 200)
	full.err = fmt.Errorf("%w: 4096 bytes are free", store.ErrFull)
	if status, text := get(t, f.url+"/readyz"); status != 503 || text != "disk is full\n" {
		t.Errorf("status %d: %s", status, text)
	}
}

// full is a store that says whether it is ready.
type full struct {
	store.Store
	err error
}

func (f *full) Ready(context.Context) error { return f.err }

// SPEC: L20
func TestValidate(t *testing.T) {
	good := options("http://x")
	good.Engine.Store = onDisk(t, "")
	for name, spoil := range map[string]func(*proxy.Options){
		"Mode":      func(o *proxy.Options) { o.Mode = "loud" },
		"Budget":    func(o *proxy.Options) { o.Budget = -1 },
		"limit":     func(o *proxy.Options) { o.Limits.SniffTimeout = -1 },
		"Providers": func(o *proxy.Options) { o.Providers = nil },
		"Store":     func(o *proxy.Options) { o.Engine.Store = nil },
		"openai":    func(o *proxy.Options) { o.Providers[0].URL = "ftp://user:" + secret + "@x" },
		"upstream":  func(o *proxy.Options) { o.Upstream.Failures = -1 },
	} {
		o := good
		o.Providers = slices.Clone(good.Providers)
		spoil(&o)
		if _, err := proxy.New(o); err == nil || !strings.Contains(err.Error(), name) || strings.Contains(err.Error(), secret) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Callers who are told apart by any header, cookie or parameter that providers and
// gateways know, or that the operator names, share nothing; cookies of load balancers
// name no one, and what is no credential parts no one.
//
// SPEC: B6, V10
func TestEveryCredentialCounts(t *testing.T) {
	up := newProvider(t)
	o := options(up.url)
	o.Tenancy.ByCredential, o.Tenancy.Headers = true, []string{"X-Ours"}
	named := proxy.Credential(http.Header{"Authorization": {"Bearer named"}})
	o.Tenancy.Named = map[string]proxy.Tenant{named: {Name: "ours"}}
	log := &census{Store: memory.New()}
	o.Engine.Store = log
	f := serve(t, o)
	a := apiNamed(t, "openai")
	tenants := log.tenants
	say := func(query string, header ...string) {
		t.Helper()
		post(t, f.url+a.path+query, a.body([]string{a.first}, false), header...)
	}
	say("")
	for _, name := range []string{"Ocp-Apim-Subscription-Key", "Proxy-Authorization", "X-Portkey-Api-Key", "Helicone-Auth", "Cf-Aig-Authorization", "X-Litellm-Api-Key", "X-Ours"} {
		before := len(tenants())
		say("", name, "one")
		say("", name, "two")
		if n := len(tenants()); n != before+2 {
			t.Errorf("%s: %d tenants more", name, n-before)
		}
	}
	before := tenants()
	say("", "Cookie", "session=one; __cf_bm=x")
	say("", "Cookie", "session=two; __cf_bm=x")
	say("?key=one")
	say("?key=two")
	if n := len(tenants()); n != len(before)+4 {
		t.Errorf("cookies and parameters: %d tenants more", n-len(before))
	}
	before = tenants()
	say("?key=two&beta=true")
	say("", "Cookie", "session=two; __cf_bm=y")
	say("", "X-Request-Id", "9", "Anthropic-Version", "3")
	if now := tenants(); !slices.Equal(before, now) {
		t.Errorf("tenants %v became %v", before, now)
	}
	say("", "Authorization", "Bearer named", "X-Portkey-Api-Key", "any")
	if !slices.Contains(tenants(), "ours") {
		t.Error("a named key and another beside it are not the named tenant's")
	}
}

// Where an application says who its user is, users have threads of their own, which
// one user's steps go on with.
//
// SPEC: B6, V10
func TestUsersAreApart(t *testing.T) {
	for api, field := range map[string]string{
		"openai": `"user":%q`, "anthropic": `"metadata":{"user_id":%q}`, "responses": `"safety_identifier":%q`,
	} {
		up := newProvider(t)
		up.lax = true
		o := options(up.url)
		o.Tenancy.UserHeaders = []string{"X-User"}
		f := serve(t, o)
		a := apiNamed(t, api)
		next := []string{a.first, `{"role":"assistant","content":"yes"}`, userSays(a, "go on")}
		a.head = strings.Replace(a.head, `"metadata":{"user_id":"u"},`, "", 1)
		anonymous := a.head
		for _, user := range []string{"ann", "bob", "ann", ""} {
			if a.head = anonymous; user != "" {
				a.head = fmt.Sprintf(field, user) + "," + anonymous
			}
			post(t, f.url+a.path, a.body(next[:1], false))
			post(t, f.url+a.path, a.body(next, false))
		}
		post(t, f.url+a.path, a.body(next, false), "X-User", "carl")
		hs := f.threads(t, "")
		for _, h := range hs {
			if h.Len < 3 {
				t.Errorf("%s: a thread of %d messages", api, h.Len)
			}
		}
		if len(hs) != 4 {
			t.Errorf("%s: %d threads of three users and of nobody", api, len(hs))
		}
	}
}

// census is a store that knows whose threads it holds.
type census struct {
	store.Store
	mu   sync.Mutex
	seen []string
}

func (c *census) Append(ctx context.Context, k store.Key, b store.Batch) (store.Head, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if b.Source != "answers" && !slices.Contains(c.seen, k.Tenant) {
		c.seen = append(c.seen, k.Tenant)
	}
	return c.Store.Append(ctx, k, b)
}

func (c *census) tenants() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.seen)
}
