//go:build unix

package precis_test

import (
	"context"
	"testing"

	"github.com/seed-3db51b0e/precis/internal/testpostgres"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/postgres"
)

// The long thread and its family over PostgreSQL: the same laws.
//
// SPEC: V1, V2, V3, V4, V5, V6, V8, V9, L17, B14
func TestSoakOnPostgreSQL(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a server")
	}
	url := migrated(t)
	soakOn(t, *soakTurns/3, func(ctx context.Context) (store.Store, error) {
		return postgres.Open(ctx, url, postgres.Options{})
	})
}

// migrated is the URL of an empty database of a server of the test's own.
func migrated(t *testing.T) string {
	t.Helper()
	url := testpostgres.Start(t).URL("postgres")
	if _, err := postgres.Migrate(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	return url
}
