package postgres

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:embed migrations/*.sql
var embedded embed.FS

// scripts are the migrations, in order. Each keeps programs of the version before it
// at work: it adds, and takes away only what the version before did not use any more.
func scripts() fs.FS {
	dir, _ := fs.Sub(embedded, "migrations") // embedded: it is there
	return dir
}

// newest is the schema version that this program is made for.
func newest() int64 {
	files, _ := fs.Glob(scripts(), "*.sql")
	return int64(len(files))
}

// Migrated is a migration that was run.
type Migrated struct {
	Version int64  `json:"version"`
	Name    string `json:"name"`
}

// Migrate brings the schema up to date, and returns what that took. Nodes of this
// version and of the one before go on working meanwhile. Several may be called at once.
func Migrate(ctx context.Context, url string) ([]Migrated, error) {
	ran, err := migrate(ctx, url, scripts())
	if err != nil {
		return ran, fmt.Errorf("migrate %s: %w", Redacted(url), classify(err))
	}
	return ran, nil
}

func migrate(ctx context.Context, url string, scripts fs.FS) ([]Migrated, error) {
	config, err := parse(url)
	if err != nil {
		return nil, err
	}
	config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec
	db := stdlib.OpenDB(*config.ConnConfig)
	defer func() { _ = db.Close() }() // what it did is committed
	locker, err := lock.NewPostgresTableLocker()
	if err != nil {
		return nil, err
	}
	p, err := goose.NewProvider(goose.DialectPostgres, db, scripts, goose.WithLocker(locker))
	if err != nil {
		return nil, err
	}
	results, err := p.Up(ctx)
	var ran []Migrated
	for _, r := range results {
		ran = append(ran, Migrated{r.Source.Version, r.Source.Path})
	}
	return ran, err
}

// checkSchema reports whether a program that knows schemas up to version works with
// the database's: that version, and the next, which was made for a rollout.
func (s *Store) checkSchema(ctx context.Context, version int64) error {
	var have int64
	err := s.pool.QueryRow(ctx, `SELECT coalesce(max(version_id), 0) FROM goose_db_version WHERE is_applied`).Scan(&have)
	var of *pgconn.PgError
	if errors.As(err, &of) && of.Code == "42P01" {
		err = nil // no table: no schema
	}
	switch {
	case err != nil:
		return err
	case have < version:
		return fmt.Errorf("schema %d, this program needs %d: %w", have, version, ErrOlder)
	case have > version+1:
		return fmt.Errorf("schema %d, this program works with %d and %d: %w", have, version, version+1, ErrNewer)
	}
	return nil
}
