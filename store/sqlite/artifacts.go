package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/internal/encoding"
)

// visible selects the artifacts a thread sees: its own, and its ancestors' as
// far as it shares their sources. Sort by nearest for the one that counts.
const visible = `
FROM lineage l CROSS JOIN artifacts a ON a.thread = l.ancestor AND a.seq <= l.upto
JOIN threads o ON o.id = a.thread
LEFT JOIN erasures x ON x.id = ` + tombstoneOf + `
LEFT JOIN blobs b ON b.id = a.body WHERE l.thread = ?` // left: skipped where nothing of it is asked for

// tombstoneOf selects the tombstone of artifact a: its own, else its entry's.
const tombstoneOf = `(SELECT min(id) FROM erasures
WHERE branch = a.branch AND seq = a.seq AND (artifact = a.name OR artifact IS NULL))`

const nearestFirst = ` ORDER BY l.pos DESC, a.id DESC`

const metadata = `a.name, a.source, a.part, a.tool, a.media_type, a.created, a.ttl, a.key_id, a.sensitivity, o.name, ` + tombstoneColumns

// scanArtifact reads the metadata of a tenant's artifact, and what more is
// asked for.
func (s *Store) scanArtifact(scan func(...any) error, tenant string, more ...any) (artifact.Artifact, error) {
	a := artifact.Artifact{Tenant: tenant}
	var source, owner []byte
	var created string
	var g tombstoneRow
	into := []any{&a.ID, &source, &a.Part, &a.Tool, &a.MediaType, &created, &a.TTL, &a.KeyID, &a.Sensitivity, &owner}
	if err := scan(slices.Concat(into, g.dest(), more)...); err != nil {
		return a, err
	}
	a.Source = s.zip.seal.TextID(source)
	var err [4]error
	a.ID, err[0] = s.zip.seal.PlainLabel(a.ID)
	a.Thread, err[1] = s.zip.seal.PlainName(owner)
	a.Created, err[2] = readTime(created)
	a.Erased, err[3] = g.tombstone()
	return a, errors.Join(err[:]...)
}

// Artifact implements store.Artifacts.
func (s *Store) Artifact(ctx context.Context, k store.Key, id string) (artifact.Artifact, error) {
	a, err := s.artifact(ctx, k, id)
	if err != nil {
		return artifact.Artifact{}, fail("read artifact", k, fmt.Errorf("artifact %q: %w", id, err))
	}
	return a, nil
}

func (s *Store) artifact(ctx context.Context, k store.Key, id string) (a artifact.Artifact, err error) {
	q, done, err := s.view(ctx)
	if err != nil {
		return a, err
	}
	defer done()
	th, err := s.find(ctx, q, k)
	if err != nil {
		return a, err
	}
	found := false
	err = eachRow(ctx, q, func(rows *sql.Rows) error {
		var p packed
		if a, err = s.scanArtifact(rows.Scan, k.Tenant, p.dest()...); err != nil {
			return err
		}
		found = true
		if a.Erased != nil {
			return &store.ErasedError{Tombstone: *a.Erased}
		}
		a.Content, err = s.zip.unpack(&p)
		return err
	}, `SELECT `+metadata+`, `+columns+visible+` AND a.name = ?`+nearestFirst+` LIMIT 1`, th.id, s.zip.seal.Label(id))
	if err == nil && !found {
		err = store.ErrNotFound
	}
	return a, err
}

// ArtifactList implements store.Artifacts.
func (s *Store) ArtifactList(ctx context.Context, k store.Key) ([]artifact.Artifact, error) {
	q, done, err := s.view(ctx)
	if err != nil {
		return nil, fail("list artifacts", k, err)
	}
	defer done()
	th, err := s.find(ctx, q, k)
	if err != nil {
		return nil, fail("list artifacts", k, err)
	}
	var list []artifact.Artifact
	seq := map[string]int{} // of the artifacts in list
	err = eachRow(ctx, q, func(rows *sql.Rows) error {
		var at int
		a, err := s.scanArtifact(rows.Scan, k.Tenant, &at)
		if _, seen := seq[a.ID]; !seen {
			seq[a.ID] = at
			list = append(list, a)
		}
		return err
	}, `SELECT `+metadata+`, a.seq`+visible+nearestFirst, th.id)
	if err != nil {
		return nil, fail("list artifacts", k, err)
	}
	slices.SortFunc(list, func(x, y artifact.Artifact) int {
		return cmp.Or(seq[x.ID]-seq[y.ID], x.Part-y.Part, cmp.Compare(x.ID, y.ID))
	})
	return list, nil
}

// keepArtifact adds a row unless the thread's last of that id says the same. Of
// what was erased it keeps the metadata only.
func (s *Store) keepArtifact(ctx context.Context, tx *sql.Tx, th row, a artifact.Artifact, content blob) error {
	at, ok, err := s.locate(ctx, tx, th.id, a.Source)
	if err != nil {
		return err
	}
	if !ok {
		return fmt.Errorf("source %q: %w", a.Source, store.ErrForeign)
	}
	var gone bool
	err = tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM erasures
WHERE branch = ? AND seq = ? AND (artifact = ? OR artifact IS NULL))`, at.branch, at.seq, s.zip.seal.Label(a.ID)).Scan(&gone)
	if err != nil {
		return err
	}
	if gone {
		content = s.zip.pack(nil)
	}
	id, err := storeBlob(ctx, tx, th.tenant, content)
	if err != nil {
		return err
	}
	if same, err := s.lastIsSame(ctx, tx, th, a, id); same || err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `
INSERT INTO artifacts (thread, name, source, branch, seq, part, tool, media_type, created, ttl, key_id, sensitivity, body)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, th.id, s.zip.seal.Label(a.ID), s.zip.seal.RawID(a.Source), at.branch, at.seq, a.Part, a.Tool, a.MediaType,
		encoding.Time(a.Created), int64(a.TTL), a.KeyID, string(a.Sensitivity), id)
	return err
}

func (s *Store) lastIsSame(ctx context.Context, tx *sql.Tx, th row, a artifact.Artifact, content int64) (bool, error) {
	var have int64
	last, err := s.scanArtifact(tx.QueryRowContext(ctx, `SELECT `+metadata+`, a.body
FROM artifacts a JOIN threads o ON o.id = a.thread LEFT JOIN erasures x ON false
WHERE a.thread = ? AND a.name = ? ORDER BY a.id DESC LIMIT 1`, th.id, s.zip.seal.Label(a.ID)).Scan, th.head.Key.Tenant, &have)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	same := have == content && last.Created.Equal(a.Created)
	a.Created, a.Content, a.Tenant, a.Thread, a.Erased = last.Created, nil, last.Tenant, last.Thread, nil
	return same && reflect.DeepEqual(last, a), err
}
