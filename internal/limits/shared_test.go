package limits

import (
	"os"
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

// What is written in the same tick of the file system's clock is noticed.
func TestVersionsOfOneTick(t *testing.T) {
	place := File(filepath.Join(t.TempDir(), "limits.json"))
	now := time.Now()
	versions := map[string]bool{}
	for _, text := range []string{"[]", "[1]"} {
		if _, err := place.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(string(place), now, now); err != nil {
			t.Fatal(err)
		}
		version, err := place.Version()
		if err != nil {
			t.Fatal(err)
		}
		versions[version] = true
	}
	if len(versions) != 2 {
		t.Errorf("two contents have the versions %v", versions)
	}
	written, err := place.Write([]byte("[2]"))
	if version, err2 := place.Version(); err != nil || err2 != nil || version != written {
		t.Errorf("written as %q, read as %q: %v, %v", written, version, err, err2)
	}
}
