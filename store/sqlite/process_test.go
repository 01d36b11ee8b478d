//go:build unix

package sqlite_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/sqlite"
	"github.com/seed-3db51b0e/precis/thread"
)

// keepBusy appends, forks and commits until it is killed.
func keepBusy(path, _ string) error {
	ctx := context.Background()
	s, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		return err
	}
	for i := 0; ; i++ {
		k := store.Key{Thread: fmt.Sprint("t", i%3)}
		texts := make([]string, 1+i%3)
		for j := range texts {
			texts[j] = fmt.Sprintf("%d %d %d %s", i, j, len(texts), strings.Repeat(fmt.Sprint(i*j), 1000))
		}
		h, err := insist(ctx, s, k, texts...)
		if err != nil {
			return err
		}
		say(ack{Thread: k.Thread, Tip: h.Tip, Len: h.Len, Plan: h.PlanVersion})
		if i%2 == 0 {
			if err := commitNext(ctx, s, h); err != nil {
				return err
			}
			say(ack{Thread: k.Thread, Tip: h.Tip, Len: h.Len, Plan: h.PlanVersion + 1})
		}
	}
}

// commitNext commits a plan with as many records as it has versions, and an
// artifact named after the version.
func commitNext(ctx context.Context, s *sqlite.Store, h store.Head) error {
	v := h.PlanVersion + 1
	p := &plan.Plan{Thread: h.Key.Thread, Base: h.Tip, Version: v, CreatedAt: now}
	for i := range v {
		p.Records = append(p.Records, plan.Record{Action: plan.Drop, Reason: fmt.Sprint(i), Span: plan.Span{IDs: []thread.ID{h.Tip}}})
	}
	content := []byte(strings.Repeat(fmt.Sprint(v, " "), 5000))
	return s.Commit(ctx, h.Key, p, []artifact.Artifact{{ID: fmt.Sprint("a", v), Source: h.Tip, Content: content}})
}

// SPEC: V1, L17: kill -9 at random moments loses nothing acknowledged and
// leaves nothing half done.
func TestKill(t *testing.T) {
	path := filepath.Join(t.TempDir(), "precis.db")
	var told []ack
	for round := 0; round < 6 || len(told) < 20 && round < 60; round++ { // a busy machine kills early
		var beside *sqlite.Store
		if round%2 == 1 { // a second process, this one, sees the first die
			var err error
			beside, err = sqlite.Open(t.Context(), path, sqlite.Options{})
			noError(t, err)
			_, err = insist(t.Context(), beside, store.Key{Thread: "beside"}, fmt.Sprintf("%d 0 1 beside", round))
			noError(t, err)
		}
		told = append(told, killed(t, path)...)
		if beside != nil {
			_, err := insist(t.Context(), beside, store.Key{Thread: "beside"}, fmt.Sprintf("%d 0 1 beside", round+100))
			noError(t, err)
			noError(t, beside.Close())
		}
		checkKept(t, path, told)
		sound(t, path)
	}
	if len(told) < 20 {
		t.Fatalf("the children came to %d steps only", len(told))
	}
}

// killed runs a child, kills it some moments after its first step, and returns
// what it was told.
func killed(t *testing.T, path string) []ack {
	t.Helper()
	c := child(t, "busy", path, "")
	out, err := c.StdoutPipe()
	noError(t, err)
	noError(t, c.Start())
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	if !lines.Scan() {
		t.Fatal("the child did nothing")
	}
	timer := time.AfterFunc(time.Duration(10+rand.IntN(150))*time.Millisecond, func() { _ = c.Process.Kill() })
	defer timer.Stop()
	all := acks(lines)
	var exit interface{ Sys() any }
	if err := c.Wait(); !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Fatalf("the child was not killed: %v", err)
	}
	return all
}

// checkKept opens the store and looks for all that was acknowledged.
func checkKept(t *testing.T, path string, told []ack) {
	t.Helper()
	s, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	noError(t, err)
	defer func() { noError(t, s.Close()) }()
	heads, err := s.Heads(t.Context(), "")
	noError(t, err)
	entries, plans := map[string][]thread.Entry{}, map[string]int{}
	for _, h := range heads {
		es, err := s.Load(t.Context(), h.Key)
		noError(t, err)
		th, err := thread.New(es)
		noError(t, err)
		noError(t, th.Verify())
		equal(t, h.Tip, th.Tip())
		wholeBatches(t, es)
		wholePlans(t, s, h)
		entries[h.Key.Thread], plans[h.Key.Thread] = es, h.PlanVersion
	}
	for _, a := range told {
		if es := entries[a.Thread]; len(es) < a.Len || es[a.Len-1].ID != a.Tip || plans[a.Thread] < a.Plan {
			t.Fatalf("lost: %+v", a)
		}
	}
}

// wholeBatches checks that batches are there as a whole: texts are "batch,
// position, size, …".
func wholeBatches(t *testing.T, es []thread.Entry) {
	t.Helper()
	for i := 0; i < len(es); {
		first := strings.Fields(es[i].Message.Parts[0].Text)
		n, err := strconv.Atoi(first[2])
		noError(t, err)
		for j := range n {
			if i+j >= len(es) {
				t.Fatalf("batch %s stops at %d of %d", first[0], j, n)
			}
			have := strings.Fields(es[i+j].Message.Parts[0].Text)
			equal(t, []string{first[0], fmt.Sprint(j), first[2]}, have[:3])
		}
		i += n
	}
}

// wholePlans checks every version, see commitNext.
func wholePlans(t *testing.T, s *sqlite.Store, h store.Head) {
	t.Helper()
	for v := 1; v <= h.PlanVersion; v++ {
		p, err := s.PlanAt(t.Context(), h.Key, v)
		noError(t, err)
		equal(t, v, len(p.Records))
		a, err := s.Artifact(t.Context(), h.Key, fmt.Sprint("a", v))
		noError(t, err)
		equal(t, strings.Repeat(fmt.Sprint(v, " "), 5000), string(a.Content))
	}
	list, err := s.ArtifactList(t.Context(), h.Key)
	noError(t, err)
	equal(t, h.PlanVersion, len(list))
}

const perWriter = 40

// writeMany appends messages to a shared thread and to one of its own. It opens
// the file anew for each few: the last to close it folds the log in, and that
// must not trip the others.
func writeMany(path, name string) error {
	for first := 0; first < perWriter; first += 4 {
		if err := writeSome(path, name, first, first+4); err != nil {
			return err
		}
	}
	return nil
}

func writeSome(path, name string, from, to int) error {
	ctx := context.Background()
	s, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		return err
	}
	for i := from; i < to; i++ {
		for _, thread := range []string{"shared", name} {
			if _, err := insist(ctx, s, store.Key{Thread: thread}, fmt.Sprintf("%s/%d", name, i)); err != nil {
				return errors.Join(err, s.Close())
			}
		}
	}
	return s.Close()
}

// SPEC: V1, L17: processes that share a file neither corrupt it nor lose each
// other's messages. They start on no file at all, so they also race to make it.
func TestProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "precis.db")
	names := []string{"a", "b", "c"}
	wait := make(chan error)
	for _, name := range names {
		c := child(t, "write", path, name)
		noError(t, c.Start())
		go func() { wait <- c.Wait() }()
	}
	for range names {
		noError(t, <-wait)
	}
	sound(t, path)
	s, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	noError(t, err)
	defer func() { noError(t, s.Close()) }()
	for _, name := range append(names, "shared") {
		es, err := s.Load(t.Context(), store.Key{Thread: name})
		noError(t, err)
		next := map[string]int{}
		for _, e := range es {
			who, n, _ := strings.Cut(e.Message.Parts[0].Text, "/")
			equal(t, fmt.Sprint(next[who]), n) // in order, each once
			next[who]++
		}
		want := map[string]int{name: perWriter}
		if name == "shared" {
			want = map[string]int{"a": perWriter, "b": perWriter, "c": perWriter}
		}
		equal(t, want, next)
	}
}

// SPEC: L17
func TestBusy(t *testing.T) {
	path := filepath.Join(t.TempDir(), "precis.db")
	s, err := sqlite.Open(t.Context(), path, sqlite.Options{BusyTimeout: 10 * time.Millisecond})
	noError(t, err)
	defer func() { noError(t, s.Close()) }()
	_, err = insist(t.Context(), s, mainKey, "one")
	noError(t, err)
	other, err := rawDB(t, path).Conn(t.Context())
	noError(t, err)
	defer func() { noError(t, other.Close()) }()
	_, err = other.ExecContext(t.Context(), "BEGIN IMMEDIATE")
	noError(t, err)
	_, err = insist(t.Context(), s, mainKey, "two")
	isError(t, err, sqlite.ErrBusy)
	es, err := s.Load(t.Context(), mainKey) // readers do not wait
	noError(t, err)
	equal(t, 1, len(es))
	_, err = other.ExecContext(t.Context(), "ROLLBACK")
	noError(t, err)
	_, err = insist(t.Context(), s, mainKey, "two")
	noError(t, err)
}

const raced = 12 // plan versions

// commitMany commits versions on top of whatever is current, and tells of each
// it won, and of the winner's plan of each it lost.
func commitMany(path, name string) error {
	ctx := context.Background()
	s, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		return err
	}
	for {
		h, err := s.Head(ctx, mainKey)
		if err != nil || h.PlanVersion >= raced {
			return errors.Join(err, s.Close())
		}
		a := ack{Thread: name, Plan: h.PlanVersion + 1}
		p := &plan.Plan{Base: h.Tip, Version: a.Plan, Policy: name, CreatedAt: now}
		err = s.Commit(ctx, mainKey, p, []artifact.Artifact{{ID: fmt.Sprint(name, a.Plan), Source: h.Tip}})
		if errors.Is(err, store.ErrStale) {
			if p, err = s.PlanAt(ctx, mainKey, a.Plan); err != nil { // the winner's is there at once
				return err
			}
			a.Error = p.Policy
		} else if err != nil {
			return err
		}
		say(a)
	}
}

// SPEC: L17: of the processes that commit one version one wins, and the others
// read its plan.
func TestCommitProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "precis.db")
	s, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	noError(t, err)
	defer func() { noError(t, s.Close()) }()
	_, err = insist(t.Context(), s, mainKey, "one")
	noError(t, err)
	told := make(chan []ack)
	names := []string{"a", "b", "c"}
	for _, name := range names {
		c := child(t, "commit", path, name)
		out, err := c.StdoutPipe()
		noError(t, err)
		noError(t, c.Start())
		go func() {
			all := acks(bufio.NewScanner(out))
			if err := c.Wait(); err != nil {
				t.Error(err)
			}
			told <- all
		}()
	}
	won := map[int][]string{}
	for range names {
		for _, a := range <-told {
			if a.Error == "" {
				won[a.Plan] = append(won[a.Plan], a.Thread)
				continue
			}
			p, err := s.PlanAt(t.Context(), mainKey, a.Plan)
			noError(t, err)
			equal(t, p.Policy, a.Error)
		}
	}
	for v := 1; v <= raced; v++ {
		p, err := s.PlanAt(t.Context(), mainKey, v)
		noError(t, err)
		equal(t, []string{p.Policy}, won[v])
	}
	list, err := s.ArtifactList(t.Context(), mainKey)
	noError(t, err)
	equal(t, raced, len(list)) // none of a loser's
}

// lastWords are what commitAndDie writes, and what is tried again after it.
func lastWords(s *sqlite.Store) error {
	ctx := context.Background()
	es := chain("", "one", "two")
	_, err := s.Append(ctx, mainKey, store.Batch{Entries: es, Envelope: []byte("e"), Now: now, Variants: []store.Variant{{ID: es[0].ID, Raw: []byte("v")}}})
	if err != nil {
		return err
	}
	p := &plan.Plan{Base: es[1].ID, Version: 1, CreatedAt: now, Records: []plan.Record{
		{Action: plan.Summarize, Text: "s", Span: plan.Span{IDs: []thread.ID{es[0].ID}}},
	}}
	a := artifact.Of(es[0].ID, 1, []byte("content"))
	a.Created = now
	return s.Commit(ctx, mainKey, p, []artifact.Artifact{a})
}

// commitAndDie is killed after the write and before it can tell.
func commitAndDie(path, _ string) error {
	s, err := sqlite.Open(context.Background(), path, sqlite.Options{})
	if err != nil {
		return err
	}
	if err := lastWords(s); err != nil {
		return err
	}
	return syscall.Kill(syscall.Getpid(), syscall.SIGKILL)
}

// SPEC: L17: who did not live to hear that it was written writes it again, and
// that is no error and changes nothing.
func TestRepeatAfterCrash(t *testing.T) {
	path := filepath.Join(t.TempDir(), "precis.db")
	if err := child(t, "die", path, "").Run(); err == nil {
		t.Fatal("the child lived")
	}
	db := rawDB(t, path)
	before := dump(t, db)
	s, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	noError(t, err)
	defer func() { noError(t, s.Close()) }()
	h, err := s.Head(t.Context(), mainKey)
	noError(t, err)
	equal(t, 1, h.PlanVersion)
	noError(t, lastWords(s))
	equal(t, before, dump(t, db))
}
