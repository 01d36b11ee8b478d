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
	return filepath.Clean(a) == filepath.Clean(b)
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
