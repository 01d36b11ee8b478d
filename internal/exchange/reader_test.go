package exchange_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/anthropic"
	"github.com/seed-3db51b0e/precis/codec/gemini"
	"github.com/seed-3db51b0e/precis/codec/openai"
	"github.com/seed-3db51b0e/precis/codec/responses"
	"github.com/seed-3db51b0e/precis/internal/exchange"
)

var codecs = map[string]codec.Replier{"anthropic": anthropic.Codec{}, "openai": openai.Codec{}, "responses": responses.Codec{}, "gemini": gemini.Codec{}}

var (
	stream = http.Header{"Content-Type": {"text/event-stream; charset=utf-8"}}
	whole  = http.Header{"Content-Type": {"application/json"}}
)

// transcripts are the answers that the codecs are tested with, by dialect, name
// and form.
func transcripts(t testing.TB) map[string]map[string]string {
	t.Helper()
	files, err := filepath.Glob("../../codec/codectest/testdata/reply/*/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("%v: no transcripts", err)
	}
	out := map[string]map[string]string{}
	for _, file := range files {
		ar, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		forms := map[string]string{}
		for _, f := range ar.Files {
			forms[f.Name] = string(f.Data)
		}
		out[filepath.Base(filepath.Dir(file))+"/"+filepath.Base(file)] = forms
	}
	return out
}

// heard is what a reader makes of an answer in pieces of so many bytes.
func heard(c codec.Replier, status int, h http.Header, text string, pieces int) string {
	e := exchange.New(c, status, h)
	refused := -1
	for at := 0; at < len(text); at += pieces {
		e.Write([]byte(text[at:min(at+pieces, len(text))]))
		if _, ok := e.Refusal(at+pieces >= len(text)); ok && refused < 0 {
			refused = at
		}
	}
	o, ok := e.Refusal(true)
	r := e.Reply()
	if r == nil {
		return fmt.Sprint(o, ok, refused >= 0, e.Spoken, e.Unreadable, e.Streamed())
	}
	return fmt.Sprint(o, ok, refused >= 0, e.Spoken, e.Unreadable, e.Streamed(), r.Stop, r.Usage, string(r.Message.Raw), len(r.Messages()))
}

// In whatever pieces an answer comes, within a character, a line, an event, it is
// heard the same; and it is heard as its codec reads it.
//
// SPEC: B6, V1, L12 · WP3, WE3
func TestAnyPieces(t *testing.T) {
	for name, forms := range transcripts(t) {
		dialect, _, _ := strings.Cut(name, "/")
		c := codecs[dialect]
		for form, h := range map[string]http.Header{"stream": stream, "whole": whole} {
			text, ok := forms[form]
			if !ok {
				continue
			}
			want := heard(c, 200, h, text, len(text)+1)
			for _, pieces := range []int{1, 2, 3, 17, 64} {
				if d := cmp.Diff(want, heard(c, 200, h, text, pieces)); d != "" {
					t.Errorf("%s, %s, pieces of %d: %s", name, form, pieces, d)
				}
			}
			if form == "stream" {
				windows := strings.NewReplacer("\n", "\r\n").Replace(text)
				if d := cmp.Diff(want, heard(c, 200, h, windows, 5)); d != "" {
					t.Errorf("%s with CRLF: %s", name, d)
				}
			}
		}
	}
}

const (
	begun = "event: response.created\ndata: {\"type\":\"response.created\",\"response\":{\"id\":\"r\"}}\n\n"
	spoke = "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"delta\":\"hi\"}\n\n"
	over  = "event: error\ndata: {\"type\":\"error\",\"code\":\"context_length_exceeded\",\"message\":\"Your input exceeds the context window of this model.\"}\n\n"
	limit = "event: error\ndata: {\"type\":\"error\",\"code\":\"rate_limit_exceeded\",\"message\":\"slow down\"}\n\n"
	plain = `{"error":{"message":"Your input exceeds the context window of this model.","code":"context_length_exceeded"}}`
)

// What is a refusal, and when that is known.
//
// SPEC: B6, T8 · WE1
func TestRefusal(t *testing.T) {
	for _, c := range []struct {
		name                  string
		status                int
		header                http.Header
		text                  string
		early, refused, spoke bool // early: before the end
	}{
		{"whole", 400, whole, plain, false, true, false},
		{"whole, called a success", 200, whole, plain, false, true, false},
		{"half of it", 400, whole, plain[:40], false, false, false},
		{"another error", 400, whole, `{"error":{"message":"no such tool"}}`, false, false, false},
		{"too many", 429, whole, plain, false, false, false},
		{"first event", 200, stream, over, true, true, false},
		{"after a preamble", 200, stream, begun + over, true, true, false},
		{"after a word", 200, stream, begun + spoke + over, false, false, true},
		{"another error event", 200, stream, begun + limit, false, false, true},
		{"nothing yet", 200, stream, begun, false, false, false},
		{"a comment", 200, stream, ": wait\n\n", false, false, false},
		{"an error of status 400 that is called a stream", 400, stream, plain, false, true, false},
		{"compressed", 400, http.Header{"Content-Encoding": {"gzip"}}, plain, false, false, false},
		{"identity", 400, http.Header{"Content-Encoding": {"identity"}}, plain, false, true, false},
		{"empty", 200, whole, "", false, false, false},
	} {
		e := exchange.New(responses.Codec{}, c.status, c.header)
		e.Write([]byte(c.text))
		_, early := e.Refusal(false)
		_, refused := e.Refusal(true)
		if early != c.early || refused != c.refused || e.Spoken != c.spoke {
			t.Errorf("%s: early %t, refused %t, spoken %t", c.name, early, refused, e.Spoken)
		}
	}
}

// A reply is what a success says, also one that was cut, with what it cost; of
// anything else there is none.
//
// SPEC: L12, V1
func TestReply(t *testing.T) {
	all := transcripts(t)["anthropic/everything.txt"]["stream"]
	for _, c := range []struct {
		name    string
		status  int
		header  http.Header
		text    string
		reply   bool
		context int
		stop    bool
	}{
		{"stream", 200, stream, all, true, 1, true},
		{"cut", 200, stream, all[:len(all)*2/3], true, 1, false},
		{"cut at its beginning", 200, stream, "event: message_st", false, 0, false},
		{"an error", 500, whole, plain, false, 0, false},
		{"an error called a stream", 500, stream, all, false, 0, false},
		{"compressed", 200, http.Header{"Content-Encoding": {"br"}}, all, false, 0, false},
		{"no JSON", 200, whole, "<html>", false, 0, false},
	} {
		e := exchange.New(anthropic.Codec{}, c.status, c.header)
		e.Write([]byte(c.text))
		r := e.Reply()
		if got := r != nil && (r.Stop != "" || len(r.Message.Parts) > 0 || r.Usage.Context > 0); got != c.reply {
			t.Errorf("%s: reply %+v", c.name, r)
			continue
		}
		if c.reply && (min(r.Usage.Context, 1) != c.context || (r.Stop != "") != c.stop) {
			t.Errorf("%s: context %d, stop %q", c.name, r.Usage.Context, r.Stop)
		}
	}
}

// What is kept is bounded: beyond that the reader reads nothing more, and holds
// nothing.
//
// SPEC: B6
func TestBounded(t *testing.T) {
	piece := []byte(strings.Repeat("x", 1<<20))
	for name, h := range map[string]http.Header{"whole": whole, "stream": stream} {
		e := exchange.New(openai.Codec{}, 200, h)
		e.Write([]byte("data: "))
		for range exchange.Most>>20 + 1 {
			e.Write(piece)
		}
		_, refused := e.Refusal(true)
		if !e.Unreadable || refused || e.Reply() != nil {
			t.Errorf("%s: unreadable %t, refused %t", name, e.Unreadable, refused)
		}
	}
}

// No answer makes it panic, and none is heard differently in pieces.
func FuzzEar(f *testing.F) {
	for name, forms := range transcripts(f) {
		for form, text := range forms {
			dialect, _, _ := strings.Cut(name, "/")
			f.Add(dialect, 200, form == "stream", text, 7)
		}
	}
	f.Add("responses", 400, false, plain, 3)
	f.Fuzz(func(t *testing.T, dialect string, status int, events bool, text string, pieces int) {
		c, h := codecs[dialect], whole
		if events {
			h = stream
		}
		if c == nil || pieces < 1 {
			return
		}
		if d := cmp.Diff(heard(c, status, h, text, len(text)+1), heard(c, status, h, text, pieces)); d != "" {
			t.Error(d)
		}
	})
}
