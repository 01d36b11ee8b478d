package sqlite_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/sqlite"
	"github.com/seed-3db51b0e/precis/thread"
)

// One of several batches that cannot be appended does not keep the others out.
//
// SPEC: V1
func TestAppendAll(t *testing.T) {
	s, err := sqlite.Open(t.Context(), t.TempDir()+"/p.db", sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var all []store.Addition
	for i := range 9 {
		b := store.Batch{Entries: thread.Extend("", []message.Message{message.TextOf(message.User, fmt.Sprint("message ", i))}), Now: time.Unix(1, 0)}
		if i == 4 {
			b = store.Batch{Tip: b.Last(), Entries: thread.Extend(b.Last(), []message.Message{message.TextOf(message.User, "after nothing")})}
		}
		if i == 6 {
			b.Variants = []store.Variant{{ID: "nobody", Raw: []byte("{}")}}
		}
		all = append(all, store.Addition{Key: store.Key{Thread: fmt.Sprint(i)}, Batch: b})
	}
	for i, err := range s.AppendAll(t.Context(), all) {
		want := map[int]error{4: store.ErrStale, 6: store.ErrNotFound}[i]
		if !errors.Is(err, want) {
			t.Errorf("batch %d: %v, want %v", i, err, want)
		}
		es, err := s.Load(t.Context(), all[i].Key)
		if want == nil && (err != nil || len(es) != 1) || want != nil && !errors.Is(err, store.ErrNotFound) {
			t.Errorf("thread %d: %d entries, %v", i, len(es), err)
		}
	}
}
