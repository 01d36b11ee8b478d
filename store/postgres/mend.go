package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

// Check implements store.Maintained.
func (s *Store) Check(ctx context.Context) (found []store.Damage, contents int, err error) {
	heads, err := s.AllHeads(ctx)
	if err != nil {
		return nil, 0, fmt.Errorf("check store: %w", err)
	}
	for _, h := range heads {
		if found, err = s.checkThread(ctx, h, found); err != nil {
			return nil, 0, fmt.Errorf("check store: %w", err)
		}
	}
	for _, sql := range bodyTables {
		n, bad, err := s.checkBodies(ctx, sql)
		if err != nil {
			return nil, 0, fmt.Errorf("check store: %w", classify(err))
		}
		contents += n
		cache := strings.HasSuffix(sql, "summaries")
		if what := "another form of a message, an artifact or a request's parameters"; bad != nil && (cache || len(found) == 0) {
			if cache {
				what = "a cached summary"
			}
			found = append(found, store.Damage{What: what, Repair: cache, Err: bad})
		}
	}
	return found, contents, nil
}

// checkBodies hashes a column of content.
func (s *Store) checkBodies(ctx context.Context, sql string) (n int, bad, err error) {
	err = eachRow(ctx, s.pool, func(rows pgx.Rows) error {
		var body []byte
		if err := rows.Scan(&body); err != nil || len(body) == 0 {
			return err
		}
		n++
		_, err := s.unpack(ctx, body)
		if errors.Is(err, ErrCorrupt) {
			bad, err = err, nil
		}
		return err
	}, sql)
	return n, bad, err
}

// checkThread reads a thread's messages and every version of its plan.
func (s *Store) checkThread(ctx context.Context, h store.Head, found []store.Damage) ([]store.Damage, error) {
	if _, err := s.Load(ctx, h.Key); errors.Is(err, ErrCorrupt) {
		found = append(found, store.Damage{Key: h.Key, What: "messages", Err: err})
	} else if err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	for v := range h.PlanVersion {
		if _, err := s.PlanAt(ctx, h.Key, v+1); errors.Is(err, ErrCorrupt) {
			found = append(found, store.Damage{Key: h.Key, What: fmt.Sprintf("version %d of the plan", v+1), Repair: true, Err: err})
		} else if err != nil && !errors.Is(err, store.ErrErased) && !errors.Is(err, store.ErrNotFound) {
			return nil, err
		}
	}
	return found, nil
}

// Repair implements store.Maintained: it takes damaged records out of plans. Where the
// current plan is damaged beside that, the newest version that is sound becomes the
// current one; where none is, one without records.
func (s *Store) Repair(ctx context.Context, found []store.Damage, now time.Time) error {
	for _, k := range store.ToRepair(found) {
		if err := s.repair(ctx, k, now); err != nil {
			return fmt.Errorf("repair store: %w", classify(err))
		}
	}
	return nil
}

func (s *Store) repair(ctx context.Context, k store.Key, now time.Time) error {
	if k == (store.Key{}) {
		_, err := s.pool.Exec(ctx, `DELETE FROM summaries`)
		return err
	}
	h, err := s.Head(ctx, k)
	if err != nil {
		return err
	}
	if err := s.mend(ctx, s.idOf(k)); err != nil {
		return err
	}
	_, err = s.PlanAt(ctx, k, h.PlanVersion)
	if !damaged(err) {
		return err
	}
	p, err := s.soundPlan(ctx, k)
	if err != nil {
		return err
	}
	p.Version, p.CreatedAt = p.Version+1, now.UTC()
	return s.Commit(ctx, k, p, nil)
}

// damaged reports whether an error says that content cannot be read any more.
func damaged(err error) bool { return errors.Is(err, ErrCorrupt) || errors.Is(err, store.ErrErased) }

// soundPlan returns what takes the place of a thread's current plan where that was found
// damaged: the newest version that is not, with the current version's number, so that
// the next commit follows it; else a plan without records, and everything is in the
// prompt until the next compaction. It reads the current version as well: another node
// may have committed it meanwhile.
func (s *Store) soundPlan(ctx context.Context, k store.Key) (*plan.Plan, error) {
	versions, err := s.planVersions(ctx, k)
	if err != nil || len(versions) == 0 {
		return nil, cmp.Or(err, error(store.ErrNotFound))
	}
	current := versions[len(versions)-1]
	for _, v := range slices.Backward(versions) {
		p, err := s.PlanAt(ctx, k, v.Version)
		if err == nil {
			p.Version = current.Version
			return p, nil
		}
		if !damaged(err) {
			return nil, err
		}
	}
	p := plan.Plan{
		Thread: k.Thread, Version: current.Version, Base: current.Base, Policy: current.Policy,
		Original: current.Original, Compacted: current.Original, CreatedAt: current.Created,
	}
	at, err := s.locate(ctx, s.pool, s.idOf(k), []thread.ID{p.Base})
	if of, ok := at[p.Base]; ok {
		p.ThreadVersion = of.seq + 1
	}
	return plan.Restore(p), err
}

// mendSuspect takes the damaged records of a thread out of its plans where this node found
// its plan damaged, so that the plan that is written next shares none of them.
func (s *Store) mendSuspect(ctx context.Context, k store.Key) error {
	id := s.idOf(k)
	if _, ok := s.suspects.Load(id); !ok {
		return nil
	}
	err := s.mend(ctx, id)
	if err == nil {
		s.suspects.Delete(id)
	}
	return err
}

// mend takes damaged records out of all versions of a thread's plan.
func (s *Store) mend(ctx context.Context, id threadID) error {
	return s.erasing(ctx, func(tx pgx.Tx) ([][]byte, error) {
		var all, bad []int64
		err := eachRow(ctx, tx, func(rows pgx.Rows) error {
			var n int64
			err := rows.Scan(&n)
			all = append(all, n)
			return err
		}, `SELECT n FROM records WHERE thread = $1 AND hash IS NOT NULL`, id[:])
		if err != nil {
			return nil, err
		}
		for _, n := range all {
			if _, err := s.records(ctx, tx, id, `n = $2`, n); damaged(err) {
				bad = append(bad, n)
			} else if err != nil {
				return nil, err
			}
		}
		if len(bad) == 0 {
			return nil, nil
		}
		_, err = tx.Exec(ctx, dropRecords+` AND n = ANY($2)`, id[:], bad)
		return nil, err
	})
}
