//go:build unix

package main

import (
	"os"
	"path/filepath"
	"testing"
)

// A file that a command writes is the old one or the whole new one, whatever happens
// meanwhile: it is written beside and renamed. It keeps its rights, a link to it stays
// one, and a device is written to.
//
// SPEC: B1, V9
func TestOutIsWrittenWhole(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	holds := func(name, want string) {
		t.Helper()
		if b, err := os.ReadFile(at(name)); err != nil || string(b) != want {
			t.Errorf("%s holds %q: %v", name, b, err)
		}
	}
	if err := os.WriteFile(at("out"), []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{os.Link(at("out"), at("before")), os.Symlink("out", at("link")), writeWhole(at("link"), []byte("new")), writeWhole(at("fresh"), []byte("new"))} {
		if err != nil {
			t.Fatal(err)
		}
	}
	holds("out", "new")
	holds("fresh", "new")
	holds("before", "old")
	if to, err := os.Readlink(at("link")); err != nil || to != "out" {
		t.Errorf("the link is %q: %v", to, err)
	}
	for name, want := range map[string]os.FileMode{"out": 0o640, "fresh": 0o600} {
		if info, err := os.Stat(at(name)); err != nil || info.Mode() != want {
			t.Errorf("%s is %v: %v", name, info.Mode(), err)
		}
	}
	if err := writeWhole("/dev/null", []byte("new")); err != nil {
		t.Error(err)
	}
	if err := writeWhole(dir, []byte("new")); err == nil {
		t.Error("a folder was written")
	}
	if all, err := os.ReadDir(dir); err != nil || len(all) != 4 {
		t.Errorf("%v is left: %v", all, err)
	}
}
