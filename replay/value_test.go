package replay

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// SPEC: B10. The values of the golden file, block by block.
func TestValues(t *testing.T) {
	raw, err := os.ReadFile("testdata/values.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range valueCases(string(raw)) {
		var got []string
		for _, v := range valuesOf(c.text) {
			got = append(got, fmt.Sprintf("%s %s", v.Kind, v.Text))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s\n(-want +got)\n%s", c.text, diff)
		}
	}
}

type valueCase struct {
	text string
	want []string
}

func valueCases(s string) []valueCase {
	var cs []valueCase
	for line := range strings.Lines(s) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "> "):
			cs = append(cs, valueCase{text: line[2:]})
		case line != "" && line[0] != '#':
			cs[len(cs)-1].want = append(cs[len(cs)-1].want, line)
		}
	}
	return cs
}

// FuzzValues: values are where they say they are, in order, tokens apart from
// each other, and each token is a value standing alone (the longest-token rule
// works on both sides of a comparison).
func FuzzValues(f *testing.F) {
	raw, err := os.ReadFile("testdata/values.txt")
	if err != nil {
		f.Fatal(err)
	}
	for _, c := range valueCases(string(raw)) {
		f.Add(c.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		start, end := 0, 0
		for _, v := range valuesOf(text) {
			if v.Text != text[v.Start:v.End] || v.Start < start {
				t.Fatalf("%q: value %+v out of place", text, v)
			}
			start = v.Start
			if v.Kind == kindPhrase {
				continue
			}
			if v.Start < end {
				t.Fatalf("%q: token %+v overlaps the one before", text, v)
			}
			end = v.End
			if alone := tokens(v.Text); len(alone) != 1 || alone[0].Text != v.Text || alone[0].Kind != v.Kind {
				t.Fatalf("%q: token %+v alone is %+v", text, v, alone)
			}
		}
	})
}

// FuzzDecoded: any argument text can be read, and leaves lie in it.
func FuzzDecoded(f *testing.F) {
	f.Add(`{"a":"x\ny","b":[1,{"c":null}],"b":true}`)
	f.Add(`{"a":`)
	f.Fuzz(func(t *testing.T, s string) {
		d := decoded(s)
		for _, l := range d.leaves {
			if l.start > l.end || l.end > len(d.s) {
				t.Fatalf("%q: leaf %v outside of %q", s, l, d.s)
			}
		}
		words(d.s, d.values())
	})
}

func BenchmarkValues(b *testing.B) {
	line := `src/app/main.go:42: calls token_bucket_limit("hello big world") at 2024-05-15, see https://example.org/x?id=48213` + "\n"
	text := strings.Repeat(line, 500)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		valuesOf(text)
	}
}
