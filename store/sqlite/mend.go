package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	driver "modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
)

// damaged reports whether an error says that content cannot be read any more.
func damaged(err error) bool {
	err = classify(err)
	return errors.Is(err, ErrCorrupt) || errors.Is(err, store.ErrErased)
}

// unreadable reports whether SQLite itself cannot read a page of the file: then it cannot
// be written either, and nothing in it can be repaired.
func unreadable(err error) bool {
	var e *driver.Error
	return errors.As(err, &e) && e.Code()&0xff == lib.SQLITE_CORRUPT
}

// soundPlan returns what takes the place of a thread's current plan where that is
// damaged: the newest version that is not, with the current version's number, so that
// the next commit follows it; else a plan without records, and everything is in the
// prompt until the next compaction.
func (s *Store) soundPlan(ctx context.Context, q querier, th row) (*plan.Plan, error) {
	current := th.head.PlanVersion
	for v := current - 1; v > 0; v-- {
		p, err := s.planAt(ctx, q, th, v)
		if err == nil {
			p.Version = current
			return p, nil
		}
		if !damaged(err) {
			return nil, err
		}
	}
	p := plan.Plan{Thread: th.head.Key.Thread, Version: current}
	var base []byte
	var created string
	err := q.QueryRowContext(ctx, `SELECT base, policy, original, created FROM plans WHERE thread = ? AND version = ?`, th.id, current).
		Scan(&base, &p.Policy, &p.Original, &created)
	if err != nil {
		return nil, err
	}
	p.Base, p.Compacted = s.zip.seal.TextID(base), p.Original
	at, ok, err := s.locate(ctx, q, th.id, p.Base)
	if ok {
		p.ThreadVersion = at.seq + 1
	}
	if err == nil {
		p.CreatedAt, err = readTime(created)
	}
	return plan.Restore(p), err
}

// mend takes damaged records out of all versions of a thread's plan, and marks damaged
// headers, so that nothing that is written later shares them. It returns how much it
// took out.
func (s *Store) mend(ctx context.Context, tx *sql.Tx, th row) (int, error) {
	vs, err := versionsOf(ctx, tx, th.id)
	if err != nil {
		return 0, err
	}
	var headers, records []int64
	for _, v := range vs {
		_, err := s.content(ctx, tx, `SELECT `+columns+` FROM blobs b WHERE b.id = ?`, v.header)
		if errors.Is(err, ErrCorrupt) {
			headers = append(headers, v.header)
		} else if err != nil && !errors.Is(err, store.ErrErased) {
			return 0, err
		}
	}
	for _, id := range recordsOf(vs) {
		if _, err := s.records(ctx, tx, th.id, []int64{id}); errors.Is(err, ErrCorrupt) {
			records = append(records, id)
		} else if err != nil && !errors.Is(err, store.ErrErased) {
			return 0, err
		}
	}
	bodies, err := recordBodies(ctx, tx, records)
	if err != nil {
		return 0, err
	}
	return len(headers) + len(records), markErased(ctx, tx, append(headers, bodies...))
}

func recordBodies(ctx context.Context, tx *sql.Tx, records []int64) ([]int64, error) {
	js, err := json.Marshal(append([]int64{}, records...))
	if err != nil {
		return nil, err
	}
	return rowIDs(ctx, tx, `SELECT body FROM records WHERE id IN (SELECT value FROM json_each(?))`, string(js))
}

// markErased takes the data of blobs away, whoever needs it: it cannot be read.
func markErased(ctx context.Context, tx *sql.Tx, blobs []int64) error {
	js, err := json.Marshal(append([]int64{}, blobs...))
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE blobs SET data = NULL, erased_at = strftime('%Y-%m-%dT%H:%M:%fZ')
WHERE erased_at IS NULL AND id IN (SELECT value FROM json_each(?))`, string(js))
	return err
}

// Check implements store.Maintained.
func (s *Store) Check(ctx context.Context) (found []store.Damage, blobs int, err error) {
	heads, err := s.AllHeads(ctx)
	if err != nil {
		return nil, 0, fmt.Errorf("check store: %w", err)
	}
	for _, h := range heads {
		if found, err = s.checkThread(ctx, h, found); err != nil {
			return nil, 0, fmt.Errorf("check store: %w", err)
		}
	}
	for _, kind := range []struct {
		what, query string
		repair      bool
	}{
		{"another form of a message, an artifact or a request's parameters", `SELECT ` + columns + ` FROM blobs b WHERE b.erased_at IS NULL`, false},
		{"a cached summary", `SELECT b.hash, b.size, b.codec, b.data, NULL FROM summaries b`, true},
	} {
		bad := 0
		err := eachRow(ctx, s.r, func(rows *sql.Rows) error {
			var p packed
			if err := rows.Scan(p.dest()...); err != nil {
				return err
			}
			blobs++
			if _, err := s.zip.unpack(&p); err != nil {
				bad++
			}
			return nil
		}, kind.query)
		if err != nil {
			return nil, 0, fmt.Errorf("check store: %w", classify(err))
		}
		if bad > 0 && (kind.repair || len(found) == 0) {
			found = append(found, store.Damage{What: kind.what, Repair: kind.repair, Err: ErrCorrupt})
		}
	}
	return found, blobs, nil
}

// checkThread reads a thread's messages and every version of its plan.
func (s *Store) checkThread(ctx context.Context, h store.Head, found []store.Damage) ([]store.Damage, error) {
	if _, err := s.Load(ctx, h.Key); errors.Is(err, ErrCorrupt) {
		found = append(found, store.Damage{Key: h.Key, What: "messages", Err: err})
	} else if err != nil {
		return found, s.unlessGone(ctx, h.Key, err)
	}
	for v := range h.PlanVersion {
		if _, err := s.PlanAt(ctx, h.Key, v+1); errors.Is(err, ErrCorrupt) {
			found = append(found, store.Damage{Key: h.Key, What: fmt.Sprintf("version %d of the plan", v+1), Repair: !unreadable(err), Err: err})
		} else if err != nil && !errors.Is(err, store.ErrErased) {
			return found, s.unlessGone(ctx, h.Key, err)
		}
	}
	return found, nil
}

// unlessGone returns an error of reading a thread, nil where another process has retired the thread
// meanwhile.
func (s *Store) unlessGone(ctx context.Context, k store.Key, err error) error {
	if errors.Is(err, store.ErrNotFound) {
		if _, missing := s.Head(ctx, k); errors.Is(missing, store.ErrNotFound) {
			return nil
		}
	}
	return err
}

// Repair implements store.Maintained. It takes damaged records out of plans, commits what
// is left as a new version where the current one was damaged, and drops damaged cached
// summaries.
func (s *Store) Repair(ctx context.Context, found []store.Damage, now time.Time) error {
	for _, k := range store.ToRepair(found) {
		if err := s.repair(ctx, k, now); err != nil {
			return fmt.Errorf("repair store: %w", err)
		}
	}
	return nil
}

func (s *Store) repair(ctx context.Context, k store.Key, now time.Time) error {
	if k == (store.Key{}) {
		return s.write(ctx, func(tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, `DELETE FROM summaries`)
			return err
		})
	}
	h, err := s.Head(ctx, k)
	if err != nil {
		return err
	}
	p, err := s.PlanAt(ctx, k, h.PlanVersion)
	isSound := err == nil
	if damaged(err) {
		p, err = s.Plan(ctx, k)
	}
	if err != nil {
		return err
	}
	err = s.write(ctx, func(tx *sql.Tx) error {
		th, err := s.find(ctx, tx, k)
		if err != nil {
			return err
		}
		_, err = s.mend(ctx, tx, th)
		return err
	})
	if err != nil || isSound {
		return err
	}
	p.Version, p.CreatedAt = p.Version+1, now.UTC()
	return s.Commit(ctx, k, p, nil)
}
