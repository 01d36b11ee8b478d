package main

import (
	"bytes"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	driver "modernc.org/sqlite"
)

// Commands that only read do not wait for who writes, and write nothing.
//
// SPEC: B8, L17
func TestReadingWaitsForNobody(t *testing.T) {
	dir := t.TempDir()
	db, session := filepath.Join(dir, "p.db"), filepath.Join(dir, "s.jsonl")
	if err := os.WriteFile(session, []byte(`{"role":"user","content":"some words"}`+"\n"+`{"role":"assistant","content":"yes"}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	precis := func(args ...string) (code int, out string) {
		var b bytes.Buffer
		code = run(t.Context(), append(args, "--db", db), strings.NewReader(""), &b, &b)
		return code, b.String()
	}
	if code, out := precis("compact", session); code != exitOK {
		t.Fatal(out)
	}
	commands := [][]string{
		{"read", "1"},
		{"grep", "words"},
		{"describe", "1"},
		{"thread", "list"},
		{"thread", "show"},
		{"thread", "export"},
		{"plan", "show"},
		{"plan", "diff"},
		{"db", "size"},
	}
	var want []string
	before, err := os.ReadFile(db)
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range commands {
		_, out := precis(args...)
		want = append(want, out)
	}
	if after, err := os.ReadFile(db); err != nil || !bytes.Equal(after, before) {
		t.Errorf("a command changed the file, %v", err)
	}
	if files, err := filepath.Glob(db + "*"); err != nil || len(files) != 1 {
		t.Errorf("there are %v, %v", files, err)
	}
	writer, err := sql.Open("sqlite", "file:"+filepath.ToSlash(db)+"?_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	tx, err := writer.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	var writers atomic.Int64
	driver.RegisterConnectionHook(func(_ driver.ExecQuerierContext, dsn string) error {
		if !strings.Contains(dsn, "mode=ro") { // it would wait
			writers.Add(1)
		}
		return nil
	})
	for i, args := range commands {
		code, out := precis(args...)
		if n := writers.Swap(0); n > 0 || code != exitOK {
			t.Errorf("%s opened the database for writing %d times, code %d", args, n, code)
		}
		if args[0] != "db" && out != want[i] {
			t.Errorf("%s: %s\nnot\n%s", args, out, want[i])
		}
	}
}

// A database of an older version that cannot be brought up to date, as on a disk that takes
// no writes, is not read, and the command says why.
//
// SPEC: B8
func TestReadingNeedsAnUpgrade(t *testing.T) {
	db := filepath.Join(t.TempDir(), "p.db")
	precis := func(args ...string) (code int, out string) {
		var b bytes.Buffer
		code = run(t.Context(), append(args, "--db", db), strings.NewReader(`{"role":"user","content":"some words"}`+"\n"), &b, &b)
		return code, b.String()
	}
	if code, out := precis("compact", "-"); code != exitOK {
		t.Fatal(out)
	}
	file, err := sql.Open("sqlite", db)
	if err != nil {
		t.Fatal(err)
	}
	_, err = file.Exec(`DELETE FROM migrations WHERE version = (SELECT max(version) FROM migrations)`) // what it made is in the way
	if err := errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
	code, out := precis("thread", "list")
	if code != exitFailed || !strings.Contains(out, "needs an upgrade before it can be read: open store "+db) || !strings.Contains(out, "hint: copy it to a place that can be written") {
		t.Errorf("exit code %d: %s", code, out)
	}
}
