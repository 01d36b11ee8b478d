//go:build unix

package postgres

import (
	"context"
	"fmt"
	"io/fs"
	"testing/fstest"
	"time"

	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
)

// MigrateWith runs this program's migrations and others after them, as a later version
// would.
func MigrateWith(ctx context.Context, url string, later ...string) error {
	all := fstest.MapFS{}
	files, _ := fs.Glob(scripts(), "*.sql")
	for _, name := range files {
		data, err := fs.ReadFile(scripts(), name)
		if err != nil {
			return err
		}
		all[name] = &fstest.MapFile{Data: data}
	}
	for i, sql := range later {
		name := fmt.Sprintf("%05d_later.sql", newest()+1+int64(i))
		all[name] = &fstest.MapFile{Data: []byte("-- +goose Up\n" + sql)}
	}
	_, err := migrate(ctx, url, all)
	return err
}

// OpenKnowing opens a database as a program that knows schemas later than this one's.
func OpenKnowing(ctx context.Context, url string, later int64) (*Store, error) {
	return open(ctx, url, Options{}, newest()+later)
}

// Collect removes the objects that were written before a time and that nothing names.
func (s *Store) Collect(ctx context.Context, before time.Time) (int64, error) {
	return s.collect(ctx, before)
}

// MigrateUpTo runs this program's migrations up to a version.
func MigrateUpTo(ctx context.Context, url string, version int64) error {
	some := fstest.MapFS{}
	files, _ := fs.Glob(scripts(), "*.sql")
	for _, name := range files[:version] {
		data, err := fs.ReadFile(scripts(), name)
		if err != nil {
			return err
		}
		some[name] = &fstest.MapFile{Data: data}
	}
	_, err := migrate(ctx, url, some)
	return err
}

// SoundPlan returns what Plan returns after it found the current version damaged.
func (s *Store) SoundPlan(ctx context.Context, k store.Key) (*plan.Plan, error) {
	return s.soundPlan(ctx, k)
}
