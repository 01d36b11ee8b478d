package summary_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-3db51b0e/precis/summary"
)

var noon = time.Date(2026, 2, 28, 12, 0, 0, 0, time.UTC)

// archive is n batches of size messages each, an hour apart; timed false has no
// times.
func archive(n, size int, timed bool) summary.Archive {
	a := summary.Archive{Schema: summary.ArchiveSchema}
	for i := range n {
		b := summary.Batch{From: at(i*size + 1), To: at((i + 1) * size), Count: size, Text: fmt.Sprintf("Part %d was done.", i+1)}
		if timed {
			b.Start, b.End = noon.Add(time.Duration(i)*time.Hour), noon.Add(time.Duration(i)*time.Hour+40*time.Minute)
		}
		a.Batches = append(a.Batches, b)
	}
	return a
}

// SPEC: C2. Batches are due again when there are more than are shown and two.
func TestArchiveDue(t *testing.T) {
	for n := range 12 {
		from, until, ok := archive(n, 1, false).Due(2, 2)
		if want := n > 6; ok != want || ok && (from != 0 || until != n-2) {
			t.Errorf("%d batches: %d to %d, %t", n, from, until, ok)
		}
	}
	if _, until, ok := archive(3, 1, false).Due(-5, -5); !ok || until != 3 {
		t.Errorf("nothing shown: until %d, %t", until, ok)
	}
}

// SPEC: C2. What is not disjoint and in order is named.
func TestArchiveValidate(t *testing.T) {
	for _, c := range []struct {
		spoil func([]summary.Batch)
		want  string
	}{
		{func([]summary.Batch) {}, ""},
		{func(b []summary.Batch) { b[1].Count-- }, ""}, // a pinned message among them is not covered
		{func(b []summary.Batch) { b[1].Start, b[1].End = time.Time{}, time.Time{} }, ""},
		{func(b []summary.Batch) { b[1].From = b[0].To }, "batch 2: starts at #3, the one before ends at #3"},
		{func(b []summary.Batch) { b[0], b[1] = b[1], b[0] }, "batch 2: starts at #1, the one before ends at #6"},
		{func(b []summary.Batch) { b[2].Count = 4 }, "batch 3: 4 messages from #7 to #9"},
		{func(b []summary.Batch) { b[0].Count = 0 }, "batch 1: 0 messages from #1 to #3"},
		{func(b []summary.Batch) { b[0].Depth = -1 }, "batch 1: depth -1"},
		{func(b []summary.Batch) { b[1].Start, b[1].End = b[1].End, b[1].Start }, "batch 2: from 2026-02-28T13:40:00Z to 2026-02-28T13:00:00Z"},
		{func(b []summary.Batch) { b[2].Start = noon.Add(-time.Hour) }, "batch 3: starts 2026-02-28T11:00:00Z, before the one before it"},
		{func(b []summary.Batch) {
			b[1].Start, b[1].End, b[2].Start = time.Time{}, time.Time{}, noon.Add(-time.Hour)
		}, "batch 3: starts 2026-02-28T11:00:00Z, before the one before it"},
	} {
		a := archive(3, 3, true)
		c.spoil(a.Batches)
		err := a.Validate()
		if c.want == "" && err == nil {
			continue
		}
		if err == nil || !errors.Is(err, summary.ErrOrder) || !strings.HasPrefix(err.Error(), c.want+":") || c.want == "" {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}

// SPEC: C2, L18. JSON loses nothing; an archive is no summary, nor the reverse,
// and another schema of either is refused.
func TestArchiveJSON(t *testing.T) {
	a := archive(3, 4, true)
	a.Batches[0].Summary, a.Batches[2].Start, a.Batches[2].End = full(), time.Time{}, time.Time{}
	data, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	var back summary.Archive
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(a, back); diff != "" {
		t.Error(diff)
	}
	if err := json.Unmarshal(data, new(summary.Structured)); !errors.Is(err, summary.ErrSchema) {
		t.Errorf("an archive as a summary: %v", err)
	}
	one, err := json.Marshal(full())
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []string{string(one), `{}`, `{"archive_schema":2,"batches":[]}`} {
		if err := json.Unmarshal([]byte(x), &back); !errors.Is(err, summary.ErrSchema) {
			t.Errorf("%.40s: %v", x, err)
		}
	}
}

// SPEC: C2. An archive that is folded whenever it is due stays within what is
// shown and the buffer, and loses no message.
func TestArchiveGrows(t *testing.T) {
	a := summary.Archive{Schema: summary.ArchiveSchema}
	for i := range 100 {
		b := summary.Batch{From: at(20*i + 1), To: at(20*i + 20), Count: 20, Text: "x"}
		next, err := a.Replace(len(a.Batches), len(a.Batches), b)
		if err != nil {
			t.Fatal(err)
		}
		if from, until, ok := next.Due(2, 2); ok {
			b, _ := next.Fold(from, until)
			if next, err = next.Replace(from, until, b); err != nil {
				t.Fatal(err)
			}
		}
		if a = next; len(a.Batches) > 6 || a.Count() != 20*(i+1) {
			t.Fatalf("%d batches, %d messages after %d", len(a.Batches), a.Count(), i+1)
		}
	}
	if a.Cycles() < 10 {
		t.Errorf("%d cycles", a.Cycles())
	}
	for _, r := range [][2]int{{-1, 1}, {0, 99}, {2, 1}} {
		if _, err := a.Replace(r[0], r[1], summary.Batch{}); !errors.Is(err, summary.ErrOrder) {
			t.Errorf("replace %v: %v", r, err)
		}
		if _, ok := a.Fold(r[0], r[1]); ok {
			t.Errorf("folded %v", r)
		}
	}
}

// SPEC: C2. Chunks keep the order, part no unit, and are full: the next unit
// would not fit.
func TestChunks(t *testing.T) {
	if diff := cmp.Diff([][2]int{{0, 2}, {2, 3}, {3, 5}}, summary.Chunks([][2]int{{0, 1}, {1, 3}, {3, 9}, {9, 11}, {20, 21}}, 4)); diff != "" {
		t.Error(diff)
	}
	rapid.Check(t, func(t *rapid.T) {
		var units [][2]int
		end := 0
		for range rapid.IntRange(0, 40).Draw(t, "units") {
			start := end + rapid.IntRange(0, 2).Draw(t, "gap")
			end = start + rapid.IntRange(1, 12).Draw(t, "length")
			units = append(units, [2]int{start, end})
		}
		size := rapid.IntRange(-1, 20).Draw(t, "size")
		next := 0
		length := func(from, until int) (n int) {
			for _, u := range units[from:until] {
				n += u[1] - u[0]
			}
			return n
		}
		for _, c := range summary.Chunks(units, size) {
			if c[0] != next || c[1] <= c[0] {
				t.Fatalf("chunk %v after unit %d", c, next)
			}
			next = c[1]
			if size > 0 && c[1]-c[0] > 1 && length(c[0], c[1]) > size {
				t.Fatalf("chunk %v holds %d of %d", c, length(c[0], c[1]), size)
			}
			if next < len(units) && (size < 1 || length(c[0], next+1) <= size) {
				t.Fatalf("chunk %v is not full", c)
			}
		}
		if next != len(units) {
			t.Fatalf("ends at unit %d of %d", next, len(units))
		}
	})
}
