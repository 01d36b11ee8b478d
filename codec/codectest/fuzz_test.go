package codectest_test

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/anthropic"
	"github.com/seed-3db51b0e/precis/codec/codectest"
	"github.com/seed-3db51b0e/precis/codec/gemini"
	"github.com/seed-3db51b0e/precis/codec/openai"
	"github.com/seed-3db51b0e/precis/codec/responses"
	"github.com/seed-3db51b0e/precis/internal/sse"
	"github.com/seed-3db51b0e/precis/message"
)

// SPEC: V9 · WE1

func FuzzReplyAnthropic(f *testing.F) { fuzzReply(f, anthropic.Codec{}) }
func FuzzReplyOpenAI(f *testing.F)    { fuzzReply(f, openai.Codec{}) }
func FuzzReplyResponses(f *testing.F) { fuzzReply(f, responses.Codec{}) }
func FuzzReplyGemini(f *testing.F)    { fuzzReply(f, gemini.Codec{}) }

func FuzzStreamAnthropic(f *testing.F) { fuzzStream(f, anthropic.Codec{}) }
func FuzzStreamOpenAI(f *testing.F)    { fuzzStream(f, openai.Codec{}) }
func FuzzStreamResponses(f *testing.F) { fuzzStream(f, responses.Codec{}) }
func FuzzStreamGemini(f *testing.F)    { fuzzStream(f, gemini.Codec{}) }

// dialect is a codec of both directions.
type dialect interface {
	codec.Codec
	codec.Replier
}

// seeds are the sections of a name in the golden files of all dialects: one's
// answer is another's garbage.
func seeds(f *testing.F, name string) [][]byte {
	files, err := filepath.Glob("testdata/reply/*/*.txt")
	if err != nil || len(files) == 0 {
		f.Fatalf("no golden files: %v", err)
	}
	var out [][]byte
	for _, file := range files {
		ar, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, s := range ar.Files {
			if s.Name == name {
				out = append(out, s.Data)
			}
		}
	}
	return out
}

func fuzzReply(f *testing.F, c dialect) {
	for _, s := range seeds(f, "whole") {
		f.Add(200, s)
	}
	for _, e := range failures {
		f.Add(e.status, []byte(e.body))
	}
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		r, err := c.Reply(status, body)
		var fail *codec.Failure
		switch {
		case err == nil:
			sound(t, c, r)
		case !errors.As(err, &fail) && !errors.Is(err, codec.ErrMalformed):
			t.Fatalf("Reply: %v", err)
		case fail != nil && (fail.Status != status || fail.Message == "" || len(fail.Error()) > 3*4096):
			t.Fatalf("Failure: %+v", fail)
		}
	})
}

func fuzzStream(f *testing.F, c dialect) {
	for _, s := range seeds(f, "stream") {
		f.Add(s)
		f.Add(s[:len(s)*2/3])
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		a := c.Stream()
		p := sse.NewParser(1<<20, func(e sse.Event) error {
			err := a.Event(e.Name, e.Data)
			var fail *codec.Failure
			if err != nil && !errors.As(err, &fail) && !errors.Is(err, codec.ErrMalformed) {
				t.Fatalf("Event: %v", err)
			}
			return nil
		})
		if _, err := p.Write(stream); err != nil {
			t.Fatal(err)
		}
		r, err := a.Reply()
		if err != nil && !errors.Is(err, codec.ErrCut) {
			t.Fatalf("Reply: %v", err)
		}
		sound(t, c, r)
	})
}

// sound checks that an answer can be sent back and is then the same entry, and
// that its whole calls have whole arguments.
func sound(t *testing.T, c dialect, r *codec.Reply) {
	t.Helper()
	for _, m := range r.Messages() {
		if back := parse(t, c, m.Raw); whole(m) && back.Digest() != m.Digest() {
			t.Fatalf("%s is read as %+v, not %+v", m.Raw, back, m)
		}
	}
	ms, n := r.Whole()
	if n < 0 {
		t.Fatalf("%d calls cut", n)
	}
	if r.Stop != "" && !r.Stop.Truncated() {
		return
	}
	for _, m := range ms {
		if !whole(m) {
			t.Fatalf("not whole: %+v", m)
		}
	}
}

// whole says whether all arguments of a message are JSON, where they must be.
func whole(m message.Message) bool {
	for _, i := range m.Calls() {
		p := m.Parts[i]
		var kind struct{ Type string }
		if json.Unmarshal(p.Raw, &kind) == nil && (kind.Type == "custom" || kind.Type == "custom_tool_call") {
			continue
		}
		if p.Args != "" && !json.Valid([]byte(p.Args)) {
			return false
		}
	}
	return true
}

func parse(t *testing.T, c dialect, raw []byte) message.Message {
	t.Helper()
	req, err := c.Decode([]byte(`{"` + codectest.List(c.Name()) + `":[` + string(raw) + `]}`))
	if err != nil || len(req.Messages) != 1 {
		t.Fatalf("Decode(%s): %v", raw, err)
	}
	return req.Messages[0]
}
