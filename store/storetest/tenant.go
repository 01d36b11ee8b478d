package storetest

import (
	"context"
	"crypto/sha256"
	"fmt"
	"reflect"
	"testing"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

var tenantTests = map[string]func(*testing.T, store.Store){
	"Tenants":        tenants,
	"TenantsUnknown": tenantsUnknown,
	"Usage":          usage,
}

// SPEC: B6
func usage(t *testing.T, s store.Store) {
	m, ok := s.(store.Measured)
	if !ok {
		t.Skip("the store does not measure: no quota can be held over it")
	}
	has := func(tenant string) store.Usage {
		t.Helper()
		u, err := m.Usage(ctx(t), tenant)
		noError(t, err)
		return u
	}
	long := make([]string, 4)
	for i := range long {
		for n := range 20 {
			long[i] += fmt.Sprintf("%x", sha256.Sum256([]byte{byte(i), byte(n)}))
		}
	}
	k := store.Key{Tenant: "a", Thread: "one"}
	es := say("", long...)
	add(t, s, k, store.Batch{Entries: es})
	equal(t, 1, has("a").Threads)
	before := has("a").Bytes
	if before <= 0 {
		t.Fatalf("%d bytes", before)
	}
	add(t, s, store.Key{Tenant: "a", Thread: "fork"}, store.Batch{ForkOf: "one", At: es[1].ID, Entries: say(es[1].ID, "another way, which takes a little")})
	add(t, s, k.Answers(), store.Batch{Entries: say("", "an answer, which takes a little, too")})
	after := has("a")
	if after.Threads != 1 || after.Bytes <= before || after.Bytes > 2*before {
		t.Errorf("%+v after %d bytes", after, before)
	}
	equal(t, store.Usage{}, has("b"))
	equal(t, store.Usage{}, has(""))
}

// trespass holds what tenant b may try on what tenant a has, by method of
// store.Store and store.Partial. Each answers what it got hold of: nothing, or an error.
var trespass = map[string]func(c context.Context, s store.Store, k store.Key, es []thread.Entry, id string) (any, error){
	"Head": func(c context.Context, s store.Store, k store.Key, _ []thread.Entry, _ string) (any, error) {
		h, err := s.Head(c, k)
		return h.PlanVersion, err
	},
	"Heads": func(c context.Context, s store.Store, k store.Key, _ []thread.Entry, _ string) (any, error) {
		hs, err := s.Heads(c, k.Tenant)
		for _, h := range hs {
			if h.Key.Tenant != k.Tenant {
				return h, nil
			}
		}
		return nil, err
	},
	"Load": func(c context.Context, s store.Store, k store.Key, es []thread.Entry, _ string) (any, error) {
		have, err := s.Load(c, k)
		return have[min(1, len(have)):], err // b has said the first itself
	},
	"LoadRange": func(c context.Context, s store.Store, k store.Key, _ []thread.Entry, _ string) (any, error) {
		have, err := store.LoadRange(c, s, k, 1, 9)
		return have, err
	},
	"LoadHaving": func(c context.Context, s store.Store, k store.Key, es []thread.Entry, _ string) (any, error) {
		have, err := store.LoadHaving(c, s, k, []message.Message{es[0].Message, es[1].Message})
		return have[min(1, len(have)):], err
	},
	"Append": func(c context.Context, s store.Store, k store.Key, es []thread.Entry, _ string) (any, error) {
		own := store.Key{Tenant: k.Tenant, Thread: "fork"}
		_, err := s.Append(c, own, store.Batch{ForkOf: k.Thread, At: es[1].ID, Now: now(0)})
		return nil, err
	},
	"Variants": func(c context.Context, s store.Store, k store.Key, es []thread.Entry, _ string) (any, error) {
		return s.Variants(c, k, es[0].ID)
	},
	"Envelope": func(c context.Context, s store.Store, k store.Key, _ []thread.Entry, _ string) (any, error) {
		return s.Envelope(c, k)
	},
	"Plan": func(c context.Context, s store.Store, k store.Key, _ []thread.Entry, _ string) (any, error) {
		return s.Plan(c, k)
	},
	"PlanAt": func(c context.Context, s store.Store, k store.Key, _ []thread.Entry, _ string) (any, error) {
		return s.PlanAt(c, k, 1)
	},
	"PlanVersions": func(c context.Context, s store.Store, k store.Key, _ []thread.Entry, _ string) (any, error) {
		return s.PlanVersions(c, k)
	},
	"Commit": func(c context.Context, s store.Store, k store.Key, es []thread.Entry, _ string) (any, error) {
		p := &plan.Plan{Base: es[1].ID, Version: 2, Records: []plan.Record{{Action: plan.Drop, Span: span(es[1:])}}}
		return nil, s.Commit(c, k, p, nil)
	},
	"Artifact": func(c context.Context, s store.Store, k store.Key, _ []thread.Entry, id string) (any, error) {
		a, err := s.Artifact(c, k, id)
		return a.Content, err
	},
	"ArtifactList": func(c context.Context, s store.Store, k store.Key, _ []thread.Entry, _ string) (any, error) {
		return s.ArtifactList(c, k)
	},
	"Erase": func(c context.Context, s store.Store, k store.Key, _ []thread.Entry, id string) (any, error) {
		return nil, s.Erase(c, k, id, tombstone)
	},
	"Expire": func(c context.Context, s store.Store, k store.Key, _ []thread.Entry, _ string) (any, error) {
		return s.Expire(c, k.Tenant, now(1_000_000))
	},
	"EraseEntry": func(c context.Context, s store.Store, k store.Key, es []thread.Entry, _ string) (any, error) {
		return nil, s.EraseEntry(c, k, es[1].ID, tombstone)
	},
	"Summary": func(c context.Context, s store.Store, k store.Key, _ []thread.Entry, _ string) (any, error) {
		return s.Summary(c, k.Tenant, "key")
	},
	"PutSummary": func(c context.Context, s store.Store, k store.Key, _ []thread.Entry, _ string) (any, error) {
		return nil, s.PutSummary(c, k.Tenant, "other", []byte("of b"), now(0))
	},
}

// tenants: whatever the one does, it gets nothing of the other's and changes
// nothing of it: neither where it has a thread of the same name and beginning,
// nor where it has none.
//
// SPEC: L16, V10
func tenants(t *testing.T, s store.Store) {
	es := ofTenantA(t, s)
	b := store.Key{Tenant: "b", Thread: "x"}
	add(t, s, b, store.Batch{Entries: es[:1]})
	trespasses(t, s, b, es)
}

// SPEC: L16, V10
func tenantsUnknown(t *testing.T, s store.Store) {
	trespasses(t, s, store.Key{Tenant: "b", Thread: "x"}, ofTenantA(t, s))
}

// ofTenantA fills a thread of tenant a with something of everything.
func ofTenantA(t *testing.T, s store.Store) []thread.Entry {
	t.Helper()
	es := say("", "the same words", "in both")
	a := store.Key{Tenant: "a", Thread: "x"}
	add(t, s, a, store.Batch{Entries: es, Envelope: []byte("of a"), Variants: []store.Variant{{ID: es[0].ID, Raw: []byte("of a")}}})
	p := build(t, a, 1, es, plan.Record{Action: plan.Drop, Span: span(es[:1])})
	noError(t, s.Commit(ctx(t), a, p, []artifact.Artifact{secretOf(es)}))
	noError(t, s.PutSummary(ctx(t), "a", "key", []byte("of a"), now(0)))
	return es
}

func secretOf(es []thread.Entry) artifact.Artifact {
	a := artifact.Of(es[0].ID, 1, []byte("secret of a"))
	a.TTL, a.Created = 1, now(0)
	return a
}

func trespasses(t *testing.T, s store.Store, k store.Key, es []thread.Entry) {
	t.Helper()
	before := snapshot(t, s, "a")
	var names []string
	for _, of := range []reflect.Type{reflect.TypeFor[store.Store](), reflect.TypeFor[store.Partial]()} {
		for i := range of.NumMethod() {
			names = append(names, of.Method(i).Name)
		}
	}
	for _, name := range names {
		try, ok := trespass[name]
		if !ok && name != "Close" {
			t.Errorf("%s is not tried", name)
		}
		if !ok {
			continue
		}
		t.Run(name, func(t *testing.T) {
			got, err := try(ctx(t), s, k, es, secretOf(es).ID)
			if v := reflect.ValueOf(got); err == nil && v.IsValid() && !nothing(v) {
				t.Fatalf("got %+v", got)
			}
			equal(t, before, snapshot(t, s, "a"))
			cached(t, s, "a", "key", "of a")
		})
	}
}

// nothing reports whether a value holds nothing.
func nothing(v reflect.Value) bool {
	return v.IsZero() || v.Kind() == reflect.Slice && v.Len() == 0
}
