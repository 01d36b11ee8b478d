package sqlite_test

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/sqlite"
)

// A store is ready while it can be read and its disk has room.
//
// SPEC: L17
func TestReady(t *testing.T) {
	s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "p.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Ready(t.Context()); err != nil {
		t.Error(err)
	}
	s.OnDiskWith(1 << 20)
	if err := s.Ready(t.Context()); !errors.Is(err, store.ErrFull) {
		t.Errorf("on a full disk: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if s.Ready(t.Context()) == nil {
		t.Error("a closed store is ready")
	}
}

// SQLite's errors of the disk have a name, for which the command has advice: 4874 is
// what a full disk without room for shared memory gives.
func TestDiskErrorsHaveAName(t *testing.T) {
	for _, code := range []int{10, 266, 778, 4874} {
		if err := sqlite.Classify(code); !errors.Is(err, sqlite.ErrIO) {
			t.Errorf("%d: %v", code, err)
		}
	}
}
