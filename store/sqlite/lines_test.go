package sqlite

import (
	"fmt"
	"testing"

	"github.com/seed-3db51b0e/precis/thread"
)

// numbered are n ids.
func numbered(n int) []thread.ID {
	ids := make([]thread.ID, n)
	for i := range ids {
		ids[i] = thread.ID(fmt.Sprint(i))
	}
	return ids
}

// What is remembered is bounded; the line used longest ago goes first, and what
// starts in the same place takes the place of what was there.
func TestLinesAreBounded(t *testing.T) {
	l := newLines()
	line := numbered(mostIDs / 4)
	for th := range int64(6) {
		l.put(start{th, "0"}, line)
		l.put(start{th, "0"}, line[:len(line)-1])
		if s := l.known.Stats(); s.Bytes > mostIDs || s.Bytes != s.Entries*(len(line)-1) {
			t.Fatalf("%d ids in %d lines", s.Bytes, s.Entries)
		}
	}
	for th := range int64(6) {
		if have := len(l.from(start{th, "0"})) > 0; have != (th > 1) {
			t.Errorf("line %d is remembered: %v", th, have)
		}
	}
	l.put(start{9, "0"}, line[:shortLine])
	l.put(start{10, "0"}, numbered(mostIDs+1))
	if l.from(start{9, "0"}) != nil || l.from(start{10, "0"}) != nil {
		t.Error("a line too short or too long is remembered")
	}
}

// Ids are covered by a line that has them in their order, others between or not.
func TestCovers(t *testing.T) {
	ids := numbered(500)
	for _, c := range []struct {
		known, more []thread.ID
		ids         []thread.ID
		want        bool
	}{
		{ids[:300], ids[300:], ids, true},
		{nil, ids, ids, true},
		{ids[:300], ids[300:], append(append([]thread.ID{}, ids[:100]...), ids[200:]...), true},
		{ids[:300], ids[301:], ids, false},
		{ids[:300], ids[300:499], ids, false},
		{ids[:300], ids[300:], append(append([]thread.ID{}, ids[200:]...), ids[:100]...), false},
	} {
		if have := covers(c.known, c.more, c.ids); have != c.want {
			t.Errorf("%d and %d cover %d: %v", len(c.known), len(c.more), len(c.ids), have)
		}
	}
}
