package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// The browser is given a file that only its user can read, and not the token: who lists
// the processes of the machine sees their arguments. The file leads to the page, and is
// gone with it.
//
// SPEC: B13
func TestBrowserIsNotGivenTheToken(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere other programs start the browser")
	}
	bin, temporary := t.TempDir(), t.TempDir()
	told := filepath.Join(bin, "told")
	script := "#!/bin/sh\nprintf '%s' \"$*\" > '" + told + ".part' && mv '" + told + ".part' '" + told + "'\n"
	if err := os.WriteFile(filepath.Join(bin, "xdg-open"), []byte(script), 0o700); err != nil { //nolint:gosec // it is run
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("TMPDIR", temporary)
	t.Cleanup(func() {
		if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
			t.Errorf("what is left of the file: %v, %v", left, err)
		}
	})
	address := inspected(t, "inspect", filepath.FromSlash("../../examples/session.jsonl"), "--budget", "100k")
	_, token, _ := strings.Cut(address, "token=")
	var args []byte
	for deadline := time.Now().Add(10 * time.Second); len(args) == 0 && time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		args, _ = os.ReadFile(told) // it is not there yet
	}
	path, ok := strings.CutPrefix(string(args), "file://")
	if !ok || strings.Contains(path, token) {
		t.Fatalf("the browser is started with %q", args)
	}
	for place, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		if info, err := os.Stat(place); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v, want %o", place, info, err, want)
		}
	}
	if page, err := os.ReadFile(path); err != nil || !strings.Contains(string(page), `content="0; url=`+address+`"`) { //nolint:gosec // the path is ours
		t.Errorf("the file leads to %s, %v", page, err)
	}
}
