package limits

import (
	"path/filepath"
	"testing"
	"time"
)

// What one process learned, another one over the same place knows within seconds, and
// neither writes away what the other wrote.
func TestProcessesShareLimits(t *testing.T) {
	place := File(filepath.Join(t.TempDir(), "limits.json"))
	now := time.Now()
	a, b := at(&now), at(&now)
	for _, l := range []*LearnedLimits{a, b} {
		if err := l.Keep(place); err != nil {
			t.Fatal(err)
		}
	}
	there := Subject{"anthropic", "me", "n", "theirs"}
	for range 2 {
		a.Refused(mine, known, stated(64_000, 100_000), 100_000)
		b.Refused(there, known, stated(32_000, 100_000), 100_000)
	}
	now = now.Add(time.Minute)
	for _, l := range []*LearnedLimits{a, b} {
		wantRoom(t, l, other, 64_000)
		wantRoom(t, l, there, 32_000)
	}
	a.Accepted(mine, 90_000, 360_000)
	now = now.Add(time.Minute)
	wantRoom(t, b, other, 120_000)
	wantRoom(t, b, there, 32_000)
}
