package extract_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/summary/extract"
	"github.com/seed-3db51b0e/precis/summary/internal/testspan"
	"github.com/seed-3db51b0e/precis/summary/wording"
	"github.com/seed-3db51b0e/precis/token/bpe"
)

// capTokens is the stated cap of a summary in the measurements, in tokens of
// o200k.
const capTokens = 3500

func counter(t testing.TB) func(string) int {
	t.Helper()
	c, err := bpe.Counter("o200k")
	if err != nil {
		t.Fatal(err)
	}
	return c.Count
}

func summarize(t testing.TB, ms []message.Message, previous ...*summary.Structured) *summary.Structured {
	t.Helper()
	th, span := testspan.Of(t, ms)
	s, err := extract.Summarizer{}.Summarize(context.Background(), summary.Input{Thread: th, Span: span, Previous: previous})
	if err != nil {
		t.Fatal(err)
	}
	if err := summary.Verify(s, th, span, previous...); err != nil {
		t.Fatal(err)
	}
	return s
}

// throughJSON is what a store does to a summary between rounds.
func throughJSON(t testing.TB, s *summary.Structured) *summary.Structured {
	t.Helper()
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var out summary.Structured
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	return &out
}

type tally struct{ planted, kept, changed, stale int }

func (a *tally) add(b tally) {
	a.planted, a.kept, a.changed, a.stale = a.planted+b.planted, a.kept+b.kept, a.changed+b.changed, a.stale+b.stale
}

// SPEC: B2, L6, L21. Planted facts through 20 rounds of summarize and merge, in
// about 1,200 messages of noise, 8 runs: at least 95 % of the standing ones are
// in the text at the cap, and no superseded one stands. For phrasings the
// extractor was not written with, the floors are lower; -v prints the numbers.
func TestPlantedFacts(t *testing.T) {
	for _, c := range []struct {
		name        string
		held        bool
		kept, stale float64
	}{{"tuned", false, .95, 0}, {"held back", true, .9, .1}} {
		t.Run(c.name, func(t *testing.T) {
			total := map[string]*tally{}
			for seed := range uint64(8) {
				measure(t, seed, c.held, total)
			}
			all := tally{}
			for _, kind := range []string{"constraint", "decision", "number", "path", "command"} {
				k := total[kind]
				t.Logf("%-10s kept %3d of %3d, %d of %d superseded stand", kind, k.kept, k.planted, k.stale, k.changed)
				all.add(*k)
			}
			kept, stale := float64(all.kept)/float64(all.planted), float64(all.stale)/float64(all.changed)
			t.Logf("all        kept %.1f %% of %d at %d tokens, %.1f %% of %d superseded stand", 100*kept, all.planted, capTokens, 100*stale, all.changed)
			if kept < c.kept || stale > c.stale {
				t.Errorf("kept %.3f, floor %.2f; superseded standing %.3f, ceiling %.2f", kept, c.kept, stale, c.stale)
			}
		})
	}
}

func measure(t *testing.T, seed uint64, held bool, total map[string]*tally) {
	count := counter(t)
	p := newPlanter(seed, held)
	p.user("You work on the services of a shop. Let's clean up the handlers and get the checks green.")
	var s *summary.Structured
	for range 20 {
		p.round()
		s = throughJSON(t, summarize(t, p.ms, s))
	}
	text := wording.Text(s, capTokens, count)
	if n := count(text); n > capTokens {
		t.Errorf("seed %d: %d tokens over the cap", seed, n)
	}
	lines := strings.Split(text, "\n")
	for _, f := range p.facts {
		k := total[f.kind]
		if k == nil {
			k = &tally{}
			total[f.kind] = k
		}
		k.planted++
		k.changed += len(f.old)
		if f.kept(lines) {
			k.kept++
		}
		if l := f.stale(lines); l != "" {
			k.stale++
			if !f.held {
				t.Logf("seed %d: %v = %s, yet: %s", seed, f.subject, f.value, l)
			}
		}
	}
}
