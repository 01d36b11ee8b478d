//go:build unix

package sqlite_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/seed-3db51b0e/precis/artifact/seal"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/sqlite"
	"github.com/seed-3db51b0e/precis/store/storetest"
)

// openDamaged opens a store, and returns a function that puts zeros in the place of what
// the blobs of a query say.
func openDamaged(t *testing.T, keys *seal.Keyring) (*sqlite.Store, func(query string)) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "precis.db")
	s, err := sqlite.Open(t.Context(), path, sqlite.Options{Keys: keys})
	noError(t, err)
	t.Cleanup(func() { noError(t, s.Close()) })
	return s, func(query string) {
		db := rawDB(t, path)
		_, err := db.Exec(`PRAGMA busy_timeout = 5000`)
		noError(t, err)
		rows, err := db.Query(`SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'blobs'`)
		noError(t, err)
		var names []string
		for rows.Next() {
			var name string
			noError(t, rows.Scan(&name))
			names = append(names, name)
		}
		noError(t, rows.Close())
		for _, name := range names {
			_, err := db.Exec(`DROP TRIGGER ` + name)
			noError(t, err)
		}
		res, err := db.Exec(`UPDATE blobs SET data = zeroblob(length(data)) WHERE id IN (` + query + `)`)
		noError(t, err)
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			t.Fatalf("%d rows damaged: %v", n, err)
		}
	}
}

// The first request after a start reads the ids and digests of a thread, and no content
// that came with it.
//
// SPEC: T11
func TestLoadsOnlyWhatIsNotThere(t *testing.T) {
	for name, keys := range map[string]*seal.Keyring{"clear": nil, "sealed": ring(t)} {
		t.Run(name, func(t *testing.T) {
			storetest.RunPartial(t, func(t *testing.T) (store.Store, func()) {
				s, damage := openDamaged(t, keys)
				return s, func() { damage(`SELECT body FROM entries`) }
			})
		})
	}
}

// A plan that is damaged takes no thread with it.
//
// SPEC: V9
func TestDamagedPlan(t *testing.T) {
	storetest.RunDamagedPlan(t, func(t *testing.T) (store.Maintained, func(int), func()) {
		s, damage := openDamaged(t, nil)
		return s, func(n int) {
				damage(fmt.Sprintf(`SELECT body FROM (SELECT body FROM records ORDER BY id LIMIT 1 OFFSET %d)`, n))
			}, func() {
				damage(`SELECT header FROM (SELECT header FROM plans ORDER BY version DESC LIMIT 1)`)
			}
	})
}
