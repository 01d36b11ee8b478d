package bpe

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/seed-3db51b0e/precis/token"
)

// SPEC: S1. The estimators' errors against o200k, as docs/tokens.md shows them:
//
//	go test ./token/bpe -run TestEstimators -v
func TestEstimators(t *testing.T) {
	var table strings.Builder
	table.WriteString("| text | bytes/4 | utf16/4 | heuristic | per 2 KB: p05 | p50 | p95 |\n|---|---|---|---|---|---|---|\n")
	for _, c := range corpora(t) {
		total, errs := errorOf(token.Heuristic, c.text)
		fourth, _ := errorOf(token.Bytes, c.text)
		units, _ := errorOf(token.UTF16, c.text)
		fmt.Fprintf(&table, "| %s | %+.1f %% | %+.1f %% | %+.1f %% | %+.1f %% | %+.1f %% | %+.1f %% |\n",
			c.name, fourth, units, total, at5(errs, 1), at5(errs, 10), at5(errs, 19))
		if total < -20 || total > 40 {
			t.Errorf("%s: the heuristic is off by %.1f %%", c.name, total)
		}
	}
	t.Log("\n" + table.String())
}

// errorOf is a counter's error on a text and, sorted, on each 2 KB of it, in
// percent.
func errorOf(c token.Counter, text string) (total float64, each []float64) {
	estimated, exact := 0, 0
	for len(text) > 2048 {
		cut := 2048
		for !utf8.RuneStart(text[cut]) {
			cut++
		}
		n, want := c.Count(text[:cut]), o200k().Count(text[:cut])
		each = append(each, 100*(float64(n)/float64(want)-1))
		estimated, exact = estimated+n, exact+want
		text = text[cut:]
	}
	slices.Sort(each)
	return 100 * (float64(estimated)/float64(exact) - 1), each
}

// at5 is the value at k twentieths of a sorted list.
func at5(sorted []float64, k int) float64 { return sorted[len(sorted)*k/20] }

func BenchmarkCount(b *testing.B) {
	for _, c := range append(corpora(b), hostile()...) {
		for i := range encodings {
			e := encodings[i].get()
			b.Run(c.name+"/"+e.name, func(b *testing.B) {
				b.ReportAllocs()
				b.SetBytes(int64(len(c.text)))
				for b.Loop() {
					e.Count(c.text)
				}
			})
		}
	}
}

// BenchmarkCountCold counts each text with a worker that has seen nothing.
func BenchmarkCountCold(b *testing.B) {
	for _, c := range corpora(b) {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			for b.Loop() {
				new(worker).text(o200k(), c.text)
			}
		})
	}
}

// BenchmarkPeer is the library, for comparison.
func BenchmarkPeer(b *testing.B) {
	for _, c := range corpora(b) {
		for i, p := range peers() {
			b.Run(c.name+"/"+encodings[i].get().name, func(b *testing.B) {
				b.SetBytes(int64(len(c.text)))
				for b.Loop() {
					if _, err := p.Count(c.text); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkHeuristic(b *testing.B) {
	text := source(b)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		token.Heuristic.Count(text)
	}
}

func BenchmarkInit(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		newVocab(o200kTable)
	}
}
