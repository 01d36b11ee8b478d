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
		if vs[i].Repeat > 1 {
			vs[i].Text = strings.Repeat(vs[i].Text, vs[i].Repeat)
		}
	}
	return vs
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
