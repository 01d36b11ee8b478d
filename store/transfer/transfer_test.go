package transfer_test

import (
	"path/filepath"
	"testing"

	"github.com/seed-3db51b0e/precis/store/sqlite"
	"github.com/seed-3db51b0e/precis/store/storetest"
)

// SPEC: V1, B14
func TestCopyBetweenFiles(t *testing.T) {
	open := func(name string) *sqlite.Store {
		s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), name), sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	storetest.RunCopy(t, open("from"), open("to"))
}
