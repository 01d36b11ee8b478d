package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/seed-3db51b0e/precis/store/internal/encoding"
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
	goes := make(map[int64]bool, len(gone))
	for _, id := range gone {
		goes[id] = true
	}
	return slices.DeleteFunc(ids, func(id int64) bool { return goes[id] }), nil
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

func parseList(list []byte) ([]int64, error) {
	ns, err := encoding.ParseList(list)
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return ns, err
}
