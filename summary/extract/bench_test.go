package extract_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/summary/extract"
)

// BenchmarkSummarize shows that the work is linear in the span: ns per message
// stays about the same from 1,000 to 10,000 messages.
func BenchmarkSummarize(b *testing.B) {
	for _, n := range []int{1000, 10000} {
		p := newPlanter(1, false)
		for len(p.ms) < n {
			p.noise(8)
			p.says(fmt.Sprintf("The %s step %d takes %d ms.", p.ident(), len(p.ms), p.r.IntN(9000)))
			p.user(fmt.Sprintf("The %s must be %d.", p.ident(), p.r.IntN(9000)))
		}
		th, span := threadOf(b, p.ms[:n])
		bytes := 0
		for i := range th.Len() {
			for _, x := range th.At(i).Message.Parts {
				bytes += len(x.Body())
			}
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.SetBytes(int64(bytes))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := (extract.Summarizer{}).Summarize(context.Background(), summary.Input{Thread: th, Span: span}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/message")
		})
	}
}

func BenchmarkText(b *testing.B) {
	p := newPlanter(1, false)
	for range 20 {
		p.round()
	}
	s := summarize(b, p.ms)
	count := counter(b)
	b.ReportAllocs()
	for b.Loop() {
		s.Text(capTokens, count)
	}
}
