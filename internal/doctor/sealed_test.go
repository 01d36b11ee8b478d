package doctor_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis/artifact/seal"
	"github.com/seed-3db51b0e/precis/internal/doctor"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/sqlite"
	"github.com/seed-3db51b0e/precis/thread"
)

// finding is what doctor says of one check.
func finding(t *testing.T, db doctor.Database, check string) doctor.Finding {
	t.Helper()
	for _, f := range doctor.Installation(t.Context(), db, func(error) string { return "" }) {
		if f.Check == check {
			return f
		}
	}
	t.Fatalf("no check %q", check)
	return doctor.Finding{}
}

// Doctor proves that a file is sealed by looking for what was said in its bytes: it finds
// what another program put there in the clear, as it is and compressed.
//
// SPEC: L16
func TestDoctorProvesTheSeal(t *testing.T) {
	keys, err := seal.Generate()
	if err != nil {
		t.Fatal(err)
	}
	said := "The code of the vault is 4711-0815, never write it down. " + strings.Repeat("Not anywhere at all. ", 40)
	made := func(o sqlite.Options) doctor.Database {
		path := filepath.Join(t.TempDir(), "p.db")
		s, err := sqlite.Open(t.Context(), path, o)
		if err != nil {
			t.Fatal(err)
		}
		b := store.Batch{Entries: thread.Extend("", []message.Message{message.TextOf(message.User, said)}), Now: time.Unix(1, 0)}
		if _, err := s.Append(t.Context(), key, b); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		return doctor.Database{Path: path, Keys: o.Keys, LookFor: "vault is 4711-0815"}
	}
	clear, sealed := made(sqlite.Options{}), made(sqlite.Options{Keys: keys})
	if f := finding(t, clear, "sealing"); !f.OK || !strings.Contains(f.Found, "not sealed") {
		t.Errorf("%+v", f)
	}
	if f := finding(t, clear, "look for"); !f.OK || !strings.Contains(f.Found, "1 message of 1 thread holds it") || strings.Contains(f.Found, "stands 0 times") {
		t.Errorf("%+v", f)
	}
	if f := finding(t, sealed, "sealing"); !f.OK || !strings.Contains(f.Found, "none stands") {
		t.Errorf("%+v", f)
	}
	if f := finding(t, sealed, "look for"); !f.OK || !strings.Contains(f.Found, "stands 0 times") {
		t.Errorf("%+v", f)
	}

	compressed, err := os.ReadFile(clear.Path) // with the message, compressed
	if err != nil {
		t.Fatal(err)
	}
	for name, spill := range map[string][]byte{"as it is": []byte(said), "compressed": compressed} {
		db, err := sql.Open("sqlite", sealed.Path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.Exec(`CREATE TABLE spilled (what BLOB)`); err != nil {
			t.Fatal(err)
		}
		if _, err := db.Exec(`INSERT INTO spilled VALUES (?)`, spill); err != nil {
			t.Fatal(err)
		}
		for _, check := range []string{"sealing", "look for"} {
			if f := finding(t, sealed, check); f.OK || !strings.Contains(f.Fix, "precis db seal") {
				t.Errorf("%s: %+v", name, f)
			}
		}
		if _, err := db.Exec(`DROP TABLE spilled; VACUUM`); err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if f := finding(t, sealed, "sealing"); !f.OK {
		t.Errorf("afterwards: %+v", f)
	}
}
