//go:build unix

package filestate_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis/filestate"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/tool"
)

const content = "package a\n"

var born = time.Unix(1_700_000_000, 123_456_789)

// file writes a file under a new root.
func file(t *testing.T) (root, path string) {
	t.Helper()
	root = t.TempDir()
	path = filepath.Join(root, "src", "a.go")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, path, content, born)
	return root, path
}

func write(t *testing.T, path, text string, at time.Time) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	touch(t, path, at)
}

func touch(t *testing.T, path string, at time.Time) {
	t.Helper()
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

func read(path string) message.Part {
	return message.Part{Kind: message.Call, CallID: "c", Name: "read", Args: fmt.Sprintf(`{"path":%q}`, path)}
}

// What a tool captured when it read decides, when its result is to be cleared,
// whether it may be.
//
// SPEC: L9
func TestDriftDecides(t *testing.T) {
	whole := func(d *tool.Determinism) *tool.Determinism { return d }
	mtime := func(d *tool.Determinism) *tool.Determinism { return &tool.Determinism{MTime: d.MTime} }
	hash := func(d *tool.Determinism) *tool.Determinism { return &tool.Determinism{ContentHash: d.ContentHash} }
	for name, c := range map[string]struct {
		keep  func(*tool.Determinism) *tool.Determinism
		after func(t *testing.T, path string)
		want  tool.Durability
	}{
		"unchanged":                 {whole, func(*testing.T, string) {}, tool.Replayable},
		"edited":                    {whole, func(t *testing.T, p string) { write(t, p, "package b\n", born) }, tool.NonReplayable},
		"edited, hash only":         {hash, func(t *testing.T, p string) { write(t, p, "package b\n", born) }, tool.NonReplayable},
		"touched, the hash decides": {whole, func(t *testing.T, p string) { touch(t, p, born.Add(time.Hour)) }, tool.Replayable},
		"deleted":                   {whole, remove, tool.NonReplayable},
		"deleted, written again":    {whole, func(t *testing.T, p string) { remove(t, p); write(t, p, content, born) }, tool.Replayable},
		"mtime only":                {mtime, func(*testing.T, string) {}, tool.Replayable},
		"mtime only, touched":       {mtime, func(t *testing.T, p string) { touch(t, p, born.Add(time.Microsecond)) }, tool.NonReplayable},
		"mtime only, edited":        {mtime, func(t *testing.T, p string) { write(t, p, "x", born.Add(time.Second)) }, tool.NonReplayable},
		"nothing captured":          {func(*tool.Determinism) *tool.Determinism { return nil }, func(*testing.T, string) {}, tool.NonReplayable},
		"a folder by now":           {whole, func(t *testing.T, p string) { remove(t, p); mkdir(t, p) }, tool.NonReplayable},
	} {
		t.Run(name, func(t *testing.T) {
			root, path := file(t)
			now := filestate.Files(root)
			declared := tool.Declaration{
				Name: "read", Policy: tool.Policy{Durability: tool.Replayable},
				Capture: func(e tool.Envelope) *tool.Determinism { return c.keep(now(e)) },
			}
			result, err := declared.Result(read("src/a.go"), content, tool.Envelope{Outcome: tool.Success})
			if err != nil {
				t.Fatal(err)
			}
			c.after(t, path)
			e := tool.Of(read("src/a.go"), &result)
			if got := e.Durability.Now(e.Determinism, now(e)); got != c.want {
				t.Errorf("%s, want %s: then %+v, now %+v", got, c.want, e.Determinism, now(e))
			}
		})
	}
}

func mkdir(t *testing.T, path string) {
	t.Helper()
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
}

// A hash is told in the form it was captured in; another kind of hash differs.
//
// SPEC: L9
func TestFormOfTheHash(t *testing.T) {
	root, _ := file(t)
	sum := sha256.Sum256([]byte(content))
	digits := hex.EncodeToString(sum[:])
	for form, unchanged := range map[string]bool{
		digits: true, digits[:16]: true, "sha256:" + digits: true, strings.ToUpper(digits): true,
		digits[:8]: false, "md5:" + digits[:32]: false, digits + "00": false, strings.Repeat("0", 64): false, "": false,
	} {
		e := tool.Of(read("src/a.go"), nil)
		e.Determinism = &tool.Determinism{ContentHash: form}
		if got := !e.Determinism.HasChanged(filestate.Files(root)(e)); got != unchanged {
			t.Errorf("captured as %q: unchanged %t, want %t", form, got, unchanged)
		}
	}
}

// Only regular files under the root are looked at.
//
// SPEC: L9, V10
func TestOnlyFilesUnderTheRoot(t *testing.T) {
	root, path := file(t)
	outside, secret := file(t)
	link := func(to, name string) {
		t.Helper()
		if err := os.Symlink(to, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	link("src/a.go", "inside")
	link(secret, "escape")
	link(outside, "folder")
	link("../../../../../../etc/hosts", "up")
	link("loop", "loop")
	if err := syscall.Mkfifo(filepath.Join(root, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	big := filepath.Join(root, "big")
	write(t, big, "", born)
	if err := os.Truncate(big, filestate.MaxBytes+1); err != nil {
		t.Fatal(err)
	}
	elsewhere := filepath.Join(t.TempDir(), "root")
	if err := os.Symlink(root, elsewhere); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		root, path string
		known      bool
	}{
		{root, "src/a.go", true},
		{root, "./src/../src/a.go", true},
		{root, path, true},
		{root, "inside", true},
		{elsewhere, filepath.Join(elsewhere, "src/a.go"), true},
		{elsewhere, path, true},
		{root, "escape", false},
		{root, "folder/src/a.go", false},
		{root, "up", false},
		{root, "loop", false},
		{root, secret, false},
		{root, "../" + filepath.Base(outside) + "/src/a.go", false},
		{root, "src", false},
		{root, "pipe", false},
		{root, "big", false},
		{root, "none", false},
		{filepath.Join(root, "none"), "a.go", false},
	} {
		if got := filestate.Files(c.root)(tool.Of(read(c.path), nil)); (got != nil) != c.known {
			t.Errorf("%s: state %+v, known should be %t", c.path, got, c.known)
		}
	}
	for name, args := range map[string]string{"write": `{"path":"src/a.go"}`, "read_many_files": `{"paths":["src/a.go","inside"]}`, "read": `{}`} {
		if got := filestate.Files(root)(tool.Of(message.Part{Name: name, Args: args}, nil)); got != nil {
			t.Errorf("%s %s: state %+v", name, args, got)
		}
	}
}

// SPEC: L9
func TestCapture(t *testing.T) {
	_, path := file(t)
	d, err := filestate.Capture(path)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(content))
	if want := (tool.Determinism{ContentHash: hex.EncodeToString(sum[:]), MTime: 1_700_000_000 + 1e-9*123_456_789}); *d != want {
		t.Errorf("got %+v, want %+v", *d, want)
	}
	if _, err := filestate.Capture(filepath.Join(filepath.Dir(path), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	if _, err := filestate.Capture(filepath.Dir(path)); !errors.Is(err, filestate.ErrUnverifiable) {
		t.Errorf("a folder: %v", err)
	}
	if _, err := filestate.Capture(filepath.Join(path, "none", "x")); err == nil {
		t.Error("no folder, no error")
	}
}
