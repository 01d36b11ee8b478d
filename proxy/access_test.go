package proxy_test

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/proxy"
	"github.com/seed-3db51b0e/precis/store/memory"
)

// A web page cannot write the log: not from another site, not under a name that was
// given this machine's address, and not with a body that it may send without asking.
// Programs, the machine's own names, and what the operator allows are served.
//
// SPEC: B6, V10
func TestPagesCannotWriteTheLog(t *testing.T) {
	up := newProvider(t)
	up.lax = true
	o := options(up.url)
	o.Access = proxy.Access{Origins: []string{"app://notes"}}
	f := serve(t, o)
	a := apiNamed(t, "anthropic")
	for name, c := range map[string]struct {
		host   string
		header []string
		status int
		logged bool
	}{
		"a program":         {"", nil, 200, true},
		"an address":        {"127.0.0.1:99", nil, 200, true},
		"a name":            {"localhost", nil, 200, true},
		"a container":       {"host.docker.internal:8484", nil, 200, true},
		"another name":      {"attacker.example:8484", nil, 403, false},
		"another site":      {"", []string{"Origin", "https://attacker.example"}, 403, false},
		"a site's browser":  {"", []string{"Sec-Fetch-Site", "cross-site"}, 403, false},
		"no page at all":    {"", []string{"Origin", "null"}, 403, false},
		"an allowed page":   {"", []string{"Origin", "app://notes", "Sec-Fetch-Site", "cross-site"}, 200, true},
		"text":              {"", []string{"Content-Type", "text/plain"}, 200, false},
		"a form":            {"", []string{"Content-Type", "application/x-www-form-urlencoded"}, 200, false},
		"nothing said":      {"", []string{"Content-Type", ""}, 200, true},
		"JSON with charset": {"", []string{"Content-Type", "application/json; charset=utf-8"}, 200, true},
	} {
		before := len(f.threads(t, ""))
		body := a.body([]string{userSays(a, "conversation of "+name)}, false)
		r := request(t, context.Background(), f.url+a.path, body, c.header...)
		if c.host != "" {
			r.Host = c.host
		}
		resp, err := client(t).Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if logged := len(f.threads(t, "")) > before; resp.StatusCode != c.status || logged != c.logged {
			t.Errorf("%s: status %d, logged %t", name, resp.StatusCode, logged)
		}
	}
	for _, r := range up.requests() {
		if strings.Contains(r.body, "another") || r.header.Get("Origin") != "" && r.header.Get("Origin") != "app://notes" {
			t.Errorf("went up: %s", r.body)
		}
	}
}

// A proxy that is reached under names serves no others.
func TestHosts(t *testing.T) {
	up := newProvider(t)
	o := options(up.url)
	o.Access.Hosts = []string{"precis.example"}
	f := serve(t, o)
	for host, status := range map[string]int{"Precis.example:443": 404, "other.example": 403, "127.0.0.1": 404} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, f.url+"/v1/models", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		resp, err := client(t).Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != status {
			t.Errorf("%s: status %d", host, resp.StatusCode)
		}
	}
	o.Access.Origins = []string{"chat.example"}
	if o.Validate() == nil {
		t.Error("an origin without a scheme is taken")
	}
}

// What a provider refused because of its key leaves no trace, whether it begins a
// conversation, goes on with one, or departs from one; what it accepts is logged, the
// first request of a key, too, and the same prompt is sent either way.
//
// SPEC: B6, V1
func TestRefusedKeysLeaveNoTrace(t *testing.T) {
	for _, a := range apis {
		for _, status := range []int{http.StatusUnauthorized, http.StatusForbidden} {
			up := newProvider(t)
			up.answer = func(w http.ResponseWriter, r *http.Request, _ string) bool {
				if r.Header.Get("Authorization") == "Bearer wrong" {
					w.WriteHeader(status)
					return true
				}
				return false
			}
			o := options(up.url)
			o.Budget = budget
			log := &census{Store: memory.New()}
			o.Engine.Store = log
			f := serve(t, o)
			long := newAgent(t, a, "http://unused", false)
			for n := range 30 {
				text, id, args := said(n)
				long.messages = append(long.messages, userSays(a, text+id+args+strings.Repeat(" and so it goes on", 200)))
			}
			refused := func(body string) string {
				t.Helper()
				if resp, _ := post(t, f.url+a.path, body, "Authorization", "Bearer wrong"); resp.StatusCode != status {
					t.Errorf("status %d", resp.StatusCode)
				}
				return up.last()
			}
			refused(a.body([]string{a.first}, false))
			sent := refused(long.body())
			if seen := log.tenants(); len(seen) > 0 {
				t.Errorf("%s: traces of %q", a.name, seen)
			}
			post(t, f.url+a.path, long.body())
			if up.last() != sent {
				t.Errorf("%s: another prompt of %d bytes, not %d", a.name, len(up.last()), len(sent))
			}
			before := f.threads(t, "")
			if len(before) != 1 || before[0].PlanVersion == 0 {
				t.Errorf("%s: threads %+v", a.name, before)
			}
			refused(a.body(append(slices.Clone(long.messages), userSays(a, "more")), false))
			refused(a.body(append(slices.Clone(long.messages[:9]), userSays(a, "otherwise")), false))
			refused(a.body(long.messages[:5], false))
			if after := f.threads(t, ""); !reflect.DeepEqual(after, before) {
				t.Errorf("%s: threads %+v, before %+v", a.name, after, before)
			}
		}
	}
}

// A call that does not say that it is JSON is no conversation: a warning says so, with
// what would help and how long the call was.
func TestOtherContentTypesAreTold(t *testing.T) {
	up := newProvider(t)
	f := serve(t, options(up.url))
	a := apiNamed(t, "anthropic")
	body := a.body([]string{userSays(a, "a secret of text")}, false)
	resp, err := client(t).Do(request(t, context.Background(), f.url+a.path, body, "Content-Type", "application/x-www-form-urlencoded"))
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	want := fmt.Sprintf(`level=WARN msg="call passes untouched" api=anthropic reason=content_type state="" bytes=%d hint="the client has to send content-type: application/json"`, len(body))
	if text := f.log.String(); !strings.Contains(text, want) || strings.Contains(text, "secret") {
		t.Errorf("log %s, want %s", text, want)
	}
}
