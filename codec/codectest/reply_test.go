package codectest_test

import (
	"errors"
	"fmt"
	"os"
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
	"github.com/seed-3db51b0e/precis/internal/sse"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/wirecheck"
)

var repliers = map[string]codec.Replier{
	anthropic.Name: anthropic.Codec{}, openai.Name: openai.Codec{}, responses.Name: responses.Codec{}, gemini.Name: gemini.Codec{},
}

// Each file holds an answer as a stream, as a whole or as both, and what it is
// read as (go test -update rewrites that). Both forms must be read the same but
// for Raw; the one shown is the stream's.
//
// SPEC: V1, V11, G2, B6
func TestReply(t *testing.T) {
	files, err := filepath.Glob("testdata/reply/*/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, file := range files {
		dialect := filepath.Base(filepath.Dir(file))
		t.Run(dialect+"/"+filepath.Base(file), func(t *testing.T) { golden(t, repliers[dialect], file) })
	}
}

func golden(t *testing.T, c codec.Replier, file string) {
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var stream, whole, want []byte
	for _, f := range ar.Files {
		switch f.Name {
		case "stream":
			stream = f.Data
		case "whole":
			whole = f.Data
		case "want":
			want = f.Data
		}
	}
	var got, other string
	if whole != nil {
		r, err := c.Reply(200, whole)
		got, other = tell(r, err, true), tell(r, err, false)
	}
	if stream != nil {
		r, log, err := assemble(t, c, string(stream))
		got = log + tell(r, err, true)
		if d := cmp.Diff(log+tell(r, err, false), other); whole != nil && d != "" {
			t.Errorf("the stream and the whole differ: %s", d)
		}
	}
	if *update {
		ar.Files[len(ar.Files)-1].Data = []byte(got)
		if err := os.WriteFile(file, txtar.Format(ar), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if d := cmp.Diff(string(want), got); d != "" {
		t.Error(d)
	}
}

// assemble gives a stream to an assembler; log says what it found wrong with
// single events.
func assemble(t testing.TB, c codec.Replier, stream string) (r *codec.Reply, log string, err error) {
	t.Helper()
	a := c.Stream()
	p := sse.NewParser(0, func(e sse.Event) error {
		if err := a.Event(e.Name, e.Data); err != nil {
			log += fmt.Sprintf("event: %v\n", err)
		}
		clear(e.Data) // the assembler keeps nothing of it
		return nil
	})
	if _, err := p.Write([]byte(stream)); err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	r, err = a.Reply()
	return r, log, err
}

// tell says what was read, with the JSON of messages and opaque parts or
// without it.
func tell(r *codec.Reply, err error, raw bool) string {
	var b strings.Builder
	if err != nil {
		fmt.Fprintf(&b, "error: %v\n", err)
	}
	if r == nil {
		return b.String()
	}
	fmt.Fprintf(&b, "%s of %s, stop %s (%s)\n", r.ID, r.Model, r.Stop, r.Reason)
	u := r.Usage
	fmt.Fprintf(&b, "input %d, read %d, written %d, context %d; output %d, reasoning %d\n", u.Input, u.CacheRead, u.CacheWrite, u.Context, u.Output, u.Reasoning)
	if r.Refusal != "" {
		fmt.Fprintf(&b, "refusal %q\n", r.Refusal)
	}
	for _, x := range r.Transformations {
		fmt.Fprintf(&b, "provider: %s of %s, %s\n", x.Type, x.Path, x.Reason)
	}
	for _, m := range r.Messages() {
		tellMessage(&b, m, raw)
	}
	whole, cut := r.Whole()
	if d := cmp.Diff(r.Messages(), whole); d != "" {
		fmt.Fprintf(&b, "without %d calls:\n", cut)
		for _, m := range whole {
			tellMessage(&b, m, false)
		}
	}
	return b.String()
}

func tellMessage(b *strings.Builder, m message.Message, raw bool) {
	fmt.Fprintf(b, "%s\n", m.Role)
	if raw {
		fmt.Fprintf(b, "  %s %s\n", m.Dialect, m.Raw)
	}
	for _, p := range m.Parts {
		switch p.Kind {
		case message.Text:
			fmt.Fprintf(b, "  text %q\n", p.Text)
		case message.Thinking:
			fmt.Fprintf(b, "  thinking %q, signature %q\n", p.Text, p.Signature)
		case message.Call:
			fmt.Fprintf(b, "  call %s of %s", p.CallID, p.Name)
			if raw {
				fmt.Fprintf(b, " %s", p.Args)
			}
			b.WriteByte('\n')
		default:
			fmt.Fprintf(b, "  %s", p.Kind)
			if raw {
				fmt.Fprintf(b, " %s", p.Raw)
			}
			b.WriteByte('\n')
		}
	}
}

// What is left of an answer that broke off can be gone on with: once the calls
// are answered, the request is valid.
//
// SPEC: V3, G2 · WA3, WA5, WE2, WE3, WO1, WO2, WO3, WT1
func TestGoesOn(t *testing.T) {
	n := 0
	for _, name := range []string{"cut-*", "window", "filter", "refusal"} {
		files, err := filepath.Glob("testdata/reply/*/" + name + ".txt")
		if err != nil || len(files) == 0 {
			t.Fatalf("no golden files of %s: %v", name, err)
		}
		for _, file := range files {
			dialect := filepath.Base(filepath.Dir(file))
			t.Run(dialect+"/"+filepath.Base(file), func(t *testing.T) {
				for _, s := range sections(t, file) {
					goOn(t, named(t, dialect), answer(t, dialect, s))
				}
			})
			n++
		}
	}
	if n < 10 {
		t.Errorf("only %d answers", n)
	}
}

func sections(t *testing.T, file string) []txtar.File {
	t.Helper()
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return ar.Files[:len(ar.Files)-1]
}

func answer(t *testing.T, dialect string, s txtar.File) *codec.Reply {
	t.Helper()
	if s.Name == "stream" {
		r, _, err := assemble(t, repliers[dialect], string(s.Data))
		if err != nil && !errors.Is(err, codec.ErrCut) {
			t.Fatal(err)
		}
		return r
	}
	r, err := repliers[dialect].Reply(200, s.Data)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func goOn(t *testing.T, c codec.Codec, r *codec.Reply) {
	t.Helper()
	ms, _ := r.Whole()
	ms = append([]message.Message{message.TextOf(message.User, "hi")}, ms...)
	for _, m := range ms {
		for _, i := range m.Calls() {
			ms = append(ms, message.Message{Role: message.Tool, Parts: []message.Part{{Kind: message.Result, CallID: m.Parts[i].CallID, Parts: []message.Part{text("not run")}}}})
		}
	}
	body, err := c.Encode(&codec.Request{Model: r.Model}, append(ms, message.TextOf(message.User, "go on")))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range wirecheck.Check(c.Name(), body, wirecheck.Options{JSONArgs: true}) {
		t.Errorf("%s\n%s", f, body)
	}
}

// An assembler neither changes nor keeps what it is given, and each answer it
// gives is a copy.
//
// SPEC: V1
func TestAssemblerKeepsApart(t *testing.T) {
	for dialect, c := range repliers {
		s := sections(t, "testdata/reply/"+dialect+"/everything.txt")[0]
		a := c.Stream()
		p := sse.NewParser(0, func(e sse.Event) error {
			before := string(e.Data)
			if err := a.Event(e.Name, e.Data); err != nil {
				t.Errorf("%s: %v", dialect, err)
			}
			if string(e.Data) != before {
				t.Errorf("%s: changed %s", dialect, before)
			}
			r, err := a.Reply()
			if err != nil && !errors.Is(err, codec.ErrCut) {
				t.Fatal(err)
			}
			for _, m := range r.Messages() {
				clear(m.Raw)
				clear(m.Parts)
			}
			return nil
		})
		if _, err := p.Write(s.Data); err != nil {
			t.Fatal(err)
		}
		got, err := a.Reply()
		want, _, _ := assemble(t, c, string(s.Data))
		if d := cmp.Diff(want, got); err != nil || d != "" {
			t.Errorf("%s: %v %s", dialect, err, d)
		}
	}
}

// What is no answer is a Failure or malformed, and never a reply.
//
// SPEC: V9 · WE1
func TestNoReply(t *testing.T) {
	const html = "<html><head><title>502 Bad Gateway</title></head></html>\n"
	for name, c := range repliers {
		for _, body := range []string{"", " ", html, "null", "{}", "[]", `"x"`, "5", "{", `{"choices":[]}`, `{"choices":[{"index":1,"message":{}}]}`, `{"content":`, `{"content":"x"}`, `{"output":{}}`, `{"output":[]`, `{"choices":[{"message":{}}]} x`, strings.Repeat("[", 100_000)} {
			if r, err := c.Reply(200, []byte(body)); r != nil || !errors.Is(err, codec.ErrMalformed) {
				t.Errorf("%s: Reply(200, %.40q) = %v, %v, want ErrMalformed", name, body, r, err)
			}
			var f *codec.Failure
			if r, err := c.Reply(502, []byte(body)); r != nil || !errors.As(err, &f) || f.Status != 502 || f.Message == "" {
				t.Errorf("%s: Reply(502, %.40q) = %v, %v, want a Failure", name, body, r, err)
			}
		}
		a := c.Stream()
		for _, data := range []string{"", "pong", "{", "[]", "null", `{"a":1} x`, "[DONE"} {
			if err := a.Event("", []byte(data)); !errors.Is(err, codec.ErrMalformed) {
				t.Errorf("%s: Event(%q) = %v, want ErrMalformed", name, data, err)
			}
		}
		if r, err := a.Reply(); !errors.Is(err, codec.ErrCut) || r == nil || len(r.Message.Parts) > 0 {
			t.Errorf("%s: Reply() of nothing = %+v, %v", name, r, err)
		}
	}
}
