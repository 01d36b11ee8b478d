//go:build !linux && !darwin

package disk

import "errors"

// Free is the bytes that are free for this user where a folder is.
func Free(string) (uint64, error) { return 0, errors.ErrUnsupported }
