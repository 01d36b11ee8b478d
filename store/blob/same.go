package blob

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// Same reports whether two strings name one blob store, as Open takes them. An endpoint
// that only one of them names is taken for the other's, too.
func Same(a, b string) bool {
	x, inS3 := bucketOf(a)
	y, too := bucketOf(b)
	if inS3 || too {
		return inS3 == too && x.at == y.at && (x.endpoint == y.endpoint || x.endpoint == "" || y.endpoint == "")
	}
	i, errA := os.Stat(a)
	j, errB := os.Stat(b)
	if errA == nil && errB == nil {
		return os.SameFile(i, j)
	}
	return resolved(a) == resolved(b)
}

// resolved is the path of a folder without links, also of one that is still to be made.
func resolved(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return filepath.Clean(path)
	}
	if to, err := filepath.EvalSymlinks(abs); err == nil {
		return to
	}
	if dir := filepath.Dir(abs); dir != abs {
		return filepath.Join(resolved(dir), filepath.Base(abs))
	}
	return abs
}

// bucket is a place in S3: a bucket with a prefix, and the server that has it.
type bucket struct{ at, endpoint string }

func bucketOf(where string) (b bucket, ok bool) {
	u, err := url.Parse(where)
	if err != nil || u.Scheme != "s3" {
		return b, false
	}
	return bucket{u.Host + "/" + strings.Trim(u.Path, "/"), strings.TrimRight(u.Query().Get("endpoint"), "/")}, true
}
