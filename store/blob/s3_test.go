//go:build unix

package blob_test

import (
	"testing"

	"github.com/seed-3db51b0e/precis/internal/tests3"
	"github.com/seed-3db51b0e/precis/store/blob"
)

// SPEC: B14
func TestS3(t *testing.T) {
	server := tests3.Start(t)
	s, err := blob.Open(t.Context(), server.URL())
	if err != nil {
		t.Fatal(err)
	}
	proveStore(t, s)
	if _, err := blob.Open(t.Context(), "s3://another/?endpoint=http://127.0.0.1:1"); err == nil {
		t.Error("a server that is not there was opened")
	}
}
