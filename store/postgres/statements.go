package postgres

import (
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/internal/encoding"
	"github.com/seed-3db51b0e/precis/thread"
)

// The statements of Append. Each compares the thread's row with what the caller knows,
// and where that is not so, writes nothing and returns no row. It is one transaction:
// the row stays locked until the end of it, and whoever else writes to the thread
// compares with what it left.

// writeEntries is how each of them goes on from the thread's row, w, whose entries
// before the batch are w.before.
const writeEntries = `, es AS (
  INSERT INTO entries (thread, seq, id, digest, form, tokens, counter, erased, body)
  SELECT w.id, w.before + e.n - 1, e.id, e.digest, e.form, e.tokens, e.counter, false, e.body
  FROM w, unnest($2::bytea[], $3::bytea[], $4::bytea[], $5::bigint[], $6::bytea[], $7::bytea[])
    WITH ORDINALITY e (id, digest, form, tokens, counter, body, n)
)`

// writeParts is writeEntries with variants and an envelope.
const writeParts = writeEntries + `, vs AS (
  INSERT INTO variants (thread, seq, form, dialect, body)
  SELECT v.thread, v.seq, v.form, v.dialect, v.body
  FROM w, unnest($8::bytea[], $9::bigint[], $10::bytea[], $11::bytea[], $12::bytea[]) v (thread, seq, form, dialect, body)
  ON CONFLICT DO NOTHING
), env AS (
  INSERT INTO envelopes (thread, body) SELECT w.id, $13::bytea FROM w
  WHERE $13::bytea IS NOT NULL AND substring($13::bytea from 2 for 32) IS DISTINCT FROM
    (SELECT substring(l.body from 2 for 32) FROM envelopes l WHERE l.thread = $1 ORDER BY l.n DESC LIMIT 1)
)
SELECT ` + threadColumns + ` FROM w t`

// extendSQL goes on from a tip. $18 is what the caller knows of erasures, NULL where
// that does not matter.
const extendSQL = `WITH w AS (
  UPDATE threads SET tip = $14, len = len + $15, updated = $16
  WHERE id = $1 AND tip = $17 AND ($18::bigint IS NULL OR erasures = $18)
  RETURNING *, len - $15 AS before
)` + writeParts

// growSQL is extendSQL of a batch that is entries alone, as most are.
const growSQL = `SELECT ` + threadColumns + ` FROM grow_thread($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) t`

// beginSQL makes a thread that is no fork.
const beginSQL = `WITH w AS (
  INSERT INTO threads (id, tenant, name, parent, source, created, tip, len, plan_version, erasures, updated)
  VALUES ($1, $14, $15, '', $16, $17, $18, $19, 0, 0, $17)
  ON CONFLICT DO NOTHING RETURNING *, 0::bigint AS before
)` + writeParts

// forkSQL makes a fork, unless its parent is gone, or something of it was erased since.
const forkSQL = `WITH p AS (
  SELECT 1 FROM threads WHERE id = $20 AND erasures = $21 FOR KEY SHARE
), w AS (
  INSERT INTO threads (id, tenant, name, parent, ancestors, upto, source, created, tip, len, plan_version, erasures, updated)
  SELECT $1::bytea, $14::bytea, $15::bytea, $22::bytea, $23::bytea[], $24::bigint[], $16::bytea, $17::text, $18::bytea, $19::bigint + $25::bigint, 0, 0, $17::text FROM p
  ON CONFLICT DO NOTHING RETURNING *, $25::bigint AS before
)` + writeParts

// parts are the arguments of writeParts.
func (b *packedBatch) parts(vs []formRow) []any {
	n := len(b.Entries)
	ids, digests, forms, counters := make([][]byte, n), make([][]byte, n), make([][]byte, n), make([][]byte, n)
	tokens := make([]int64, n)
	for i := range b.Entries {
		e := &b.Entries[i]
		ids[i], forms[i] = b.seal.RawID(e.ID), formOf(b.seal, e.Message)
		digest := b.seal.Digest(ids[i], e.Digest)
		digests[i] = digest[:]
		tokens[i], counters[i] = int64(e.Tokens), []byte(e.Counter)
	}
	m := len(vs)
	places, vforms, dialects, vbodies := make([][]byte, m), make([][]byte, m), make([][]byte, m), make([][]byte, m)
	seqs := make([]int64, m)
	for i, v := range vs {
		places[i], seqs[i], vforms[i] = v.branch[:], int64(v.seq), []byte(v.form)
		dialects[i], vbodies[i] = []byte(v.variant.Dialect), v.body
	}
	return []any{b.id[:], ids, digests, forms, tokens, counters, b.bodies, places, seqs, vforms, dialects, vbodies, b.envelope}
}

// extendArgs are those of extendSQL. erasures is what is known of them, if anything.
func (b *packedBatch) extendArgs(tip thread.ID, vs []formRow, erasures ...int64) []any {
	var known *int64
	if len(erasures) > 0 {
		known = &erasures[0]
	}
	last := tip
	if n := len(b.Entries); n > 0 {
		last = b.Entries[n-1].ID
	}
	return append(b.parts(vs), b.seal.RawID(last), int64(len(b.Entries)), encoding.Time(b.Now), b.seal.RawID(tip), known)
}

// grow is the statement, with its arguments, of a batch that only goes on from its tip.
func (b *packedBatch) grow() (sql string, args []any) {
	args = b.extendArgs(b.Tip, nil)
	if b.envelope != nil {
		return extendSQL, args
	}
	return growSQL, append(args[:7:7], args[13:17]...)
}

// beginArgs are those of beginSQL.
func (b *packedBatch) beginArgs(k store.Key, vs ...formRow) []any {
	return append(b.parts(vs), b.seal.Name(k.Tenant), b.seal.Name(k.Thread), []byte(b.Source), encoding.Time(b.Now),
		b.seal.RawID(b.Last()), int64(len(b.Entries)))
}

// forkArgs are those of forkSQL; th is the fork as it is to be.
func (b *packedBatch) forkArgs(k store.Key, parent, th row, vs []formRow) []any {
	var ancestors [][]byte
	var upto []int64
	for _, x := range th.shared {
		ancestors, upto = append(ancestors, x.ancestor[:]), append(upto, int64(x.upto))
	}
	return append(b.parts(vs), b.seal.Name(k.Tenant), b.seal.Name(k.Thread), []byte(th.head.Source), encoding.Time(b.Now),
		b.seal.RawID(b.Last()), int64(len(b.Entries)), parent.id[:], parent.erasures, b.seal.Name(b.ForkOf), ancestors, upto, int64(th.head.Len))
}
