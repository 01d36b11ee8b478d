package storetest

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

var raceTests = map[string]func(*testing.T, store.Store){
	"RaceAppend":  raceAppend,
	"RaceSame":    raceSame,
	"RaceThreads": raceThreads,
	"RaceCommit":  raceCommit,
	"RaceOnce":    raceOnce,
}

// SPEC: V1, L17
func raceAppend(t *testing.T, s store.Store) {
	const writers, each = 8, 10
	var g errgroup.Group
	for w := range writers {
		g.Go(func() error {
			for i := range each {
				if err := insist(t, s, fmt.Sprintf("%d/%d", w, i)); err != nil {
					return err
				}
			}
			return nil
		})
	}
	noError(t, g.Wait())
	es, err := s.Load(ctx(t), mainKey)
	noError(t, err)
	th, err := thread.New(es)
	noError(t, err)
	noError(t, th.Verify())
	seen := map[string]int{}
	for _, e := range es {
		seen[e.Message.Parts[0].Body()]++
	}
	equal(t, writers*each, len(es))
	equal(t, writers*each, len(seen))
}

// insist appends after whatever is there.
func insist(t *testing.T, s store.Store, text string) error {
	for {
		h, err := s.Head(ctx(t), mainKey)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		_, err = s.Append(ctx(t), mainKey, store.Batch{Tip: h.Tip, Entries: say(h.Tip, text), Now: now(0)})
		if !errors.Is(err, store.ErrStale) {
			return err
		}
	}
}

// SPEC: V1, L17
func raceSame(t *testing.T, s store.Store) {
	const writers = 8
	var g errgroup.Group
	for w := range writers {
		g.Go(func() error { // the same conversation, spaced differently
			es := say("", "one", "two")
			es[1].Message.Raw = fmt.Appendf(nil, `{"content":"two","from":%d}`, w)
			_, err := s.Append(ctx(t), mainKey, store.Batch{Entries: es, Now: now(0)})
			return err
		})
	}
	noError(t, g.Wait())
	es, err := s.Load(ctx(t), mainKey)
	noError(t, err)
	equal(t, 2, len(es))
	vs, err := s.Variants(ctx(t), mainKey, es[1].ID)
	noError(t, err)
	equal(t, writers-1, len(vs))
}

// SPEC: V1
func raceThreads(t *testing.T, s store.Store) {
	var g errgroup.Group
	for w := range 8 {
		g.Go(func() error {
			k := store.Key{Tenant: fmt.Sprint(w % 2), Thread: fmt.Sprint(w)}
			es := say("", many(12)...)
			for i := range es {
				var before thread.ID
				if i > 0 {
					before = es[i-1].ID
				}
				if _, err := s.Append(ctx(t), k, store.Batch{Tip: before, Entries: es[i : i+1], Now: now(i)}); err != nil {
					return err
				}
				have, err := s.Load(ctx(t), k)
				if err != nil || len(have) != i+1 {
					return fmt.Errorf("loaded %d of %d: %w", len(have), i+1, err)
				}
			}
			return nil
		})
	}
	noError(t, g.Wait())
	equal(t, 8, len(snapshot(t, s, "0", "1")))
}

// SPEC: L17
func raceCommit(t *testing.T, s store.Store) {
	const writers, versions = 8, 6
	es := say("", many(9)...)
	add(t, s, mainKey, store.Batch{Entries: es})
	var mu sync.Mutex
	won := map[int][]string{}
	var g errgroup.Group
	for w := range writers {
		g.Go(func() error {
			for {
				h, err := s.Head(ctx(t), mainKey)
				if err != nil || h.PlanVersion >= versions {
					return err
				}
				p := build(t, mainKey, h.PlanVersion+1, es, everyRecord(es)...)
				p.Policy = fmt.Sprint(w)
				a := artifact.Artifact{ID: fmt.Sprintf("a%d-%d", p.Version, w), Source: es[0].ID}
				err = s.Commit(ctx(t), mainKey, p, []artifact.Artifact{a})
				if errors.Is(err, store.ErrStale) {
					continue
				}
				if err != nil {
					return err
				}
				mu.Lock()
				won[p.Version] = append(won[p.Version], p.Policy)
				mu.Unlock()
			}
		})
	}
	noError(t, g.Wait())
	checkWinners(t, s, won, versions)
}

// checkWinners checks that each version is its one winner's, artifact and all.
func checkWinners(t *testing.T, s store.Store, won map[int][]string, versions int) {
	t.Helper()
	list, err := s.ArtifactList(ctx(t), mainKey)
	noError(t, err)
	equal(t, versions, len(list))
	for v := 1; v <= versions; v++ {
		equal(t, 1, len(won[v]))
		var p *plan.Plan
		p, err = s.PlanAt(ctx(t), mainKey, v)
		noError(t, err)
		equal(t, won[v][0], p.Policy)
		_, err = s.Artifact(ctx(t), mainKey, fmt.Sprintf("a%d-%s", v, p.Policy))
		noError(t, err)
	}
}

// SPEC: L17: of many commits on one version one wins; the others are told, and
// find the winner's plan, artifact and all, at once.
func raceOnce(t *testing.T, s store.Store) {
	const writers = 12
	es := say("", many(9)...)
	add(t, s, mainKey, store.Batch{Entries: es})
	won := make([]bool, writers)
	seen := make([]string, writers) // whose plan each found
	start := make(chan struct{})
	var g errgroup.Group
	for w := range writers {
		p := build(t, mainKey, 1, es, everyRecord(es)...)
		p.Policy = fmt.Sprint(w)
		g.Go(func() error {
			<-start
			a := artifact.Artifact{ID: "a" + p.Policy, Source: es[0].ID, Content: []byte(p.Policy)}
			err := s.Commit(ctx(t), mainKey, p, []artifact.Artifact{a})
			won[w] = err == nil
			if err != nil && !errors.Is(err, store.ErrStale) {
				return err
			}
			current, err := s.Plan(ctx(t), mainKey)
			if err != nil {
				return err
			}
			seen[w] = current.Policy
			_, err = s.Artifact(ctx(t), mainKey, "a"+current.Policy)
			return err
		})
	}
	close(start)
	noError(t, g.Wait())
	winner := slices.Index(won, true)
	for w := range writers {
		equal(t, w == winner, won[w])
		equal(t, fmt.Sprint(winner), seen[w])
	}
	list, err := s.ArtifactList(ctx(t), mainKey)
	noError(t, err)
	equal(t, 1, len(list))
}
