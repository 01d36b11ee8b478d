package blob_test

import (
	"bytes"
	"errors"
	"io/fs"
	"testing"

	"github.com/seed-3db51b0e/precis/store/blob"
)

// SPEC: B14
func TestFolder(t *testing.T) {
	s, err := blob.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	proveStore(t, s)
}

// proveStore proves the contract of an empty store, and closes it.
func proveStore(t *testing.T, s blob.Store) {
	t.Helper()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	content := map[string][]byte{"aa/1-2": []byte("one"), "aa/1-3": {}, "bb/2-1": bytes.Repeat([]byte("large "), 200_000)}
	for range 2 { // again is no error
		for name, data := range content {
			check(s.Put(t.Context(), name, data))
		}
	}
	for name, want := range content {
		have, err := s.Get(t.Context(), name)
		check(err)
		if !bytes.Equal(have, want) {
			t.Errorf("%s: %d bytes of %d", name, len(have), len(want))
		}
	}
	if _, err := s.Get(t.Context(), "aa/1-4"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error is %v", err)
	}
	for prefix, want := range map[string]int{"": 3, "aa/": 2, "bb/2": 1, "c": 0} {
		n := 0
		for o, err := range s.List(t.Context(), prefix) {
			check(err)
			if o.Size != int64(len(content[o.Name])) || o.Written.IsZero() {
				t.Errorf("listed %+v", o)
			}
			n++
		}
		if n != want {
			t.Errorf("%d objects begin with %q, want %d", n, prefix, want)
		}
	}
	check(s.Delete(t.Context(), "aa/1-2"))
	check(s.Delete(t.Context(), "aa/1-2"))
	if _, err := s.Get(t.Context(), "aa/1-2"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error is %v", err)
	}
	check(s.Close())
}

func TestNoBlobStore(t *testing.T) {
	for _, where := range []string{"", "http://host", "s3://", "s3://bucket?endpoint=nonsense"} {
		if _, err := blob.Open(t.Context(), where); !errors.Is(err, blob.ErrURL) {
			t.Errorf("%q: %v", where, err)
		}
	}
}
