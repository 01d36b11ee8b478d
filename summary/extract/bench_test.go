package extract_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/summary/extract"
	"github.com/seed-3db51b0e/precis/summary/internal/testspan"
	"github.com/seed-3db51b0e/precis/summary/wording"
)

// BenchmarkSummarize shows that the work is linear in the span: ns per message
// stays about the same from 1,000 to 10,000 messages.
func BenchmarkSummarize(b *testing.B) {
	for _, n := range []int{1000, 10000} {
		th, span := testspan.Of(b, stated(n))
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

// stated is a run of n messages in which much is stated.
func stated(n int) []message.Message {
	p := newPlanter(1, false)
	for len(p.ms) < n {
		p.noise(8)
		p.says(fmt.Sprintf("The %s step %d takes %d ms.", p.ident(), len(p.ms), p.r.IntN(9000)))
		p.user(fmt.Sprintf("The %s must be %d.", p.ident(), p.r.IntN(9000)))
	}
	return p.ms[:n]
}

// worked is a run of n messages of one task: tool rounds, each with a sentence.
func worked(n int) []message.Message {
	ms := []message.Message{message.TextOf(message.User, "Keep the build of payment-core green. Never touch the ledger.")}
	for i := 1; len(ms) < n; i++ {
		id := fmt.Sprintf("call_%d", i)
		ms = append(ms, message.Message{Role: message.Assistant, Parts: []message.Part{
			{Kind: message.Text, Text: fmt.Sprintf("Step %d: looking at module_%d next.", i, i%97)},
			{Kind: message.Call, CallID: id, Name: "bash", Args: fmt.Sprintf(`{"command":"go test ./internal/module_%d"}`, i%97)},
		}}, message.Message{Role: message.Tool, Parts: []message.Part{{Kind: message.Result, CallID: id, Parts: []message.Part{
			{Kind: message.Text, Text: strings.Repeat(fmt.Sprintf("ok  internal/module_%d/case_%d.go:%d\n", i%97, i, i%500), 8)},
		}}}})
	}
	return ms[:n]
}

// BenchmarkRounds is the summary of a run of tool rounds, and its check.
func BenchmarkRounds(b *testing.B) {
	for _, n := range []int{1000, 10000} {
		th, span := testspan.Of(b, worked(n))
		in := summary.Input{Thread: th, Span: span}
		b.Run(fmt.Sprintf("summarize/%d", n), func(b *testing.B) { benchSummarize(b, in) })
		b.Run(fmt.Sprintf("verify/%d", n), func(b *testing.B) { benchVerify(b, in) })
	}
}

// BenchmarkContinue is the next summary of a long conversation, and its check:
// nearly all of the span is covered by the last one.
func BenchmarkContinue(b *testing.B) {
	const fresh = 130
	for _, n := range []int{10_000, 100_000} {
		for name, run := range map[string]func(int) []message.Message{"stated": stated, "worked": worked} {
			th, span := testspan.Of(b, run(n+fresh))
			first := extracted(b, summary.Input{Thread: th, Span: plan.Span{IDs: span.IDs[:n]}})
			in := summary.Input{Thread: th, Span: span, Previous: []*summary.Structured{first}}
			b.Run(fmt.Sprintf("%s/summarize/%d", name, n), func(b *testing.B) { benchSummarize(b, in) })
			b.Run(fmt.Sprintf("%s/verify/%d", name, n), func(b *testing.B) { benchVerify(b, in) })
		}
	}
}

func extracted(b *testing.B, in summary.Input) *summary.Structured {
	s, err := extract.Summarizer{}.Summarize(b.Context(), in)
	if err != nil {
		b.Fatal(err)
	}
	return s
}

func benchSummarize(b *testing.B, in summary.Input) {
	b.ReportAllocs()
	for b.Loop() {
		extracted(b, in)
	}
}

func benchVerify(b *testing.B, in summary.Input) {
	made := extracted(b, in)
	b.ReportAllocs()
	for b.Loop() {
		if err := summary.Verify(made, in.Thread, in.Span, in.Previous...); err != nil {
			b.Fatal(err)
		}
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
		wording.Text(s, capTokens, count)
	}
}
