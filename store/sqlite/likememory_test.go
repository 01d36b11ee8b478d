package sqlite_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/store/sqlite"
	"github.com/seed-3db51b0e/precis/store/storetest"
)

// SPEC: V1, V8, L16, L17
func TestSameAsMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing in it is concurrent")
	}
	dir, n := t.TempDir(), 0
	storetest.RunSame(t, func() (store.Store, error) {
		n++
		return sqlite.Open(t.Context(), filepath.Join(dir, fmt.Sprint(n)), sqlite.Options{})
	}, func() (store.Store, error) { return memory.New(), nil })
}
