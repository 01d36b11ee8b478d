package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/internal/encoding"
)

// Plan implements store.Plans. The newest version that is sound takes the place of one
// that is damaged: see Options.Damaged.
func (s *Store) Plan(ctx context.Context, k store.Key) (*plan.Plan, error) {
	return s.readPlan(ctx, k, func(q querier, th row) (*plan.Plan, error) {
		p, err := s.planAt(ctx, q, th, th.head.PlanVersion)
		if err == nil || !damaged(err) {
			return p, err
		}
		sound, other := s.soundPlan(ctx, q, th)
		if other != nil {
			return nil, err
		}
		s.suspects.Store(th.id, true)
		if s.damaged != nil {
			s.damaged(k, fmt.Errorf("read plan: thread %q: version %d: %w", k.Thread, th.head.PlanVersion, classify(err)))
		}
		return sound, nil
	})
}

// PlanAt implements store.Plans.
func (s *Store) PlanAt(ctx context.Context, k store.Key, version int) (*plan.Plan, error) {
	return s.readPlan(ctx, k, func(q querier, th row) (*plan.Plan, error) {
		p, err := s.planAt(ctx, q, th, version)
		if err != nil {
			err = fmt.Errorf("version %d: %w", version, err)
		}
		return p, err
	})
}

func (s *Store) readPlan(ctx context.Context, k store.Key, read func(querier, row) (*plan.Plan, error)) (*plan.Plan, error) {
	q, done, err := s.view(ctx)
	if err != nil {
		return nil, fail("read plan", k, err)
	}
	defer done()
	th, err := s.find(ctx, q, k)
	if err != nil {
		return nil, fail("read plan", k, err)
	}
	p, err := read(q, th)
	if err != nil {
		return nil, fail("read plan", k, err)
	}
	return p, nil
}

// planAt puts a plan together.
func (s *Store) planAt(ctx context.Context, q querier, th row, version int) (*plan.Plan, error) {
	content, err := s.content(ctx, q, `SELECT `+columns+` FROM plans p JOIN blobs b ON b.id = p.header
WHERE p.thread = ? AND p.version = ?`, th.id, version)
	if err != nil {
		return nil, err
	}
	p, err := encoding.ParseHeader(content)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	list, err := planList(ctx, q, th.id, version)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return &p, nil
	}
	records, err := s.records(ctx, q, th.id, list)
	if err != nil {
		return nil, err
	}
	p.Records = records
	return plan.Restore(p), nil
}

// PlanVersions implements store.Plans.
func (s *Store) PlanVersions(ctx context.Context, k store.Key) ([]store.PlanInfo, error) {
	q, done, err := s.view(ctx)
	if err != nil {
		return nil, fail("list plans", k, err)
	}
	defer done()
	th, err := s.find(ctx, q, k)
	if err != nil {
		return nil, fail("list plans", k, err)
	}
	var is []store.PlanInfo
	err = eachRow(ctx, q, func(rows *sql.Rows) error {
		var i store.PlanInfo
		var base []byte
		var created string
		err := rows.Scan(&i.Version, &base, &i.Policy, &i.Original, &i.Compacted, &i.Records, &created)
		if err != nil {
			return err
		}
		i.Base = s.zip.seal.TextID(base)
		i.Created, err = readTime(created)
		is = append(is, i)
		return err
	}, `SELECT version, base, policy, original, compacted, records, created
FROM plans WHERE thread = ? ORDER BY version`, th.id)
	if err != nil {
		return nil, fail("list plans", k, err)
	}
	return is, nil
}
