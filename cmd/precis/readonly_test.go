package main

import (
	"bytes"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
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
	for i, args := range commands {
		began := time.Now()
		_, out := precis(args...)
		if took := time.Since(began); took > 4*time.Second { // the old wait was three times five seconds
			t.Errorf("%s waited %v", args, took)
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
