//go:build unix

package discover_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-3db51b0e/precis/discover"
)

// SPEC: B10. What is no plain folder of plain files: loops, links, pipes, what is
// too old, folders below a file's name.
func TestFind(t *testing.T) {
	dir := write(t, "a/one.jsonl", claudeLine, "a/old.jsonl", claudeLine, "a/node_modules/x.jsonl", claudeLine,
		"a/tool-results/y.jsonl", claudeLine, "a/notes.txt", "x", "elsewhere/two.jsonl", claudeLine, "a/dir.jsonl/three.jsonl", claudeLine)
	old := time.Now().AddDate(0, 0, -90)
	if err := os.Chtimes(filepath.Join(dir, "a/old.jsonl"), old, old); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"a/loop": "..", "a/self": "self", "a/gone.jsonl": "nowhere", "a/linked": "../elsewhere", "a/again.jsonl": "one.jsonl"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Skip("no symbolic links here:", err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "a/pipe.jsonl"), 0o600); err != nil {
		t.Skip("no pipes here:", err)
	}
	found, faults := discover.Find(context.Background(), []discover.Place{
		{Dir: filepath.Join(dir, "a"), Asked: true}, {Dir: filepath.Join(dir, "missing")}, {Dir: filepath.Join(dir, "wanted"), Asked: true},
	}, time.Now().AddDate(0, 0, -30))
	var names, why []string
	for _, f := range found {
		names = append(names, filepath.Base(f.Path))
	}
	slices.Sort(names)
	if i := slices.Index(names, "again.jsonl"); i >= 0 {
		names[i] = "one.jsonl" // one file by either name
	}
	for _, f := range faults {
		why = append(why, filepath.Base(f.Path)+": "+f.Why)
	}
	if d := cmp.Diff([]string{"one.jsonl", "three.jsonl", "two.jsonl"}, names); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"pipe.jsonl: not a regular file", "wanted: no such file or directory"}, why); d != "" {
		t.Error(d)
	}
}

// SPEC: B10. A pipe among the files of a session is told; nobody waits for its other end.
func TestPipeAmongMessages(t *testing.T) {
	dir := write(t, "session/p/s1.json", `{"id":"s1"}`, "message/s1/m1.json", `{"id":"m1","role":"user"}`)
	if err := syscall.Mkfifo(filepath.Join(dir, "message/s1/m2.json"), 0o600); err != nil {
		t.Skip("no pipes here:", err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := discover.Load(context.Background(), filepath.Join(dir, "session/p/s1.json"))
		done <- err
	}()
	select {
	case err := <-done:
		if err == nil || discover.Reason(err) != "not a regular file" {
			t.Errorf("the session is read: %v", err)
		}
	case <-time.After(5 * time.Second):
		t.Error("it waits for a pipe")
	}
}

// SPEC: B10. A file that a person names is a session whatever it is called.
func TestNamedFileIsTaken(t *testing.T) {
	dir := write(t, "saved.txt", claudeLine, "other.txt", claudeLine)
	found, faults := discover.Find(context.Background(), []discover.Place{{Dir: filepath.Join(dir, "saved.txt"), Asked: true}, {Dir: filepath.Join(dir, "other.txt")}}, time.Time{})
	if len(found) != 1 || filepath.Base(found[0].Path) != "saved.txt" || len(faults) != 0 {
		t.Errorf("found %v, faults %v", found, faults)
	}
}
