//go:build unix

package postgres_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/blob"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/store/postgres"
	"github.com/seed-3db51b0e/precis/store/sqlite"
	"github.com/seed-3db51b0e/precis/store/storetest"
)

// SPEC: V1, V8, L16, L17, L18, B14
func TestContract(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store { return open(t, postgres.Options{}) })
	storetest.RunPlain(t, func(t *testing.T) store.Store { return open(t, postgres.Options{}) })
	storetest.RunReopen(t, reopened())
}

// reopened returns a function that opens the database, emptied for a folder that is new.
func reopened() func(t *testing.T, dir string) store.Store {
	seen := map[string]bool{}
	return func(t *testing.T, dir string) store.Store {
		url := server.URL("postgres")
		if !seen[dir] {
			url, seen[dir] = clear(t), true
		}
		s, err := postgres.Open(t.Context(), url, postgres.Options{})
		noError(t, err)
		return s
	}
}

// All content of messages and artifacts in a blob store changes nothing.
//
// SPEC: V1, V8, L16, L17, B14
func TestContractWithBlobs(t *testing.T) {
	if testing.Short() {
		t.Skip("the contract is proven without")
	}
	storetest.Run(t, func(t *testing.T) store.Store {
		blobs, err := blob.Open(t.Context(), t.TempDir())
		noError(t, err)
		return open(t, postgres.Options{Blobs: blobs, BlobSize: 1})
	})
}

// SPEC: V1, V8, L16, L17, B14
func TestSameAsMemory(t *testing.T) {
	storetest.RunSame(t, func() (store.Store, error) {
		return postgres.Open(context.Background(), clear(t), postgres.Options{})
	}, func() (store.Store, error) { return memory.New(), nil })
}

// Threads move from a file to the database and back.
//
// SPEC: V1, B14
func TestCopy(t *testing.T) {
	file := func(name string) *sqlite.Store {
		s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), name), sqlite.Options{})
		noError(t, err)
		t.Cleanup(func() { noError(t, s.Close()) })
		return s
	}
	storetest.RunCopy(t, file("from"), open(t, postgres.Options{}))
	storetest.RunCopy(t, open(t, postgres.Options{}), file("to"))
	storetest.RunCopyRefuses(t, func(t *testing.T) (store.Maintained, store.Store) { return file("from"), open(t, postgres.Options{}) })
}
