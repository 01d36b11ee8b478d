package update_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis/internal/update"
)

// A release is what the feed says of it; the feed hears the program's name and version.
func TestLatest(t *testing.T) {
	var agents []string
	feed := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		agents = append(agents, r.Method+" "+r.UserAgent())
		_, _ = w.Write([]byte(`{"tag_name":"v1.3.0","html_url":"https://example.org/v1.3.0","published_at":"2026-11-01T10:00:00Z","draft":false}`))
	}))
	defer feed.Close()
	got, err := update.Latest(t.Context(), feed.Client(), feed.URL, "precis/v1.2.0")
	want := update.Release{Version: "v1.3.0", Page: "https://example.org/v1.3.0", Published: time.Date(2026, 11, 1, 10, 0, 0, 0, time.UTC)}
	if err != nil || got != want {
		t.Errorf("%+v, %v", got, err)
	}
	if len(agents) != 1 || agents[0] != "GET precis/v1.2.0" {
		t.Errorf("the feed heard %q", agents)
	}
}

// What is no release is an error that says why.
func TestNoRelease(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		body   string
		want   string
	}{
		"no release yet": {404, `{"message":"Not Found"}`, "status 404"},
		"no JSON":        {200, `<html>`, "read answer: invalid character"},
		"no version":     {200, `{"tag_name":"nightly"}`, `version "nightly" is not in the form`},
		"nothing":        {200, `{}`, `version "" is not in the form`},
		"endless":        {200, `{"tag_name":"` + strings.Repeat("v", 2<<20), "read answer: unexpected end"},
	} {
		feed := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(c.status)
			_, _ = w.Write([]byte(c.body))
		}))
		if _, err := update.Latest(t.Context(), feed.Client(), feed.URL, "precis"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
		feed.Close()
	}
}

// Builds between releases have the versions that the go command gives them; a build outside
// of a clone has none.
func TestCompare(t *testing.T) {
	for build, want := range map[string]update.Order{
		"v1.2.0": update.Older, "v1.3.0": update.Same, "v1.4.0": update.Newer, "v1.10.0": update.Newer,
		"v1.3.0-rc.1": update.Older, "v1.3.1-0.20261101120000-abcdef123456": update.Newer, "v1.3.0+dirty": update.Same,
		"(devel)": update.Unknown, "unknown": update.Unknown, "": update.Unknown,
	} {
		if got := update.Compare(build, "v1.3.0"); got != want {
			t.Errorf("%q: %d, want %d", build, got, want)
		}
	}
}
