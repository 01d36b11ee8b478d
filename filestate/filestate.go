// Package filestate reads the state of local files, so that the result of a read can
// be cleared while its file has not changed.
//
// Use: Files as tool.Declaration.Capture when a tool reads, and as
// precis.Options.Source when a plan is made; Capture for a tool that knows its
// path. Law: drift or doubt means that a result cannot be had again:
// a file that is missing, too large, not regular or not under the root has no
// state. Promise: only regular files under the root are opened, whatever links
// and paths say; nothing is written.
package filestate

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/seed-3db51b0e/precis/tool"
)

// MaxBytes is the size of the largest file that is looked at.
const MaxBytes = 64 << 20

// ErrUnverifiable is wrapped where a file exists but is too large or not
// regular.
var ErrUnverifiable = errors.New("unverifiable file")

// Capture is the state of a file now: the SHA-256 of its content in lower-case
// hex, and its modification time. A tool that captures before it reads is on
// the safe side: a change in between then counts as drift.
func Capture(path string) (*tool.Determinism, error) {
	dir, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return nil, fmt.Errorf("capture %s: %w", path, err)
	}
	defer dir.Close() //nolint:errcheck // nothing was written
	now, err := stateOf(dir, filepath.Base(path), true)
	if err != nil {
		return nil, fmt.Errorf("capture %s: %w", path, err)
	}
	return now, nil
}

// Files returns a function that gives, for a call that read one file, the state of
// that file now; nil if there is none. Relative paths are taken from root; paths and
// links that lead out of root have no state. The hash has the form of the one
// the envelope holds: whole or cut to at least 16 digits, after "sha256:" or
// bare. For an envelope without a hash the file is not read; one without
// determinism is about to be declared and gets everything.
func Files(root string) func(tool.Envelope) *tool.Determinism {
	return func(e tool.Envelope) *tool.Determinism {
		if len(e.Touched) != 1 || e.Touched[0].Access != tool.Reads {
			return nil
		}
		dir, err := os.OpenRoot(root)
		if err != nil {
			return nil
		}
		defer dir.Close() //nolint:errcheck // nothing was written
		name, ok := relativeTo(root, e.Touched[0].Path)
		if !ok {
			return nil
		}
		then := e.Determinism
		now, err := stateOf(dir, name, then == nil || then.ContentHash != "")
		if err != nil {
			return nil
		}
		if then != nil {
			now.ContentHash = formatLike(then.ContentHash, now.ContentHash)
		}
		return now
	}
}

// relativeTo returns path relative to root, false when it is outside.
func relativeTo(root, path string) (string, bool) {
	if !filepath.IsAbs(path) {
		return filepath.Clean(path), filepath.IsLocal(path)
	}
	abs, err := filepath.Abs(root)
	if err != nil {
		return "", false
	}
	for _, r := range []string{abs, resolved(abs)} {
		if rel, err := filepath.Rel(r, path); err == nil && filepath.IsLocal(rel) {
			return rel, true
		}
	}
	return "", false
}

// resolved is a folder's path without links: a tool may name files by it.
func resolved(dir string) string {
	if r, err := filepath.EvalSymlinks(dir); err == nil {
		return r
	}
	return dir
}

// stateOf looks at a file under root. It is not opened before it is known to be
// regular: opening a pipe would wait for its other end.
func stateOf(root *os.Root, name string, hash bool) (*tool.Determinism, error) {
	info, err := root.Stat(name)
	if err != nil {
		return nil, err
	}
	if err := checkRegular(info); err != nil {
		return nil, err
	}
	now := &tool.Determinism{MTime: unixSeconds(info.ModTime())}
	if hash {
		now.ContentHash, err = hashOf(root, name)
	}
	return now, err
}

func checkRegular(info fs.FileInfo) error {
	if !info.Mode().IsRegular() || info.Size() > MaxBytes {
		return fmt.Errorf("%s of %d bytes: %w", info.Mode(), info.Size(), ErrUnverifiable)
	}
	return nil
}

func hashOf(root *os.Root, name string) (string, error) {
	f, err := root.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close() //nolint:errcheck // only read
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	if err := checkRegular(info); err != nil { // another file by now
		return "", err
	}
	h := sha256.New()
	n, err := io.Copy(h, io.LimitReader(f, MaxBytes+1))
	switch {
	case err != nil:
		return "", err
	case n > MaxBytes: // it grows
		return "", ErrUnverifiable
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// unixSeconds returns Unix time, rounded as Python's st_mtime is: a tool may be
// written in it.
func unixSeconds(t time.Time) float64 { return float64(t.Unix()) + 1e-9*float64(t.Nanosecond()) }

// formatLike writes hash in the format of then if both can be the same kind of hash;
// else it returns hash, which then differs.
func formatLike(then, hash string) string {
	const tag = "sha256:"
	digits, tagged := strings.CutPrefix(then, tag)
	if len(digits) < 16 || len(digits) > len(hash) {
		return hash
	}
	hash = hash[:len(digits)]
	if digits != strings.ToLower(digits) {
		hash = strings.ToUpper(hash)
	}
	if tagged {
		hash = tag + hash
	}
	return hash
}
