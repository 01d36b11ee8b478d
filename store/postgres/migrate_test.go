//go:build unix

package postgres_test

import (
	"context"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/postgres"
	"github.com/seed-3db51b0e/precis/store/storetest"
)

// A database without a schema, or with an older one, is refused with the way to mend
// it; several nodes may migrate at once.
//
// SPEC: B14
func TestMigrate(t *testing.T) {
	url := server.Database(t, "migrated")
	_, err := postgres.Open(t.Context(), url, postgres.Options{})
	isError(t, err, postgres.ErrOlder)
	var g errgroup.Group
	for range 3 {
		g.Go(func() error {
			_, err := postgres.Migrate(context.Background(), url)
			return err
		})
	}
	noError(t, g.Wait())
	s, err := postgres.Open(t.Context(), url, postgres.Options{})
	noError(t, err)
	noError(t, s.Close())
	ran, err := postgres.Migrate(t.Context(), url)
	noError(t, err)
	if len(ran) != 0 {
		t.Errorf("migrated again: %v", ran)
	}
}

// During a rollout the schema is one version ahead of the nodes that are still old:
// both kinds write to the same thread. Two versions ahead is refused.
//
// SPEC: B14
func TestTwoVersionsSideBySide(t *testing.T) {
	url := server.Database(t, "rollout")
	later := `ALTER TABLE threads ADD COLUMN note bytea NOT NULL DEFAULT '';
ALTER TABLE entries ADD COLUMN note bytea;`
	noError(t, postgres.MigrateWith(t.Context(), url, later))
	before, err := postgres.Open(t.Context(), url, postgres.Options{})
	noError(t, err)
	defer func() { noError(t, before.Close()) }()
	after, err := postgres.OpenKnowing(t.Context(), url, 1)
	noError(t, err)
	defer func() { noError(t, after.Close()) }()
	storetest.RunTogether(t, []store.Store{before, after})

	_, err = postgres.OpenKnowing(t.Context(), url, 2)
	isError(t, err, postgres.ErrOlder)
	noError(t, postgres.MigrateWith(t.Context(), url, later, `ALTER TABLE plans ADD COLUMN note bytea;`))
	_, err = postgres.Open(t.Context(), url, postgres.Options{})
	isError(t, err, postgres.ErrNewer)
	if !strings.Contains(err.Error(), "schema 3, this program works with 1 and 2") {
		t.Error(err)
	}
}

// Behind a pooler that gives each transaction another session, everything works.
//
// SPEC: B14
func TestContractBehindPooler(t *testing.T) {
	if testing.Short() {
		t.Skip("the contract is proven without")
	}
	url := server.Pooler(t, "postgres", 3)
	storetest.Run(t, func(t *testing.T) store.Store {
		clear(t)
		s, err := postgres.Open(t.Context(), url, postgres.Options{})
		noError(t, err)
		t.Cleanup(func() { noError(t, s.Close()) })
		return s
	})
}
