package precis_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/render"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/store/sqlite"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/token"
	"github.com/seed-3db51b0e/precis/token/bpe"
)

// rounds makes n messages: a task, then tool rounds of about 150 tokens.
func rounds(n int) []message.Message {
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

func exact(b testing.TB) (model.Model, token.Meter) {
	b.Helper()
	m, _ := model.Lookup("gpt-4o")
	meter, err := bpe.Meter(m)
	if err != nil {
		b.Fatal(err)
	}
	return m, meter
}

// lengths are the numbers of messages to measure; the first two in short mode.
func lengths(ns ...int) []int {
	if testing.Short() {
		return ns[:2]
	}
	return ns
}

// The whole of a compaction: analysis, summary, plan, commit, render.
func BenchmarkCompact(b *testing.B) {
	m, meter := exact(b)
	for _, n := range lengths(1_000, 10_000, 100_000) {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			ms := rounds(n)
			b.ReportAllocs()
			for b.Loop() {
				e := newEngine(b, memory.New(), policyOf(b, "balanced"))
				if _, err := e.Prepare(b.Context(), precis.Input{Thread: "t", Messages: ms, Model: m, Meter: meter, Budget: 32_000}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// What of that is not logging: analysis, summary, plan, commit, render.
func BenchmarkPlan(b *testing.B) {
	m, meter := exact(b)
	for _, n := range lengths(1_000, 10_000, 100_000) {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			in := precis.Input{Thread: "t", Messages: rounds(n), Model: m, Meter: meter, Budget: 32_000}
			b.ReportAllocs()
			for range b.N {
				b.StopTimer()
				e := newEngine(b, memory.New(), policyOf(b, "balanced"))
				in.Mode.NoCompact = true
				if _, err := e.Prepare(b.Context(), in); err != nil {
					b.Fatal(err)
				}
				in.Mode.NoCompact = false
				b.StartTimer()
				if _, err := e.Prepare(b.Context(), in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func policyOf(b testing.TB, name string) policy.Policy {
	b.Helper()
	p, err := policy.Named(name)
	if err != nil {
		b.Fatal(err)
	}
	return p
}

// One more turn of a long conversation: two new messages, the plan stands.
func BenchmarkOneMoreTurn(b *testing.B) {
	m, meter := exact(b)
	for _, n := range []int{1_000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			st, err := sqlite.Open(b.Context(), b.TempDir()+"/p.db", sqlite.Options{})
			if err != nil {
				b.Fatal(err)
			}
			defer st.Close()
			e := newEngine(b, st, policyOf(b, "balanced"))
			n++ // end on a result, as an agent's request does
			all := rounds(n + 8_000)
			in := precis.Input{Thread: "t", Messages: all[:n], Model: m, Meter: meter, Budget: 400_000}
			if _, err := e.Prepare(b.Context(), in); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for i := n; b.Loop(); i += 2 {
				if i+2 > len(all) {
					b.Fatal("the benchmark ran longer than its conversation")
				}
				in.Messages = all[:i+2]
				if _, err := e.Prepare(context.Background(), in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkMarkersMove is one more turn for a client that marks the last message
// for the provider's cache: the one marked before comes back in other bytes.
func BenchmarkMarkersMove(b *testing.B) {
	m, meter := exact(b)
	for _, n := range []int{1_000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			st, err := sqlite.Open(b.Context(), b.TempDir()+"/p.db", sqlite.Options{})
			if err != nil {
				b.Fatal(err)
			}
			defer st.Close()
			e := newEngine(b, st, policyOf(b, "balanced"))
			n++
			all := rounds(n + 8_000)
			in := precis.Input{Thread: "t", Model: m, Meter: meter, Budget: 400_000}
			in.Messages = all[:n-2]
			if _, err := e.Prepare(b.Context(), in); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for i := n; b.Loop(); i += 2 {
				if i > len(all) {
					b.Fatal("the benchmark ran longer than its conversation")
				}
				in.Messages = slices.Clone(all[:i])
				in.Messages[i-1].Raw = []byte(`{"marked":true}`)
				if _, err := e.Prepare(context.Background(), in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// The pieces of a turn, each over the whole of a conversation.
func BenchmarkPieces(b *testing.B) {
	_, meter := exact(b)
	for _, n := range lengths(100, 1_000, 10_000, 100_000) {
		ms := rounds(n)
		th, err := thread.New(thread.Extend("", ms))
		if err != nil {
			b.Fatal(err)
		}
		p := plan.Plan{}
		for i := 2; i+1 < n; i += 4 {
			p.Records = append(p.Records, plan.Record{
				Action: plan.Replace, Kind: plan.Preview, Text: "…",
				Span: plan.Span{IDs: []thread.ID{th.At(i).ID}, Part: 1},
			})
		}
		built, err := plan.Build(p, th)
		if err != nil {
			b.Fatal(err)
		}
		for name, f := range map[string]func(){
			"digest": func() { thread.Extend("", ms) },
			"match":  func() { th.Match(ms) },
			"count":  func() { meter.Messages(ms) },
			"build": func() {
				if _, err := plan.Build(p, th); err != nil {
					b.Fatal(err)
				}
			},
			"render": func() { render.Prompt(th, built, nil) },
		} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					f()
				}
			})
		}
	}
}
