//go:build unix

package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"

	"github.com/seed-3db51b0e/precis/internal/testpostgres"
	"github.com/seed-3db51b0e/precis/store/postgres"
)

// server is what the tests of this package share.
var server *testpostgres.Server

func TestMain(m *testing.M) {
	var err error
	server, err = testpostgres.Boot()
	if errors.Is(err, testpostgres.ErrMissing) && os.Getenv("CI") == "" {
		fmt.Println("skipped:", err)
		os.Exit(0)
	}
	if err == nil {
		_, err = postgres.Migrate(context.Background(), server.URL("postgres"))
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	code := m.Run()
	server.Stop()
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Println(err)
			code = 1
		}
	}
	os.Exit(code)
}

// clear empties the database that the tests share.
func clear(t testing.TB) string {
	t.Helper()
	url := server.URL("postgres")
	db, err := pgx.Connect(t.Context(), url)
	noError(t, err)
	defer func() { noError(t, db.Close(context.Background())) }()
	_, err = db.Exec(t.Context(), `DO $$ DECLARE t text; BEGIN
  PERFORM set_config('precis.erasing', 'on', true);
  FOREACH t IN ARRAY ARRAY['threads','entries','variants','envelopes','plans','records','artifacts','erasures','retired','summaries','sealing'] LOOP
    EXECUTE 'DELETE FROM ' || t;
  END LOOP;
END $$`)
	noError(t, err)
	return url
}

// open opens the shared database, emptied, for one test.
func open(t testing.TB, o postgres.Options) *postgres.Store {
	t.Helper()
	s, err := postgres.Open(t.Context(), clear(t), o)
	noError(t, err)
	t.Cleanup(func() { noError(t, s.Close()) })
	return s
}

func noError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func isError(t testing.TB, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("error is %v, want %v", err, want)
	}
}
