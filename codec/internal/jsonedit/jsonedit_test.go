package jsonedit_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-3db51b0e/precis/codec/internal/jsonedit"
)

func member(name, value string) jsonedit.Member {
	m := jsonedit.Member{Name: name}
	if value != "" {
		m.Value = []byte(value)
	}
	return m
}

// SPEC: V11
func TestSet(t *testing.T) {
	for _, c := range []struct {
		obj   string
		edits []jsonedit.Member
		want  string
	}{
		{`{"a":1,"b":2}`, nil, `{"a":1,"b":2}`},
		{" { \"a\" : 1 ,\n\"b\":2 } ", []jsonedit.Member{member("a", "9")}, " { \"a\" : 9 ,\n\"b\":2 } "},
		{`{ "a":1, "b":2 }`, []jsonedit.Member{member("a", "")}, `{ "b":2 }`},
		{`{ "a":1, "b":2 }`, []jsonedit.Member{member("b", "")}, `{ "a":1 }`},
		{`{ "a":1 }`, []jsonedit.Member{member("a", "")}, `{ }`},
		{`{ }`, []jsonedit.Member{member("a", "1"), member("b", "2")}, `{"a":1,"b":2}`},
		{`{"a":1}`, []jsonedit.Member{member("c\n", "3"), member("d", "")}, `{"a":1,"c\n":3}`},
		{`{"a":1,"a":2,"\u0061":3}`, []jsonedit.Member{member("a", "9")}, `{"a":9,"a":9,"\u0061":9}`},
		{"{\"\xff\":\"\xfe\",\"a\":1}", []jsonedit.Member{member("a", "2")}, "{\"\xff\":\"\xfe\",\"a\":2}"},
		{`[1]`, []jsonedit.Member{member("a", "1")}, `[1]`},
		{`{"a":`, []jsonedit.Member{member("a", "1")}, `{"a":`},
	} {
		if got := string(jsonedit.Set([]byte(c.obj), c.edits...)); got != c.want {
			t.Errorf("Set(%q, %q) = %q, want %q", c.obj, c.edits, got, c.want)
		}
	}
}

// SPEC: V11
func TestReplace(t *testing.T) {
	brackets := func(old []byte) []byte { return append(append([]byte("<"), old...), '>') }
	for obj, want := range map[string]string{
		`{"a":1,"b":2,"a":[3]}`: `{"a":<1>,"b":2,"a":<[3]>}`,
		`{"b":2}`:               `{"b":2,"a":<>}`,
		`{}`:                    `{"a":<>}`,
	} {
		if got := string(jsonedit.Replace([]byte(obj), "a", brackets)); got != want {
			t.Errorf("Replace(%s) = %s, want %s", obj, got, want)
		}
	}
}

// SPEC: V11
func TestJoin(t *testing.T) {
	elems := [][]byte{[]byte("x"), []byte("y"), []byte("z")}
	for orig, want := range map[string]string{
		"":                     "[x,y,z]",
		"[]":                   "[x,y,z]",
		"[ ]":                  "[x,y,z]",
		`"string"`:             "[x,y,z]",
		"[1,2]":                "[x,y,z]",
		"[\n  {},\n  {}\n]":    "[\n  x,\n  y,\n  z\n]",
		`[ "]" , "[" ]`:        "[ x , y , z ]",
		"[1 , 2,3]":            "[x , y , z]",
		"[ [1, 2] ]":           "[ x,y,z ]",
		"[1, 2, not json, 3 ]": "[x, y, z ]",
	} {
		if got := string(jsonedit.Join([]byte(orig), elems)); got != want {
			t.Errorf("Join(%q) = %q, want %q", orig, got, want)
		}
	}
}

// SPEC: V11
func TestTextRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		if got, ok := jsonedit.Text(jsonedit.Quote(s)); !ok || got != s {
			t.Fatalf("%q became %q", s, got)
		}
	})
	for raw, want := range map[string]string{`"a\u0000\/\ud83d\ude00"`: "a\x00/😀", `"\ud800"`: "\ufffd", "\"\xff\"": "\ufffd", `5`: "", `"`: ""} {
		if got := jsonedit.TextOf([]byte(raw)); got != want {
			t.Errorf("TextOf(%q) = %q, want %q", raw, got, want)
		}
	}
}

// What Set and Replace write is JSON with the members asked for, whatever the
// object was.
//
// SPEC: V11
func FuzzSet(f *testing.F) {
	for _, s := range []string{`{}`, `{"a":1}`, ` { "a" : [1] , "b":{"a":2} } `, `{"a":1,"a":2}`, "{\"\xff\":1}", `[]`, `{"a"`} {
		f.Add([]byte(s), "a")
	}
	f.Fuzz(func(t *testing.T, obj []byte, name string) {
		name = jsonedit.TextOf(jsonedit.Quote(name))
		if !jsonedit.IsObject(obj) {
			return
		}
		if got := jsonedit.Set(obj); string(got) != string(obj) {
			t.Fatalf("Set(%q) = %q", obj, got)
		}
		got := jsonedit.Set(obj, jsonedit.Member{Name: name, Value: []byte(`["new"]`)})
		if !jsonedit.IsObject(got) || string(jsonedit.Get(got, name)) != `["new"]` {
			t.Fatalf("Set(%q, %q) = %q", obj, name, got)
		}
		if out := jsonedit.Set(got, jsonedit.Member{Name: name}); !jsonedit.IsObject(out) || jsonedit.Get(out, name) != nil {
			t.Fatalf("Set(%q, no %q) = %q", got, name, out)
		}
		brackets := func(old []byte) []byte { return append(append([]byte("["), old...), ']') }
		want := jsonedit.Replace(obj, name, brackets)
		in := jsonedit.Edit{Name: name, With: func(old []byte) [][]byte { return [][]byte{[]byte("["), old, []byte("]")} }}
		if got := jsonedit.LayoutOf(obj).Replace(in); string(got) != string(want) {
			t.Fatalf("Replace(%q, %q) = %q, by its layout %q", obj, name, want, got)
		}
	})
}
