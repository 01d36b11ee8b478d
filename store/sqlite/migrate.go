package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-3db51b0e/precis/artifact/seal"
)

//go:embed migrations/*.sql
var scripts embed.FS

// application marks a file as ours (PRAGMA application_id): "prec".
const application = 0x70726563

type migration struct {
	version int
	name    string // file name
}

// migrations lists the scripts by number: 0001_log.sql is version 1.
func migrations() []migration {
	files, _ := scripts.ReadDir("migrations") // embedded: it is there
	var ms []migration
	for _, f := range files {
		n, _ := strconv.Atoi(strings.SplitN(f.Name(), "_", 2)[0])
		ms = append(ms, migration{n, f.Name()})
	}
	slices.SortFunc(ms, func(a, b migration) int { return a.version - b.version })
	return ms
}

// Schema is the text that every store's file holds of its tables.
func Schema() string {
	var all strings.Builder
	for _, m := range migrations() {
		script, _ := scripts.ReadFile(path.Join("migrations", m.name)) // embedded: it is there
		all.Write(script)
	}
	return all.String()
}

// newest is the schema version this program writes.
func newest() int {
	ms := migrations()
	return ms[len(ms)-1].version
}

// checkFile inspects the file without writing to it. Only what a killed process left half
// written is taken back, as whoever opens the file must.
func checkFile(ctx context.Context, path string, o Options) error {
	err := checkWith(ctx, path, o, "mode=ro")
	if interrupted(err) {
		err = checkWith(ctx, path, o, "mode=rw")
	}
	return err
}

func checkWith(ctx context.Context, path string, o Options, mode string) error {
	db, err := connect(path, o, 1, mode)
	if err != nil {
		return err
	}
	_, err = inspect(ctx, db)
	return errors.Join(err, db.Close())
}

// inspect returns the schema version of a file, 0 for an empty one. It must be
// empty, or ours and not newer than this program.
func inspect(ctx context.Context, q querier) (version int, err error) {
	var tables, id int
	if err := q.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_schema`).Scan(&tables); err != nil || tables == 0 {
		return 0, err
	}
	if err := q.QueryRowContext(ctx, `PRAGMA application_id`).Scan(&id); err != nil {
		return 0, err
	}
	if id != application {
		return 0, ErrAlien
	}
	have, err := schemaVersion(ctx, q)
	if err == nil && have > newest() {
		err = fmt.Errorf("schema %d, known up to %d: %w", have, newest(), ErrNewer)
	}
	return have, err
}

func schemaVersion(ctx context.Context, q querier) (v int, err error) {
	err = q.QueryRowContext(ctx, `SELECT coalesce(max(version), 0) FROM migrations`).Scan(&v)
	return v, err
}

// prepare brings the schema up to version, opens the seal if there is one, and makes
// sure that the file can be written and keeps a write-ahead log.
func (s *Store) prepare(ctx context.Context, version int, keys *seal.Keyring) error {
	err := s.write(ctx, func(tx *sql.Tx) error {
		if err := migrate(ctx, tx, version); err != nil || version < newest() {
			return err
		}
		return s.unlock(ctx, tx, tx, keys)
	})
	if err != nil {
		return err
	}
	var mode string
	if err := s.w.QueryRowContext(ctx, `PRAGMA journal_mode`).Scan(&mode); err != nil {
		return err
	}
	if mode != "wal" {
		return fmt.Errorf("journal mode is %s: no write-ahead log on this file system", mode)
	}
	return nil
}

// migrate runs the missing scripts in one transaction. Another process may
// have run them since inspect, or even newer ones.
func migrate(ctx context.Context, tx *sql.Tx, version int) error {
	bootstrap := fmt.Sprintf(`CREATE TABLE IF NOT EXISTS migrations (
  version    INTEGER PRIMARY KEY,
  name       TEXT NOT NULL,
  applied_at TEXT NOT NULL
);
PRAGMA application_id = %d;`, application)
	if fresh, err := empty(ctx, tx); err != nil {
		return err
	} else if fresh {
		if _, err := tx.ExecContext(ctx, bootstrap); err != nil {
			return err
		}
	}
	have, err := schemaVersion(ctx, tx)
	if err != nil {
		return err
	}
	if have > newest() {
		return fmt.Errorf("schema %d, known up to %d: %w", have, newest(), ErrNewer)
	}
	// SQLite lets a write transaction begin on a file it cannot write: ask for
	// a write that changes nothing.
	if _, err := tx.ExecContext(ctx, `UPDATE migrations SET name = name WHERE false`); err != nil {
		return err
	}
	for _, m := range migrations() {
		if m.version <= have || m.version > version {
			continue
		}
		if err := apply(ctx, tx, m); err != nil {
			return fmt.Errorf("migrate to %d: %w", m.version, err)
		}
	}
	return nil
}

func empty(ctx context.Context, tx *sql.Tx) (bool, error) {
	var n int
	err := tx.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_schema`).Scan(&n)
	return n == 0, err
}

func apply(ctx context.Context, tx *sql.Tx, m migration) error {
	script, err := scripts.ReadFile(path.Join("migrations", m.name))
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, string(script)); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx,
		`INSERT INTO migrations (version, name, applied_at) VALUES (?, ?, strftime('%Y-%m-%dT%H:%M:%fZ'))`,
		m.version, m.name)
	return err
}
