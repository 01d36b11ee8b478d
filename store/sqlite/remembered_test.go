//go:build unix

package sqlite_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/sqlite"
	"github.com/seed-3db51b0e/precis/thread"
)

// talk is a thread of many short messages.
type talk struct {
	*sqlite.Store
	ids []thread.ID
}

// more appends n messages.
func (l *talk) more(t testing.TB, n int) {
	t.Helper()
	var tip thread.ID
	if have := len(l.ids); have > 0 {
		tip = l.ids[have-1]
	}
	texts := make([]string, n)
	for i := range texts {
		texts[i] = fmt.Sprint("message ", len(l.ids)+i)
	}
	b := store.Batch{Tip: tip, Entries: chain(tip, texts...), Now: now}
	_, err := l.Append(t.Context(), mainKey, b)
	noError(t, err)
	for _, e := range b.Entries {
		l.ids = append(l.ids, e.ID)
	}
}

// summed is a plan with one summary of all but the first message.
func (l *talk) summed(version int) *plan.Plan {
	return &plan.Plan{
		Thread: "main", Base: l.ids[len(l.ids)-1], Version: version, CreatedAt: now,
		Records: []plan.Record{{
			Action: plan.Summarize, Text: fmt.Sprint("all of it, told for the time ", version),
			Span: plan.Span{IDs: slices.Clone(l.ids[1:])},
		}},
	}
}

// What a store remembers of a thread it committed plans for does not outlive what
// becomes of the thread: entries that others append and erase, and another thread
// that takes its place after it was retired.
//
// SPEC: V1, L17, V10
func TestRemembered(t *testing.T) {
	dir := t.TempDir()
	l, other := &talk{Store: openAt(t, dir)}, &talk{Store: openAt(t, dir)}
	defer func() { noError(t, errors.Join(l.Close(), other.Close())) }()
	l.more(t, 400)
	noError(t, l.Commit(t.Context(), mainKey, l.summed(1), nil))
	other.ids = l.ids
	other.more(t, 200)
	noError(t, other.EraseEntry(t.Context(), mainKey, l.ids[200], artifact.Tombstone{At: now}))
	old := other.ids
	l.ids = old
	noError(t, l.Commit(t.Context(), mainKey, l.summed(2), nil))
	_, err := other.Retire(t.Context(), now.Add(time.Hour), artifact.Tombstone{At: now})
	noError(t, err)
	isError(t, l.Commit(t.Context(), mainKey, l.summed(3), nil), store.ErrNotFound)

	l.ids = nil
	l.more(t, 300) // the same as before
	equal(t, old[:300], l.ids)
	next := chain(l.ids[299], noise(1), noise(2))
	_, err = l.Append(t.Context(), mainKey, store.Batch{Tip: l.ids[299], Entries: next, Now: now})
	noError(t, err)
	l.ids = append(l.ids, next[0].ID, next[1].ID)
	p := l.summed(1)
	for _, ids := range [][]thread.ID{old[1:], old[1:302], old[1:301]} {
		p.Records[0].Span.IDs = ids
		isError(t, l.Commit(t.Context(), mainKey, p, nil), store.ErrForeign)
	}
	p = l.summed(1)
	noError(t, l.Commit(t.Context(), mainKey, p, nil))
	for _, s := range []*talk{l, other} {
		have, err := s.Plan(t.Context(), mainKey)
		noError(t, err)
		equal(t, p.Records, have.Records)
	}
}

// BenchmarkCommitLong commits plans of one summary that covers nearly all of a
// long thread, each 130 messages more than the last: the cost must be that of the
// 130, not of the thread.
func BenchmarkCommitLong(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			l := &talk{Store: open(b)}
			l.more(b, n)
			v := 1
			noError(b, l.Commit(b.Context(), mainKey, l.summed(v), nil))
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				l.more(b, 130)
				v++
				p := l.summed(v)
				b.StartTimer()
				noError(b, l.Commit(b.Context(), mainKey, p, nil))
			}
		})
	}
}

// BenchmarkPlanLong reads such a plan: from memory, as it was committed or read
// before, and from the file.
func BenchmarkPlanLong(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			dir := b.TempDir()
			l := &talk{Store: openAt(b, dir)}
			l.more(b, n)
			noError(b, l.Commit(b.Context(), mainKey, l.summed(1), nil))
			noError(b, l.Close())
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				s := openAt(b, dir)
				b.StartTimer()
				p, err := s.Plan(b.Context(), mainKey)
				noError(b, err)
				if len(p.Records[0].Span.IDs) != n-1 {
					b.Fatal(len(p.Records[0].Span.IDs))
				}
				b.StopTimer()
				noError(b, s.Close())
				b.StartTimer()
			}
		})
	}
}

// BenchmarkLoadLong opens a thread of many short messages.
func BenchmarkLoadLong(b *testing.B) {
	for _, n := range []int{1_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			l := &talk{Store: open(b)}
			l.more(b, n)
			b.ReportAllocs()
			for b.Loop() {
				es, err := l.Load(b.Context(), mainKey)
				noError(b, err)
				if len(es) != n {
					b.Fatal(len(es))
				}
			}
		})
	}
}
