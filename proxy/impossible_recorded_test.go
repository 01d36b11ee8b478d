package proxy_test

import (
	"context"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/thread"
)

// slowToWrite is a store that takes its time to write.
type slowToWrite struct{ store.Store }

func (l slowToWrite) Append(ctx context.Context, k store.Key, b store.Batch) (store.Head, error) {
	time.Sleep(200 * time.Millisecond)
	return l.Store.Append(ctx, k, b)
}

// A request that no budget fits is logged like any other: a client that has read the whole
// answer finds both in the log.
//
// SPEC: V1, V4
func TestImpossibleIsRecorded(t *testing.T) {
	bothOf(t, few(apis), func(t *testing.T, a api, stream bool) {
		s := memory.New()
		o := options(newProvider(t).url)
		o.Budget, o.Engine.Store = 10, slowToWrite{s}
		g := newAgent(t, a, serve(t, o).url, stream)
		for range 2 { // the first is held back until its credential is accepted
			g.step()
			sent := len(g.messages) - len(g.last)
			heads, err := s.Heads(t.Context(), "")
			if err != nil || len(heads) != 1 || heads[0].Len < sent {
				t.Fatalf("%v: %d messages sent, %+v", err, sent, heads)
			}
			var answers []thread.Entry
			if answers, err = s.Load(t.Context(), heads[0].Key.Answers()); err != nil || len(answers) == 0 {
				t.Errorf("%v: %d answers", err, len(answers))
			}
		}
	})
}
