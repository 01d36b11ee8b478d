package doctor

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis/proxy"
)

// A proxy whose database hangs is found to be one, and what it says of itself is told: its
// /readyz answers after a few seconds.
//
// SPEC: B6
func TestProxyThatIsNotReady(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/metrics" {
			_, _ = w.Write([]byte("precis_threads_hits_total 1\n"))
			return
		}
		time.Sleep(saidTimeout + 500*time.Millisecond)
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = w.Write([]byte("store does not answer\n"))
	}))
	defer s.Close()
	f := port(t.Context(), strings.TrimPrefix(s.URL, "http://"))
	if f.OK || !strings.HasSuffix(f.Found, "it says store does not answer") || f.Fix == "" || strings.Contains(f.Fix, "--listen") {
		t.Errorf("%+v", f)
	}
}

// The advice names the flag of the provider that does not answer.
//
// SPEC: B6
func TestAdviceNamesTheFlag(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	s.Close() // nobody listens there now
	for _, name := range []string{"openai", "gemini"} {
		f := reachable(t.Context(), proxy.Provider{Name: name, URL: s.URL})
		if f.OK || !strings.Contains(f.Fix, "correct the URL with --upstream-"+name+",") {
			t.Errorf("%s: %+v", name, f)
		}
	}
}
