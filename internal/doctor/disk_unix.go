//go:build linux || darwin

package doctor

import "syscall"

// freeSpace is the bytes that are free for this user where a folder is.
func freeSpace(dir string) (uint64, error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0, err
	}
	return s.Bavail * uint64(s.Bsize), nil //nolint:unconvert // its type differs between systems
}
