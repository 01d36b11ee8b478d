package bpe

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// vector is a text and the reference's counts of it: see testdata/reference.cjs.
type vector struct {
	Name   string `json:"name"`
	Text   string `json:"text"`
	Repeat int    `json:"repeat"`
	Block  *rune  `json:"block"` // in place of a text: every character of a block
	Bytes  []byte `json:"bytes"` // in place of a text: not UTF-8
	O200k  int    `json:"o200k"`
	Cl100k int    `json:"cl100k"`
}

func vectors(t testing.TB) []vector {
	t.Helper()
	data, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var vs []vector
	if err := json.Unmarshal(data, &vs); err != nil {
		t.Fatal(err)
	}
	for i := range vs {
		switch v := &vs[i]; {
		case v.Repeat > 1:
			v.Text = strings.Repeat(v.Text, v.Repeat)
		case v.Block != nil:
			v.Text = every(*v.Block)
		case v.Bytes != nil:
			v.Text = string(v.Bytes)
		}
	}
	return vs
}

// every is each character of a block between texts whose counts show its class:
// a contraction after a letter is one token, and numbers go by threes.
func every(block rune) string {
	var b strings.Builder
	for r := block; r < block+4096; r++ {
		if r >= 0xD800 && r < 0xE000 {
			continue
		}
		s := string(r)
		b.WriteString(s + "'s " + s + "123 x" + s + "'s" + s + " ")
	}
	return b.String()
}

// SPEC: L12. Every count is the reference's.
func TestVectors(t *testing.T) {
	for _, v := range vectors(t) {
		if got := o200k().Count(v.Text); got != v.O200k {
			t.Errorf("%s: o200k counts %d, want %d: %.80q", v.Name, got, v.O200k, v.Text)
		}
		if got := cl100k().Count(v.Text); got != v.Cl100k {
			t.Errorf("%s: cl100k counts %d, want %d: %.80q", v.Name, got, v.Cl100k, v.Text)
		}
	}
}
