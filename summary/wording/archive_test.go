package wording_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/summary/wording"
	"pgregory.net/rapid"
)

// SPEC: C2, C3. All batches where they are few; the first, an omission line with
// the search tool, and the last where they are many; times, or message numbers
// where the log has none; numbers that stay.
func TestArchiveText(t *testing.T) {
	two := wording.ArchiveOptions{First: 2, Last: 2, SearchTool: "precis_grep"}
	golden(t, "archive/few.txt", wording.Archive(archive(4, 20, true), two))
	golden(t, "archive/many.txt", wording.Archive(archive(7, 20, true), two))
	golden(t, "archive/untimed.txt", wording.Archive(archive(5, 1, false), wording.ArchiveOptions{First: 1, Last: 3}))
	again := archive(7, 20, true)
	from, until, _ := again.Due(2, 2)
	b, _ := again.Fold(from, until)
	b.Text = "Parts 1 to 5 were done."
	folded, err := again.Replace(from, until, b)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "archive/folded.txt", wording.Archive(folded, two))
	told := archive(1, 3, false)
	told.Batches[0].Text, told.Batches[0].Summary = "", &summary.Structured{Task: &summary.Note{Text: "Ship it", From: at(1)}, Count: 3}
	golden(t, "archive/told.txt", wording.Archive(told, wording.ArchiveOptions{First: 9, Last: 9}))
	if got := wording.Archive((summary.Archive{}), two); got != "" {
		t.Errorf("no batches: %q", got)
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
	o := wording.ArchiveOptions{First: first, Last: last, SearchTool: "look"}
	if rapid.Bool().Draw(t, "capped") {
		o.Cap, o.Count = rapid.IntRange(1, 900).Draw(t, "cap"), chars
	}
	text := wording.Archive(a, o)
	if text != wording.Archive(a, o) {
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
		if text := wording.Archive(a, wording.ArchiveOptions{First: first, Last: last, Cap: max(limit, 1), Count: chars}); chars(text) > max(limit, 1) {
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
