package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/internal/encoding"
	"github.com/seed-3db51b0e/precis/store/internal/sealing"
	"github.com/seed-3db51b0e/precis/thread"
)

// visible selects the artifacts a thread sees: its own, and its ancestors' as far as
// it shares their sources. Sort by nearest for the one that counts.
const visible = `
FROM lineage l JOIN artifacts a ON a.thread = l.ancestor AND a.seq <= l.upto
JOIN threads o ON o.id = a.thread
LEFT JOIN LATERAL (SELECT erased_at, erased_by, reason FROM erasures
  WHERE thread = a.branch AND seq = a.seq AND (whole OR artifact = a.name) ORDER BY n LIMIT 1) x ON true
WHERE l.thread = $1`

const nearestFirst = ` ORDER BY l.pos DESC, a.n DESC`

const metadata = `a.name, a.source, a.part, a.tool, a.media_type, a.created, a.ttl, a.key_id, a.sensitivity`

// artifactRow is an artifact as it was read, with its place.
type artifactRow struct {
	artifact.Artifact
	branch threadID
	seq    int
	body   []byte
}

// scanArtifact reads metadata and what more is asked for.
func (s *Store) scanArtifact(rows pgx.Rows, a *artifactRow, more ...any) error {
	var name, source, tool, media, key, sensitivity []byte
	var created string
	var ttl int64
	err := rows.Scan(append([]any{&name, &source, &a.Part, &tool, &media, &created, &ttl, &key, &sensitivity}, more...)...)
	if err != nil {
		return err
	}
	a.Source, a.Tool, a.MediaType = s.seal.TextID(source), string(tool), string(media)
	a.TTL, a.KeyID, a.Sensitivity = time.Duration(ttl), string(key), artifact.Sensitivity(sensitivity)
	var timeErr error
	a.ID, err = s.seal.PlainLabel(string(name))
	a.Created, timeErr = readTime(created)
	return errors.Join(err, timeErr)
}

// see reads what a thread sees of its artifacts, the nearest thread's newest first.
func (s *Store) see(ctx context.Context, q querier, k store.Key, end string, args ...any) (all []artifactRow, err error) {
	id := s.idOf(k)
	err = eachRow(ctx, q, func(rows pgx.Rows) error {
		var a artifactRow
		var owner, branch, by, reason []byte
		var at *string
		if err := s.scanArtifact(rows, &a, &owner, &branch, &a.seq, &at, &by, &reason, &a.body); err != nil {
			return err
		}
		name, err := s.seal.PlainName(owner)
		if err != nil {
			return err
		}
		a.Tenant, a.Thread = k.Tenant, name
		copy(a.branch[:], branch)
		if at != nil {
			when, err := readTime(*at)
			if err != nil {
				return err
			}
			a.Erased = &artifact.Tombstone{At: when, By: string(by), Reason: string(reason)}
		}
		all = append(all, a)
		return nil
	}, `SELECT `+metadata+`, o.name, a.branch, a.seq, x.erased_at, x.erased_by, x.reason, `+end, append([]any{id[:]}, args...)...)
	return all, err
}

// seeOne reads the artifact of an id that counts for a thread.
func (s *Store) seeOne(ctx context.Context, q querier, k store.Key, id string) (artifactRow, error) {
	all, err := s.see(ctx, q, k, `a.body`+visible+` AND a.name = $2`+nearestFirst+` LIMIT 1`, []byte(s.seal.Label(id)))
	if err == nil && len(all) == 0 {
		err = store.ErrNotFound
	}
	if err != nil {
		return artifactRow{}, fmt.Errorf("artifact %q: %w", id, err)
	}
	return all[0], nil
}

// Artifact implements store.Artifacts.
func (s *Store) Artifact(ctx context.Context, k store.Key, id string) (artifact.Artifact, error) {
	var a artifactRow
	err := s.retried(ctx, func() (err error) {
		if a, err = s.seeOne(ctx, s.pool, k, id); err != nil {
			return err
		}
		if a.Erased != nil {
			return fmt.Errorf("artifact %q: %w", id, &store.ErasedError{Tombstone: *a.Erased})
		}
		a.Content, err = s.unpack(ctx, a.body)
		return err
	})
	if err != nil {
		return artifact.Artifact{}, fail("read artifact", k, err)
	}
	return a.Artifact, nil
}

// ArtifactList implements store.Artifacts.
func (s *Store) ArtifactList(ctx context.Context, k store.Key) (list []artifact.Artifact, err error) {
	var all []artifactRow
	err = s.retried(ctx, func() error {
		if all, err = s.see(ctx, s.pool, k, `''::bytea`+visible+nearestFirst); err == nil && len(all) == 0 {
			_, err = s.find(ctx, s.pool, k)
		}
		return err
	})
	if err != nil {
		return nil, fail("list artifacts", k, err)
	}
	seen := map[string]bool{}
	all = slices.DeleteFunc(all, func(a artifactRow) bool {
		before := seen[a.ID]
		seen[a.ID] = true
		return before
	})
	slices.SortFunc(all, func(x, y artifactRow) int {
		return cmp.Or(x.seq-y.seq, x.Part-y.Part, cmp.Compare(x.ID, y.ID))
	})
	for _, a := range all {
		list = append(list, a.Artifact)
	}
	return list, nil
}

// insertArtifacts is the part of commitSQL that writes artifacts.
const insertArtifacts = `
  INSERT INTO artifacts (thread, n, name, source, branch, seq, part, tool, media_type, created, ttl, key_id, sensitivity, body)
  SELECT w.id, nextval('artifact_numbers'), x.name, x.source, x.branch, x.seq, x.part, x.tool, x.media_type, x.created, x.ttl, x.key_id, x.sensitivity, x.body
  FROM w, unnest($22::bytea[], $23::bytea[], $24::bytea[], $25::bigint[], $26::bigint[], $27::bytea[], $28::bytea[], $29::text[], $30::bigint[], $31::bytea[], $32::bytea[], $33::bytea[])
    WITH ORDINALITY x (name, source, branch, seq, part, tool, media_type, created, ttl, key_id, sensitivity, body, i) ORDER BY x.i`

// artifactRows are artifacts on their way into the database, column by column.
type artifactRows struct {
	name, source, branch, tool, media, key, sensitivity, body [][]byte
	seq, part, ttl                                            []int64
	created                                                   []string
}

func (rows *artifactRows) args() []any {
	return []any{
		rows.name, rows.source, rows.branch, rows.seq, rows.part, rows.tool, rows.media, rows.created, rows.ttl,
		rows.key, rows.sensitivity, rows.body,
	}
}

func (rows *artifactRows) add(x *sealing.Sealing, a artifact.Artifact, p place, body []byte) {
	rows.name, rows.source = append(rows.name, []byte(x.Label(a.ID))), append(rows.source, x.RawID(a.Source))
	rows.branch = append(rows.branch, p.branch[:])
	rows.seq, rows.part, rows.tool = append(rows.seq, int64(p.seq)), append(rows.part, int64(a.Part)), append(rows.tool, []byte(a.Tool))
	rows.media, rows.created = append(rows.media, []byte(a.MediaType)), append(rows.created, encoding.Time(a.Created))
	rows.ttl, rows.key = append(rows.ttl, int64(a.TTL)), append(rows.key, []byte(a.KeyID))
	rows.sensitivity, rows.body = append(rows.sensitivity, []byte(a.Sensitivity)), append(rows.body, body)
}

// newArtifacts are those of a commit that the thread's last of their ids does not say
// already. Of what was erased they have the metadata only.
func (s *Store) newArtifacts(ctx context.Context, th row, c *commit, at map[thread.ID]place) (*artifactRows, error) {
	rows := &artifactRows{}
	if len(c.artifacts) == 0 {
		return rows, nil
	}
	last, gone, err := s.priorArtifacts(ctx, th, c.artifacts)
	if err != nil {
		return nil, err
	}
	for i, a := range c.artifacts {
		p, ok := at[a.Source]
		if !ok {
			return nil, fmt.Errorf("artifact %s: source %q: %w", a.ID, a.Source, store.ErrForeign)
		}
		body := c.contents[i]
		if p.erased || gone[place{branch: p.branch, seq: p.seq, form: a.ID}] {
			body = []byte{}
		}
		a.Created, a.Content, a.Tenant, a.Thread, a.Erased = a.Created.Round(0).UTC(), nil, "", "", nil
		before, ok := last[a.ID]
		if ok && hashOf(before.body) == hashOf(body) && reflect.DeepEqual(before.Artifact, a) {
			continue
		}
		last[a.ID] = artifactRow{Artifact: a, body: body}
		rows.add(s.seal, a, p, body)
	}
	return rows, nil
}

// priorArtifacts reads the thread's last artifacts of the ids, and which of them, by
// place with the id as form, are erased.
func (s *Store) priorArtifacts(ctx context.Context, th row, as []artifact.Artifact) (map[string]artifactRow, map[place]bool, error) {
	names := make([][]byte, len(as))
	for i := range as {
		names[i] = []byte(s.seal.Label(as[i].ID))
	}
	last, gone := map[string]artifactRow{}, map[place]bool{}
	err := eachRow(ctx, s.pool, func(rows pgx.Rows) error {
		var a artifactRow
		err := s.scanArtifact(rows, &a, &a.body)
		last[a.ID] = a
		return err
	}, `SELECT DISTINCT ON (a.name) `+metadata+`, a.body FROM artifacts a WHERE a.thread = $1 AND a.name = ANY($2)
ORDER BY a.name, a.n DESC`, th.id[:], names)
	if err != nil {
		return nil, nil, err
	}
	err = eachRow(ctx, s.pool, func(rows pgx.Rows) error {
		var branch, name []byte
		var p place
		if err := rows.Scan(&branch, &p.seq, &name); err != nil {
			return err
		}
		var err error
		copy(p.branch[:], branch)
		p.form, err = s.seal.PlainLabel(string(name))
		gone[p] = true
		return err
	}, `SELECT x.thread, x.seq, x.artifact FROM lineage l JOIN erasures x ON x.thread = l.ancestor AND x.seq <= l.upto
WHERE l.thread = $1 AND NOT x.whole AND x.artifact = ANY($2)`, th.id[:], names)
	return last, gone, err
}
