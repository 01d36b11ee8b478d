package inspect_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/inspect"
	"github.com/seed-3db51b0e/precis/store/memory"
)

// A browser that a file led to the address gets a page of our own, which goes on: a
// redirect it would follow without the cookie, which is SameSite=Strict. The page holds no
// token.
//
// SPEC: B13
func TestTokenIsTakenByAPage(t *testing.T) {
	c := served(t, memory.New(), inspect.Options{Token: "secret"})
	r := c.request(http.MethodGet, "/?token=secret", nil)
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	r.Header.Set("Sec-Fetch-Mode", "navigate")
	r.Header.Set("Sec-Fetch-Dest", "document")
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	page, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK || len(resp.Cookies()) != 1 {
		t.Fatalf("status %d, cookies %v, %v", resp.StatusCode, resp.Cookies(), err)
	}
	contains(t, resp.Header.Get("Content-Type"), "text/html")
	contains(t, resp.Header.Get("Cache-Control"), "no-store")
	contains(t, string(page), `<meta http-equiv="refresh" content="0; url=./">`)
	if strings.Contains(string(page), "secret") {
		t.Errorf("the page holds the token: %s", page)
	}
}
