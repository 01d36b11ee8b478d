package precis_test

import (
	"fmt"
	"testing"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/store/sqlite"
)

// continuing is an engine over SQLite that has been sent the messages, and what to
// send it more with.
func continuing(b *testing.B, ms []message.Message) (*precis.Engine, precis.Input) {
	st, err := sqlite.Open(b.Context(), b.TempDir()+"/p.db", sqlite.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { st.Close() })
	m, meter := exact(b)
	e := newEngine(b, st, policyOf(b, "balanced"))
	in := precis.Input{Thread: "t", Model: m, Meter: meter, Budget: 40_000, Messages: ms, Continue: true}
	if _, err := e.Prepare(b.Context(), in); err != nil {
		b.Fatal(err)
	}
	return e, in
}

// Two more messages on a conversation of any length, for a client that sends
// only what is new: the prompt has the same size, so the turn costs about the same.
func BenchmarkContinue(b *testing.B) {
	for _, n := range lengths(100, 1_000, 10_000, 100_000) {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			all := rounds(n + 20_000)
			e, in := continuing(b, all[:n+1])
			b.ReportAllocs()
			for i := n + 1; b.Loop(); i += 2 {
				in.Messages = all[i : i+2]
				if _, err := e.Prepare(b.Context(), in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// The turn that compacts such a conversation again.
func BenchmarkCompactAgain(b *testing.B) {
	for _, n := range lengths(1_000, 10_000, 100_000) {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			all := rounds(n + 100_000)
			e, in := continuing(b, all[:n+1])
			b.ReportAllocs()
			b.ResetTimer()
			for i, done := n+1, 0; done < b.N; i += 60 { // a ninth of a budget a time
				b.StopTimer()
				in.Messages, in.Mode.NoCompact = all[i:i+60], true
				if _, err := e.Prepare(b.Context(), in); err != nil {
					b.Fatal(err)
				}
				in.Messages, in.Mode.NoCompact = nil, false
				b.StartTimer()
				turn, err := e.Prepare(b.Context(), in)
				if err != nil {
					b.Fatal(err)
				}
				if turn.Outcome == precis.Compacted {
					done++
				}
			}
		})
	}
}
