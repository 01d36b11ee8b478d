package jsonedit_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/seed-3db51b0e/precis/codec/internal/jsonedit"
)

// other is another reader of JSON, as lenient as ours: the first value of a text,
// and whether there is nothing behind it.
func other(src []byte) (v []byte, whole, ok bool) {
	d := lenient(src)
	v, err := d.ReadValue()
	if err != nil {
		return nil, false, false
	}
	v = bytes.Clone(v)
	_, err = d.ReadToken()
	return v, errors.Is(err, io.EOF), true
}

func lenient(src []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewReader(src), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// parts are the values that stand directly in an array or an object, by the
// other reader: names and values of members in turn.
func parts(src []byte) (out []string) {
	d := lenient(src)
	if _, err := d.ReadToken(); err != nil {
		return nil
	}
	for d.PeekKind() != jsontext.KindEndObject && d.PeekKind() != jsontext.KindEndArray {
		v, err := d.ReadValue()
		if err != nil {
			return nil
		}
		if named := d.StackDepth() == 1; named && src[0] == '{' && len(out)%2 == 0 {
			if v, err = jsontext.AppendUnquote(nil, v); err != nil && len(v) == 0 {
				return nil
			}
		}
		out = append(out, string(v))
	}
	return out
}

func read(src []byte) (out []string) {
	for _, m := range jsonedit.Members(src) {
		out = append(out, m.Name, string(m.Value))
	}
	for _, e := range jsonedit.Elements(src) {
		out = append(out, string(e))
	}
	return out
}

func agree(t *testing.T, src []byte) {
	t.Helper()
	want, whole, ok := other(src)
	r := jsonedit.NewReader(src)
	got, err := r.Value()
	if !whole {
		if err == nil && r.End() == nil {
			t.Fatalf("%q is read as %q", src, got)
		}
		return
	}
	if err != nil || string(got) != string(want) || r.End() != nil {
		t.Fatalf("%q is read as %q, %v, not %q (%v)", src, got, err, want, ok)
	}
	if got[0] == '{' || got[0] == '[' {
		if a, b := read(got), parts(want); strings.Join(a, "\x00") != strings.Join(b, "\x00") || len(a) != len(b) {
			t.Fatalf("%q holds %q, not %q", src, a, b)
		}
	}
}

var texts = []string{
	``, ` `, `{}`, `[]`, "\ufeff{}", `{"a":1}`, ` { "a" : [ 1 , 2 ] , "b" : { "c" : null } } `, `[1,]`, `[,1]`, `{,}`, `{"a":1,}`, `{"a"}`, `{"a":}`,
	`{"a" 1}`, `{1:2}`, `[1 2]`, `[[]`, `]`, `}`, `{"a":1]`, `[1}`, `{"a":1}{}`, `{} x`, `nul`, `null`, `nulll`, `true`, `falsE`, `-`, `-0`, `01`, `1.`, `.5`, `1.5e`, `1e+`,
	`1e+5`, `-1.25E-10`, `+1`, `"`, `"\"`, `"\\"`, `"\x"`, `"\u12"`, `"\u12g4"`, `"\u12A4"`, `"\ud800"`, `"\ud83d\ude00"`, `"\ud800\u0041"`, "\"\xff\"", "\"a\nb\"", "\"\x7f\"", "\"\x1f\"",
	`"0123456"`, `"01234567"`, `"012345678"`, `"0123456\n012345678\t"`, "\"01234567\x80\xe9ab\"", `{"\u0061\n":1,"a":2}`, "{\"\xff\":1}", `["]","[",{"}":"{"}]`, "[1\f]", `"`, `[1,2`, `{"a":[{"b":`,
}

// What is JSON, and what it holds, is what another reader says.
//
// SPEC: V11
func TestReader(t *testing.T) {
	for _, s := range texts {
		agree(t, []byte(s))
	}
	for _, c := range []string{"[]", "{}"} {
		open := c[:1]
		if c == "{}" {
			open = `{"":`
		}
		for _, n := range []int{9_998, 9_999, 10_000, 10_001} {
			s := strings.Repeat(open, n) + "1" + strings.Repeat(c[1:], n)
			agree(t, []byte(s))
			agree(t, []byte("["+s+"]"))
		}
	}
	agree(t, bytes.Repeat([]byte("["), 1<<20))
}

func FuzzReader(f *testing.F) {
	for _, s := range texts {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) { agree(t, src) })
}

func BenchmarkReader(b *testing.B) {
	line := `func (r *Reader) Value() ([]byte, error) {\n\treturn r.src[\"start\":end], nil // größer\n}\n`
	src := []byte(`[` + strings.Repeat(`{"role":"user","content":"`+strings.Repeat(line, 20)+`"},`, 500) + `1.5e3]`)
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := jsonedit.NewReader(src).Value(); err != nil {
			b.Fatal(err)
		}
	}
}
