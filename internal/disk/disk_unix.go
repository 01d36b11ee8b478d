//go:build linux || darwin

package disk

import "syscall"

// Free is the bytes that are free for this user where a folder is.
func Free(dir string) (uint64, error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0, err
	}
	return s.Bavail * uint64(s.Bsize), nil //nolint:unconvert // its type differs between systems
}
