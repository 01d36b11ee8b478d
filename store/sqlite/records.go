package sqlite

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/internal/body"
	"github.com/seed-3db51b0e/precis/thread"
)

// idSize is the length of an entry's id as it is stored, in bytes.
const idSize = 16

// known finds the records that the tenant has, by hash.
func known(ctx context.Context, tx *sql.Tx, tenant int64, rs []body.CodedRecord) (map[[sha256.Size]byte]int64, error) {
	hashes := make([]string, len(rs))
	for i := range rs {
		hashes[i] = fmt.Sprintf("%x", rs[i].Hash)
	}
	js, err := json.Marshal(hashes)
	if err != nil {
		return nil, err
	}
	ids := make(map[[sha256.Size]byte]int64, len(rs))
	err = each(ctx, tx, func(rows *sql.Rows) error {
		var id int64
		var hash sql.RawBytes
		if err := rows.Scan(&id, &hash); err != nil {
			return err
		}
		ids[[sha256.Size]byte(hash)] = id
		return nil
	}, `SELECT r.id, r.hash FROM json_each(?) j CROSS JOIN records r
WHERE r.tenant = ? AND r.hash = unhex(j.value)`, string(js), tenant)
	return ids, err
}

// keepRecords stores what is new and returns the rows in order. Records that
// are not in the plan before are checked to lie within the thread: the tenant
// may have them from another one.
func (s *Store) keepRecords(ctx context.Context, tx *sql.Tx, th row, rs []body.CodedRecord) ([]int64, error) {
	before, err := planList(ctx, tx, th.id, th.head.PlanVersion)
	if err != nil {
		return nil, err
	}
	ids, err := known(ctx, tx, th.tenant, rs)
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
func (s *Store) keepRecord(ctx context.Context, tx *sql.Tx, th row, r body.CodedRecord, id int64) (int64, error) {
	start, together, err := spanOf(ctx, tx, th, r.IDs)
	if err != nil || id != 0 {
		return id, err
	}
	var explicit []byte // NULL
	if !together {
		for _, id := range r.IDs {
			explicit = append(explicit, rawID(id)...)
		}
	}
	content, err := keep(ctx, tx, th.tenant, s.zip.pack(r.Body))
	if err != nil {
		return 0, err
	}
	return insert(ctx, tx, `
INSERT INTO records (tenant, hash, first, start, len, ids, body) VALUES (?, ?, ?, ?, ?, ?, ?)`,
		th.tenant, r.Hash[:], rawID(r.IDs[0]), start, len(r.IDs), explicit, content)
}

// spanOf finds the ids in the thread: the position of the first, and whether
// the others follow it one by one. ErrForeign if the thread lacks one.
func spanOf(ctx context.Context, q querier, th row, ids []thread.ID) (start int, together bool, err error) {
	at, ok, err := locate(ctx, q, th.id, ids[0])
	if err != nil {
		return 0, false, err
	}
	if !ok {
		return 0, false, fmt.Errorf("entry %q: %w", ids[0], store.ErrForeign)
	}
	have, err := idsFrom(ctx, q, th.id, at.seq, len(ids))
	if err != nil || slices.Equal(have, ids) {
		return at.seq, true, err
	}
	for _, id := range ids[1:] {
		if _, ok, err := locate(ctx, q, th.id, id); err != nil || !ok {
			return 0, false, errors.Join(err, fmt.Errorf("entry %q: %w", id, store.ErrForeign))
		}
	}
	return at.seq, false, nil
}

// idsFrom reads n ids of a thread from a position on, fewer if it ends.
func idsFrom(ctx context.Context, q querier, th int64, start, n int) ([]thread.ID, error) {
	ids := make([]thread.ID, 0, n)
	err := each(ctx, q, func(rows *sql.Rows) error {
		var id sql.RawBytes
		err := rows.Scan(&id)
		ids = append(ids, textID(id))
		return err
	}, `SELECT e.id FROM lineage l CROSS JOIN entries e
WHERE l.thread = ? AND e.branch = l.ancestor AND e.seq BETWEEN ? AND ? AND e.seq <= l.upto
ORDER BY l.pos, e.seq`, th, start, start+n-1)
	return ids, err
}

// stored is a record as it was read.
type stored struct {
	plan.Record
	content []byte
	hash    [sha256.Size]byte
	start   int
	len     int
}

// records reads the records of a plan.
func (s *Store) records(ctx context.Context, q querier, th int64, list []int64) ([]plan.Record, error) {
	js, err := json.Marshal(list)
	if err != nil {
		return nil, err
	}
	found := make([]stored, 0, len(list))
	err = each(ctx, q, func(rows *sql.Rows) error {
		r, err := s.scanRecord(rows)
		found = append(found, r)
		return err
	}, `SELECT r.hash, r.first, r.start, r.len, r.ids, `+columns+`
FROM json_each(?) j CROSS JOIN records r ON r.id = j.value CROSS JOIN blobs b ON b.id = r.body
ORDER BY j.key`, string(js))
	if err != nil {
		return nil, err
	}
	if len(found) != len(list) {
		return nil, fmt.Errorf("%w: %d of %d records", ErrCorrupt, len(found), len(list))
	}
	out := make([]plan.Record, len(found))
	for i := range found {
		if out[i], err = expand(ctx, q, th, &found[i]); err != nil {
			return nil, fmt.Errorf("record %d: %w", i, err)
		}
	}
	return out, nil
}

func (s *Store) scanRecord(rows *sql.Rows) (stored, error) {
	var r stored
	var hash, first, ids sql.RawBytes
	var p packed
	err := rows.Scan(append([]any{&hash, &first, &r.start, &r.len, &ids}, p.into()...)...)
	if err != nil {
		return r, err
	}
	copy(r.hash[:], hash)
	if r.content, err = s.zip.unpack(&p); err != nil {
		return r, err
	}
	if r.Record, err = body.ParseRecord(r.content); err != nil {
		return r, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	if r.len == 1 {
		ids = first
	}
	for chunk := range slices.Chunk(bytes.Clone(ids), idSize) {
		r.Span.IDs = append(r.Span.IDs, textID(chunk))
	}
	return r, nil
}

// expand gives a record back the ids of its span, and checks it as a whole.
func expand(ctx context.Context, q querier, th int64, r *stored) (plan.Record, error) {
	if r.Span.IDs == nil {
		var err error
		if r.Span.IDs, err = idsFrom(ctx, q, th, r.start, r.len); err != nil {
			return plan.Record{}, err
		}
	}
	if body.Hash(r.content, r.Span.IDs) != r.hash {
		return plan.Record{}, fmt.Errorf("%w: record does not match its hash", ErrCorrupt)
	}
	return r.Record, nil
}
