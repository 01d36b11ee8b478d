package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/internal/encoding"
	"github.com/seed-3db51b0e/precis/thread"
)

// tombstoneRow is a row of erasures that a LEFT JOIN may not find.
type tombstoneRow struct{ at, by, reason sql.NullString }

// tombstoneColumns selects what dest scans, for a query that calls erasures x.
const tombstoneColumns = `x.erased_at, x.erased_by, x.reason`

func (g *tombstoneRow) dest() []any { return []any{&g.at, &g.by, &g.reason} }

// tombstone returns nil where the join found no row.
func (g *tombstoneRow) tombstone() (*artifact.Tombstone, error) {
	if !g.at.Valid {
		return nil, nil
	}
	at, err := readTime(g.at.String)
	return &artifact.Tombstone{At: at, By: g.by.String, Reason: g.reason.String}, err
}

// Erase implements store.Erasures.
func (s *Store) Erase(ctx context.Context, k store.Key, id string, why artifact.Tombstone) error {
	err := s.erasing(ctx, func(tx *sql.Tx) (int, error) {
		th, err := s.find(ctx, tx, k)
		if err != nil {
			return 0, err
		}
		at, gone, err := nearestPlace(ctx, tx, th.id, s.zip.seal.Label(id))
		if err != nil || gone {
			return 0, err
		}
		return 1, eraseArtifact(ctx, tx, at, s.zip.seal.Label(id), why)
	})
	if err != nil {
		return fail("erase artifact", k, fmt.Errorf("artifact %q: %w", id, err))
	}
	return nil
}

// erasing runs f, which returns how much it erased, in a transaction, and then folds the
// write-ahead log into the file and empties it: it still holds the old pages. Freed
// pages of the file are overwritten (secure_delete).
func (s *Store) erasing(ctx context.Context, f func(*sql.Tx) (int, error)) error {
	n := 0
	err := s.write(ctx, func(tx *sql.Tx) (err error) {
		n, err = f(tx)
		return err
	})
	if err != nil || n == 0 {
		return err
	}
	return s.checkpoint(ctx)
}

// nearestPlace finds where the artifact that a thread sees was taken from, and
// whether its content is gone already.
func nearestPlace(ctx context.Context, tx *sql.Tx, th int64, id string) (at place, gone bool, err error) {
	found := false
	err = eachRow(ctx, tx, func(rows *sql.Rows) error {
		found = true
		return rows.Scan(&at.branch, &at.seq, &gone)
	}, `SELECT a.branch, a.seq, x.id IS NOT NULL`+visible+` AND a.name = ?`+nearestFirst+` LIMIT 1`, th, id)
	if err == nil && !found {
		err = store.ErrNotFound
	}
	return at, gone, err
}

// eraseArtifact marks an artifact as erased and removes its content.
func eraseArtifact(ctx context.Context, tx *sql.Tx, at place, id string, why artifact.Tombstone) error {
	if err := writeTombstone(ctx, tx, at, id, nil, why); err != nil {
		return err
	}
	return dropQueried(ctx, tx, `SELECT body FROM artifacts WHERE branch = ? AND seq = ? AND name = ?`, at.branch, at.seq, id)
}

// writeTombstone writes a tombstone. artifact and instead are NULL for each other.
func writeTombstone(ctx context.Context, tx *sql.Tx, at place, artifactID, instead any, why artifact.Tombstone) error {
	_, err := tx.ExecContext(ctx, `
INSERT INTO erasures (branch, seq, artifact, body, erased_at, erased_by, reason) VALUES (?, ?, ?, ?, ?, ?, ?)`,
		at.branch, at.seq, artifactID, instead, encoding.Time(why.At), why.By, cmp.Or(why.Reason, artifact.ReasonErased))
	return err
}

// dropQueried removes the content of the blobs that a query names, see dropContent.
func dropQueried(ctx context.Context, tx *sql.Tx, query string, args ...any) error {
	ids, err := rowIDs(ctx, tx, query, args...)
	if err != nil {
		return err
	}
	return dropContent(ctx, tx, ids, nil)
}

// rowIDs reads a column of row ids.
func rowIDs(ctx context.Context, q querier, query string, args ...any) (ids []int64, err error) {
	err = eachRow(ctx, q, func(rows *sql.Rows) error {
		var id int64
		err := rows.Scan(&id)
		ids = append(ids, id)
		return err
	}, query, args...)
	return ids, err
}

// dropContent removes the content of blobs that nothing else needs: a tenant's equal
// content is stored once. The records given no longer count. No index leads from a
// blob to what needs it, since every append would pay for that: each of these tables
// is read once.
func dropContent(ctx context.Context, tx *sql.Tx, blobs, records []int64) error {
	which, err := json.Marshal(append([]int64{}, blobs...))
	if err != nil {
		return err
	}
	going, err := json.Marshal(append([]int64{}, records...))
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `
WITH which (id) AS MATERIALIZED (SELECT value FROM json_each(?1)),
going (id) AS MATERIALIZED (SELECT value FROM json_each(?2)),
gone (branch, seq, artifact) AS MATERIALIZED (SELECT branch, seq, artifact FROM erasures),
needed (id) AS (
  SELECT body FROM entries e WHERE body IN which
    AND NOT EXISTS (SELECT 1 FROM gone x WHERE x.branch = e.branch AND x.seq = e.seq AND x.artifact IS NULL)
  UNION ALL SELECT body FROM variants v WHERE body IN which
    AND NOT EXISTS (SELECT 1 FROM gone x WHERE x.branch = v.branch AND x.seq = v.seq AND x.artifact IS NULL)
  UNION ALL SELECT body FROM artifacts a WHERE body IN which
    AND NOT EXISTS (SELECT 1 FROM gone x WHERE x.branch = a.branch AND x.seq = a.seq AND (x.artifact IS NULL OR x.artifact = a.name))
  UNION ALL SELECT body FROM envelopes WHERE body IN which
  UNION ALL SELECT header FROM plans WHERE header IN which
  UNION ALL SELECT body FROM records WHERE body IN which AND id NOT IN going
  UNION ALL SELECT body FROM erasures WHERE body IN which)
UPDATE blobs SET data = NULL, erased_at = strftime('%Y-%m-%dT%H:%M:%fZ')
WHERE id IN which AND erased_at IS NULL AND id NOT IN needed`, string(which), string(going))
	return err
}

// Expire implements store.Erasures.
func (s *Store) Expire(ctx context.Context, tenant string, now time.Time) (n int, err error) {
	why := artifact.Tombstone{At: now, Reason: artifact.ReasonExpired}
	err = s.erasing(ctx, func(tx *sql.Tx) (int, error) {
		over, err := s.expired(ctx, tx, tenant, now)
		if err != nil {
			return 0, err
		}
		n = len(over)
		for _, a := range over {
			if err := writeTombstone(ctx, tx, a.place, a.id, nil, why); err != nil {
				return 0, err
			}
		}
		if n == 0 {
			return 0, nil
		}
		return n, dropArtifacts(ctx, tx, over)
	})
	if err != nil {
		return 0, fmt.Errorf("expire artifacts: %w", classify(err))
	}
	return n, nil
}

// named is an artifact wherever it is kept: the place of its source and its id as it is
// stored.
type named struct {
	place
	id string
}

// expired finds the artifacts of a tenant whose time is over in every thread
// that committed them, by what each committed last.
func (s *Store) expired(ctx context.Context, tx *sql.Tx, tenant string, now time.Time) (list []named, err error) {
	over := map[named]bool{}
	err = eachRow(ctx, tx, func(rows *sql.Rows) error {
		var n named
		var a artifact.Artifact
		var created string
		if err := rows.Scan(&n.branch, &n.seq, &n.id, &created, &a.TTL); err != nil {
			return err
		}
		var err error
		a.Created, err = readTime(created)
		before, seen := over[n]
		over[n] = a.Expired(now) && (before || !seen)
		return err
	}, `SELECT a.branch, a.seq, a.name, a.created, a.ttl
FROM tenants n JOIN threads t ON t.tenant = n.id JOIN artifacts a ON a.thread = t.id
WHERE n.name = ? AND a.id = (SELECT max(id) FROM artifacts m
    WHERE m.thread = a.thread AND m.name = a.name AND m.branch = a.branch AND m.seq = a.seq)
  AND NOT EXISTS (SELECT 1 FROM erasures x
    WHERE x.branch = a.branch AND x.seq = a.seq AND (x.artifact IS NULL OR x.artifact = a.name))`, s.zip.seal.Name(tenant))
	for n, done := range over {
		if done {
			list = append(list, n)
		}
	}
	return list, err
}

// dropArtifacts removes the content of many artifacts at once.
func dropArtifacts(ctx context.Context, tx *sql.Tx, list []named) error {
	rows := make([][3]any, len(list))
	for i, n := range list {
		rows[i] = [3]any{n.branch, n.seq, fmt.Sprintf("%x", n.id)}
	}
	js, err := json.Marshal(rows)
	if err != nil {
		return err
	}
	return dropQueried(ctx, tx, `SELECT a.body FROM artifacts a JOIN json_each(?) j
ON a.branch = j.value ->> 0 AND a.seq = j.value ->> 1 AND a.name = CAST(unhex(j.value ->> 2) AS TEXT)`, string(js))
}

// EraseEntry implements store.Erasures.
func (s *Store) EraseEntry(ctx context.Context, k store.Key, id thread.ID, why artifact.Tombstone) error {
	err := s.erasing(ctx, func(tx *sql.Tx) (int, error) {
		th, err := s.find(ctx, tx, k)
		if err != nil {
			return 0, err
		}
		at, ok, err := s.locate(ctx, tx, th.id, id)
		if err != nil {
			return 0, err
		}
		if !ok {
			return 0, store.ErrNotFound
		}
		if gone, err := erased(ctx, tx, at); gone || err != nil {
			return 0, err
		}
		return 1, s.eraseAt(ctx, tx, th.tenant, at, why)
	})
	if err != nil {
		return fail("erase entry", k, fmt.Errorf("entry %s: %w", id, err))
	}
	return nil
}

// erased reports whether the entry itself is.
func erased(ctx context.Context, q querier, at place) (gone bool, err error) {
	err = q.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM erasures
WHERE branch = ? AND seq = ? AND artifact IS NULL)`, at.branch, at.seq).Scan(&gone)
	return gone, err
}

// eraseAt puts a tombstone in the place of a message, and removes what came
// from it.
func (s *Store) eraseAt(ctx context.Context, tx *sql.Tx, tenant int64, at place, why artifact.Tombstone) error {
	content, err := s.content(ctx, tx, `SELECT `+columns+` FROM entries e JOIN blobs b ON b.id = e.body
WHERE e.branch = ? AND e.seq = ?`, at.branch, at.seq)
	if err != nil {
		return err
	}
	m, err := encoding.ParseMessage(content)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	left, err := encoding.Message(encoding.Erased(m, why))
	if err != nil {
		return err
	}
	instead, err := storeBlob(ctx, tx, tenant, s.zip.pack(left))
	if err != nil {
		return err
	}
	if err := writeTombstone(ctx, tx, at, nil, instead, why); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM summaries WHERE tenant = ?`, tenant); err != nil {
		return err
	}
	if err := s.dropQuotes(ctx, tx, tenant, at); err != nil {
		return err
	}
	return dropQueried(ctx, tx, `
SELECT body FROM entries WHERE branch = ?1 AND seq = ?2
UNION SELECT body FROM variants WHERE branch = ?1 AND seq = ?2
UNION SELECT body FROM artifacts WHERE branch = ?1 AND seq = ?2`, at.branch, at.seq)
}

// Tombstones implements store.Maintained.
func (s *Store) Tombstones(ctx context.Context, k store.Key) (map[thread.ID]artifact.Tombstone, error) {
	q, done, err := s.view(ctx)
	if err != nil {
		return nil, fail("read tombstones", k, err)
	}
	defer done()
	th, err := s.find(ctx, q, k)
	if err != nil {
		return nil, fail("read tombstones", k, err)
	}
	all := map[thread.ID]artifact.Tombstone{}
	err = eachRow(ctx, q, func(rows *sql.Rows) error {
		var id []byte
		var g tombstoneRow
		if err := rows.Scan(append([]any{&id}, g.dest()...)...); err != nil {
			return err
		}
		why, err := g.tombstone()
		if err == nil {
			all[s.zip.seal.TextID(id)] = *why
		}
		return err
	}, `SELECT e.id, `+tombstoneColumns+` FROM lineage l JOIN erasures x ON x.branch = l.ancestor AND x.seq <= l.upto AND x.artifact IS NULL
JOIN entries e ON e.branch = x.branch AND e.seq = x.seq WHERE l.thread = ?`, th.id)
	if err != nil {
		return nil, fail("read tombstones", k, err)
	}
	return all, nil
}
