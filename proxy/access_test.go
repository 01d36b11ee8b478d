package proxy_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/proxy"
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
