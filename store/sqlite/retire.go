package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/internal/encoding"
)

// oldThreads selects the threads, of all tenants, that nobody has written to since ?1
// and whose entries no newer thread shares. What a proxy keeps
// beside a thread (store.Key.Upstream, Answers) goes no sooner than the thread.
const oldThreads = `
FROM threads t JOIN tenants n ON n.id = t.tenant
WHERE t.updated < ?1
  AND NOT EXISTS (SELECT 1 FROM lineage l JOIN threads d ON d.id = l.thread WHERE l.ancestor = t.id AND d.updated >= ?1)
  AND NOT EXISTS (SELECT 1 FROM tenants m JOIN threads o ON o.tenant = m.id
    WHERE n.name IN (CAST(CAST(m.name AS TEXT) || ?2 AS BLOB), CAST(CAST(m.name AS TEXT) || ?3 AS BLOB)) AND o.name = t.name AND o.updated >= ?1)`

// Old implements store.Maintained.
func (s *Store) Old(ctx context.Context, before time.Time) (r store.Retired, err error) {
	err = s.r.QueryRowContext(ctx, `SELECT count(*), coalesce(sum((SELECT count(*) FROM entries e WHERE e.branch = t.id)), 0)`+oldThreads,
		encoding.Time(before), upstream, answers).Scan(&r.Threads, &r.Messages)
	if err != nil {
		return r, fmt.Errorf("look for old threads: %w", classify(err))
	}
	return r, nil
}

// roundLen is how many threads are taken out in one transaction: others write in
// between.
const roundLen = 128

// Retire implements store.Maintained. The space is used again, or given back by Vacuum.
func (s *Store) Retire(ctx context.Context, before time.Time, why artifact.Tombstone) (all store.Retired, err error) {
	for {
		r, err := s.retireRound(ctx, before, why)
		if err != nil {
			return all, fmt.Errorf("retire threads: %w", classify(err))
		}
		if r.Threads == 0 {
			return all, nil
		}
		all.Threads += r.Threads
		all.Messages += r.Messages
	}
}

// retireRound runs one round, and folds the write-ahead log in. Keys are not
// checked meanwhile: no index leads from a blob to what needs it, so that checking
// would read every table once for each. What the round itself looks up is the same.
func (s *Store) retireRound(ctx context.Context, before time.Time, why artifact.Tombstone) (r store.Retired, err error) {
	if s.w == nil {
		return r, fmt.Errorf("%w: it was opened for reading", ErrReadOnly)
	}
	c, err := s.w.Conn(ctx)
	if err != nil {
		return r, err
	}
	if _, err = c.ExecContext(ctx, `PRAGMA foreign_keys = 0`); err == nil {
		err = retryBusy(ctx, c, func(tx *sql.Tx) (err error) {
			r, err = retireSome(ctx, tx, before, why)
			return err
		})
	}
	if _, back := c.ExecContext(context.WithoutCancel(ctx), `PRAGMA foreign_keys = 1`); back != nil {
		_ = c.Raw(func(any) error { return driver.ErrBadConn }) // the pool makes a new one
	}
	if err = errors.Join(err, c.Close()); err != nil || r.Threads == 0 {
		return r, err
	}
	return r, s.checkpoint(ctx)
}

// retireSome takes out threads from which none descends: parents follow in the
// next round.
func retireSome(ctx context.Context, tx *sql.Tx, before time.Time, why artifact.Tombstone) (r store.Retired, err error) {
	ids, err := rowIDs(ctx, tx, `SELECT t.id`+oldThreads+`
  AND NOT EXISTS (SELECT 1 FROM lineage WHERE ancestor = t.id AND thread <> t.id)
ORDER BY t.id LIMIT ?4`, encoding.Time(before), upstream, answers, roundLen)
	if err != nil || len(ids) == 0 {
		return r, err
	}
	js, err := json.Marshal(ids)
	if err != nil {
		return r, err
	}
	set := string(js)
	if err := writeRetired(ctx, tx, set, why); err != nil {
		return r, err
	}
	bodies, err := rowIDs(ctx, tx, bodiesOf, set)
	if err != nil {
		return r, err
	}
	r.Threads = len(ids)
	if r.Messages, err = clearOut(ctx, tx, set); err != nil {
		return r, err
	}
	if err := dropOrphans(ctx, tx, bodies); err != nil {
		return r, err
	}
	_, err = tx.ExecContext(ctx, `UPDATE retired SET thread = NULL WHERE thread IS NOT NULL`)
	return r, err
}

// writeRetired writes the tombstones, without which the schema refuses to delete.
func writeRetired(ctx context.Context, tx *sql.Tx, set string, why artifact.Tombstone) error {
	_, err := tx.ExecContext(ctx, `
INSERT INTO retired (thread, tenant, name, source, created, updated, tip, len, erased_at, erased_by, reason)
SELECT id, tenant, name, source, created, updated, tip, len, ?2, ?3, ?4
FROM threads WHERE id IN (SELECT value FROM json_each(?1))`,
		set, encoding.Time(why.At), why.By, cmp.Or(why.Reason, artifact.ReasonExpired))
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `DELETE FROM summaries WHERE tenant IN
(SELECT tenant FROM threads WHERE id IN (SELECT value FROM json_each(?1)))`, set)
	return err
}

// bodiesOf names all content of a set of threads.
const bodiesOf = `
WITH gone (id) AS MATERIALIZED (SELECT value FROM json_each(?1))
SELECT body FROM entries WHERE branch IN gone
UNION SELECT body FROM variants WHERE branch IN gone
UNION SELECT body FROM erasures WHERE branch IN gone AND body IS NOT NULL
UNION SELECT body FROM artifacts WHERE thread IN gone
UNION SELECT body FROM envelopes WHERE thread IN gone
UNION SELECT header FROM plans WHERE thread IN gone`

// rowsOf lists tables with the column that names a row's thread, those that reference
// others first.
var rowsOf = [][2]string{
	{"erasures", "branch"},
	{"variants", "branch"},
	{"artifacts", "thread"},
	{"envelopes", "thread"},
	{"withdrawn", "thread"},
	{"plans", "thread"},
	{"entries", "branch"},
	{"lineage", "thread"},
	{"threads", "id"},
}

// clearOut deletes the rows of a set of threads, and returns how many entries.
func clearOut(ctx context.Context, tx *sql.Tx, set string) (entries int, err error) {
	for _, t := range rowsOf {
		res, err := tx.ExecContext(ctx, `DELETE FROM `+t[0]+` WHERE `+t[1]+` IN (SELECT value FROM json_each(?))`, set)
		if err != nil {
			return entries, fmt.Errorf("%s: %w", t[0], err)
		}
		if t[0] == "entries" {
			n, err := res.RowsAffected()
			if err != nil {
				return entries, err
			}
			entries = int(n)
		}
	}
	return entries, nil
}

// dropOrphans removes the content given and that of records that no plan has any
// more, where nothing else needs it, and the rows that then nothing points to.
func dropOrphans(ctx context.Context, tx *sql.Tx, bodies []int64) error {
	orphans, err := orphans(ctx, tx)
	if err != nil {
		return err
	}
	js, err := json.Marshal(append([]int64{}, orphans...))
	if err != nil {
		return err
	}
	more, err := rowIDs(ctx, tx, `SELECT body FROM records WHERE id IN (SELECT value FROM json_each(?))`, string(js))
	if err != nil {
		return err
	}
	if err := dropContent(ctx, tx, append(bodies, more...), orphans); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `DELETE FROM records WHERE id IN (SELECT value FROM json_each(?))
AND body IN (SELECT id FROM blobs WHERE erased_at IS NOT NULL)`, string(js))
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `DELETE FROM blobs WHERE erased_at IS NOT NULL AND id NOT IN (
  SELECT body FROM entries UNION ALL SELECT body FROM variants UNION ALL SELECT body FROM artifacts
  UNION ALL SELECT body FROM envelopes UNION ALL SELECT header FROM plans UNION ALL SELECT body FROM records
  UNION ALL SELECT body FROM erasures WHERE body IS NOT NULL)`)
	return err
}

// orphans finds the records that no plan names.
func orphans(ctx context.Context, tx *sql.Tx) (ids []int64, err error) {
	named := map[int64]bool{}
	err = eachVersion(ctx, tx, func(v version, err error) error {
		for _, id := range v.records {
			named[id] = true
		}
		return err
	}, ``)
	if err != nil {
		return nil, err
	}
	all, err := rowIDs(ctx, tx, `SELECT id FROM records ORDER BY id`)
	for _, id := range all {
		if !named[id] {
			ids = append(ids, id)
		}
	}
	return ids, err
}

// withRetired adds the tombstone of a retired thread to ErrNotFound.
func (s *Store) withRetired(ctx context.Context, q querier, k store.Key, err error) error {
	if !errors.Is(err, store.ErrNotFound) {
		return err
	}
	var g tombstoneRow
	row := q.QueryRowContext(ctx, `SELECT x.erased_at, x.erased_by, x.reason
FROM tenants n JOIN retired x ON x.tenant = n.id WHERE n.name = ? AND x.name = ? ORDER BY x.id DESC LIMIT 1`,
		s.zip.seal.Name(k.Tenant), s.zip.seal.Name(k.Thread))
	if scanErr := row.Scan(g.dest()...); scanErr != nil {
		return err // there was none, as a rule
	}
	why, graveErr := g.tombstone()
	if graveErr != nil {
		return errors.Join(err, graveErr)
	}
	return fmt.Errorf("%w: %w", err, &store.ErasedError{Tombstone: *why})
}
