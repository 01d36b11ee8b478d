package discover

import (
	"bytes"
	"compress/gzip"
	"errors"
	"testing"
)

// What gzip packed is read up to a bound.
//
// SPEC: B1
func TestUnpackedIsBounded(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := z.Write(make([]byte, 1000))
	if err := errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	if got, err := unpacked(b.Bytes(), 1000); err != nil || len(got) != 1000 {
		t.Errorf("%d bytes: %v", len(got), err)
	}
	if _, err := unpacked(b.Bytes(), 999); !errors.Is(err, ErrLarge) {
		t.Errorf("%v", err)
	}
	plain := make([]byte, 1000)
	if got, err := unpacked(plain, 999); err != nil || len(got) != 1000 { // who asks has read it
		t.Errorf("%d bytes: %v", len(got), err)
	}
}
