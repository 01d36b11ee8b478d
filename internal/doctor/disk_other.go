//go:build !linux && !darwin

package doctor

import "errors"

// freeSpace is the bytes that are free for this user where a folder is.
func freeSpace(string) (uint64, error) { return 0, errors.ErrUnsupported }
