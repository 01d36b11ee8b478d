//go:build unix

package sqlite_test

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/sqlite"
	"github.com/seed-3db51b0e/precis/thread"
)

// fillAll puts a row into every table, two where rows could replace each other.
func fillAll(t *testing.T, s *sqlite.Store) {
	t.Helper()
	es := chain("", "one", "two", strings.Repeat("three ", 50))
	_, err := s.Append(t.Context(), mainKey, store.Batch{
		Entries: es, Envelope: []byte("e"), Now: now,
		Variants: []store.Variant{{ID: es[0].ID, Raw: []byte("v")}},
	})
	noError(t, err)
	_, err = s.Append(t.Context(), store.Key{Thread: "fork"}, store.Batch{ForkOf: "main", At: es[1].ID, Now: now})
	noError(t, err)
	for v := 1; v <= 2; v++ {
		p := &plan.Plan{Base: es[2].ID, Version: v, Records: []plan.Record{
			{Action: plan.Summarize, Text: fmt.Sprint(v), Span: plan.Span{IDs: []thread.ID{es[0].ID, es[1].ID}}},
			{Action: plan.Drop, Span: plan.Span{IDs: []thread.ID{es[0].ID, es[2].ID}}},
		}}
		a := artifact.Of(es[0].ID, v, []byte("content"))
		noError(t, s.Commit(t.Context(), mainKey, p, []artifact.Artifact{a}))
	}
}

// sameBeside makes a thread with the entries and the plan of another, as its own.
func sameBeside(t *testing.T, s *sqlite.Store, k store.Key, es []thread.Entry, p *plan.Plan) {
	t.Helper()
	_, err := s.Append(t.Context(), k, store.Batch{Entries: es, Now: now})
	noError(t, err)
	own := *p
	own.Thread, own.Version = k.Thread, 1
	noError(t, s.Commit(t.Context(), k, plan.Restore(own), nil))
}

var tombstone = artifact.Tombstone{At: now, By: "ann", Reason: "held a password"}

// tables are the tables with their columns, but for the record of migrations
// and the cache, which is no record.
func tables(t *testing.T, db *sql.DB) map[string][]string {
	t.Helper()
	rows, err := db.Query(`SELECT m.name, c.name FROM sqlite_schema m, pragma_table_info(m.name) c
WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND m.name NOT IN ('migrations', 'summaries', 'sealing')`)
	noError(t, err)
	defer rows.Close()
	all := map[string][]string{}
	for rows.Next() {
		var table, column string
		noError(t, rows.Scan(&table, &column))
		all[table] = append(all[table], column)
	}
	noError(t, rows.Err())
	return all
}

// SPEC: V1: whoever writes to the file, the schema lets nothing be changed,
// deleted or replaced, but a thread's tip, plan version and last update.
func TestAppendOnly(t *testing.T) {
	dir := t.TempDir()
	s := openAt(t, dir)
	fillAll(t, s)
	es, err := s.Load(t.Context(), mainKey)
	noError(t, err)
	p, err := s.PlanAt(t.Context(), mainKey, 1)
	noError(t, err)
	sameBeside(t, s, store.Key{Thread: "beside"}, es, p)
	noError(t, s.Erase(t.Context(), mainKey, artifact.Of(es[0].ID, 1, []byte("content")).ID, tombstone))
	noError(t, s.EraseEntry(t.Context(), mainKey, es[1].ID, tombstone))
	_, err = s.Append(t.Context(), store.Key{Thread: "old"}, store.Batch{Entries: chain("", "old"), Now: now.Add(-time.Hour)})
	noError(t, err)
	_, err = s.Retire(t.Context(), now, tombstone)
	noError(t, err)
	noError(t, s.Close())
	path := filepath.Join(dir, "precis.db")
	db := rawDB(t, path)
	before := dump(t, db)
	statements := []string{
		`UPDATE blobs SET data = NULL`, `UPDATE blobs SET erased_at = 'now'`,
		`UPDATE blobs SET data = NULL, erased_at = 'now', size = 0`,
		`UPDATE threads SET len = len - 1`, `UPDATE threads SET len = len + 1`, `UPDATE threads SET plan_version = 0 WHERE plan_version > 0`,
		`UPDATE threads SET plan_version = plan_version + 2`,
	}
	for table, columns := range tables(t, db) {
		if count(t, db, "SELECT count(*) FROM "+table) == 0 {
			t.Fatalf("nothing in %s to test with", table)
		}
		statements = append(statements, "DELETE FROM "+table, "INSERT OR REPLACE INTO "+table+" SELECT * FROM "+table,
			"REPLACE INTO "+table+" SELECT * FROM "+table+" LIMIT 1")
		for _, c := range columns {
			if table+"."+c != "threads.updated" {
				statements = append(statements, fmt.Sprintf("UPDATE %s SET %s = x'00'", table, c),
					fmt.Sprintf("UPDATE OR REPLACE %s SET %s = 12345", table, c))
			}
		}
	}
	for _, statement := range statements {
		if _, err := db.Exec(statement); err == nil {
			t.Errorf("went through: %s", statement)
		}
	}
	equal(t, before, dump(t, db))
}

// dump is all rows of all tables as text.
func dump(t *testing.T, db *sql.DB) (lines []string) {
	t.Helper()
	for table, columns := range tables(t, db) {
		rows, err := db.Query("SELECT quote(" + strings.Join(columns, ") || ' ' || quote(") + ") FROM " + table)
		noError(t, err)
		for rows.Next() {
			var line string
			noError(t, rows.Scan(&line))
			lines = append(lines, table+" "+line)
		}
		noError(t, rows.Err())
		noError(t, rows.Close())
	}
	return sorted(lines)
}

// SPEC: V1: the one door is erasing, once, and what was erased says so.
func TestErased(t *testing.T) {
	s := open(t)
	es := chain("", "one", "two")
	_, err := s.Append(t.Context(), mainKey, store.Batch{Entries: es[:1], Envelope: []byte("kept"), Now: now})
	noError(t, err)
	path := pathOf(t, s)
	db := rawDB(t, path)
	const erase = `UPDATE blobs SET data = NULL, erased_at = '2030-01-01T00:00:00Z' WHERE id = (SELECT body FROM entries)`
	_, err = db.Exec(erase)
	noError(t, err)
	_, err = s.Load(t.Context(), mainKey)
	isError(t, err, store.ErrErased)
	if !strings.Contains(err.Error(), "2030-01-01") {
		t.Fatalf("does not say when: %v", err)
	}
	if _, err := db.Exec(erase); err == nil {
		t.Fatal("erased twice")
	}
	if _, err := db.Exec(`UPDATE blobs SET data = x'00', erased_at = NULL`); err == nil {
		t.Fatal("brought back")
	}
	again := store.Key{Thread: "again"} // the same words, said again, are new content
	_, err = s.Append(t.Context(), again, store.Batch{Entries: es, Now: now})
	noError(t, err)
	have, err := s.Load(t.Context(), again)
	noError(t, err)
	equal(t, es, have)
	e, err := s.Envelope(t.Context(), mainKey)
	noError(t, err)
	equal(t, "kept", string(e))
}

// schemaOf makes a file as an older program left it.
func schemaOf(t *testing.T, version int) (dir string) {
	t.Helper()
	dir = t.TempDir()
	script, err := os.ReadFile(filepath.Join("testdata", fmt.Sprintf("schema%d.sql", version)))
	noError(t, err)
	db, err := sql.Open("sqlite", filepath.Join(dir, "precis.db"))
	noError(t, err)
	_, err = db.Exec(string(script))
	noError(t, errors.Join(err, db.Close()))
	return dir
}

// SPEC: V1, L16: the artifacts of an older file, a fork's too, are read, expire
// and are erased as those of a new one.
func TestMigrateArtifacts(t *testing.T) {
	dir := schemaOf(t, 2)
	s := openAt(t, dir)
	fork := store.Key{Thread: "fork"}
	read := func(k store.Key, id string) string {
		t.Helper()
		a, err := s.Artifact(t.Context(), k, id)
		noError(t, err)
		return string(a.Content)
	}
	const two, four, twoOfFork, another = "a4d7fbf9df1f1", "a3835b7f5f002", "ac82c824ed972", "a0ad478f0d642"
	equal(t, "content of two", read(fork, two))
	equal(t, "content of four", read(mainKey, four))
	equal(t, "content of two, of the fork", read(fork, twoOfFork))
	equal(t, "content of another", read(fork, another))
	n, err := s.Expire(t.Context(), "", now.Add(2*time.Hour))
	noError(t, err)
	equal(t, 1, n)
	for _, k := range []store.Key{mainKey, fork} {
		_, err = s.Artifact(t.Context(), k, two)
		isError(t, err, store.ErrErased)
	}
	noError(t, s.Erase(t.Context(), fork, twoOfFork, tombstone))
	es, err := s.Load(t.Context(), fork)
	noError(t, err)
	equal(t, 4, len(es))
	noError(t, s.EraseEntry(t.Context(), fork, es[3].ID, tombstone))
	_, err = s.Artifact(t.Context(), fork, another)
	isError(t, err, store.ErrErased)
	equal(t, "content of four", read(mainKey, four)) // at the same position, of the other branch
	p, err := s.Plan(t.Context(), mainKey)
	noError(t, err)
	equal(t, 1, len(p.Records))
	noError(t, s.Close())
	sound(t, filepath.Join(dir, "precis.db"))
	db := rawDB(t, filepath.Join(dir, "precis.db"))
	_, err = db.Exec(`UPDATE artifacts SET branch = 1`)
	if err == nil {
		t.Fatal("artifacts can be changed after the upgrade")
	}
}

// SPEC: V1: a file of an older schema is brought up to date with all it holds.
func TestMigrate(t *testing.T) {
	for version := 1; version < sqlite.Newest(); version++ {
		t.Run(fmt.Sprint(version), func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "precis.db")
			old, err := sqlite.OpenAt(t.Context(), path, version)
			noError(t, err)
			es := chain("", "one", "two")
			_, err = old.Append(t.Context(), mainKey, store.Batch{Entries: es, Envelope: []byte("e"), Now: now})
			noError(t, err)
			noError(t, old.Close())
			s := openAt(t, dir)
			have, err := s.Load(t.Context(), mainKey)
			noError(t, err)
			equal(t, es, have)
			noError(t, s.Commit(t.Context(), mainKey, &plan.Plan{Base: es[1].ID, Version: 1}, nil))
			noError(t, s.Close())
			sound(t, path)
			db := rawDB(t, path)
			equal(t, sqlite.Newest(), count(t, db, `SELECT count(*) FROM migrations`))
			equal(t, sqlite.Newest(), count(t, db, `SELECT max(version) FROM migrations`))
		})
	}
}

// untouched checks that opening path fails with want and leaves the file as it is.
func untouched(t *testing.T, path string, want error) {
	t.Helper()
	before, err := os.ReadFile(path)
	noError(t, err)
	_, err = sqlite.Open(t.Context(), path, sqlite.Options{})
	isError(t, err, want)
	after, err := os.ReadFile(path)
	noError(t, err)
	if string(before) != string(after) {
		t.Fatal("the file has changed")
	}
}

// SPEC: V1
func TestNewer(t *testing.T) {
	dir := t.TempDir()
	noError(t, openAt(t, dir).Close())
	path := filepath.Join(dir, "precis.db")
	db, err := sql.Open("sqlite", path)
	noError(t, err)
	_, err = db.Exec(`INSERT INTO migrations VALUES (?, 'later', 'now')`, sqlite.Newest()+1)
	noError(t, err)
	noError(t, db.Close())
	untouched(t, path, sqlite.ErrNewer)
}

// SPEC: V1
func TestAlien(t *testing.T) {
	path := filepath.Join(t.TempDir(), "other.db")
	db, err := sql.Open("sqlite", path)
	noError(t, err)
	_, err = db.Exec(`CREATE TABLE threads (id INTEGER PRIMARY KEY); INSERT INTO threads VALUES (1)`)
	noError(t, err)
	noError(t, db.Close())
	untouched(t, path, sqlite.ErrAlien)
}
