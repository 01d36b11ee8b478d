package inspect_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/inspect"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/store/memory"
)

func unknown(string) (model.Model, bool) { return model.Unknown, false }

// Who has no token sees nothing; the token becomes a cookie that no script reads and
// no other site sends.
func TestTokenBecomesACookie(t *testing.T) {
	c := served(t, memory.New(), inspect.Options{Token: "secret"})
	if v := c.cookie; !v.HttpOnly || v.SameSite != http.SameSiteStrictMode || strings.Contains(v.Value, "secret") {
		t.Errorf("the cookie is %v", v)
	}
	c.get("session", nil)
	c.cookie = nil
	for _, path := range []string{"/", "/?token=wrong", "/api/v1/threads", "/api/v1/session", "/api/v1/events"} {
		if got := c.do(c.request(http.MethodGet, path, nil)).StatusCode; got != http.StatusUnauthorized {
			t.Errorf("%s answers %d to a stranger", path, got)
		}
	}
}

// Pages of other sites, and names that were made to point here, are refused.
func TestForeignPagesAreRefused(t *testing.T) {
	c := served(t, memory.New(), inspect.Options{Token: "secret"})
	for name, change := range map[string]func(*http.Request){
		"host":       func(r *http.Request) { r.Host = "evil.example:1234" },
		"origin":     func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") },
		"null":       func(r *http.Request) { r.Header.Set("Origin", "null") },
		"other port": func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1:1") },
		"site":       func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") },
		"same site":  func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-site") },
	} {
		r := c.request(http.MethodGet, "/api/v1/session", nil)
		change(r)
		if got := c.do(r).StatusCode; got != http.StatusForbidden {
			t.Errorf("%s: answers %d", name, got)
		}
	}
}

// A write takes the page's second secret and JSON, which no form can send.
func TestWritesAreThePagesOwn(t *testing.T) {
	c := served(t, simulated(t, "t", 16_000), inspect.Options{Token: "secret"})
	body := `{"action":"undo","plan_version":1}`
	for name, change := range map[string]func(*http.Request){
		"no csrf":    func(r *http.Request) { r.Header.Del("X-Precis-Csrf") },
		"wrong csrf": func(r *http.Request) { r.Header.Set("X-Precis-Csrf", "x") },
		"a form":     func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") },
	} {
		r := c.request(http.MethodPost, "/api/v1/threads/t/actions", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("X-Precis-Csrf", c.csrf)
		change(r)
		if got := c.do(r).StatusCode; got != http.StatusForbidden {
			t.Errorf("%s: answers %d", name, got)
		}
	}
}

// The page may load its own files and nothing else.
func TestContentSecurityPolicy(t *testing.T) {
	c := served(t, memory.New(), inspect.Options{})
	resp := c.do(c.request(http.MethodGet, "/", nil))
	policy := resp.Header.Get("Content-Security-Policy")
	contains(t, policy, "default-src 'none'")
	contains(t, policy, "script-src 'self'")
	contains(t, policy, "frame-ancestors 'none'")
	if strings.Contains(policy, "unsafe") || strings.Contains(policy, "http") {
		t.Errorf("the policy allows too much: %s", policy)
	}
	page, _ := io.ReadAll(resp.Body)
	if text := string(page); strings.Contains(text, "://") || strings.Contains(text, "<style") || strings.Contains(text, "onload=") {
		t.Errorf("the page names another host or holds inline code: %s", text)
	}
}
