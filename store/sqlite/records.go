package sqlite

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/internal/encoding"
	"github.com/seed-3db51b0e/precis/store/internal/sealing"
	"github.com/seed-3db51b0e/precis/thread"
)

// knownRecords finds the records that the tenant has, by hash.
func knownRecords(ctx context.Context, tx *sql.Tx, tenant int64, rs []encoding.CodedRecord) (map[[sha256.Size]byte]int64, error) {
	hashes := make([]string, len(rs))
	for i := range rs {
		hashes[i] = hex.EncodeToString(rs[i].Hash[:])
	}
	js, err := json.Marshal(hashes)
	if err != nil {
		return nil, err
	}
	ids := make(map[[sha256.Size]byte]int64, len(rs))
	err = eachRow(ctx, tx, func(rows *sql.Rows) error {
		var id int64
		var hash sql.RawBytes
		if err := rows.Scan(&id, &hash); err != nil {
			return err
		}
		ids[[sha256.Size]byte(hash)] = id
		return nil
	}, `SELECT r.id, r.hash FROM json_each(?) j CROSS JOIN records r JOIN blobs b ON b.id = r.body
WHERE r.tenant = ? AND r.hash = unhex(j.value) AND b.erased_at IS NULL`, string(js), tenant)
	return ids, err
}

// keepRecords stores what is new and returns the rows in order. Records that
// are not in the plan before are checked to lie within the thread: the tenant
// may have them from another one.
func (s *Store) keepRecords(ctx context.Context, tx *sql.Tx, th row, rs []encoding.CodedRecord) ([]int64, error) {
	before, err := planList(ctx, tx, th.id, th.head.PlanVersion)
	if err != nil && !errors.Is(err, ErrCorrupt) {
		return nil, err
	}
	ids, err := knownRecords(ctx, tx, th.tenant, rs)
	if err != nil {
		return nil, err
	}
	slices.Sort(before)
	list := make([]int64, len(rs))
	for i, r := range rs {
		id, ok := ids[r.Hash]
		if _, same := slices.BinarySearch(before, id); !ok || !same {
			id, err = s.keepRecord(ctx, tx, th, r, id)
		}
		if err != nil {
			return nil, fmt.Errorf("record %d: %w", i, err)
		}
		list[i], ids[r.Hash] = id, id
	}
	return list, nil
}

// keepRecord checks a record's span and stores it, unless it has an id.
func (s *Store) keepRecord(ctx context.Context, tx *sql.Tx, th row, r encoding.CodedRecord, id int64) (int64, error) {
	seq, together, err := s.spanOf(ctx, tx, th, r.IDs)
	if err != nil || id != 0 {
		return id, err
	}
	var explicit []byte // NULL
	if !together {
		for _, id := range r.IDs {
			explicit = append(explicit, s.zip.seal.RawID(id)...)
		}
	}
	content, err := storeBlob(ctx, tx, th.tenant, s.zip.pack(r.Body))
	if err != nil {
		return 0, err
	}
	// A row that was erased gives way. No id is given twice: versions of plans name it.
	var next int64
	if err := tx.QueryRowContext(ctx, `SELECT coalesce(max(id), 0) + 1 FROM records`).Scan(&next); err != nil {
		return 0, err
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM records WHERE tenant = ? AND hash = ?`, th.tenant, r.Hash[:]); err != nil {
		return 0, err
	}
	return insert(ctx, tx, `
INSERT INTO records (id, tenant, hash, first, start, len, ids, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
		next, th.tenant, r.Hash[:], s.zip.seal.RawID(r.IDs[0]), seq, len(r.IDs), explicit, content)
}

// spanOf finds the ids in the thread: the position of the first, and whether
// the others follow it one by one. ErrForeign if the thread lacks one.
func (s *Store) spanOf(ctx context.Context, q querier, th row, ids []thread.ID) (seq int, together bool, err error) {
	first, err := s.entryOf(ctx, q, th, ids[0])
	if err != nil || len(ids) == 1 {
		return first.seq, true, err
	}
	last, err := s.entryOf(ctx, q, th, ids[len(ids)-1])
	if err != nil {
		return 0, false, err
	}
	n := last.seq - first.seq + 1
	if n >= len(ids) && n <= 2*len(ids) { // they may be in order, with few others between
		x := start{th.id, ids[0]}
		known, more, err := s.line(ctx, q, x, first.seq, n)
		if err != nil {
			return 0, false, err
		}
		if covers(known, more, ids) {
			together = n == len(ids)
			if len(more) > 0 && together {
				s.lines.put(x, slices.Clone(ids)) // these the caller holds anyway
			} else if len(more) > 0 {
				s.lines.put(x, slices.Concat(known, more))
			}
			return first.seq, together, nil
		}
	}
	for _, id := range ids[1:] {
		if _, err := s.entryOf(ctx, q, th, id); err != nil {
			return 0, false, err
		}
	}
	return first.seq, false, nil
}

// entryOf finds an entry that a plan names. ErrForeign if the thread lacks it.
func (s *Store) entryOf(ctx context.Context, q querier, th row, id thread.ID) (place, error) {
	at, ok, err := s.locate(ctx, q, th.id, id)
	if err == nil && !ok {
		err = fmt.Errorf("entry %q: %w", id, store.ErrForeign)
	}
	return at, err
}

// stored is a record as it was read.
type stored struct {
	plan.Record
	body    packed
	content []byte // of body
	hash    [sha256.Size]byte
	first   thread.ID
	seq     int
	len     int
}

// recordRow is a row of the query in records.
type recordRow struct {
	hash, first, ids sql.RawBytes
	seq, len         int
	body             packed
}

// records reads the records of a plan but for those that were erased, since they may
// have quoted a message that was.
func (s *Store) records(ctx context.Context, q querier, th int64, list []int64) ([]plan.Record, error) {
	js, err := json.Marshal(list)
	if err != nil {
		return nil, err
	}
	found := make([]stored, 0, len(list))
	var row recordRow
	var bodies []byte
	into := append([]any{&row.hash, &row.first, &row.seq, &row.len, &row.ids}, row.body.dest()...)
	err = eachRow(ctx, q, func(rows *sql.Rows) error {
		err := rows.Scan(into...)
		if row.body.erased.Valid {
			return err
		}
		r := row.stored(s.zip.seal)
		r.body, bodies = row.body.copied(bodies)
		found = append(found, r)
		return err
	}, `SELECT r.hash, r.first, r.start, r.len, r.ids, `+columns+`
FROM json_each(?) j CROSS JOIN records r ON r.id = j.value CROSS JOIN blobs b ON b.id = r.body
ORDER BY j.key`, string(js))
	if err != nil {
		return nil, err
	}
	if err := inParallel(len(found), func(i int) error { return found[i].unpack(s.zip) }); err != nil {
		return nil, err
	}
	out := make([]plan.Record, len(found))
	for i := range found {
		if out[i], err = s.expand(ctx, q, th, &found[i]); err != nil {
			return nil, fmt.Errorf("record %d: %w", i, err)
		}
	}
	return out, nil
}

// stored is the record but for its body.
func (row *recordRow) stored(x *sealing.Sealing) stored {
	r := stored{first: x.TextID(row.first), seq: row.seq, len: row.len}
	copy(r.hash[:], row.hash)
	switch {
	case r.len == 1:
		r.Span.IDs = []thread.ID{r.first}
	case row.ids != nil:
		r.Span.IDs = x.Split(row.ids)
	}
	return r
}

func (r *stored) unpack(z *compressor) (err error) {
	if r.content, err = z.unpack(&r.body); err != nil {
		return err
	}
	ids := r.Span.IDs
	if r.Record, err = encoding.ParseRecord(r.content); err != nil {
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	r.Span.IDs = ids
	return nil
}

// expand gives a record back the ids of its span, and checks it as a whole.
func (s *Store) expand(ctx context.Context, q querier, th int64, r *stored) (plan.Record, error) {
	x := start{th, r.first}
	var known, more []thread.ID
	if r.Span.IDs == nil {
		var err error
		if known, more, err = s.line(ctx, q, x, r.seq, r.len); err != nil {
			return plan.Record{}, err
		}
		r.Span.IDs = slices.Concat(known, more)
	}
	if s.zip.seal.Hash(encoding.Hash(r.content, r.Span.IDs)) != r.hash {
		return plan.Record{}, fmt.Errorf("%w: record does not match its hash", ErrCorrupt)
	}
	if len(more) > 0 {
		s.lines.put(x, slices.Clone(r.Span.IDs))
	}
	return r.Record, nil
}
