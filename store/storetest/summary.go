package storetest

import (
	"fmt"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/seed-3db51b0e/precis/store"
)

var summaryTests = map[string]func(*testing.T, store.Store){
	"Summaries":     summaries,
	"SummariesFull": summariesFull,
	"SummariesRace": summariesRace,
}

// cached checks what lies under a key, "" for nothing.
func cached(t *testing.T, s store.Store, tenant, key, want string) {
	t.Helper()
	data, err := s.Summary(ctx(t), tenant, key)
	if want == "" {
		isError(t, err, store.ErrNotFound)
		return
	}
	noError(t, err)
	equal(t, want, string(data))
}

// SPEC: L18
func summaries(t *testing.T, s store.Store) {
	put := func(tenant, key, data string) {
		t.Helper()
		given := []byte(data)
		noError(t, s.PutSummary(ctx(t), tenant, key, given, now(1)))
		if len(given) > 0 {
			given[0] = 'X' // the store has its own
		}
	}
	put("a", "hash:v1:policy:model:prompt", "of a")
	put("b", "hash:v1:policy:model:prompt", "of b")
	put("a", "odd \xff\x00 key", "\xff\x00")
	put("", "", "neither tenant nor key")
	for range 2 {
		put("a", "twice", "first")
		put("a", "twice", "second")
	}
	cached(t, s, "a", "hash:v1:policy:model:prompt", "of a")
	cached(t, s, "b", "hash:v1:policy:model:prompt", "of b")
	cached(t, s, "a", "hash:v2:policy:model:prompt", "") // another schema is another key
	cached(t, s, "a", "odd \xff\x00 key", "\xff\x00")
	cached(t, s, "a", "odd \xff", "")
	cached(t, s, "a", "HASH:v1:policy:model:prompt", "")
	cached(t, s, "", "", "neither tenant nor key")
	cached(t, s, "a", "twice", "second")
	cached(t, s, "c", "twice", "")
	noError(t, s.PutSummary(ctx(t), "a", "empty", nil, now(1)))
	data, err := s.Summary(ctx(t), "a", "empty")
	noError(t, err)
	equal(t, []byte{}, data)
	hs, err := s.Heads(ctx(t), "a")
	noError(t, err)
	equal(t, 0, len(hs)) // a cache makes no thread
}

// SPEC: L18
func summariesFull(t *testing.T, s store.Store) {
	noError(t, s.PutSummary(ctx(t), "other", "0", []byte("kept"), now(0)))
	for i := range store.MaxSummaries {
		noError(t, s.PutSummary(ctx(t), "", fmt.Sprint(i), []byte("s"), now(i)))
	}
	noError(t, s.PutSummary(ctx(t), "", "0", []byte("again"), now(1))) // put last now
	cached(t, s, "", "1", "s")
	noError(t, s.PutSummary(ctx(t), "", "one more", []byte("s"), now(0)))
	cached(t, s, "", "1", "")
	cached(t, s, "", "2", "s")
	cached(t, s, "", "0", "again")
	cached(t, s, "", "one more", "s")
	cached(t, s, "other", "0", "kept")
}

// SPEC: L18: threads that want the same summary at once all get one.
func summariesRace(t *testing.T, s store.Store) {
	var g errgroup.Group
	for w := range 8 {
		g.Go(func() error {
			for i := range 5 {
				if err := s.PutSummary(ctx(t), "", "key", fmt.Append(nil, w, i), now(i)); err != nil {
					return err
				}
				if _, err := s.Summary(ctx(t), "", "key"); err != nil {
					return err
				}
			}
			return nil
		})
	}
	noError(t, g.Wait())
}
