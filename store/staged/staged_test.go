package staged_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/store/staged"
	"github.com/seed-3db51b0e/precis/thread"
)

var (
	root = store.Key{Thread: "root"}
	fork = store.Key{Thread: "fork"}
	now  = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
)

func said(tip thread.ID, from, until int) []thread.Entry {
	var ms []message.Message
	for i := from; i < until; i++ {
		ms = append(ms, message.TextOf(message.User, fmt.Sprint("message ", i)))
	}
	return thread.Extend(tip, ms)
}

// begun is a store with a thread of three messages.
func begun(t *testing.T) store.Store {
	t.Helper()
	s := memory.New()
	if _, err := s.Append(t.Context(), root, store.Batch{Entries: said("", 0, 3), Source: "x", Now: now}); err != nil {
		t.Fatal(err)
	}
	return s
}

// writeAll makes all kinds of writes: to a thread that is there, a fork of it, a plan
// with an artifact, a summary.
func writeAll(ctx context.Context, t *testing.T, s store.Store) {
	t.Helper()
	first := said("", 0, 3)
	grown := append(first, said(first[2].ID, 3, 5)...)
	_, err := s.Append(ctx, root, store.Batch{Tip: first[2].ID, Entries: grown[3:], Now: now})
	_, err2 := s.Append(ctx, fork, store.Batch{ForkOf: "root", At: first[1].ID, Entries: said(first[1].ID, 9, 11), Now: now})
	_, again := s.Append(ctx, fork, store.Batch{ForkOf: "root", At: first[1].ID, Entries: said(first[1].ID, 9, 11), Now: now})
	if err := errors.Join(err, err2, again); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Append(ctx, root, store.Batch{Tip: first[1].ID, Entries: said(first[1].ID, 7, 8), Now: now}); !errors.Is(err, store.ErrStale) {
		t.Errorf("an append behind the tip: %v", err)
	}
	th, err := thread.New(grown)
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.Build(plan.Plan{Thread: "root", Base: th.Tip(), Version: 1, CreatedAt: now.Add(time.Hour), Policy: "balanced"}, th)
	if err != nil {
		t.Fatal(err)
	}
	a := artifact.Of(first[0].ID, 1, []byte("content"))
	a.Created = now
	later := artifact.Of(grown[4].ID, 1, []byte("what no fork sees"))
	newer := a
	newer.Tool = "bash"
	if err := s.Commit(ctx, root, p, []artifact.Artifact{later, a, newer}); err != nil {
		t.Fatal(err)
	}
	if err := s.Commit(ctx, root, p, nil); err != nil && !errors.Is(err, store.ErrStale) {
		t.Error(err)
	}
	if err := s.PutSummary(ctx, "", "key", []byte("sum"), now); err != nil {
		t.Fatal(err)
	}
}

// content is all that can be read of a store.
func content(ctx context.Context, t *testing.T, s store.Store) string {
	t.Helper()
	out := ""
	for _, k := range []store.Key{root, fork} {
		h, err := s.Head(ctx, k)
		out += fmt.Sprintf("%+v %v\n", h, errors.Is(err, store.ErrNotFound))
		if err != nil {
			continue
		}
		es, err := s.Load(ctx, k)
		p, noPlan := s.Plan(ctx, k)
		at, noVersion := s.PlanAt(ctx, k, 1)
		vs, err2 := s.PlanVersions(ctx, k)
		list, err3 := s.ArtifactList(ctx, k)
		if err := errors.Join(err, err2, err3); err != nil {
			t.Fatal(err)
		}
		for _, e := range es {
			out += fmt.Sprintln(e.ID, e.Message.Parts)
		}
		for _, a := range list {
			full, err := s.Artifact(ctx, k, a.ID)
			out += fmt.Sprintf("%+v %+v %v\n", a, full, err)
		}
		out += fmt.Sprintf("%+v %+v %+v %v %v\n", p, at, vs, noPlan != nil, noVersion != nil)
	}
	return out
}

// A request reads what it wrote; nobody else does before it is written, and then
// everybody reads the same as if it had been written at once. What is dropped is gone.
//
// SPEC: B6, V1
func TestStage(t *testing.T) {
	at := begun(t)
	writeAll(t.Context(), t, at)
	want := content(t.Context(), t, at)
	for _, keep := range []bool{true, false} {
		beneath := begun(t)
		before := content(t.Context(), t, beneath)
		s := staged.Over(beneath)
		ctx, st := staged.Begin(t.Context(), true)
		writeAll(ctx, t, s)
		if got := content(ctx, t, s); got != want {
			t.Errorf("the request reads\n%s\nnot\n%s", got, want)
		}
		if got := content(t.Context(), t, s); got != before {
			t.Errorf("others read\n%s", got)
		}
		if keep {
			if err := errors.Join(st.Write(ctx), st.Write(ctx)); err != nil {
				t.Fatal(err)
			}
		} else {
			want = before
		}
		st.Drop()
		for _, c := range []context.Context{ctx, t.Context()} {
			if got := content(c, t, s); got != want {
				t.Errorf("keep %t: there is\n%s\nnot\n%s", keep, got, want)
			}
		}
		sum, err := s.Summary(ctx, "", "key")
		if (err == nil) != keep || keep && !reflect.DeepEqual(sum, []byte("sum")) {
			t.Errorf("keep %t: summary %q, %v", keep, sum, err)
		}
	}
}

// Where plans are not held back, the first one writes all before it.
func TestPlansAtOnce(t *testing.T) {
	beneath := begun(t)
	ctx, _ := staged.Begin(t.Context(), false)
	writeAll(ctx, t, staged.Over(beneath))
	at := begun(t)
	writeAll(t.Context(), t, at)
	if got, want := content(t.Context(), t, beneath), content(t.Context(), t, at); got != want {
		t.Errorf("there is\n%s\nnot\n%s", got, want)
	}
}

// What another process wrote meanwhile is an error of Write.
func TestOvertaken(t *testing.T) {
	beneath := begun(t)
	s := staged.Over(beneath)
	ctx, st := staged.Begin(t.Context(), true)
	writeAll(ctx, t, s)
	tip := said("", 0, 3)[2].ID
	if _, err := s.Append(t.Context(), root, store.Batch{Tip: tip, Entries: said(tip, 20, 21), Now: now}); err != nil {
		t.Fatal(err)
	}
	if err := st.Write(ctx); !errors.Is(err, store.ErrStale) {
		t.Errorf("%v", err)
	}
}
