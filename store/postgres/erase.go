package postgres

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/internal/encoding"
	"github.com/seed-3db51b0e/precis/thread"
)

// erasing runs f in a transaction that may change what was written, and then removes
// the objects of the bodies that f returns. f may run more than once.
func (s *Store) erasing(ctx context.Context, f func(tx pgx.Tx) ([][]byte, error)) error {
	var bodies [][]byte
	err := s.retried(ctx, func() error {
		return pgx.BeginTxFunc(ctx, s.pool, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, func(tx pgx.Tx) (err error) {
			if _, err = tx.Exec(ctx, `SET LOCAL precis.erasing = 'on'`); err == nil {
				bodies, err = f(tx)
			}
			return err
		})
	})
	if err != nil {
		return err
	}
	return s.dropObjects(ctx, bodies)
}

// family locks the thread of a branch and all that share entries of it, and counts the
// erasure in them, so that what was read of them before is not written on.
func family(ctx context.Context, tx pgx.Tx, branch threadID) (ids [][]byte, err error) {
	err = eachRow(ctx, tx, func(rows pgx.Rows) error {
		var id []byte
		err := rows.Scan(&id)
		ids = append(ids, id)
		return err
	}, `SELECT id FROM threads WHERE id = $1 OR ancestors @> ARRAY[$1::bytea] ORDER BY id FOR UPDATE`, branch[:])
	if err == nil {
		_, err = tx.Exec(ctx, `UPDATE threads SET erasures = erasures + 1 WHERE id = ANY($1)`, ids)
	}
	return ids, err
}

// Erase implements store.Erasures.
func (s *Store) Erase(ctx context.Context, k store.Key, id string, why artifact.Tombstone) error {
	err := s.erasing(ctx, func(tx pgx.Tx) ([][]byte, error) {
		a, err := s.seeOne(ctx, tx, k, id)
		if err != nil || a.Erased != nil {
			return nil, err
		}
		return eraseArtifact(ctx, tx, named{a.branch, a.seq, s.seal.Label(id)}, why)
	})
	if err != nil {
		return fail("erase artifact", k, err)
	}
	return nil
}

// named is an artifact wherever it is kept: the place of its source and its id, as it is
// stored.
type named struct {
	branch threadID
	seq    int
	id     string
}

// eraseArtifact marks an artifact as erased and removes its content, which it returns.
func eraseArtifact(ctx context.Context, tx pgx.Tx, a named, why artifact.Tombstone) ([][]byte, error) {
	all, err := family(ctx, tx, a.branch)
	if err != nil {
		return nil, err
	}
	if err := writeTombstone(ctx, tx, a, false, why); err != nil {
		return nil, err
	}
	return bodies(ctx, tx, `WITH old AS (SELECT thread, name, n, body FROM artifacts
  WHERE thread = ANY($1) AND branch = $2 AND seq = $3 AND name = $4),
gone AS (UPDATE artifacts a SET body = '' FROM old WHERE a.thread = old.thread AND a.name = old.name AND a.n = old.n)
SELECT body FROM old`, all, a.branch[:], int64(a.seq), []byte(a.id))
}

// bodies reads a column of bodies.
func bodies(ctx context.Context, q querier, sql string, args ...any) (all [][]byte, err error) {
	err = eachRow(ctx, q, func(rows pgx.Rows) error {
		var body []byte
		err := rows.Scan(&body)
		all = append(all, body)
		return err
	}, sql, args...)
	return all, err
}

// writeTombstone writes a tombstone unless there is one: the first stays.
func writeTombstone(ctx context.Context, tx pgx.Tx, a named, whole bool, why artifact.Tombstone) error {
	_, err := tx.Exec(ctx, `INSERT INTO erasures (thread, seq, whole, artifact, erased_at, erased_by, reason)
VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING`, a.branch[:], int64(a.seq), whole, []byte(a.id),
		encoding.Time(why.At), []byte(why.By), []byte(cmp.Or(why.Reason, artifact.ReasonErased)))
	return err
}

// Expire implements store.Erasures. Each artifact is a transaction of its own.
func (s *Store) Expire(ctx context.Context, tenant string, now time.Time) (n int, err error) {
	over, err := s.expired(ctx, tenant, now)
	for _, a := range over {
		if err != nil {
			break
		}
		err = s.erasing(ctx, func(tx pgx.Tx) ([][]byte, error) {
			return eraseArtifact(ctx, tx, a, artifact.Tombstone{At: now, Reason: artifact.ReasonExpired})
		})
		if err == nil {
			n++
		}
	}
	if err != nil {
		return n, fmt.Errorf("expire artifacts: %w", classify(err))
	}
	return n, nil
}

// expired finds the artifacts of a tenant whose time is over in every thread that
// committed them, by what each committed last.
func (s *Store) expired(ctx context.Context, tenant string, now time.Time) (list []named, err error) {
	over := map[named]bool{}
	err = eachRow(ctx, s.pool, func(rows pgx.Rows) error {
		var n named
		var branch, name []byte
		var created string
		var ttl int64
		if err := rows.Scan(&branch, &n.seq, &name, &created, &ttl); err != nil {
			return err
		}
		copy(n.branch[:], branch)
		n.id = string(name)
		at, err := readTime(created)
		a := artifact.Artifact{Created: at, TTL: time.Duration(ttl)}
		before, seen := over[n]
		over[n] = a.Expired(now) && (before || !seen)
		return err
	}, `SELECT DISTINCT ON (a.thread, a.branch, a.seq, a.name) a.branch, a.seq, a.name, a.created, a.ttl
FROM threads t JOIN artifacts a ON a.thread = t.id
WHERE t.tenant = $1 AND NOT EXISTS (SELECT 1 FROM erasures x
  WHERE x.thread = a.branch AND x.seq = a.seq AND (x.whole OR x.artifact = a.name))
ORDER BY a.thread, a.branch, a.seq, a.name, a.n DESC`, s.seal.Name(tenant))
	for n, done := range over {
		if done {
			list = append(list, n)
		}
	}
	return list, err
}

// EraseEntry implements store.Erasures.
func (s *Store) EraseEntry(ctx context.Context, k store.Key, id thread.ID, why artifact.Tombstone) error {
	err := s.erasing(ctx, func(tx pgx.Tx) ([][]byte, error) {
		at, err := s.locate(ctx, tx, s.idOf(k), []thread.ID{id})
		if err != nil {
			return nil, err
		}
		p, ok := at[id]
		if !ok {
			return nil, store.ErrNotFound
		}
		if p.erased {
			return nil, nil
		}
		return s.eraseAt(ctx, tx, k, id, p, why)
	})
	if err != nil {
		return fail("erase entry", k, fmt.Errorf("entry %s: %w", id, err))
	}
	return nil
}

// eraseAt puts a tombstone in the place of a message, and removes what came from it.
func (s *Store) eraseAt(ctx context.Context, tx pgx.Tx, k store.Key, id thread.ID, p place, why artifact.Tombstone) ([][]byte, error) {
	all, err := family(ctx, tx, p.branch)
	if err != nil {
		return nil, err
	}
	gone, err := bodies(ctx, tx, `SELECT body FROM entries WHERE thread = $1 AND seq = $2`, p.branch[:], int64(p.seq))
	if err != nil {
		return nil, err
	}
	if why.Reason == "" {
		why.Reason = artifact.ReasonErased
	}
	left, err := s.tombstone(ctx, gone[0], why)
	if err != nil {
		return nil, err
	}
	_, err = tx.Exec(ctx, `UPDATE entries SET body = $3, form = '', tokens = 0, counter = '', erased = true WHERE thread = $1 AND seq = $2`,
		p.branch[:], int64(p.seq), left)
	if err != nil {
		return nil, err
	}
	if err := writeTombstone(ctx, tx, named{branch: p.branch, seq: p.seq}, true, why); err != nil {
		return nil, err
	}
	more, err := bodies(ctx, tx, `WITH old AS (SELECT thread, name, n, body FROM artifacts WHERE thread = ANY($1) AND branch = $2 AND seq = $3),
emptied AS (UPDATE artifacts a SET body = '' FROM old WHERE a.thread = old.thread AND a.name = old.name AND a.n = old.n),
forms AS (DELETE FROM variants WHERE thread = $2 AND seq = $3 RETURNING body)
SELECT body FROM old UNION ALL SELECT body FROM forms`, all, p.branch[:], int64(p.seq))
	if err != nil {
		return nil, err
	}
	if _, err := tx.Exec(ctx, `DELETE FROM summaries WHERE tenant = $1`, s.seal.Name(k.Tenant)); err != nil {
		return nil, err
	}
	return append(gone, more...), s.dropQuotes(ctx, tx, all, id, p)
}

// tombstone is the body of what is left of a message.
func (s *Store) tombstone(ctx context.Context, body []byte, why artifact.Tombstone) ([]byte, error) {
	content, err := s.unpack(ctx, body)
	if err != nil {
		return nil, err
	}
	m, err := encoding.ParseMessage(content)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	why.At = why.At.Round(0).UTC()
	left, err := encoding.Message(encoding.Erased(m, why))
	if err != nil {
		return nil, err
	}
	return s.pack(left)
}

// dropQuotes takes out of every version of every plan over an entry the records that may
// quote it. sharing are the threads that share entries of its own thread.
func (s *Store) dropQuotes(ctx context.Context, tx pgx.Tx, sharing [][]byte, id thread.ID, p place) error {
	over, err := bodies(ctx, tx, `SELECT thread FROM lineage WHERE thread = ANY($1) AND ancestor = $2 AND upto >= $3 ORDER BY thread`, sharing, p.branch[:], int64(p.seq))
	if err != nil {
		return err
	}
	for _, th := range over {
		found, err := s.records(ctx, tx, threadID(th), `TRUE`)
		bad := damaged(err) // then all of them may
		if err != nil && !bad {
			return err
		}
		gone := []int64{}
		for i := range found {
			if r := &found[i]; r.MayQuote(r.covers(id, p.seq), r.last > p.seq) {
				gone = append(gone, r.n)
			}
		}
		_, err = tx.Exec(ctx, dropRecords+` AND ($2 OR n = ANY($3))`, th, bad, gone)
		if err != nil {
			return err
		}
	}
	return nil
}

// covers reports whether the record's span has the entry at a position.
func (r *storedRecord) covers(id thread.ID, seq int) bool {
	if r.ids != nil {
		return slices.Contains(r.Span.IDs, id)
	}
	return r.start <= seq && seq < r.start+r.len
}

// dropRecords takes records of a thread out of the versions of its plan.
const dropRecords = `UPDATE records SET hash = NULL, body = '', ids = NULL WHERE thread = $1`
