package precis_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/sqlite"
	"github.com/seed-3db51b0e/precis/store/writebehind"
)

// side is what a process has: an engine over a store that writes behind.
type side struct {
	*precis.Engine
	store *writebehind.Store
}

// Two processes that begin one thread at the same moment, with the same conversation or
// with two that begin alike, both compact it, and the log holds both.
//
// SPEC: V1, L17
func TestTwoProcessesBeginOneThread(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.db")
	var sides [2]side
	for i := range sides {
		beneath, err := sqlite.Open(t.Context(), path, sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		behind := writebehind.Over(beneath, func(_ store.Key, err error) {
			if !errors.Is(err, store.ErrStale) {
				t.Error(err)
			}
		})
		t.Cleanup(func() { _ = behind.Close() })
		sides[i] = side{newWith(t, precis.Options{Store: behind, Policy: policyOf(t, "balanced")}), behind}
	}
	rounds := 200
	if testing.Short() {
		rounds = 30
	}
	for round := range rounds {
		var turns [2]*precis.Turn
		var errs [2]error
		var histories [2][]message.Message
		var wg sync.WaitGroup
		for i, s := range sides {
			ms := []message.Message{message.TextOf(message.User, fmt.Sprint("begin round ", round))}
			for n := range 6 + round%3*i {
				who := ""
				if round%2 == 1 && n > 2 {
					who = fmt.Sprint(" of side ", i)
				}
				ms = append(ms, message.TextOf(message.Assistant, fmt.Sprint("answer ", n, who, strings.Repeat(" said at length", 40))),
					message.TextOf(message.User, fmt.Sprint("question ", n, who)))
			}
			histories[i] = ms
			wg.Go(func() {
				errs[i] = store.Retry(t.Context(), func() (err error) { // as who must know that it is written
					if turns[i], err = s.Prepare(t.Context(), request(fmt.Sprint("round ", round), ms, 600)); err != nil {
						return err
					}
					return s.store.Written(t.Context(), turns[i].Key, turns[i].Thread.Tip())
				})
			})
		}
		wg.Wait()
		for i, s := range sides {
			if errs[i] != nil || len(turns[i].Failures) > 0 || turns[i].Plan == nil {
				t.Fatalf("round %d, side %d: %v, %+v", round, i, errs[i], turns[i])
			}
			es, err := s.store.Load(t.Context(), turns[i].Key)
			if err != nil {
				t.Fatal(err)
			}
			want, holds := idOf(histories[i], len(histories[i])-1), false
			for _, e := range es {
				holds = holds || e.ID == want
			}
			if !holds {
				t.Fatalf("round %d, side %d: %s does not hold its history", round, i, turns[i].Key.Thread)
			}
		}
	}
}
