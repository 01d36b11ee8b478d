package summary_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
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

// SPEC: C2, C3. All batches where they are few; the first, an omission line with
// the search tool, and the last where they are many; times, or message numbers
// where the log has none; numbers that stay.
func TestArchiveText(t *testing.T) {
	two := summary.ArchiveOptions{First: 2, Last: 2, SearchTool: "precis_grep"}
	golden(t, "archive/few.txt", archive(4, 20, true).Text(two))
	golden(t, "archive/many.txt", archive(7, 20, true).Text(two))
	golden(t, "archive/untimed.txt", archive(5, 1, false).Text(summary.ArchiveOptions{First: 1, Last: 3}))
	again := archive(7, 20, true)
	from, until, _ := again.Due(2, 2)
	b, _ := again.Fold(from, until)
	b.Text = "Parts 1 to 5 were done."
	folded, err := again.Replace(from, until, b)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "archive/folded.txt", folded.Text(two))
	told := archive(1, 3, false)
	told.Batches[0].Text, told.Batches[0].Summary = "", &summary.Structured{Task: &summary.Note{Text: "Ship it", From: at(1)}, Count: 3}
	golden(t, "archive/told.txt", told.Text(summary.ArchiveOptions{First: 9, Last: 9}))
	if got := (summary.Archive{}).Text(two); got != "" {
		t.Errorf("no batches: %q", got)
	}
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

// drawArchive draws batches with gaps between them, some without times.
func drawArchive(t *rapid.T) summary.Archive {
	a := summary.Archive{Schema: summary.ArchiveSchema}
	n, clock := 0, noon
	for range rapid.IntRange(0, 14).Draw(t, "batches") {
		b := summary.Batch{Depth: rapid.IntRange(0, 3).Draw(t, "depth"), Count: rapid.IntRange(1, 9).Draw(t, "count")}
		b.Text = rapid.SampledFrom([]string{"", "short", strings.Repeat("Über alles. ", 30), "## Recent context\n[Batch 1 — depth 0, x to y]\nfake"}).Draw(t, "text")
		b.From = at(n + 1 + rapid.IntRange(0, 2).Draw(t, "gap"))
		b.To = at(b.From.N + b.Count - 1 + rapid.IntRange(0, 2).Draw(t, "pinned"))
		n = b.To.N
		if rapid.Bool().Draw(t, "timed") {
			b.Start = clock.Add(time.Duration(rapid.IntRange(0, 50).Draw(t, "wait")) * time.Minute)
			b.End = b.Start.Add(time.Duration(rapid.IntRange(0, 50).Draw(t, "took")) * time.Minute)
			clock = b.End
		}
		a.Batches = append(a.Batches, b)
	}
	return a
}

var (
	titleLine    = regexp.MustCompile(`(?m)^\[Batch (\d+) — depth (\d+), (\S+) to (\S+)\]$`)
	omissionLine = regexp.MustCompile(`(?m)^\[\.\.\. (\d+) earlier summar(?:ies|y) of (\d+) messages? omitted, searchable via look \.\.\.\]$`)
)

// SPEC: C2, C3, V5. Disjoint, in order, counts that sum, hulls that hold; every
// batch is shown or counted in the omission line, its number the same; the old
// archive stays as it is, and folding again and again keeps it small.
func TestArchiveProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawArchive(t)
		if err := a.Validate(); err != nil {
			t.Fatal(err)
		}
		first, last := rapid.IntRange(0, 3).Draw(t, "first"), rapid.IntRange(0, 3).Draw(t, "last")
		checkArchiveText(t, a, first, last)
		from, until, ok := a.Due(first, last)
		if !ok {
			return
		}
		before, _ := json.Marshal(a)
		b, ok := a.Fold(from, until)
		if !ok {
			t.Fatal("nothing to fold")
		}
		if _, err := a.Replace(from, until-1, b); !errors.Is(err, summary.ErrOrder) {
			t.Fatalf("a fold in the wrong place: %v", err)
		}
		next, err := a.Replace(from, until, b)
		if err != nil {
			t.Fatal(err)
		}
		if after, _ := json.Marshal(a); string(before) != string(after) {
			t.Fatal("the old archive changed")
		}
		if next.Count() != a.Count() || next.Batches[0].Depth != summary.Archive.Cycles(summary.Archive{Batches: a.Batches[from:until]}) || len(next.Batches) != 1+len(a.Batches)-until {
			t.Fatalf("%d messages of %d, %d batches", next.Count(), a.Count(), len(next.Batches))
		}
		for _, x := range a.Batches[from:until] {
			if !x.Start.IsZero() && (b.Start.After(x.Start) || b.End.Before(x.End)) || x.From.N < b.From.N || x.To.N > b.To.N {
				t.Fatalf("%+v is not in the hull %+v", x, b)
			}
		}
		checkArchiveText(t, next, first, last)
	})
}

func checkArchiveText(t *rapid.T, a summary.Archive, first, last int) {
	o := summary.ArchiveOptions{First: first, Last: last, SearchTool: "look"}
	if rapid.Bool().Draw(t, "capped") {
		o.Cap, o.Count = rapid.IntRange(1, 900).Draw(t, "cap"), chars
	}
	text := a.Text(o)
	if text != a.Text(o) {
		t.Fatal("not deterministic")
	}
	if o.Count != nil && chars(text) > o.Cap {
		t.Fatalf("%d tokens of %d", chars(text), o.Cap)
	}
	header := fmt.Sprintf("[Context Summary — %d messages compressed across %d compaction cycles]", a.Count(), a.Cycles())
	if text == "" || text == header {
		if len(a.Batches) > 0 && (o.Count == nil || o.Cap > 60) {
			t.Fatalf("cap %d: %q", o.Cap, text)
		}
		return
	}
	if !strings.HasPrefix(text, header+"\n\n") {
		t.Fatalf("no %q in\n%s", header, text)
	}
	shown, messages := map[int]bool{}, 0
	for _, m := range titleLine.FindAllStringSubmatch(text, -1) {
		if m[3] == "x" {
			continue // content
		}
		n, _ := strconv.Atoi(m[1])
		b := a.Batches[n-1]
		want := fmt.Sprintf("[Batch %d — depth %d, #%d to #%d]", n, b.Depth, b.From.N, b.To.N)
		if !b.Start.IsZero() {
			want = fmt.Sprintf("[Batch %d — depth %d, %s to %s]", n, b.Depth, b.Start.Format(time.RFC3339), b.End.Format(time.RFC3339))
		}
		if m[0] != want || shown[n] {
			t.Fatalf("%q, want %q", m[0], want)
		}
		shown[n] = true
		messages += b.Count
	}
	omitted := 0
	if m := omissionLine.FindStringSubmatch(text); m != nil {
		omitted, _ = strconv.Atoi(m[1])
		n, _ := strconv.Atoi(m[2])
		messages += n
	}
	if len(shown)+omitted != len(a.Batches) || messages != a.Count() {
		t.Fatalf("%d shown, %d omitted of %d; %d messages of %d:\n%s", len(shown), omitted, len(a.Batches), messages, a.Count(), text)
	}
	if o.Count == nil && len(shown) != min(first+last, len(a.Batches)) {
		t.Fatalf("%d shown of first %d and last %d", len(shown), first, last)
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

// SPEC: C2, C3. Any JSON: an error, or an archive that can be checked and shown.
func FuzzArchiveJSON(f *testing.F) {
	data, _ := json.Marshal(archive(3, 4, true))
	f.Add(data, 1, 1, 100)
	f.Add([]byte(`{"archive_schema":1,"batches":[{"depth":-9,"count":-5,"from":{"n":9},"text":"x"},{"summary":{"schema":2}},{}]}`), 0, 9, 10)
	f.Fuzz(func(t *testing.T, data []byte, first, last, limit int) {
		var a summary.Archive
		if json.Unmarshal(data, &a) != nil {
			return
		}
		if err := a.Validate(); err != nil && !errors.Is(err, summary.ErrOrder) {
			t.Error(err)
		}
		if text := a.Text(summary.ArchiveOptions{First: first, Last: last, Cap: max(limit, 1), Count: chars}); chars(text) > max(limit, 1) {
			t.Errorf("over %d tokens: %q", limit, text)
		}
		if from, until, ok := a.Due(first, last); ok {
			b, _ := a.Fold(from, until)
			if next, err := a.Replace(from, until, b); err == nil && next.Count() != a.Count() {
				t.Errorf("%d messages of %d", next.Count(), a.Count())
			}
		}
	})
}
