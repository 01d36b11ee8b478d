package transfer_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/store/sqlite"
	"github.com/seed-3db51b0e/precis/store/transfer"
	"github.com/seed-3db51b0e/precis/thread"
)

// kept makes a file of three threads and a fork, with plans and an erased message, and
// returns it with what every message is.
func kept(t *testing.T) ([]byte, map[thread.ID]thread.Entry) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "p.db")
	s, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	written := map[thread.ID]thread.Entry{}
	note := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for n := range 3 {
		var ms []message.Message
		for i := range 30 {
			ms = append(ms, message.TextOf(message.User, strings.Repeat(fmt.Sprint("thread ", n, " message ", i, rand.New(rand.NewPCG(uint64(n), uint64(i))).Uint64()), 8)))
		}
		k, es := store.Key{Thread: fmt.Sprint("t", n)}, thread.Extend("", ms)
		_, err := s.Append(t.Context(), k, store.Batch{Entries: es, Now: time.Unix(1, 0)})
		note(err)
		th, err := thread.New(es)
		note(err)
		for v := range 3 {
			p, err := plan.Build(plan.Plan{Thread: k.Thread, Base: th.Tip(), Version: v + 1, ThreadVersion: th.Len(), Records: []plan.Record{
				{Action: plan.Summarize, Text: fmt.Sprint("summary ", v), Span: plan.Span{IDs: []thread.ID{es[v+1].ID}}},
			}}, th)
			note(err)
			note(s.Commit(t.Context(), k, p, nil))
		}
		note(s.EraseEntry(t.Context(), k, es[20].ID, artifact.Tombstone{At: time.Unix(2, 0), Reason: "asked"}))
	}
	es, err := s.Load(t.Context(), store.Key{Thread: "t1"})
	note(err)
	_, err = s.Append(t.Context(), store.Key{Thread: "fork"}, store.Batch{ForkOf: "t1", At: es[9].ID, Entries: thread.Extend(es[9].ID, []message.Message{message.TextOf(message.User, "another way")}), Now: time.Unix(3, 0)})
	note(err)
	for _, name := range []string{"t0", "t1", "t2", "fork"} {
		es, err := s.Load(t.Context(), store.Key{Thread: name})
		note(err)
		for _, x := range es {
			written[x.ID] = x
		}
	}
	note(s.Close())
	b, err := os.ReadFile(path)
	note(err)
	return b, written
}

// Of a file with a page that cannot be read, every thread that is not damaged is copied
// whole, and of the others the messages before the damage: none that was never written,
// and what was erased stays erased. What is lost is told.
//
// SPEC: V1, V9
func TestSalvageOfDamagedPages(t *testing.T) {
	db, written := kept(t)
	pages, saved, stopped := len(db)/4096, 0, 0
	for page := 1; page < pages; page++ {
		path := filepath.Join(t.TempDir(), "damaged.db")
		bad := bytes.Clone(db)
		for i := range 4096 {
			bad[page*4096+i] = byte(i * 7)
		}
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		from, err := sqlite.Open(t.Context(), path, sqlite.Options{})
		if errors.Is(err, sqlite.ErrCorrupt) {
			continue
		} else if err != nil {
			t.Fatal(page, err)
		}
		if _, err := transfer.Copy(t.Context(), from, memory.New(), nil); err != nil {
			stopped++
		}
		to := memory.New()
		r, err := transfer.Salvage(t.Context(), from, to, func(err error) bool { return errors.Is(err, sqlite.ErrCorrupt) }, nil)
		if err == nil {
			saved++
			salvaged(t, page, r, to, written)
		} else if _, headless := from.AllHeads(t.Context()); headless == nil {
			t.Errorf("page %d: %v", page, err)
		}
		if err := from.Close(); err != nil {
			t.Error(page, err)
		}
	}
	if saved < pages*2/3 || stopped == 0 {
		t.Errorf("%d of %d files saved, %d copies stopped", saved, pages, stopped)
	}
}

// salvaged checks what stands in the target.
func salvaged(t *testing.T, page int, r transfer.Result, to store.Store, written map[thread.ID]thread.Entry) {
	t.Helper()
	lost := map[string]transfer.Damaged{}
	for _, d := range r.Damaged {
		lost[d.Thread] = d
	}
	for name, want := range map[string]int{"t0": 30, "t1": 30, "t2": 30, "fork": 11} {
		es, err := to.Load(t.Context(), store.Key{Thread: name})
		d, damaged := lost[name]
		if errors.Is(err, store.ErrNotFound) && damaged && d.Messages == 0 {
			continue
		}
		if err != nil || len(es) != want-d.Lost || damaged && d.Messages != len(es) {
			t.Fatalf("page %d: %s has %d messages: %v, %+v", page, name, len(es), err, d)
		}
		for _, x := range es {
			if was := written[x.ID]; was.Digest != x.Digest || was.Erased != x.Erased || !reflect.DeepEqual(was.Message, x.Message) {
				t.Fatalf("page %d: %s holds what was not written: %v", page, name, x)
			}
		}
		if p, err := to.Plan(t.Context(), store.Key{Thread: name}); !damaged && name != "fork" && (err != nil || p.Version != 3) {
			t.Errorf("page %d: the plan of %s is %v: %v", page, name, p, err)
		}
	}
}
