//go:build unix

package postgres_test

import (
	"testing"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/internal/tests3"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/blob"
	"github.com/seed-3db51b0e/precis/store/postgres"
)

// With large content in S3 a thread is written, read, erased and retired; with the server
// gone nothing is written that could not be read, and what is small goes on.
//
// SPEC: B14
func TestContentInS3(t *testing.T) {
	server := tests3.Start(t)
	blobs, err := blob.Open(t.Context(), server.URL())
	noError(t, err)
	s := open(t, postgres.Options{Blobs: blobs})
	objects := func() (n int) {
		for _, err := range blobs.List(t.Context(), "") {
			noError(t, err)
			n++
		}
		return n
	}
	k := store.Key{Thread: "main"}
	large := func(word string) string { return noise(word) + noise(word+"2") + noise(word+"3") }
	es := chain("", large("one"), large("two"), "small")
	_, err = s.Append(t.Context(), k, store.Batch{Entries: es, Now: now})
	noError(t, err)
	have, err := s.Load(t.Context(), k)
	noError(t, err)
	if len(have) != 3 || have[0].Message.Parts[0].Text != large("one") || objects() != 2 {
		t.Fatalf("%d messages, %d objects", len(have), objects())
	}
	noError(t, s.EraseEntry(t.Context(), k, es[0].ID, artifact.Tombstone{At: now}))
	if n := objects(); n != 1 {
		t.Errorf("%d objects after an erasure", n)
	}
	server.Kill()
	more := chain(es[2].ID, large("three"))
	if _, err = s.Append(t.Context(), k, store.Batch{Tip: es[2].ID, Entries: more, Now: now}); err == nil {
		t.Error("what could not be written was acknowledged")
	}
	h, err := s.Head(t.Context(), k)
	noError(t, err)
	if h.Len != 3 {
		t.Errorf("%d messages", h.Len)
	}
	_, err = s.Append(t.Context(), k, store.Batch{Tip: es[2].ID, Entries: chain(es[2].ID, "small"), Now: now})
	noError(t, err)
	if _, err := s.Load(t.Context(), k); err == nil {
		t.Error("what cannot be read was returned")
	}
}
