package proxy_test

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/internal/sse"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/proxy"
)

// transcripts are the streams that the codecs are tested with: thinking, parallel
// tools, tool calls that were cut, errors in the middle, pings, events that
// nobody knows.
func transcripts(t *testing.T, a api) map[string]string {
	t.Helper()
	files, err := filepath.Glob("../codec/codectest/testdata/reply/" + a.name + "/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("%v: no transcripts", err)
	}
	out := map[string]string{}
	for _, file := range files {
		ar, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range ar.Files {
			if f.Name == "stream" {
				out[strings.TrimSuffix(filepath.Base(file), ".txt")] = string(f.Data)
			}
		}
	}
	return out
}

// heardBy is what a client makes of a stream.
func heardBy(t *testing.T, a api, text string) *codec.Reply {
	t.Helper()
	s := a.codec.Stream()
	p := sse.NewParser(0, func(e sse.Event) error {
		_ = s.Event(e.Name, e.Data) // what is wrong with it is the transcript's
		return nil
	})
	if _, err := p.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	r, _ := s.Reply() // it may be cut
	return r
}

// Every transcript, in any pieces, is with the client byte for byte; and what the
// client sends back of it is one entry of the log, whole: never a second one, and
// no branch.
//
// SPEC: B6, V1, V11 · WP3, WP4, WE3
func TestTranscripts(t *testing.T) {
	for _, a := range apis {
		for name, text := range transcripts(t, a) {
			t.Run(a.name+"/"+name, func(t *testing.T) {
				up := newProvider(t)
				up.lax = true
				f := serve(t, options(up.url))
				for _, pieces := range []int{1, 13, 0} {
					thread := fmt.Sprint("t", pieces)
					up.pieces = pieces
					up.answer = func(w http.ResponseWriter, _ *http.Request, _ string) bool {
						up.send(w, "text/event-stream", text)
						return true
					}
					body := a.body([]string{a.first}, true)
					if _, got := post(t, f.url+a.path, body, proxy.ThreadHeader, thread); got != text {
						t.Fatalf("pieces of %d: the client got %q", pieces, got)
					}
					up.answer, up.pieces = nil, 0
					if !strings.Contains(text, `"compaction"`) { // what the provider compacted begins anew
						f.echoed(t, a, thread, heardBy(t, a, text))
					}
				}
			})
		}
	}
}

// echoed sends an answer back, its calls answered, and looks it up in the log.
func (f *front) echoed(t *testing.T, a api, thread string, r *codec.Reply) {
	t.Helper()
	if r == nil {
		return
	}
	ms, cut := r.Whole()
	said := []string{a.first}
	var calls []message.Part
	for _, m := range ms {
		if m.Edited { // the client leaves away what was cut, in a form of its own
			return
		}
		said = append(said, string(m.Raw))
		for _, at := range m.Calls() {
			calls = append(calls, m.Parts[at])
		}
	}
	for _, c := range calls {
		said = append(said, fmt.Sprintf(a.result, c.CallID, quoted("done")))
	}
	if len(calls) == 0 {
		said = append(said, userSays(a, "Go on."))
	}
	body := a.body(said, true)
	post(t, f.url+a.path, body, proxy.ThreadHeader, thread)
	want, err := a.codec.Decode([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	threads := 0
	for _, h := range f.threads(t, "") {
		if h.Key.Thread != thread && h.Parent != thread {
			continue
		}
		threads++
		if h.Key.Thread != thread && cut == 0 && r.Stop != "" {
			t.Errorf("a branch: %+v", h)
		}
		es, err := f.store.Load(context.Background(), h.Key)
		if err != nil {
			t.Fatal(err)
		}
		for i, m := range want.Messages {
			if threads == 1 && (i >= len(es) || es[i].Message.Digest() != m.Digest()) {
				t.Errorf("message %d is not logged as it was said: %s", i, m.Raw)
			}
		}
	}
	if threads == 0 {
		t.Error("nothing is logged")
	}
}
