package proxy_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/proxy"
	"github.com/seed-3db51b0e/precis/store"
)

// A key that has begun as many conversations as it may begins no more, and goes on with
// those; one that has stored as much as it may stores no more. It is told so in its
// API's own form, and that trying again is of no use. Other keys are not concerned.
//
// SPEC: B6
func TestQuotas(t *testing.T) {
	for name, a := range map[string]api{"anthropic": apiNamed(t, "anthropic"), "openai": apiNamed(t, "openai")} {
		up := newProvider(t)
		up.lax = true
		o := options(up.url)
		o.Engine.Store = onDisk(t, "")
		o.Tenancy = proxy.Tenancy{ByCredential: true, Quota: proxy.Quota{Threads: 2}}
		o.Tenancy.Named = map[string]proxy.Tenant{
			proxy.Credential(http.Header{"Authorization": {"Bearer many"}}):  {Name: "many", Quota: proxy.Quota{Threads: 9}},
			proxy.Credential(http.Header{"Authorization": {"Bearer bytes"}}): {Name: "bytes", Quota: proxy.Quota{Threads: 9, Bytes: 4096}},
		}
		f := serve(t, o)
		say := func(key string, texts ...string) int {
			t.Helper()
			var ms []string
			for _, text := range texts {
				ms = append(ms, userSays(a, text))
			}
			resp, body := post(t, f.url+a.path, a.body(ms, false), "Authorization", "Bearer "+key)
			kind := map[string]string{"anthropic": `"type":"rate_limit_error"`, "openai": `"type":"insufficient_quota"`}[name]
			if over := resp.StatusCode == http.StatusTooManyRequests; over != strings.Contains(body, kind) || over != (resp.Header.Get("X-Should-Retry") == "false") {
				t.Errorf("%s: status %d, %v, %s", name, resp.StatusCode, resp.Header, body)
			}
			return resp.StatusCode
		}
		one := []string{"one", "two", "three"}
		for i, c := range []struct {
			key   string
			texts []string
			want  int
		}{
			{"few", one[:1], 200},
			{"few", []string{"another"}, 200},
			{"few", []string{"a third"}, 429},
			{"few", one[:2], 200},                      // goes on
			{"few", []string{"one", "otherwise"}, 200}, // a branch of it
			{"few", one, 200},
			{"few", []string{"a third"}, 429},
			{"others", []string{"a third"}, 200},
			{"many", []string{"first"}, 200},
			{"many", []string{"second"}, 200},
			{"many", []string{"third"}, 200},
			{"bytes", []string{random(3000)}, 200},
			{"bytes", []string{random(3001)}, 200},
			{"bytes", []string{"little"}, 429},
		} {
			if got := say(c.key, c.texts...); got != c.want {
				t.Errorf("%s: request %d: status %d", name, i, got)
			}
		}
		if n := len(f.threads(t, proxy.Credential(http.Header{"Authorization": {"Bearer few"}}))); n != 3 { // with the branch
			t.Errorf("%s: %d threads", name, n)
		}
		if _, m := get(t, f.url+"/metrics"); !strings.Contains(m, `precis_over_quota_total{api="`+name+`",quota="threads"} 2`) || !strings.Contains(m, `quota="bytes"} 1`) {
			t.Errorf("metrics %s", m)
		}
	}
}

// random is a text that no compression makes much shorter.
func random(n int) string {
	var b strings.Builder
	for x := uint32(n); b.Len() < n; x = x*1664525 + 1013904223 {
		b.WriteByte("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"[x>>26])
	}
	return b.String()
}

// A quota that cannot be held is refused when the proxy is made.
func TestQuotaNeedsAStoreThatMeasures(t *testing.T) {
	o := options("http://127.0.0.1:1")
	o.Engine.Store = struct{ store.Store }{onDisk(t, "")}
	o.Tenancy.Quota.Bytes = 1
	if _, err := proxy.New(o); err == nil || !strings.Contains(err.Error(), "store.Measured") {
		t.Errorf("error %v", err)
	}
	o.Tenancy.Quota.Bytes = -1
	if err := o.Validate(); err == nil || !strings.Contains(err.Error(), "Quota") {
		t.Errorf("error %v", err)
	}
}
