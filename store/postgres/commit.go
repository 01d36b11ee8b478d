package postgres

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/internal/encoding"
	"github.com/seed-3db51b0e/precis/thread"
)

// commit is a plan on its way into the database.
type commit struct {
	*plan.Plan
	coded     encoding.Coded
	artifacts []artifact.Artifact
	contents  [][]byte // of artifacts, as they are stored
}

// basis is what is there when a commit begins.
type basis struct {
	row
	sum   []byte           // of the current plan
	known map[string]int64 // records that the thread has, by hash
	next  int64            // number of the next record
}

// Commit implements store.Plans. It reads what the plan builds on, and writes it in one
// statement, which compares that nobody wrote a plan or erased something since.
func (s *Store) Commit(ctx context.Context, k store.Key, p *plan.Plan, artifacts []artifact.Artifact) error {
	if p == nil {
		return fail("commit plan", k, errors.New("no plan"))
	}
	err := s.mendSuspect(ctx, k)
	if err == nil {
		err = s.commitPacked(ctx, k, p, artifacts)
	}
	if err != nil {
		return fail("commit plan", k, fmt.Errorf("version %d: %w", p.Version, err))
	}
	return nil
}

func (s *Store) commitPacked(ctx context.Context, k store.Key, p *plan.Plan, artifacts []artifact.Artifact) error {
	coded, err := encoding.Plan(p)
	if err != nil {
		return err
	}
	coded.Sum = s.seal.Hash(coded.Sum)
	for i, r := range coded.Records {
		coded.Records[i].Hash = s.seal.Hash(r.Hash)
	}
	c := &commit{Plan: p, coded: coded, artifacts: artifacts, contents: make([][]byte, len(artifacts))}
	err = each(ctx, len(artifacts), func(ctx context.Context, i int) (err error) {
		c.contents[i], err = s.keep(ctx, s.idOf(k), artifacts[i].Content)
		return err
	})
	if err != nil {
		return err
	}
	tries := 0
	return s.retried(ctx, func() error {
		tries++
		err := errRace
		for n := 0; n < attempts && errors.Is(err, errRace); n++ {
			err = s.commit(ctx, k, c)
		}
		if errors.Is(err, errRace) {
			err = store.ErrStale
		}
		if tries > 1 && errors.Is(err, store.ErrStale) { // it may have been written before the connection broke
			if same, lookErr := s.committed(ctx, k, c); same || lookErr != nil {
				return lookErr
			}
		}
		return err
	})
}

// committed reports whether a plan is that version of its thread already, whatever came
// after it.
func (s *Store) committed(ctx context.Context, k store.Key, c *commit) (same bool, err error) {
	id := s.idOf(k)
	err = s.pool.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM plans WHERE thread = $1 AND version = $2 AND sum = $3)`,
		id[:], int64(c.Version), c.coded.Sum[:]).Scan(&same)
	return same, err
}

func (s *Store) commit(ctx context.Context, k store.Key, c *commit) error {
	b, err := s.basis(ctx, k, c)
	if err != nil {
		return err
	}
	current := b.head.PlanVersion
	repeat := c.Version == current && c.Version > 0 && bytes.Equal(b.sum, c.coded.Sum[:])
	if !repeat && c.Version != current+1 {
		return fmt.Errorf("current version is %d: %w", current, store.ErrStale)
	}
	at, err := s.locate(ctx, s.pool, b.id, c.names(b, repeat))
	if err != nil {
		return err
	}
	arts, err := s.newArtifacts(ctx, b.row, c, at)
	if err != nil {
		return err
	}
	if repeat {
		return s.writeCommit(ctx, b, c, nil, arts)
	}
	records, err := c.newRecords(b, at, s)
	if err != nil {
		return err
	}
	return s.writeCommit(ctx, b, c, records, arts)
}

// basis reads what a commit builds on, in one go.
func (s *Store) basis(ctx context.Context, k store.Key, c *commit) (b basis, err error) {
	id := s.idOf(k)
	b.known = map[string]int64{}
	var batch pgx.Batch
	batch.Queue(`SELECT `+threadColumns+`, coalesce(p.sum, '') FROM threads t
LEFT JOIN plans p ON p.thread = t.id AND p.version = t.plan_version WHERE t.id = $1`, id[:]).QueryRow(func(r pgx.Row) error {
		b.row, err = s.scanThread(r.Scan, &b.sum)
		return err
	})
	batch.Queue(`SELECT n, hash FROM records WHERE thread = $1 AND hash = ANY($2)`, id[:], hashes(c.coded.Records)).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			var n int64
			var hash []byte
			if err := rows.Scan(&n, &hash); err != nil {
				return err
			}
			b.known[string(hash)] = n
		}
		return rows.Err()
	})
	batch.Queue(`SELECT coalesce(max(n), 0) + 1 FROM records WHERE thread = $1`, id[:]).QueryRow(func(r pgx.Row) error {
		return r.Scan(&b.next)
	})
	err = s.pool.SendBatch(ctx, &batch).Close()
	if errors.Is(err, pgx.ErrNoRows) {
		err = store.ErrNotFound
	}
	return b, err
}

// names are the entries that a commit names and that have to be looked up: those of
// records that the thread has are known to be its own.
func (c *commit) names(b basis, repeat bool) []thread.ID {
	var ids []thread.ID
	for _, a := range c.artifacts {
		ids = append(ids, a.Source)
	}
	if repeat {
		return ids
	}
	ids = append(ids, c.Base)
	for _, r := range c.coded.Records {
		if _, ok := b.known[string(r.Hash[:])]; !ok {
			ids = append(ids, r.IDs...)
		}
	}
	return ids
}

// recordRows are records on their way into the database, column by column, and all of
// the plan's by their numbers.
type recordRows struct {
	numbers              []int64
	ns, start, last, len []int64
	hash, ids, body      [][]byte
}

// newRecords numbers a plan's records, and checks that those that are new lie within
// the thread.
func (c *commit) newRecords(b basis, at map[thread.ID]place, s *Store) (*recordRows, error) {
	if _, ok := at[c.Base]; !ok {
		return nil, fmt.Errorf("base %q: %w", c.Base, store.ErrForeign)
	}
	rows := &recordRows{}
	for i, r := range c.coded.Records {
		n, ok := b.known[string(r.Hash[:])]
		if !ok {
			n = b.next
			b.next++
			b.known[string(r.Hash[:])] = n
			if err := rows.add(n, r, at, s); err != nil {
				return nil, fmt.Errorf("record %d: %w", i, err)
			}
		}
		rows.numbers = append(rows.numbers, n)
	}
	return rows, nil
}

func (rows *recordRows) add(n int64, r encoding.CodedRecord, at map[thread.ID]place, s *Store) error {
	var explicit []byte
	first, last, together := -1, 0, true
	for i, id := range r.IDs {
		p, ok := at[id]
		if !ok {
			return fmt.Errorf("entry %q: %w", id, store.ErrForeign)
		}
		if first < 0 {
			first = p.seq
		}
		together, last = together && p.seq == first+i, max(last, p.seq)
	}
	if !together {
		for _, id := range r.IDs {
			explicit = append(explicit, s.seal.RawID(id)...)
		}
	}
	rows.ns, rows.start, rows.last = append(rows.ns, n), append(rows.start, int64(first)), append(rows.last, int64(last))
	rows.len, rows.hash = append(rows.len, int64(len(r.IDs))), append(rows.hash, r.Hash[:])
	body, err := s.pack(r.Body)
	rows.ids, rows.body = append(rows.ids, explicit), append(rows.body, body)
	return err
}

// commitSQL writes a plan; $4 is its version, $5 the version before.
const commitSQL = `WITH w AS (
  UPDATE threads SET plan_version = $4, updated = greatest(updated, $6::text COLLATE "C")
  WHERE id = $1 AND plan_version = $5 AND erasures = $2 RETURNING id
), p AS (
  INSERT INTO plans (thread, version, base, policy, original, compacted, records, created, header, list, sum)
  SELECT id, $4::bigint, $7::bytea, $8::bytea, $9::bigint, $10::bigint, $11::bigint, $6::text, $12::bytea, $13::bytea, $14::bytea
  FROM w WHERE $4::bigint > $5::bigint
), r AS (
  INSERT INTO records (thread, n, hash, start, last, len, ids, body)
  SELECT w.id, x.n, x.hash, x.start, x.last, x.len, x.ids, x.body
  FROM w, unnest($15::bigint[], $16::bytea[], $17::bigint[], $18::bigint[], $19::bigint[], $20::bytea[], $21::bytea[])
    x (n, hash, start, last, len, ids, body)
), a AS (` + insertArtifacts + `)
SELECT count(*) FROM w WHERE $3::boolean`

// writeCommit writes a plan with its records and artifacts. Without records it is the
// repeat of the current plan.
func (s *Store) writeCommit(ctx context.Context, b basis, c *commit, rows *recordRows, arts *artifactRows) error {
	before, at := b.head.PlanVersion, encoding.Time(c.CreatedAt)
	if rows == nil {
		if len(arts.name) == 0 {
			return nil
		}
		rows, at = &recordRows{}, encoding.Time(b.head.Updated)
	}
	top, err := s.pack(c.coded.Header)
	if err != nil {
		return err
	}
	args := []any{
		b.id[:], b.erasures, true, int64(c.Version), int64(before), at,
		s.seal.RawID(c.Base), []byte(c.Policy), int64(c.Original), int64(c.Compacted), int64(len(rows.numbers)),
		top, encoding.List(rows.numbers), c.coded.Sum[:],
		rows.ns, rows.hash, rows.start, rows.last, rows.len, rows.ids, rows.body,
	}
	var wrote int
	if err := s.pool.QueryRow(ctx, commitSQL, append(args, arts.args()...)...).Scan(&wrote); err != nil {
		return err
	}
	if wrote == 0 {
		return errRace
	}
	return nil
}
