package precis_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/internal/testsessions"
	"github.com/seed-3db51b0e/precis/store/sqlite"
)

// BenchmarkColdOpen is the first request after a restart: the file is opened, a
// thread read, checked and rendered under its plan. The system may still have the
// file in memory.
func BenchmarkColdOpen(b *testing.B) {
	m, meter := exact(b)
	for _, n := range lengths(1_000, 3_000, 10_000) {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := testsessions.Session(7, testsessions.Options{Messages: n, Dialect: testsessions.OpenAI})
			path := filepath.Join(b.TempDir(), "precis.db")
			prepare := func(in precis.Input) *precis.Turn {
				st, err := sqlite.Open(b.Context(), path, sqlite.Options{})
				if err != nil {
					b.Fatal(err)
				}
				in.Thread, in.Model, in.Meter, in.Budget = "t", m, meter, 64_000
				turn, err := newEngine(b, st, policyOf(b, "balanced")).Prepare(b.Context(), in)
				if err != nil {
					b.Fatal(err)
				}
				if err := st.Close(); err != nil {
					b.Fatal(err)
				}
				return turn
			}
			first := prepare(precis.Input{Messages: s.Messages})
			b.ReportAllocs()
			for b.Loop() {
				if turn := prepare(precis.Input{Continue: true}); turn.Original != first.Original {
					b.Fatal(turn.Original)
				}
			}
			b.ReportMetric(float64(first.Original), "tokens")
		})
	}
}
