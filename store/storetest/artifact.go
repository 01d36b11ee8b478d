package storetest

import (
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/store"
)

var artifactTests = map[string]func(*testing.T, store.Store){
	"Artifacts":         artifacts,
	"ArtifactIsolation": artifactIsolation,
	"ArtifactAgain":     artifactAgain,
}

// sees checks content and list of a thread's artifacts, given in list order.
func sees(t *testing.T, s store.Store, k store.Key, want ...artifact.Artifact) {
	t.Helper()
	list, err := s.ArtifactList(ctx(t), k)
	noError(t, err)
	for i, a := range want {
		have, err := s.Artifact(ctx(t), k, a.ID)
		noError(t, err)
		equal(t, a, have)
		want[i].Content = nil
	}
	equal(t, want, list)
}

// blind checks that a thread has no artifact of these ids.
func blind(t *testing.T, s store.Store, k store.Key, ids ...string) {
	t.Helper()
	for _, id := range ids {
		_, err := s.Artifact(ctx(t), k, id)
		isError(t, err, store.ErrNotFound)
	}
}

// SPEC: L16
func artifacts(t *testing.T, s store.Store) {
	es := say("", many(4)...)
	add(t, s, mainKey, store.Batch{Entries: es})
	full := artifact.Artifact{
		ID: "afull", Source: es[1].ID, Part: 2, Tool: "sh", MediaType: "image/png", Created: now(3),
		TTL: 36 * time.Hour, KeyID: "k1", Sensitivity: artifact.Confidential, Content: []byte("\x00\xff sealed"),
	}
	bare := artifact.Artifact{ID: "abare", Source: es[1].ID, Content: []byte{}}
	last := artifact.Of(es[3].ID, 1, make([]byte, 200_000))
	noError(t, s.Commit(ctx(t), mainKey, build(t, mainKey, 1, es), []artifact.Artifact{last, full}))
	noError(t, s.Commit(ctx(t), mainKey, build(t, mainKey, 2, es), []artifact.Artifact{bare}))
	sees(t, s, mainKey, bare, full, last)
	blind(t, s, mainKey, "", "a", "afull ", "AFULL", "afull%")
}

// SPEC: L16, V10
func artifactIsolation(t *testing.T, s store.Store) {
	es := say("", many(4)...)
	a := artifact.Of(es[1].ID, 1, []byte("content"))
	keys := []store.Key{mainKey, {Thread: "beside"}, {Tenant: "other", Thread: "main"}}
	for _, k := range keys {
		add(t, s, k, store.Batch{Entries: es}) // the same words, the same ids
	}
	noError(t, s.Commit(ctx(t), mainKey, build(t, mainKey, 1, es), []artifact.Artifact{a}))
	for _, k := range keys[1:] {
		blind(t, s, k, a.ID)
		list, err := s.ArtifactList(ctx(t), k)
		noError(t, err)
		equal(t, 0, len(list))
	}
	sees(t, s, mainKey, a)
}

// SPEC: L16
func artifactAgain(t *testing.T, s store.Store) {
	es := say("", many(4)...)
	add(t, s, mainKey, store.Batch{Entries: es})
	a := artifact.Of(es[1].ID, 1, []byte("one"))
	b := a
	b.KeyID, b.Content, b.Created = "k2", []byte("sealed anew"), now(2)
	noError(t, s.Commit(ctx(t), mainKey, build(t, mainKey, 1, es), []artifact.Artifact{a, a}))
	sees(t, s, mainKey, a)
	noError(t, s.Commit(ctx(t), mainKey, build(t, mainKey, 2, es), []artifact.Artifact{b}))
	sees(t, s, mainKey, b)
	k := store.Key{Thread: "fork"}
	add(t, s, k, store.Batch{ForkOf: "main", At: es[2].ID})
	sees(t, s, k, b)
	c := a
	c.Sensitivity = artifact.Restricted
	noError(t, s.Commit(ctx(t), k, build(t, k, 1, es[:3]), []artifact.Artifact{c}))
	sees(t, s, k, c)
	sees(t, s, mainKey, b)
}
