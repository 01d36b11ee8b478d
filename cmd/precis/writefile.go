package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// target is a file that a command writes, and the flag that names it.
type target struct{ flag, file string }

// refuseOverwrite refuses to write over the file that is read, or over what else is written.
func refuseOverwrite(read string, written ...target) error {
	for i, w := range written {
		if sameFile(read, w.file) {
			return usage("choose another file", "write --%s: %s is the file that is read", w.flag, w.file)
		}
		for _, other := range written[:i] {
			if sameFile(other.file, w.file) {
				return usage("choose another file", "write --%s: %s is that of --%s", w.flag, w.file, other.flag)
			}
		}
	}
	return nil
}

// sameFile reports whether two names are of one file, that is there or that would be made.
// Devices take everything that is written to them.
func sameFile(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	x, errA := os.Stat(a)
	y, errB := os.Stat(b)
	if errA == nil && errB == nil {
		return x.Mode().IsRegular() && os.SameFile(x, y)
	}
	return errA != nil && errB != nil && filepath.Clean(a) == filepath.Clean(b)
}

// writeWhole writes a file that was asked for: beside it and then in its place, so that a
// disk that is full leaves what was there. What is no regular file is written to.
func writeWhole(path string, data []byte) error {
	if to, err := filepath.EvalSymlinks(path); err == nil {
		path = to
	}
	mode := os.FileMode(0o600)
	if info, err := os.Stat(path); err == nil {
		if !info.Mode().IsRegular() {
			return os.WriteFile(path, data, mode)
		}
		mode = info.Mode().Perm()
	}
	return writeBeside(path, data, mode)
}

// writeBeside writes a file in one step: whoever reads it sees the old one or the new one.
func writeBeside(path string, data []byte, mode os.FileMode) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if at := (*fs.PathError)(nil); errors.As(err, &at) {
		at.Path = path // the name of the new file says nothing to who gave this one
	}
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	_, err = f.Write(data)
	if err := errors.Join(err, f.Chmod(mode), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
