package main

import (
	"os"
	"path/filepath"
)

// target is a file that a command writes, and the flag that names it.
type target struct{ flag, file string }

// apart refuses to write over the file that is read, or over what else is written.
func apart(read string, written ...target) error {
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

// sameFile says whether two names are of one file, that is there or that would be made.
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
