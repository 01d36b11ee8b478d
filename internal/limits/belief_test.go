package limits

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/overflow"
)

// at is a LearnedLimits whose time stands still until it is moved.
func at(now *time.Time) *LearnedLimits {
	return &LearnedLimits{clock: func() time.Time { return *now }}
}

var (
	known = model.Model{Window: 128_000}
	mine  = Subject{"openai", "me", "m", "mine"}
	other = Subject{"openai", "me", "m", "other"}
)

func stated(limit, requested int) overflow.Overflow {
	return overflow.Overflow{Limit: limit, Requested: requested, Unit: overflow.Tokens}
}

func wantRoom(t *testing.T, l *LearnedLimits, s Subject, want int) {
	t.Helper()
	if n := l.Room(s, known, 120_000, 0); n != want {
		t.Errorf("room of %s is %d, want %d", s.Thread, n, want)
	}
}

// A route that takes less answers now and then: what it says holds for the retry, and
// teaches nothing while larger prompts are accepted. Where nothing larger is, it is
// believed in the end.
func TestFallbackRouteTeachesNothing(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	l := at(&now)
	for range 10 {
		if n := l.Refused(mine, known, stated(4096, 100_000), 100_000); n != 4096 {
			t.Fatalf("the retry has %d tokens", n)
		}
		wantRoom(t, l, other, 120_000)
		l.Accepted(other, 100_000, 400_000)
		l.Accepted(mine, 100_000, 400_000)
		wantRoom(t, l, mine, 120_000)
	}
	for n := range 4 {
		wantRoom(t, l, other, 120_000)
		l.Refused(mine, known, stated(4096, 100_000), 100_000)
		l.Accepted(mine, 4000, 16_000) // the retry
		if n == 0 {
			wantRoom(t, l, mine, 120_000)
		}
	}
	wantRoom(t, l, other, 4096)
}

// Numbers that cannot be about this prompt make no window of a few hundred tokens.
func TestOddNumbersTeachNothing(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	l := at(&now)
	for range 4 {
		if n := l.Refused(mine, known, stated(2000, 140_000), 10_780); n != 8624 {
			t.Fatalf("the retry has %d tokens", n)
		}
	}
	wantRoom(t, l, other, 120_000)
}

// A likely window is believed of its thread at once and of the model when it is stated
// again; it ends after a day, and when more is accepted.
func TestWindowsEnd(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	l := at(&now)
	l.Refused(mine, known, stated(64_000, 100_000), 100_000)
	wantRoom(t, l, mine, 64_000)
	wantRoom(t, l, other, 120_000)
	l.Refused(mine, known, stated(32_000, 100_000), 100_000) // not the same
	wantRoom(t, l, other, 120_000)
	l.Refused(mine, known, stated(33_000, 100_000), 100_000)
	wantRoom(t, l, other, 32_000)
	now = now.Add(25 * time.Hour)
	wantRoom(t, l, other, 120_000)
	wantRoom(t, l, mine, 120_000)
	for range 2 {
		l.Refused(other, known, stated(64_000, 100_000), 100_000)
	}
	wantRoom(t, l, mine, 64_000)
	l.Accepted(other, 65_000, 260_000) // counts differ a little
	wantRoom(t, l, mine, 65_000)
	l.Accepted(other, 90_000, 360_000)
	wantRoom(t, l, mine, 120_000)
	wantRoom(t, l, other, 120_000)
}

// So it is with bytes.
func TestWeightsEnd(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	l := at(&now)
	heavy := overflow.Overflow{Limit: 1000, Unit: overflow.Bytes}
	for n, want := range []int{9000, 1000} {
		if l.TooHeavy(mine, heavy, 5000); l.Weight(other, 9000) != want || l.Weight(mine, 9000) != 1000 {
			t.Errorf("after %d refusals: %d, of the thread %d", n+1, l.Weight(other, 9000), l.Weight(mine, 9000))
		}
	}
	l.Accepted(mine, 100, 2000)
	if n := l.Weight(mine, 9000); n != 9000 {
		t.Errorf("%d bytes after 2000 were accepted", n)
	}
}

// What refusals taught can be seen, and taken back from a proxy that runs. Of a file
// from a time when one refusal was enough, none of it is taken over.
func TestForget(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lessons.json")
	old := `{"format":1,"lessons":[{"provider":"openai","tenant":"me","model":"m","window":3929}]}`
	if err := os.WriteFile(path, []byte(old), 0o600); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	l := at(&now)
	if err := l.Keep(File(path)); err != nil {
		t.Fatal(err)
	}
	wantRoom(t, l, mine, 120_000)
	for range 2 {
		l.Refused(mine, known, stated(64_000, 100_000), 100_000)
	}
	wantRoom(t, l, other, 64_000)
	all, err := Refusals(File(path), now)
	if err != nil || len(all) != 2 || all[0].Window != 64_000 || !all[0].WindowUntil.After(now) {
		t.Fatalf("%v: %+v", err, all)
	}
	if n, err := Forget(File(path), "another"); err != nil || n != 0 {
		t.Errorf("%v: forgot %d", err, n)
	}
	if n, err := Forget(File(path), "m"); err != nil || n != 2 {
		t.Errorf("%v: forgot %d", err, n)
	}
	if err := os.Chtimes(path, now.Add(time.Hour), now.Add(time.Hour)); err != nil { // clocks of files are coarse
		t.Fatal(err)
	}
	now = now.Add(time.Minute)
	wantRoom(t, l, other, 120_000)
	wantRoom(t, l, mine, 120_000)
	if all, err := Refusals(File(path), now); err != nil || len(all) != 0 {
		t.Errorf("%v: %+v", err, all)
	}
}

// Of two limits of a model that end at two times, the one that has ended is told no more.
func TestEndedLimitsAreNotTold(t *testing.T) {
	path := filepath.Join(t.TempDir(), "limits.json")
	now := time.Now()
	l := at(&now)
	if err := l.Keep(File(path)); err != nil {
		t.Fatal(err)
	}
	l.Refused(mine, known, overflow.Overflow{Unit: overflow.Tokens}, 1000) // for an hour
	l.TooHeavy(mine, overflow.Overflow{Limit: 1000, Unit: overflow.Bytes}, 5000)
	all, err := Refusals(File(path), now.Add(2*time.Hour))
	if err != nil || len(all) != 1 || all[0].Bytes != 1000 || all[0].Window != 0 {
		t.Errorf("%v: %+v", err, all)
	}
}
