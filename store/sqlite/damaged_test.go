//go:build unix

package sqlite_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis/artifact/seal"
	"github.com/seed-3db51b0e/precis/internal/hostile"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/sqlite"
	"github.com/seed-3db51b0e/precis/thread"
)

// pristine is a store as it is before it is damaged: its files, and what it holds.
type pristine struct {
	keys     *seal.Keyring
	db, wal  []byte
	entries  map[thread.ID]thread.Entry
	envelope []byte
}

// newPristine makes a store of a few threads with plans and artifacts. Its files are taken
// while it is open, so that a part of it stands in the write-ahead log.
func newPristine(t *testing.T, keys *seal.Keyring) *pristine {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "precis.db")
	s := openSealed(t, dir, keys)
	plantAll(t, s)
	w := &pristine{keys: keys, entries: map[thread.ID]thread.Entry{}, envelope: []byte("envelope PLANTED")}
	for n := range 4 {
		var texts []string
		for i := range 40 {
			texts = append(texts, strings.Repeat(fmt.Sprintf("thread %d, message %d. ", n, i), 1+i*i/8))
		}
		es := chain("", texts...)
		_, err := s.Append(t.Context(), store.Key{Thread: fmt.Sprint("t", n)}, store.Batch{Entries: es, Now: now})
		noError(t, err)
		p := &plan.Plan{Base: es[39].ID, Version: 1, Records: []plan.Record{{Action: plan.Summarize, Text: strings.Repeat("of it ", 400), Span: plan.Span{IDs: []thread.ID{es[0].ID, es[1].ID}}}}}
		noError(t, s.Commit(t.Context(), store.Key{Thread: fmt.Sprint("t", n)}, p, nil))
	}
	heads, err := s.AllHeads(t.Context())
	noError(t, err)
	for _, h := range heads {
		es, err := s.Load(t.Context(), h.Key)
		noError(t, err)
		for _, e := range es {
			w.entries[e.ID] = e
		}
	}
	w.db, err = os.ReadFile(path)
	noError(t, err)
	w.wal, err = os.ReadFile(path + "-wal")
	noError(t, err)
	noError(t, s.Close())
	return w
}

// damaged breaks bytes as disks, cut copies and other programs do.
func damaged(r *rand.Rand, b []byte) []byte {
	b = bytes.Clone(b)
	if len(b) == 0 {
		return b
	}
	page := func() (int, int) {
		at := r.IntN(len(b)) / 4096 * 4096
		return at, min(at+4096, len(b))
	}
	switch r.IntN(8) {
	case 0:
		b[r.IntN(len(b))] ^= 1 << r.IntN(8)
	case 1:
		for range 1 + r.IntN(50) {
			b[r.IntN(len(b))] = byte(r.Uint32())
		}
	case 2:
		return b[:r.IntN(len(b))]
	case 3:
		at, end := page()
		clear(b[at:end])
	case 4:
		at, end := page()
		for i := at; i < end; i++ {
			b[i] = byte(r.Uint32())
		}
	case 5:
		at, end := page()
		to, last := page()
		copy(b[to:last], b[at:end])
	case 6: // within the header of a page, where SQLite looks first
		at, _ := page()
		b[min(at+r.IntN(12), len(b)-1)] = byte(r.Uint32())
	case 7:
		return append(b, b[:r.IntN(len(b))]...)
	}
	return b
}

// check opens a damaged store and reads all of it. It returns what it found: an error it
// may have, a message that was never written may not.
func (w *pristine) check(ctx context.Context, path string, read bool) (opened bool, err error) {
	open := sqlite.Open
	if read {
		open = sqlite.OpenReadOnly
	}
	s, err := open(ctx, path, sqlite.Options{Keys: w.keys, BusyTimeout: time.Second})
	if err != nil {
		return false, nil
	}
	defer func() { _ = s.Close() }() // it may not be able to
	heads, _ := s.AllHeads(ctx)
	heads = append(heads, store.Head{Key: store.Key{Thread: "t1"}, PlanVersion: 1})
	for _, h := range heads {
		es, bad := s.Load(ctx, h.Key)
		if bad != nil && len(es) > 0 {
			return true, fmt.Errorf("%d messages beside an error: %w", len(es), bad)
		}
		for _, e := range es {
			if was, ok := w.entries[e.ID]; !ok || !e.Erased && (was.Digest != e.Digest || !reflect.DeepEqual(was.Message, e.Message)) {
				return true, fmt.Errorf("thread %q has a message that was never written: %.300v", h.Key.Thread, e)
			}
		}
		if b, err := s.Envelope(ctx, h.Key); err == nil && !bytes.Equal(b, w.envelope) {
			return true, fmt.Errorf("envelope is %.100q", b)
		}
		_, _ = s.Plan(ctx, h.Key)
		for v := range min(h.PlanVersion, 5) {
			_, _ = s.PlanAt(ctx, h.Key, v+1)
		}
		_, _ = s.ArtifactList(ctx, h.Key)
		_, _ = s.PlanVersions(ctx, h.Key)
	}
	_, _, _ = s.Check(ctx)
	if !read {
		_, bad := s.Append(ctx, store.Key{Thread: "after"}, store.Batch{Entries: chain("", "after it"), Now: now})
		if es, err := s.Load(ctx, store.Key{Thread: "after"}); bad == nil && (err != nil || len(es) != 1) && !errors.Is(err, sqlite.ErrCorrupt) {
			return true, fmt.Errorf("what was written afterwards: %w", err)
		}
	}
	return true, ctx.Err()
}

// Of a damaged file, sealed or not, every call returns in time, with what was written or
// with an error: never a panic, and never a message that nobody wrote.
//
// SPEC: V1, V9
func TestDamagedFiles(t *testing.T) {
	attack := hostile.Begin(t, "files", 60, 1000)
	all := []*pristine{newPristine(t, nil), newPristine(t, ring(t))}
	opened := 0
	for n := range attack.N {
		r := rand.New(rand.NewPCG(uint64(n), 7))
		w := all[n%2]
		db, wal := w.db, w.wal
		if r.IntN(3) == 0 && len(wal) > 0 {
			wal = damaged(r, wal)
		} else {
			db = damaged(r, db)
		}
		dir := t.TempDir()
		path := filepath.Join(dir, "precis.db")
		noError(t, os.WriteFile(path, db, 0o600))
		if n%3 > 0 {
			noError(t, os.WriteFile(path+"-wal", wal, 0o600))
		}
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		ok, err := w.check(ctx, path, n%5 == 0)
		cancel()
		if err != nil {
			t.Errorf("file %d: %v", n, err)
		}
		if ok {
			opened++
		}
		noError(t, os.RemoveAll(dir))
	}
	attack.Found("%d still opened, half of the files sealed; no panic, nothing hung, no message that was never written", opened)
}
