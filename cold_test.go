package precis_test

import (
	"database/sql"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-3db51b0e/precis/store/sqlite"
)

// The first request after a restart takes from the log what the client did not bring: it
// sends its history, so no message's content is read, and the prompt is the same.
//
// SPEC: T11, V3, V5
func TestColdThreadReadsNoContent(t *testing.T) {
	dir := t.TempDir()
	path, copied := filepath.Join(dir, "p.db"), filepath.Join(dir, "copy.db")
	ms := work(60, 10)
	prepare := func(path string, n int) string {
		t.Helper()
		s, err := sqlite.Open(t.Context(), path, sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}()
		turn, err := newEngine(t, s, policyOf(t, "timeline")).Prepare(t.Context(), request("t", ms[:n], 2_000))
		if err != nil {
			t.Fatal(err)
		}
		if turn.Plan == nil {
			t.Fatal("nothing was compacted: this test proves nothing")
		}
		return table(turn)
	}
	for n := 81; n < len(ms); n += 10 {
		prepare(path, n)
	}
	duplicate(t, path, copied)
	loseContent(t, copied)
	if diff := cmp.Diff(prepare(path, len(ms)), prepare(copied, len(ms))); diff != "" {
		t.Errorf("without the log's content the prompt is another (-with +without):\n%s", diff)
	}
}

func duplicate(t *testing.T, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }() // it was only read
	out, err := os.Create(to)
	if err == nil {
		_, err = io.Copy(out, in)
	}
	if err == nil {
		err = out.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// loseContent puts zeros in the place of what the messages of a file say.
func loseContent(t *testing.T, path string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }() // what it wrote is there
	var triggers []string
	rows, err := db.Query(`SELECT name FROM sqlite_schema WHERE type = 'trigger'`)
	for err == nil && rows.Next() {
		var name string
		err = rows.Scan(&name)
		triggers = append(triggers, name)
	}
	for _, name := range triggers {
		if err == nil {
			_, err = db.Exec(`DROP TRIGGER ` + name)
		}
	}
	if err == nil {
		_, err = db.Exec(`UPDATE blobs SET data = zeroblob(length(data)) WHERE id IN (SELECT body FROM entries)`)
	}
	if err != nil {
		t.Fatal(err)
	}
}
