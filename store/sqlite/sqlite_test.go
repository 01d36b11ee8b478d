package sqlite_test

import (
	"path/filepath"
	"testing"

	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/sqlite"
	"github.com/seed-3db51b0e/precis/store/storetest"
)

// openAt opens the store of a directory; the test closes it.
func openAt(t testing.TB, dir string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), filepath.Join(dir, "precis.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// open opens a store for one test.
func open(t testing.TB) *sqlite.Store {
	t.Helper()
	s := openAt(t, t.TempDir())
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// SPEC: V1, V8, L16, L17, L18
func TestContract(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store { return open(t) })
	storetest.RunPlain(t, func(t *testing.T) store.Store { return open(t) })
	storetest.RunReopen(t, func(t *testing.T, dir string) store.Store { return openAt(t, dir) })
}
