package blob_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-3db51b0e/precis/store/blob"
)

// Two ways to write one place name one blob store; another folder, prefix, bucket or server
// is another one.
//
// SPEC: B14
func TestSamePlace(t *testing.T) {
	folder := t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(folder, link); err != nil {
		t.Skip(err)
	}
	t.Chdir(folder)
	for _, x := range []struct {
		a, b string
		same bool
	}{
		{folder, folder + "/", true},
		{folder, link, true},
		{folder, t.TempDir(), false},
		{folder + "/new", folder + "/./new/", true},
		{folder + "/new", folder + "/other", false},
		{"new", folder + "/new", true},
		{folder + "/new", link + "/new", true},
		{"a/../new", link + "/new", true},
		{"new", "new/er", false},
		{"s3://b/p", "s3://b/p/", true},
		{"s3://b", "s3://b/", true},
		{"s3://b/p", "s3://b/q", false},
		{"s3://b/p", "s3://c/p", false},
		{"s3://b/p?endpoint=http://a:1&region=x", "s3://b/p?region=y&endpoint=http://a:1/", true},
		{"s3://b/p?endpoint=http://a:1", "s3://b/p?endpoint=http://a:2", false},
		{"s3://b/p?endpoint=http://a:1", "s3://b/p", true},
		{"s3://b/p", "b/p", false},
	} {
		if blob.Same(x.a, x.b) != x.same || blob.Same(x.b, x.a) != x.same {
			t.Errorf("%s, %s: want %v", x.a, x.b, x.same)
		}
	}
}
