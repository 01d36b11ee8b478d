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
	if !strings.Contains(err.Error(), "schema 5, this program works with 3 and 4") {
		t.Error(err)
	}
}

// What the first version wrote stands in the partitions of the second, in its order, and
// roles may do with it what they could.
//
// SPEC: V1, B14
func TestMigrateToPartitions(t *testing.T) {
	url := server.Database(t, "partitions")
	noError(t, postgres.MigrateUpTo(t.Context(), url, 1))
	query := func(sql string) string {
		t.Helper()
		out, err := server.Query(t.Context(), "partitions", sql)
		noError(t, err)
		return out
	}
	query(`CREATE ROLE "the node" LOGIN; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO "the node";
CREATE ROLE reader LOGIN; GRANT SELECT ON erasures, summaries TO PUBLIC;
INSERT INTO variants (thread, seq, form, dialect, body) SELECT sha256(int8send(i % 5)), 0, int8send(i), '', '' FROM generate_series(1, 100) i;
INSERT INTO envelopes (thread, body) SELECT sha256(int8send(i % 5)), int8send(i) FROM generate_series(1, 100) i;
INSERT INTO erasures (thread, seq, whole, artifact, erased_at, erased_by, reason) SELECT sha256(int8send(i)), 0, true, '', '', '', '' FROM generate_series(1, 100) i`)
	const all = `SELECT md5(string_agg(r, ' ')) FROM (SELECT v::text r FROM variants v UNION ALL SELECT e::text FROM envelopes e UNION ALL SELECT x::text FROM erasures x ORDER BY 1) rows`
	before := query(all)
	_, err := postgres.Migrate(t.Context(), url)
	noError(t, err)
	if after := query(all); after != before {
		t.Error("the rows are not the same")
	}
	if n := query(`SELECT count(*) FROM pg_inherits WHERE inhparent IN ('variants'::regclass, 'envelopes'::regclass, 'erasures'::regclass)`); n != "24" {
		t.Errorf("%s partitions", n)
	}
	query(`SET ROLE "the node"; INSERT INTO envelopes (thread, body) VALUES (sha256(int8send(1)), 'last'); SELECT * FROM sealing; DELETE FROM summaries`)
	query(`SET ROLE "the node"; SELECT * FROM grow_thread('', '{}', '{}', '{}', '{}', '{}', '{}', '', 0, '', '')`) // appends of schema 3
	query(`SET ROLE reader; SELECT * FROM erasures; SELECT * FROM sealing`)                                        // what everybody may, everybody may still
	if last := query(`SELECT convert_from(body, 'UTF8') FROM envelopes WHERE thread = sha256(int8send(1)) ORDER BY n DESC LIMIT 1`); last != "last" {
		t.Errorf("the last envelope is %q", last)
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
