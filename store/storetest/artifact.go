package storetest

import (
	"cmp"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/store"
)

var artifactTests = map[string]func(*testing.T, store.Store){
	"Artifacts":         artifacts,
	"ArtifactIsolation": artifactIsolation,
	"ArtifactAgain":     artifactAgain,
	"ArtifactPlace":     artifactPlace,
}

// sees checks content and list of a thread's artifacts, given in list order.
// They are the thread's own unless they name another. A store that seals lists
// a key where none was given.
func sees(t *testing.T, s store.Store, k store.Key, want ...artifact.Artifact) {
	t.Helper()
	list, err := s.ArtifactList(ctx(t), k)
	noError(t, err)
	for i, a := range want {
		a.Tenant, a.Thread = k.Tenant, cmp.Or(a.Thread, k.Thread)
		have, err := s.Artifact(ctx(t), k, a.ID)
		if a.Erased == nil {
			noError(t, err)
			equal(t, a, have)
		} else {
			erasedAs(t, err, *a.Erased)
		}
		a.Content = nil
		want[i] = a
		if a.KeyID == "" && i < len(list) {
			list[i].KeyID = ""
		}
	}
	equal(t, want, list)
}

// of is an artifact that a thread has from another.
func of(thread string, a artifact.Artifact) artifact.Artifact {
	a.Thread = thread
	return a
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
		TTL: 36 * time.Hour, Sensitivity: artifact.Confidential, Content: []byte("\x00\xff bytes"),
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
	b.Tool, b.Content, b.Created = "sh", []byte("another form"), now(2)
	noError(t, s.Commit(ctx(t), mainKey, build(t, mainKey, 1, es), []artifact.Artifact{a, a}))
	sees(t, s, mainKey, a)
	noError(t, s.Commit(ctx(t), mainKey, build(t, mainKey, 2, es), []artifact.Artifact{b}))
	sees(t, s, mainKey, b)
	k := store.Key{Thread: "fork"}
	add(t, s, k, store.Batch{ForkOf: "main", At: es[2].ID})
	sees(t, s, k, of("main", b))
	c := a
	c.Sensitivity = artifact.Restricted
	noError(t, s.Commit(ctx(t), k, build(t, k, 1, es[:3]), []artifact.Artifact{c}))
	sees(t, s, k, c)
	sees(t, s, mainKey, b)
}

// RunPlain proves what a store does that neither seals nor opens: it keeps
// sealed content as it was given, with the name of its key.
func RunPlain(t *testing.T, open func(t *testing.T) store.Store) {
	// SPEC: L16
	t.Run("ArtifactSealed", func(t *testing.T) {
		s := open(t)
		es := say("", many(4)...)
		add(t, s, mainKey, store.Batch{Entries: es})
		a := artifact.Of(es[1].ID, 1, []byte("sealed with k1"))
		a.KeyID = "k1"
		noError(t, s.Commit(ctx(t), mainKey, build(t, mainKey, 1, es), []artifact.Artifact{a}))
		sees(t, s, mainKey, a)
		a.KeyID, a.Content = "k2", []byte("sealed anew")
		noError(t, s.Commit(ctx(t), mainKey, build(t, mainKey, 1, es), []artifact.Artifact{a}))
		sees(t, s, mainKey, a)
	})
}

// SPEC: L16: where an artifact was committed is the store's to say.
func artifactPlace(t *testing.T, s store.Store) {
	k := store.Key{Tenant: "t", Thread: "main"}
	es := say("", many(4)...)
	add(t, s, k, store.Batch{Entries: es})
	a := artifact.Of(es[1].ID, 1, []byte("content"))
	a.Tenant, a.Thread, a.Erased = "elsewhere", "elsewhere", &artifact.Tombstone{At: now(1)}
	noError(t, s.Commit(ctx(t), k, build(t, k, 1, es), []artifact.Artifact{a}))
	a.Thread, a.Erased = "", nil
	sees(t, s, k, a)
	have, err := s.Artifact(ctx(t), k, a.ID)
	noError(t, err)
	noError(t, have.Allowed(artifact.Requester{Tenant: "t"}))
	isError(t, have.Allowed(artifact.Requester{Tenant: "elsewhere"}), artifact.ErrDenied)
}
