// Package unpack reads what may be packed by gzip.
//
// Use: Reader; Packed for what is in memory. Law: the first bytes say whether it is packed, not a name. Promise: what is
// not packed comes out as it is.
package unpack

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
)

const magic = "\x1f\x8b"

// Packed reports whether data begins as gzip's does.
func Packed(data []byte) bool { return bytes.HasPrefix(data, []byte(magic)) }

// Reader reads what r holds, unpacked.
func Reader(r io.Reader) (io.Reader, error) {
	b := bufio.NewReader(r)
	if begin, _ := b.Peek(len(magic)); !Packed(begin) { // an error comes again with the first read
		return b, nil
	}
	z, err := gzip.NewReader(b)
	if err != nil {
		return nil, fmt.Errorf("unpack gzip: %w", err)
	}
	return z, nil
}
