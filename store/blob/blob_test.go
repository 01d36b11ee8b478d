package blob_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
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

// Objects of one folder, and one object, are written and deleted at once: what was written is there
// whole.
//
// SPEC: B14
func TestFolderAtOnce(t *testing.T) {
	s, err := blob.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	same := bytes.Repeat([]byte("same "), 2_000)
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			own := fmt.Sprintf("aa/%d", w)
			for range 50 {
				err := errors.Join(s.Put(t.Context(), own, same), s.Delete(t.Context(), own), s.Put(t.Context(), "bb/1", same))
				if have, getErr := s.Get(t.Context(), "bb/1"); err != nil || getErr != nil || !bytes.Equal(have, same) {
					t.Errorf("%v, %d bytes of %d, %v", err, len(have), len(same), getErr)
					return
				}
			}
		})
	}
	wg.Wait()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// A list goes on where a folder that it has not come to is removed.
//
// SPEC: B14
func TestFolderListedMeanwhile(t *testing.T) {
	s, err := blob.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Put(t.Context(), "aa/1", nil), s.Put(t.Context(), "bb/1", nil), s.Put(t.Context(), "cc/1", nil)); err != nil {
		t.Fatal(err)
	}
	var names []string
	for o, err := range s.List(t.Context(), "") {
		names = append(names, o.Name)
		if err := errors.Join(err, s.Delete(t.Context(), "bb/1")); err != nil {
			t.Error(err)
		}
	}
	if !slices.Equal(names, []string{"aa/1", "cc/1"}) {
		t.Errorf("listed %q", names)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// What a process left that ended while it wrote is listed, so that it is counted, and removed
// with what nothing names.
//
// SPEC: B14
func TestFolderListsWhatIsUnfinished(t *testing.T) {
	folder := t.TempDir()
	s, err := blob.Open(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	left := "aa/1.KXQ.part"
	if err := errors.Join(s.Put(t.Context(), "aa/1", []byte("one")), os.WriteFile(filepath.Join(folder, left), []byte("on"), 0o600)); err != nil {
		t.Fatal(err)
	}
	var names []string
	for o, err := range s.List(t.Context(), "aa/") {
		if names = append(names, o.Name); err != nil {
			t.Error(err)
		}
	}
	if !slices.Equal(names, []string{"aa/1", left}) {
		t.Errorf("listed %q", names)
	}
	if err := errors.Join(s.Delete(t.Context(), left), s.Close()); err != nil {
		t.Error(err)
	}
}

func TestNoBlobStore(t *testing.T) {
	for _, where := range []string{"", "http://host", "s3://", "s3://bucket?endpoint=nonsense"} {
		if _, err := blob.Open(t.Context(), where); !errors.Is(err, blob.ErrURL) {
			t.Errorf("%q: %v", where, err)
		}
	}
}
