// Package codectest is the contract suite of the codecs.
//
// Use: a codec's test calls Run with bodies of its dialect, and Fuzz from a
// fuzz target. Law: what is not edited leaves as it came. Promise:
// a codec that passes decodes what its clients send to the same digests each
// time they send it, and never panics.
package codectest

import (
	"bytes"
	"errors"
	"testing"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/message"
)

// Body is a request body to test with.
type Body struct {
	Name string
	JSON string
	// Shaped is set on bodies that already have the shape Encode gives: an edit
	// of one part may then change no byte outside of it.
	Shaped bool
}

// Echo is one conversation as clients send it at different times: all bodies
// must decode to the same digests.
type Echo struct {
	Name   string
	Bodies []string
}

// Run tests a codec with bodies of its dialect.
func Run(t *testing.T, c codec.Codec, bodies []Body, echoes []Echo) {
	t.Run("identity", func(t *testing.T) { each(t, bodies, func(t *testing.T, b Body) { identity(t, c, b) }) })
	t.Run("confined", func(t *testing.T) { each(t, bodies, func(t *testing.T, b Body) { confined(t, c, b) }) })
	t.Run("envelope", func(t *testing.T) { each(t, bodies, func(t *testing.T, b Body) { envelope(t, c, b) }) })
	t.Run("malformed", func(t *testing.T) { malformed(t, c) })
	if i, ok := c.(codec.Incremental); ok {
		t.Run("again", func(t *testing.T) { again(t, i, bodies) })
	}
	for _, e := range echoes {
		t.Run("echo/"+e.Name, func(t *testing.T) { echo(t, c, e) })
	}
}

// List names the member of a dialect's body that holds the conversation.
func List(dialect string) string {
	switch dialect {
	case "responses":
		return "input"
	case "gemini":
		return "contents"
	}
	return "messages"
}

func each(t *testing.T, bodies []Body, f func(*testing.T, Body)) {
	for _, b := range bodies {
		t.Run(b.Name, func(t *testing.T) { f(t, b) })
	}
}

func decode(t testing.TB, c codec.Codec, body string) *codec.Request {
	t.Helper()
	req, err := c.Decode([]byte(body))
	if err != nil {
		t.Fatalf("Decode(%.200s): %v", body, err)
	}
	return req
}

// SPEC: V11. The request's own messages give the original body, also
// when they come from a store and alias nothing.
func identity(t *testing.T, c codec.Codec, b Body) {
	req := decode(t, c, b.JSON)
	if req.Dialect != c.Name() {
		t.Errorf("dialect %q, want %q", req.Dialect, c.Name())
	}
	ms := make([]message.Message, len(req.Messages))
	for i, m := range req.Messages {
		if m.Dialect != c.Name() || len(m.Raw) == 0 || !bytes.Contains([]byte(b.JSON), m.Raw) {
			t.Errorf("message %d: dialect %q, raw %q is not of the body", i, m.Dialect, m.Raw)
		}
		m.Raw = bytes.Clone(m.Raw)
		ms[i] = m
	}
	out, err := c.Encode(req, ms)
	if err != nil {
		t.Fatalf("Encode: %v", err)
	}
	if string(out) != b.JSON {
		t.Errorf("identity broken:\n got %s\nwant %s", out, b.JSON)
	}
}

// SPEC: V11. An edit of one part changes nothing outside of it, and
// is there when the result is decoded.
func confined(t *testing.T, c codec.Codec, b Body) {
	if !b.Shaped {
		t.Skip("not shaped")
	}
	req := decode(t, c, b.JSON)
	for i := range req.Messages {
		for j := range req.Messages[i].Parts {
			ms, want, ok := edit(req.Messages, i, j)
			if !ok {
				continue
			}
			out, err := c.Encode(req, ms)
			if err != nil {
				t.Errorf("edit %d.%d: %v", i, j, err)
				continue
			}
			where := req.Messages[i].Raw
			if raw := req.Messages[i].Parts[j].Raw; raw != nil {
				where = raw
			}
			within(t, b.JSON, string(out), string(where))
			got := decode(t, c, string(out)).Messages
			if len(got) <= i || len(got[i].Parts) <= j || got[i].Parts[j].Body() != want {
				t.Errorf("edit %d.%d: %q is not in %s", i, j, want, out)
			}
		}
	}
}

// edit changes one part as a renderer does, and returns what must be read back.
func edit(ms []message.Message, i, j int) ([]message.Message, string, bool) {
	out := append([]message.Message(nil), ms...)
	out[i].Parts = append([]message.Part(nil), ms[i].Parts...)
	out[i].Edited = true
	p := &out[i].Parts[j]
	p.Edited = true
	const text = "edited: \"é\" \\ \n</x>"
	switch p.Kind {
	case message.Text:
		p.Text = text
	case message.Call:
		p.Args = `{"edited":9007199254740993}`
	case message.Result:
		p.Parts = []message.Part{{Kind: message.Text, Text: text}}
	default:
		return nil, "", false
	}
	return out, p.Body(), true
}

// within checks that before and after differ only inside where, a piece of
// before.
func within(t *testing.T, before, after, where string) {
	t.Helper()
	prefix := 0
	for prefix < min(len(before), len(after)) && before[prefix] == after[prefix] {
		prefix++
	}
	suffix := 0
	for suffix < min(len(before), len(after))-prefix && before[len(before)-1-suffix] == after[len(after)-1-suffix] {
		suffix++
	}
	for at := 0; ; at++ {
		k := bytes.Index([]byte(before[at:]), []byte(where))
		if k < 0 {
			t.Errorf("changes outside of %s:\n got %s\nfrom %s", where, after, before)
			return
		}
		if at += k; prefix >= at && len(before)-suffix <= at+len(where) {
			return
		}
	}
}

// SPEC: V11. With other messages, every other member of the body is
// still there, byte for byte and in its place.
func envelope(t *testing.T, c codec.Codec, b Body) {
	req := decode(t, c, b.JSON)
	out, err := c.Encode(req, []message.Message{message.TextOf(message.User, "only this")})
	if err != nil {
		t.Fatalf("Encode: %v", err)
	}
	was, is := members(t, b.JSON), members(t, string(out))
	for i := range was {
		if i >= len(is) || was[i][0] != is[i][0] {
			t.Fatalf("members changed: %q, %q", was, is)
		}
		if n := was[i][0]; n != List(c.Name()) && was[i][1] != is[i][1] {
			t.Errorf("member %s changed to %s", was[i], is[i])
		}
	}
	if got := decode(t, c, string(out)).Messages; len(got) != 1 || got[0].Parts[0].Body() != "only this" {
		t.Errorf("messages are %v", got)
	}
}

func malformed(t *testing.T, c codec.Codec) {
	for _, s := range []string{"", " ", "{", "null", "[]", `"x"`, "nul", "{} {}", "{}x", `{"messages":`, `{"messages":[}`, `{"input":[{]}`, `{"contents":[{]}`, "{\"a\":\"\x00\"}"} {
		if _, err := c.Decode([]byte(s)); !errors.Is(err, codec.ErrMalformed) {
			t.Errorf("Decode(%q) = %v, want ErrMalformed", s, err)
		}
	}
}

// echo: What a client changes between turns is not in the
// digest.
func echo(t *testing.T, c codec.Codec, e Echo) {
	want := digests(decode(t, c, e.Bodies[0]).Messages)
	for i, b := range e.Bodies[1:] {
		got := digests(decode(t, c, b).Messages)
		if len(got) != len(want) {
			t.Fatalf("body %d: %d messages, want %d", i+1, len(got), len(want))
		}
		for k := range want {
			if got[k] != want[k] {
				t.Errorf("body %d, message %d: another digest", i+1, k)
			}
		}
	}
}

func digests(ms []message.Message) []message.Digest {
	ds := make([]message.Digest, len(ms))
	for i, m := range ms {
		ds[i] = m.Digest()
	}
	return ds
}

// Fuzz adds the bodies as seeds and checks that Decode never panics, and that
// what it accepts is encoded to the same bytes, and decoded the same after itself
// and after what it was with a byte changed. Any message may then be edited or left
// out: Encode answers with a request that decodes, or an error.
func Fuzz(f *testing.F, c codec.Codec, bodies []Body) {
	for _, b := range bodies {
		f.Add([]byte(b.JSON), uint16(1))
	}
	f.Fuzz(func(t *testing.T, body []byte, pick uint16) {
		req, err := c.Decode(body)
		if err != nil {
			if !errors.Is(err, codec.ErrMalformed) {
				t.Fatalf("Decode: %v", err)
			}
			return
		}
		out, err := c.Encode(req, req.Messages)
		if err != nil || !bytes.Equal(out, body) {
			t.Fatalf("identity broken: %v\n got %q\nwant %q", err, out, body)
		}
		if i, ok := c.(codec.Incremental); ok {
			for _, other := range mutants(string(body), int(pick)%len(body)) {
				after(t, i, req.Lasting(), other)
				if was, err := c.Decode([]byte(other)); err == nil {
					after(t, i, was.Lasting(), string(body))
				}
			}
		}
		disturb(t, c, req, int(pick))
	})
}

func disturb(t *testing.T, c codec.Codec, req *codec.Request, pick int) {
	n := len(req.Messages)
	if n == 0 {
		return
	}
	i := pick % n
	without := append(append([]message.Message(nil), req.Messages[:i]...), req.Messages[i+1:]...)
	variants := [][]message.Message{without}
	if k := len(req.Messages[i].Parts); k > 0 {
		if ms, _, ok := edit(req.Messages, i, pick/n%k); ok {
			variants = append(variants, ms)
		}
	}
	for _, ms := range variants {
		out, err := c.Encode(req, ms)
		if err != nil {
			continue
		}
		if _, err := c.Decode(out); err != nil {
			t.Fatalf("Decode(Encode): %v\n%q", err, out)
		}
	}
}
