package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/internal/encoding"
)

// commit is a plan with its content packed.
type commit struct {
	*plan.Plan
	coded     encoding.Coded // with hashes as they are stored
	header    blob
	artifacts []artifact.Artifact
	contents  []blob // of artifacts
	mended    int64  // row of the thread whose damaged records were taken out; 0: none were
}

// Commit implements store.Plans. It writes the records that are new, the
// header, and a byte or two for each record.
func (s *Store) Commit(ctx context.Context, k store.Key, p *plan.Plan, artifacts []artifact.Artifact) error {
	if p == nil {
		return fail("commit plan", k, errors.New("no plan"))
	}
	c, err := s.pack(p, artifacts)
	if err == nil {
		err = s.write(ctx, func(tx *sql.Tx) error { return s.commit(ctx, tx, k, c) })
	}
	if err != nil {
		return fail("commit plan", k, fmt.Errorf("version %d: %w", p.Version, err))
	}
	s.suspects.Delete(c.mended)
	return nil
}

func (s *Store) pack(p *plan.Plan, artifacts []artifact.Artifact) (*commit, error) {
	coded, err := encoding.Plan(p)
	if err != nil {
		return nil, err
	}
	coded.Sum = s.zip.seal.Hash(coded.Sum)
	for i, r := range coded.Records {
		coded.Records[i].Hash = s.zip.seal.Hash(r.Hash)
	}
	c := &commit{Plan: p, coded: coded, header: s.zip.pack(coded.Header), artifacts: artifacts}
	for _, a := range artifacts {
		c.contents = append(c.contents, s.zip.pack(a.Content))
	}
	return c, nil
}

func (s *Store) commit(ctx context.Context, tx *sql.Tx, k store.Key, c *commit) error {
	th, err := s.find(ctx, tx, k)
	if err != nil {
		return err
	}
	repeat, err := repeated(ctx, tx, th, c)
	if err != nil {
		return err
	}
	if !repeat && c.Version != th.head.PlanVersion+1 {
		return fmt.Errorf("current version is %d: %w", th.head.PlanVersion, store.ErrStale)
	}
	if _, suspect := s.suspects.Load(th.id); suspect { // the new plan must not share what is damaged
		if _, err := s.mend(ctx, tx, th); err != nil {
			return err
		}
		c.mended = th.id
	}
	if !repeat {
		if err := s.keepPlan(ctx, tx, th, c); err != nil {
			return err
		}
	}
	for i, a := range c.artifacts {
		if err := s.keepArtifact(ctx, tx, th, a, c.contents[i]); err != nil {
			return fmt.Errorf("artifact %s: %w", a.ID, err)
		}
	}
	return nil
}

// repeated reports whether c is the current plan already.
func repeated(ctx context.Context, tx *sql.Tx, th row, c *commit) (bool, error) {
	if c.Version != th.head.PlanVersion || c.Version == 0 {
		return false, nil
	}
	var sum []byte
	err := tx.QueryRowContext(ctx, `SELECT sum FROM plans WHERE thread = ? AND version = ?`, th.id, c.Version).Scan(&sum)
	return err == nil && bytes.Equal(sum, c.coded.Sum[:]), err
}

func (s *Store) keepPlan(ctx context.Context, tx *sql.Tx, th row, c *commit) error {
	_, ok, err := s.locate(ctx, tx, th.id, c.Base)
	if err != nil {
		return err
	}
	if !ok {
		return fmt.Errorf("base %q: %w", c.Base, store.ErrForeign)
	}
	list, err := s.keepRecords(ctx, tx, th, c.coded.Records)
	if err != nil {
		return err
	}
	header, err := storeBlob(ctx, tx, th.tenant, c.header)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `
INSERT INTO plans (thread, version, base, policy, original, compacted, records, created, header, list, sum)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, th.id, c.Version, s.zip.seal.RawID(c.Base), c.Policy, c.Original, c.Compacted,
		len(list), encoding.Time(c.CreatedAt), header, encoding.List(list), c.coded.Sum[:])
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE threads SET plan_version = ?, updated = max(updated, ?) WHERE id = ?`,
		c.Version, encoding.Time(c.CreatedAt), th.id)
	return err
}
