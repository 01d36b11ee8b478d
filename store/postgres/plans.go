package postgres

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/internal/encoding"
	"github.com/seed-3db51b0e/precis/thread"
)

// Plan implements store.Plans. The newest version that is sound takes the place of one
// that is damaged: see Options.Damaged.
func (s *Store) Plan(ctx context.Context, k store.Key) (*plan.Plan, error) {
	p, err := s.readPlan(ctx, k, `p.version = t.plan_version`)
	if err == nil || !damaged(err) {
		return p, err
	}
	sound, other := s.soundPlan(ctx, k)
	if other != nil {
		return nil, err
	}
	s.suspects.Store(s.idOf(k), true)
	if s.damaged != nil {
		s.damaged(k, err)
	}
	return sound, nil
}

// PlanAt implements store.Plans.
func (s *Store) PlanAt(ctx context.Context, k store.Key, version int) (*plan.Plan, error) {
	p, err := s.readPlan(ctx, k, `p.version = $2`, int64(version))
	if err != nil {
		err = fmt.Errorf("version %d: %w", version, err)
	}
	return p, err
}

func (s *Store) readPlan(ctx context.Context, k store.Key, which string, args ...any) (p *plan.Plan, err error) {
	err = s.retried(ctx, func() error {
		p, err = s.planWhere(ctx, s.idOf(k), which, args...)
		return err
	})
	if err != nil {
		return nil, fail("read plan", k, err)
	}
	return p, nil
}

// planWhere puts a plan together.
func (s *Store) planWhere(ctx context.Context, id threadID, which string, args ...any) (*plan.Plan, error) {
	var header, list []byte
	err := s.pool.QueryRow(ctx, `SELECT p.header, p.list FROM threads t JOIN plans p ON p.thread = t.id WHERE t.id = $1 AND `+which,
		append([]any{id[:]}, args...)...).Scan(&header, &list)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, store.ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	content, err := s.unpack(ctx, header)
	if err != nil {
		return nil, err
	}
	p, err := encoding.ParseHeader(content)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	ns, err := parseList(list)
	if err != nil || len(ns) == 0 {
		return &p, err
	}
	found, err := s.records(ctx, s.pool, id, `n = ANY($2)`, ns)
	if err != nil {
		return nil, err
	}
	place := make(map[int64]int, len(ns))
	for i, n := range slices.Backward(ns) {
		place[n] = i
	}
	slices.SortFunc(found, func(a, b storedRecord) int { return place[a.n] - place[b.n] })
	for _, r := range found {
		p.Records = append(p.Records, r.Record)
	}
	return plan.Restore(p), nil
}

func parseList(list []byte) ([]int64, error) {
	ns, err := encoding.ParseList(list)
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return ns, err
}

// storedRecord is a record as it was read.
type storedRecord struct {
	plan.Record
	n           int64
	hash        []byte
	start, last int
	len         int
	ids         []byte // nil: they follow each other
	body        []byte
}

// records reads a thread's records but for those that were erased, since they may have
// quoted a message that was.
func (s *Store) records(ctx context.Context, q querier, id threadID, which string, args ...any) (all []storedRecord, err error) {
	err = eachRow(ctx, q, func(rows pgx.Rows) error {
		var r storedRecord
		err := rows.Scan(&r.n, &r.hash, &r.start, &r.last, &r.len, &r.ids, &r.body)
		all = append(all, r)
		return err
	}, `SELECT n, hash, start, last, len, ids, body FROM records WHERE thread = $1 AND hash IS NOT NULL AND `+which,
		append([]any{id[:]}, args...)...)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	from, to := all[0].start, 0
	for _, r := range all {
		if r.ids == nil {
			from, to = min(from, r.start), max(to, r.start+r.len)
		}
	}
	var line []thread.ID
	if to > from {
		if line, err = s.idsBetween(ctx, q, id, from, to-1); err != nil {
			return nil, err
		}
	}
	for i := range all {
		if err := all[i].expand(ctx, s, line, from); err != nil {
			return nil, fmt.Errorf("record %d: %w", i, err)
		}
	}
	return all, nil
}

// expand reads a record's body and gives it back the ids of its span, which may be
// among those that the thread has from a position on.
func (r *storedRecord) expand(ctx context.Context, s *Store, line []thread.ID, from int) error {
	content, err := s.unpack(ctx, r.body)
	if err != nil {
		return err
	}
	if r.Record, err = encoding.ParseRecord(content); err != nil {
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	r.Span.IDs = nil
	if r.ids != nil {
		r.Span.IDs = s.seal.Split(r.ids)
	} else if at := r.start - from; at >= 0 && at+r.len <= len(line) {
		r.Span.IDs = slices.Clone(line[at : at+r.len])
	}
	if sum := s.seal.Hash(encoding.Hash(content, r.Span.IDs)); string(sum[:]) != string(r.hash) {
		return fmt.Errorf("%w: record does not match its hash", ErrCorrupt)
	}
	return nil
}

// PlanVersions implements store.Plans.
func (s *Store) PlanVersions(ctx context.Context, k store.Key) (is []store.PlanInfo, err error) {
	err = s.retried(ctx, func() error {
		is, err = s.planVersions(ctx, k)
		return err
	})
	if err != nil {
		return nil, fail("list plans", k, err)
	}
	return is, nil
}

func (s *Store) planVersions(ctx context.Context, k store.Key) (is []store.PlanInfo, err error) {
	th, err := s.find(ctx, s.pool, k)
	if err != nil {
		return nil, err
	}
	err = eachRow(ctx, s.pool, func(rows pgx.Rows) error {
		var i store.PlanInfo
		var base, policy []byte
		var created string
		if err := rows.Scan(&i.Version, &base, &policy, &i.Original, &i.Compacted, &i.Records, &created); err != nil {
			return err
		}
		i.Base, i.Policy = s.seal.TextID(base), string(policy)
		var err error
		i.Created, err = readTime(created)
		is = append(is, i)
		return err
	}, `SELECT version, base, policy, original, compacted, records, created FROM plans WHERE thread = $1 ORDER BY version`, th.id[:])
	return is, err
}

// hashes are those of records as a parameter.
func hashes(rs []encoding.CodedRecord) [][]byte {
	all := make([][]byte, len(rs))
	for i := range rs {
		all[i] = rs[i].Hash[:sha256.Size:sha256.Size]
	}
	return all
}
