package postgres

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/internal/encoding"
)

// oldThreads selects the threads that nobody has written to since $1, of which no
// newer one is a fork, and that do not stand beside one written to since ($2 and $3
// end the names of the tenants of those that stand beside another).
const oldThreads = `
FROM threads t
WHERE t.updated < $1
  AND NOT EXISTS (SELECT 1 FROM threads d WHERE d.ancestors @> ARRAY[t.id] AND d.updated >= $1)
  AND NOT EXISTS (SELECT 1 FROM unnest(ARRAY[$2::bytea, $3::bytea]) suffix
    CROSS JOIN LATERAL (SELECT substring(t.tenant for length(t.tenant) - length(suffix)) AS name
      WHERE length(t.tenant) >= length(suffix) AND substring(t.tenant from length(t.tenant) - length(suffix) + 1) = suffix) o
    JOIN threads m ON m.id = substring(sha256(int8send(length(o.name)::bigint) || o.name || t.name) for 16)
    WHERE m.updated >= $1)`

// upstream and answers end the names of the tenants of such keys.
var (
	upstream = []byte(store.Key{}.Upstream().Tenant)
	answers  = []byte(store.Key{}.Answers().Tenant)
)

// Old implements store.Maintained.
func (s *Store) Old(ctx context.Context, before time.Time) (r store.Retired, err error) {
	err = s.pool.QueryRow(ctx, `SELECT count(*), coalesce(sum((SELECT count(*) FROM entries e WHERE e.thread = t.id)), 0)`+oldThreads,
		encoding.Time(before), upstream, answers).Scan(&r.Threads, &r.Messages)
	if err != nil {
		return r, fmt.Errorf("look for old threads: %w", classify(err))
	}
	return r, nil
}

// roundLen is how many threads are taken out in one transaction.
const roundLen = 128

// Retire implements store.Maintained.
func (s *Store) Retire(ctx context.Context, before time.Time, why artifact.Tombstone) (all store.Retired, err error) {
	for {
		var r store.Retired
		err := s.erasing(ctx, func(tx pgx.Tx) (bodies [][]byte, err error) {
			r, bodies, err = retireSome(ctx, tx, before, why)
			return bodies, err
		})
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

// alone selects, of old threads, those from which none descends: parents follow in the
// next round.
const alone = oldThreads + ` AND NOT EXISTS (SELECT 1 FROM threads d WHERE d.ancestors @> ARRAY[t.id])`

// retireSome takes out one round of threads, and returns bodies whose objects go.
func retireSome(ctx context.Context, tx pgx.Tx, before time.Time, why artifact.Tombstone) (r store.Retired, gone [][]byte, err error) {
	args := []any{encoding.Time(before), upstream, answers}
	ids, err := bodies(ctx, tx, `SELECT t.id`+alone+` ORDER BY t.id LIMIT $4`, append(args, int64(roundLen))...)
	if err != nil || len(ids) == 0 {
		return r, nil, err
	}
	if _, err := tx.Exec(ctx, `SELECT 1 FROM threads WHERE id = ANY($1) ORDER BY id FOR UPDATE`, ids); err != nil {
		return r, nil, err
	}
	// Now nobody writes to them or forks them: who did before they were locked is seen.
	if ids, err = bodies(ctx, tx, `SELECT t.id`+alone+` AND t.id = ANY($4)`, append(args, ids)...); err != nil || len(ids) == 0 {
		return r, nil, err
	}
	_, err = tx.Exec(ctx, `INSERT INTO retired (thread, tenant, name, tip, len, created, updated, erased_at, erased_by, reason)
SELECT id, tenant, name, tip, len, created, updated, $2, $3, $4 FROM threads WHERE id = ANY($1)`,
		ids, encoding.Time(why.At), []byte(why.By), []byte(cmp.Or(why.Reason, artifact.ReasonExpired)))
	if err != nil {
		return r, nil, err
	}
	if gone, err = objectsOf(ctx, tx, ids); err != nil {
		return r, nil, err
	}
	r.Threads = len(ids)
	r.Messages, err = clearOut(ctx, tx, ids)
	return r, gone, err
}

// objectsOf reads the bodies of threads that name objects.
func objectsOf(ctx context.Context, q querier, ids [][]byte) ([][]byte, error) {
	return bodies(ctx, q, `SELECT body FROM entries WHERE thread = ANY($1) AND length(body) > 0 AND get_byte(body, 0) >= 128
UNION ALL SELECT body FROM variants WHERE thread = ANY($1) AND length(body) > 0 AND get_byte(body, 0) >= 128
UNION ALL SELECT body FROM envelopes WHERE thread = ANY($1) AND length(body) > 0 AND get_byte(body, 0) >= 128
UNION ALL SELECT body FROM artifacts WHERE thread = ANY($1) AND length(body) > 0 AND get_byte(body, 0) >= 128`, ids)
}

// clearOut deletes the rows of a set of threads, and returns how many entries.
func clearOut(ctx context.Context, tx pgx.Tx, ids [][]byte) (entries int, err error) {
	_, err = tx.Exec(ctx, `DELETE FROM summaries WHERE tenant IN (SELECT tenant FROM threads WHERE id = ANY($1))`, ids)
	if err != nil {
		return 0, err
	}
	for _, table := range []string{"erasures", "variants", "artifacts", "envelopes", "plans", "records", "entries"} {
		tag, err := tx.Exec(ctx, `DELETE FROM `+table+` WHERE thread = ANY($1)`, ids)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", table, err)
		}
		entries = int(tag.RowsAffected()) // of the last
	}
	_, err = tx.Exec(ctx, `DELETE FROM threads WHERE id = ANY($1)`, ids)
	return entries, err
}
