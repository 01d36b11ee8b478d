//go:build unix

package sqlite_test

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/sqlite"
	"github.com/seed-3db51b0e/precis/thread"
)

// TestMain makes the test binary its own second process: with childEnv set it
// runs that child on the store at pathEnv instead of the tests.
func TestMain(m *testing.M) {
	if name := os.Getenv(childEnv); name != "" {
		if err := children[name](os.Getenv(pathEnv), os.Getenv(argEnv)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

const (
	childEnv = "STORE_TEST_CHILD"
	pathEnv  = "STORE_TEST_PATH"
	argEnv   = "STORE_TEST_ARG"
)

var children = map[string]func(path, arg string) error{
	"busy":     keepBusy,
	"write":    writeMany,
	"full":     writeUntilFull,
	"readonly": tryReadOnly,
	"reader":   readOnly,
	"commit":   commitMany,
	"die":      commitAndDie,
	"seal":     sealIt,
}

// child prepares a second process.
func child(t *testing.T, name, path, arg string) *exec.Cmd {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), childEnv+"="+name, pathEnv+"="+path, argEnv+"="+arg)
	c.Stderr = os.Stderr
	return c
}

// ack is a line a child prints once the store has acknowledged something.
type ack struct {
	Thread string
	Tip    thread.ID
	Len    int
	Plan   int
	Error  string
}

func say(a ack) {
	line, _ := json.Marshal(a)
	_, _ = os.Stdout.Write(append(line, '\n'))
}

// acks reads the lines of a child that may have been killed within one.
func acks(r *bufio.Scanner) (all []ack) {
	for r.Scan() {
		var a ack
		if json.Unmarshal(r.Bytes(), &a) == nil {
			all = append(all, a)
		}
	}
	return all
}

func noError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func isError(t testing.TB, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("error is %v, want %v", err, want)
	}
}

func equal(t testing.TB, want, have any) {
	t.Helper()
	if reflect.DeepEqual(want, have) { // much faster than Diff, which looks at each byte
		return
	}
	if d := cmp.Diff(want, have); d != "" {
		t.Fatalf("differs (-want +have):\n%s", d)
	}
}

var (
	now     = time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	mainKey = store.Key{Thread: "main"}
)

// chain makes entries of the texts.
func chain(parent thread.ID, texts ...string) []thread.Entry {
	ms := make([]message.Message, len(texts))
	for i, text := range texts {
		ms[i] = message.TextOf(message.User, text)
		ms[i].Raw, _ = json.Marshal(map[string]string{"role": "user", "content": text})
	}
	return thread.Extend(parent, ms)
}

// insist appends texts after whatever is there.
func insist(ctx context.Context, s *sqlite.Store, k store.Key, texts ...string) (store.Head, error) {
	for {
		h, err := s.Head(ctx, k)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return h, err
		}
		h, err = s.Append(ctx, k, store.Batch{Tip: h.Tip, Entries: chain(h.Tip, texts...), Now: now})
		if !errors.Is(err, store.ErrStale) {
			return h, err
		}
	}
}

// rawDB opens the file without the store's options.
func rawDB(t testing.TB, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	noError(t, err)
	t.Cleanup(func() { noError(t, db.Close()) })
	return db
}

// sound checks the file with SQLite's own means.
func sound(t testing.TB, path string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	noError(t, err)
	defer func() { noError(t, db.Close()) }()
	for _, pragma := range []string{"integrity_check", "foreign_key_check"} {
		rows, err := db.Query("PRAGMA " + pragma)
		noError(t, err)
		var lines []string
		for rows.Next() {
			var line string
			if pragma == "integrity_check" {
				noError(t, rows.Scan(&line))
			} else {
				line = "violation"
			}
			lines = append(lines, line)
		}
		noError(t, errors.Join(rows.Err(), rows.Close()))
		if have := strings.Join(lines, "; "); have != map[string]string{"integrity_check": "ok"}[pragma] {
			t.Fatalf("%s: %s", pragma, have)
		}
	}
}

// count runs a query for one number.
func count(t testing.TB, db *sql.DB, query string) (n int) {
	t.Helper()
	noError(t, db.QueryRow(query).Scan(&n))
	return n
}
