package sqlite

import (
	"context"
	"database/sql"
)

// dropQuotes takes out of every version of every plan over an entry the records that may
// quote it. Their content goes, unless a thread that says the same in entries of its own
// has them too: threads share records.
func (s *Store) dropQuotes(ctx context.Context, tx *sql.Tx, tenant int64, at place) error {
	over, beside, err := threadsSaying(ctx, tx, tenant, at)
	if err != nil {
		return err
	}
	kept := map[int64]bool{}
	for _, th := range beside {
		vs, err := versionsOf(ctx, tx, th)
		if err != nil {
			return err
		}
		for _, id := range recordsOf(vs) {
			kept[id] = true
		}
	}
	var gone []int64
	for _, th := range over {
		records, err := s.quoting(ctx, tx, th, at)
		if err != nil {
			return err
		}
		for _, id := range records {
			if !kept[id] {
				gone = append(gone, id)
			} else if err := withdraw(ctx, tx, th, id); err != nil {
				return err
			}
		}
	}
	bodies, err := recordBodies(ctx, tx, gone)
	if err != nil {
		return err
	}
	return dropContent(ctx, tx, bodies, gone)
}

// threadsSaying finds the threads of a tenant that have an entry, and those beside them
// that have another one which says the same after the same.
func threadsSaying(ctx context.Context, tx *sql.Tx, tenant int64, at place) (over, beside []int64, err error) {
	err = eachRow(ctx, tx, func(rows *sql.Rows) error {
		var th int64
		var has bool
		err := rows.Scan(&th, &has)
		if has {
			over = append(over, th)
		} else {
			beside = append(beside, th)
		}
		return err
	}, `SELECT l.thread, e.branch = ?2 FROM threads t JOIN entries e ON e.branch = t.id JOIN lineage l ON l.ancestor = t.id AND l.upto >= e.seq
WHERE t.tenant = ?1 AND e.id = (SELECT id FROM entries WHERE branch = ?2 AND seq = ?3)`, tenant, at.branch, at.seq)
	return over, beside, err
}

// withdraw takes a record out of all versions that a thread's plan has by now.
func withdraw(ctx context.Context, tx *sql.Tx, th, record int64) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO withdrawn (thread, record, version) SELECT id, ?, plan_version FROM threads WHERE id = ?`, record, th)
	return err
}

// quoting are the records of all versions of a thread's plan that may quote an entry.
func (s *Store) quoting(ctx context.Context, tx *sql.Tx, th int64, at place) (ids []int64, err error) {
	vs, err := versionsOf(ctx, tx, th)
	if err != nil {
		return nil, err
	}
	for _, id := range recordsOf(vs) {
		quotes, err := s.mayQuote(ctx, tx, th, id, at)
		if err != nil {
			return nil, err
		}
		if quotes {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// mayQuote reports whether a record's text may hold what an entry said: see
// plan.Record.MayQuote. A damaged record is said to.
func (s *Store) mayQuote(ctx context.Context, tx *sql.Tx, th, id int64, at place) (bool, error) {
	rs, err := s.records(ctx, tx, th, []int64{id})
	if damaged(err) {
		return true, nil
	}
	if err != nil || len(rs) == 0 {
		return false, err
	}
	first, last := -1, -1
	covers := false
	for _, x := range rs[0].Span.IDs {
		p, ok, err := s.locate(ctx, tx, th, x)
		if err != nil {
			return false, err
		}
		if ok && first < 0 {
			first = p.seq
		}
		if ok {
			last, covers = max(last, p.seq), covers || p.seq == at.seq
		}
	}
	return rs[0].MayQuote(covers, last > at.seq), nil
}
