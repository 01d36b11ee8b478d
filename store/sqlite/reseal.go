package sqlite

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/artifact/seal"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/store/internal/sealing"
)

// Resealed counts what Seal sealed.
type Resealed struct {
	// First says that the file was in the clear.
	First bool
	// Contents are the pieces of content that the newest key seals now and did not
	// before.
	Contents int
}

// Seal seals all that a file holds with the primary of o.Keys: a file in the clear
// becomes sealed, and what an older key sealed moves to the newest, so that the older
// can be taken out of the ring. The cache of summaries is dropped. The file is then
// written anew, so that no old page stays in it.
//
// No other process may have the file open: ErrBusy. It is one transaction; on an error
// before its end nothing has changed, on one after it calling Seal again ends the work.
func Seal(ctx context.Context, path string, o Options) (r Resealed, err error) {
	if o.Keys == nil {
		return r, errors.New("seal store: no keys")
	}
	s, err := Open(ctx, path, o)
	if errors.Is(err, ErrClear) {
		r.First = true
		keys := o.Keys
		o.Keys = nil
		if s, err = Open(ctx, path, o); err == nil {
			err = s.sealAll(ctx, keys, &r)
		}
	} else if err == nil {
		err = s.sealAll(ctx, o.Keys, &r)
	}
	if err == nil {
		err = s.renew(ctx)
	}
	if s != nil {
		err = errors.Join(err, s.Close())
	}
	if err != nil {
		return r, fmt.Errorf("seal store %s: %w", path, classify(err))
	}
	return r, nil
}

// renew writes the file anew and empties the write-ahead log.
func (s *Store) renew(ctx context.Context) error {
	if _, err := s.w.ExecContext(ctx, `VACUUM`); err != nil {
		return err
	}
	var busy, logged, folded int
	if err := s.w.QueryRowContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`).Scan(&busy, &logged, &folded); err != nil {
		return err
	}
	if busy != 0 {
		return fmt.Errorf("%w: it holds old pages", ErrBusy)
	}
	return nil
}

// sealAll does the work of Seal, without the triggers that refuse it.
func (s *Store) sealAll(ctx context.Context, keys *seal.Keyring, r *Resealed) error {
	return s.write(ctx, func(tx *sql.Tx) error {
		triggers, err := texts(ctx, tx, `SELECT name FROM sqlite_schema WHERE type = 'trigger'`)
		if err != nil {
			return err
		}
		scripts, err := texts(ctx, tx, `SELECT sql FROM sqlite_schema WHERE type = 'trigger'`)
		if err != nil {
			return err
		}
		for _, name := range triggers {
			if _, err := tx.ExecContext(ctx, `DROP TRIGGER `+name); err != nil {
				return err
			}
		}
		if err := s.reseal(ctx, tx, keys, r); err != nil {
			return err
		}
		for _, script := range scripts {
			if _, err := tx.ExecContext(ctx, script); err != nil {
				return err
			}
		}
		return nil
	})
}

func texts(ctx context.Context, q querier, query string) (all []string, err error) {
	err = eachRow(ctx, q, func(rows *sql.Rows) error {
		var text string
		err := rows.Scan(&text)
		all = append(all, text)
		return err
	}, query)
	return all, err
}

func (s *Store) reseal(ctx context.Context, tx *sql.Tx, keys *seal.Keyring, r *Resealed) error {
	x, index := s.zip.seal, []byte(nil)
	var err error
	if x == nil {
		x, index, err = sealing.Fresh(keys)
	} else {
		index, err = s.resealedIndex(ctx, tx, keys)
	}
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO sealing (id, key) VALUES (1, ?); DELETE FROM summaries`, index); err != nil {
		return err
	}
	ids, err := rowIDs(ctx, tx, `SELECT id FROM blobs WHERE erased_at IS NULL`)
	if err != nil {
		return err
	}
	moved := &compressor{Compressor: s.zip.Compressor, seal: x}
	run := prepare(tx)
	for _, id := range ids {
		if err := s.resealBlob(ctx, run, id, moved, keys.Primary(), r); err != nil {
			return fmt.Errorf("content %d: %w", id, err)
		}
	}
	if s.zip.seal != nil {
		return nil
	}
	for _, t := range turnings {
		if err := t.run(ctx, tx, x); err != nil {
			return fmt.Errorf("%s: %w", t.table, err)
		}
	}
	return nil
}

// resealedIndex is the file's own key, sealed with the primary.
func (s *Store) resealedIndex(ctx context.Context, tx *sql.Tx, keys *seal.Keyring) ([]byte, error) {
	var index []byte
	if err := tx.QueryRowContext(ctx, `SELECT key FROM sealing`).Scan(&index); err != nil {
		return nil, err
	}
	return sealing.Again(keys, index)
}

// resealBlob seals one content with the primary.
func (s *Store) resealBlob(ctx context.Context, tx runner, id int64, to *compressor, primary string, r *Resealed) error {
	var hash, data []byte
	p := packed{}
	err := tx.QueryRowContext(ctx, `SELECT hash, size, codec, data FROM blobs WHERE id = ?`, id).Scan(&hash, &p.size, &p.codec, &data)
	if err != nil {
		return err
	}
	if p.hash, p.data = hash, data; p.codec >= sealedCodec && seal.KeyOf(data) == primary {
		return nil
	}
	content, err := s.zip.unpack(&p)
	if err != nil {
		return err
	}
	b := to.pack(content)
	if b.err != nil {
		return b.err
	}
	r.Contents++
	_, err = tx.ExecContext(ctx, `UPDATE blobs SET hash = ?, codec = ?, data = ? WHERE id = ?`, b.hash[:], b.codec, b.data, id)
	return err
}

// turning names columns of a table whose values a sealed file holds in another form. The
// key columns tell rows apart.
type turning struct {
	table, where string
	key, columns []string
	// turn returns the new values for the old; a NULL is nil, and stays.
	turn func(x *sealing.Sealing, old [][]byte) []any
}

// turnings are all of them; content is sealed by itself.
var turnings = []turning{
	{"tenants", "", []string{"id"}, []string{"name"}, func(x *sealing.Sealing, v [][]byte) []any { return []any{x.Name(string(v[0]))} }},
	{"threads", "", []string{"id"}, []string{"name", "tip"}, func(x *sealing.Sealing, v [][]byte) []any { return []any{x.Name(string(v[0])), x.TurnIDs(v[1])} }},
	{"retired", "", []string{"id"}, []string{"name", "tip"}, func(x *sealing.Sealing, v [][]byte) []any { return []any{x.Name(string(v[0])), x.TurnIDs(v[1])} }},
	{"blobs", " WHERE erased_at IS NOT NULL", []string{"id"}, []string{"hash"}, func(x *sealing.Sealing, v [][]byte) []any { return []any{turnHash(x, v[0])} }},
	{"entries", "", []string{"branch", "seq"}, []string{"id", "digest"}, func(x *sealing.Sealing, v [][]byte) []any {
		id := x.TurnIDs(v[0])
		d := x.Digest(id, message.Digest(v[1]))
		return []any{id, d[:]}
	}},
	{"records", "", []string{"id"}, []string{"hash", "first", "ids"}, func(x *sealing.Sealing, v [][]byte) []any {
		return []any{turnHash(x, v[0]), x.TurnIDs(v[1]), x.TurnIDs(v[2])}
	}},
	{"plans", "", []string{"thread", "version"}, []string{"base", "sum"}, func(x *sealing.Sealing, v [][]byte) []any { return []any{x.TurnIDs(v[0]), turnHash(x, v[1])} }},
	{"artifacts", "", []string{"id"}, []string{"name", "source"}, func(x *sealing.Sealing, v [][]byte) []any { return []any{x.Label(string(v[0])), x.TurnIDs(v[1])} }},
	{"erasures", " WHERE artifact IS NOT NULL", []string{"id"}, []string{"artifact"}, func(x *sealing.Sealing, v [][]byte) []any { return []any{x.Label(string(v[0]))} }},
}

// turnHash turns a hash that was stored in the clear.
func turnHash(x *sealing.Sealing, clear []byte) []byte {
	h := x.Hash([sha256.Size]byte(clear))
	return h[:]
}

// run turns the columns of every row.
func (t turning) run(ctx context.Context, tx *sql.Tx, x *sealing.Sealing) error {
	var keys [][]any
	var old [][][]byte
	err := eachRow(ctx, tx, func(rows *sql.Rows) error {
		key, values := make([]any, len(t.key)), make([][]byte, len(t.columns))
		var into []any
		for i := range key {
			into = append(into, &key[i])
		}
		for i := range values {
			into = append(into, &values[i])
		}
		keys, old = append(keys, key), append(old, values)
		return rows.Scan(into...)
	}, `SELECT `+strings.Join(slices.Concat(t.key, t.columns), ", ")+` FROM `+t.table+t.where)
	if err != nil {
		return err
	}
	run := prepare(tx)
	update := `UPDATE ` + t.table + ` SET ` + strings.Join(t.columns, " = ?, ") + ` = ? WHERE ` + strings.Join(t.key, " = ? AND ") + ` = ?`
	for i, values := range old {
		if _, err := run.ExecContext(ctx, update, slices.Concat(t.turn(x, values), keys[i])...); err != nil {
			return err
		}
	}
	return nil
}
