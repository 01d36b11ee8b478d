// Package fake is a model provider for examples without a key: its model reads
// page after page of a manual, and then says what it found.
package fake

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/seed-3db51b0e/precis/internal/fakeprovider"
)

// Provider answers in the form of an API, "anthropic" or "openai", after so many
// pages with a conclusion. Close it.
func Provider(api, model string, pages int) *httptest.Server {
	n := 0
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the program has ended
		}
		n++
		a := fakeprovider.Reply{ID: fmt.Sprintf("id_%d", n), Model: model, Input: len(body) / 3, Output: 30}
		if n > pages {
			a.Text = "Valve 7 is closed by hand, and never while pump 3 runs."
		} else {
			a.Text = fmt.Sprintf("Page %d next.", n)
			a.Calls = []fakeprovider.Call{{ID: fmt.Sprintf("call_%d", n), Name: "read_page", Args: fmt.Sprintf(`{"page":%d}`, n)}}
		}
		kind, text := "application/json", a.Whole(api)
		if strings.Contains(string(body), `"stream":true`) {
			kind, text = "text/event-stream", a.Stream(api)
		}
		w.Header().Set("Content-Type", kind)
		_, _ = io.WriteString(w, text) // as above
	}))
}

// Page is a page of the manual.
func Page(n int) string {
	var b strings.Builder
	for i := range 30 {
		fmt.Fprintf(&b, "%d.%d Valve %d opens at %d bar; it is closed by order %d-%d.\n", n, i, n*3+i, 2+(n*7+i)%9, n, i*31)
	}
	return b.String()
}

// Scale is an http.RoundTripper that notes how large requests are.
type Scale struct {
	http.RoundTripper
	Last, Most int64 // bytes
}

// RoundTrip implements http.RoundTripper.
func (s *Scale) RoundTrip(r *http.Request) (*http.Response, error) {
	s.Last, s.Most = r.ContentLength, max(s.Most, r.ContentLength)
	return s.RoundTripper.RoundTrip(r)
}
