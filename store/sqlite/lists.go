package sqlite

import (
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
)

// version is a row of plans.
type version struct {
	number  int
	header  int64
	records []int64 // in order
}

// eachVersion reads versions of plans, with the records that an erasure has not withdrawn
// from them. f gets the error of a list that is damaged.
func eachVersion(ctx context.Context, q querier, f func(version, error) error, where string, args ...any) error {
	return eachRow(ctx, q, func(rows *sql.Rows) error {
		var v version
		var list, gone sql.RawBytes
		if err := rows.Scan(&v.number, &v.header, &list, &gone); err != nil {
			return err
		}
		var err error
		if v.records, err = parseList(list); err == nil {
			v.records, err = without(v.records, gone)
		}
		return f(v, err)
	}, `SELECT p.version, p.header, p.list, (SELECT json_group_array(w.record) FROM withdrawn w WHERE w.thread = p.thread AND w.version >= p.version)
FROM plans p `+where, args...)
}

// without takes the ids that a JSON array names out of a list.
func without(ids []int64, named []byte) ([]int64, error) {
	if string(named) == "[]" {
		return ids, nil
	}
	var gone []int64
	if err := json.Unmarshal(named, &gone); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(ids, func(id int64) bool { return slices.Contains(gone, id) }), nil
}

// planList reads which records a version has, in order.
func planList(ctx context.Context, q querier, th int64, number int) (ids []int64, err error) {
	err = eachVersion(ctx, q, func(v version, err error) error {
		ids = v.records
		return err
	}, `WHERE p.thread = ? AND p.version = ?`, th, number)
	return ids, err
}

// versionsOf reads which records the versions of a thread's plan have; of a list that
// is damaged, none.
func versionsOf(ctx context.Context, q querier, th int64) (vs []version, err error) {
	err = eachVersion(ctx, q, func(v version, err error) error {
		if err != nil {
			v.records = nil
		}
		vs = append(vs, v)
		return nil
	}, `WHERE p.thread = ?`, th)
	return vs, err
}

// recordsOf are the records of all versions of a thread's plan, each once.
func recordsOf(vs []version) (ids []int64) {
	for _, v := range vs {
		ids = append(ids, v.records...)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// writeList is the difference of each id to the one before, as varints:
// records of one commit have neighbouring ids, so most take one byte.
func writeList(ids []int64) []byte {
	list := []byte{}
	var last int64
	for _, id := range ids {
		list = binary.AppendVarint(list, id-last)
		last = id
	}
	return list
}

func parseList(list []byte) (ids []int64, err error) {
	var last int64
	for len(list) > 0 {
		d, n := binary.Varint(list)
		if n <= 0 {
			return nil, fmt.Errorf("%w: list of records", ErrCorrupt)
		}
		last += d
		ids = append(ids, last)
		list = list[n:]
	}
	return ids, nil
}
