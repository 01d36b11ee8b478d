package transport_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/transport"
)

// The streams that the codecs are tested with, in any pieces, are the caller's
// byte for byte: thinking, parallel tools, calls that were cut, errors in the
// middle, pings, events that nobody knows.
//
// SPEC: B7, V11 · WP3, WP4, WE3
func TestTranscripts(t *testing.T) {
	for _, a := range apis {
		files, err := filepath.Glob("../codec/codectest/testdata/reply/" + a.name + "/*.txt")
		if err != nil || len(files) == 0 {
			t.Fatalf("%v: no transcripts", err)
		}
		for _, file := range files {
			ar, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range ar.Files {
				if f.Name != "stream" {
					continue
				}
				t.Run(a.name+"/"+filepath.Base(file), func(t *testing.T) {
					for _, pieces := range []int{1, 13, len(f.Data)} {
						if d := cmp.Diff(string(f.Data), told(t, a, f.Data, pieces)); d != "" {
							t.Errorf("pieces of %d: %s", pieces, d)
						}
					}
				})
			}
		}
	}
}

// told is what the caller gets of a stream that is sent in pieces.
func told(t *testing.T, a api, text []byte, pieces int) string {
	t.Helper()
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		for rest := text; len(rest) > 0; rest = rest[min(pieces, len(rest)):] {
			_, _ = w.Write(rest[:min(pieces, len(rest))]) // the caller reads it, or the test fails
			w.(http.Flusher).Flush()
		}
	}))
	defer up.Close()
	_, got := post(t, transport.New(options(t, memory.New())), up.URL+a.path, a.body(1))
	return got
}
