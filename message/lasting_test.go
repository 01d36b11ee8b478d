package message

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// inside says whether b is a part of a's memory.
func inside(b, a []byte) bool {
	for i := range a {
		if &a[i] == &b[0] {
			return i+len(b) <= len(a)
		}
	}
	return false
}

// spoil overwrites all bytes of a message.
func spoil(raw []byte, ps []Part) {
	for i := range raw {
		raw[i] = 'X'
	}
	for i := range ps {
		ps[i].Text = "other"
		spoil(ps[i].Raw, ps[i].Parts)
	}
}

// What lasts is the same message, and shares its raw bytes with nobody.
//
// SPEC: V11
func TestLasting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole := rapid.SliceOfN(rapid.ByteRange('a', 'c'), 0, 40).Draw(t, "raw")
		var parts func(from []byte, depth int) []Part
		parts = func(from []byte, depth int) (ps []Part) {
			for range rapid.IntRange(0, 4).Draw(t, "parts") {
				i := rapid.IntRange(0, len(from)).Draw(t, "from")
				p := Part{Kind: Opaque, Raw: from[i:rapid.IntRange(i, len(from)).Draw(t, "to")]}
				if rapid.Bool().Draw(t, "elsewhere") {
					p.Raw = []byte(rapid.StringMatching(`[a-d]{0,9}`).Draw(t, "written"))
				}
				if depth > 0 {
					p.Parts = parts(p.Raw, depth-1)
				}
				ps = append(ps, p)
			}
			return ps
		}
		m := Message{Role: User, Raw: whole, Parts: parts(whole, 2)}
		want := m.Clone()
		got := m.Lasting()
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%+v lasts as %+v", want, got)
		}
		spoil(m.Raw, m.Parts)
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%+v changes to %+v", want, got)
		}
	})
}

// Parts within a message are so in what lasts, whatever their order.
func TestLastingIsWithin(t *testing.T) {
	raw := []byte(`{"calls":[{"id":1}],"content":[{"r":[{"t":"a"},{"t":"a"}]},{"t":"b"}]}`)
	of := func(s string) []byte { i := strings.Index(string(raw), s); return raw[i : i+len(s) : i+len(s)] }
	m := Message{Raw: raw, Parts: []Part{
		{Kind: Thinking, Text: "no bytes"},
		{Kind: Result, Raw: of(`{"r":[{"t":"a"},{"t":"a"}]}`), Parts: []Part{{Raw: of(`{"t":"a"}`)}, {Raw: of(`{"t":"a"}`)}}},
		{Kind: Result, Parts: []Part{{Raw: of(`{"t":"b"}`)}}},
		{Kind: Opaque, Raw: []byte(`{"written":true}`)},
		{Kind: Call, Raw: of(`{"id":1}`)},
	}}
	got := m.Lasting()
	p := got.Parts
	for i, b := range [][]byte{p[1].Raw, p[1].Parts[0].Raw, p[1].Parts[1].Raw, p[2].Parts[0].Raw, p[4].Raw} {
		if !inside(b, got.Raw) || inside(b, raw) || cap(b) != len(b) {
			t.Errorf("%d: %s is not within what lasts, or may grow over it", i, b)
		}
	}
	if inside(p[3].Raw, got.Raw) || string(p[3].Raw) != `{"written":true}` {
		t.Errorf("%s", p[3].Raw)
	}
}

// Any number of parts that are not in the message cost no more than a few looks
// through it.
func TestLastingSearchesLittle(t *testing.T) {
	m := Message{Raw: bytes.Repeat([]byte("x"), 1000)}
	for i := range 500 {
		m.Parts = append(m.Parts, Part{Kind: Opaque, Raw: fmt.Append(nil, i), Parts: []Part{{Raw: fmt.Append(nil, "y", i)}}})
	}
	c := mover{whole: m.Raw, clone: m.Raw, budget: searchFactor * len(m.Raw)}
	c.parts(m.Parts, 0, len(m.Raw))
	if c.budget != 0 {
		t.Errorf("%d bytes are left of what may be searched", c.budget)
	}
	if got := m.Lasting(); !reflect.DeepEqual(got, m) {
		t.Errorf("%+v", got)
	}
}
