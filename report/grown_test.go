package report

import (
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/internal/term"
)

// What a repair adds is told as tokens more, not as a share of what was there.
func TestGrownPrompt(t *testing.T) {
	for _, c := range []struct {
		original, compacted int
		want                string
	}{
		{14, 20, "14 → 20 tokens (6 more), budget 1,000\n"},
		{200, 100, "200 → 100 tokens (50 %), budget 1,000\n"},
		{100, 100, "100 tokens, budget 1,000\n"},
	} {
		r := &Report{Outcome: precis.Repaired, Original: c.original, Compacted: c.compacted, Budget: 1000}
		if got := r.String(); !strings.Contains(term.Plain(got), c.want) {
			t.Errorf("%d to %d: %s", c.original, c.compacted, got)
		}
	}
}
