package transfer_test

import (
	"path/filepath"
	"testing"

	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/sqlite"
	"github.com/seed-3db51b0e/precis/store/storetest"
)

// file is a new database in a file.
func file(t *testing.T, name string) *sqlite.Store {
	s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), name), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// SPEC: V1, B14
func TestCopyBetweenFiles(t *testing.T) {
	storetest.RunCopy(t, file(t, "from"), file(t, "to"))
}

// SPEC: V1, B14
func TestCopyRefusesWhatWentItsOwnWay(t *testing.T) {
	storetest.RunCopyRefuses(t, func(t *testing.T) (store.Maintained, store.Store) { return file(t, "from"), file(t, "to") })
}
