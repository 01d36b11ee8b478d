package main

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis/store/sqlite"
)

// waiter lets go of a lock when it is told of the waiting.
type waiter struct {
	told chan string
	free func()
}

func (w waiter) Write(b []byte) (int, error) {
	w.told <- string(b)
	w.free()
	return len(b), nil
}

// A command that waits for a database which another process holds says so.
func TestWaitingIsTold(t *testing.T) {
	old := noteAfter
	t.Cleanup(func() { noteAfter = old })
	noteAfter = time.Millisecond
	path := filepath.Join(t.TempDir(), "held.db")
	s, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	other, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	other.SetMaxOpenConns(1)
	if _, err := other.ExecContext(t.Context(), "BEGIN EXCLUSIVE"); err != nil {
		t.Fatal(err)
	}
	w := waiter{make(chan string, 9), func() { _, _ = other.ExecContext(t.Context(), "ROLLBACK") }}
	d := &database{streams: &streams{stderr: w}}
	opened, err := d.open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	if said := <-w.told; !strings.Contains(said, "still opening "+path) {
		t.Errorf("it says %q", said)
	}
}
