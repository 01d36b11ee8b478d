package history

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/internal/engine/lineage"
	"github.com/seed-3db51b0e/precis/internal/engine/session"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/token"
)

var key = store.Key{Tenant: "a", Thread: "t"}

// over is a history as an engine of a process of its own has it.
func over(t *testing.T, s store.Store) *History {
	t.Helper()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	return &History{
		Store: s, Sessions: session.New(), Replies: lineage.New(), Now: func() time.Time { return now },
		Failed: func(k store.Key, err error) { t.Errorf("%s: %v", k.Thread, err) },
	}
}

// talk is n messages of a user and the model in turn, as they came.
func talk(n int) (ms []message.Message) {
	for i := range n {
		role := message.User
		if i%2 == 1 {
			role = message.Assistant
		}
		m := message.TextOf(role, fmt.Sprint("message ", i))
		m.Raw, m.Dialect = fmt.Appendf(nil, `{"text":"message %d"}`, i), "test"
		ms = append(ms, m)
	}
	return ms
}

// departed is a history that has other words at some position.
func departed(ms []message.Message, at int, words string) []message.Message {
	ms = slices.Clone(ms)
	ms[at] = message.TextOf(ms[at].Role, words)
	return ms
}

func (h *History) must(t *testing.T, ms []message.Message) Branch {
	t.Helper()
	b, err := h.Log(t.Context(), Request{Key: key, Messages: ms, Meter: token.Session(), Policy: "balanced", Budget: 1000})
	if err != nil {
		t.Fatal(err)
	}
	if b.View.Len() != len(ms) {
		t.Fatalf("the client sees %d of its %d messages", b.View.Len(), len(ms))
	}
	return b
}

func entries(t *testing.T, s store.Store, k store.Key) []thread.Entry {
	t.Helper()
	es, err := s.Load(t.Context(), k)
	if err != nil {
		t.Fatal(err)
	}
	return es
}

func heads(t *testing.T, s store.Store) int {
	t.Helper()
	all, err := s.Heads(t.Context(), key.Tenant)
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}

// What is logged never changes, is logged once, counted, in each form that it came in.
//
// SPEC: V1
func TestLogAppends(t *testing.T) {
	s := memory.New()
	h := over(t, s)
	ms := talk(6)
	h.must(t, ms[:2])
	first := entries(t, s, key)
	h.must(t, ms)
	h.must(t, ms)
	spaced := slices.Clone(ms)
	spaced[1].Raw = []byte(`{ "text": "message 1" }`)
	for range 2 {
		h.must(t, spaced)
	}
	h.must(t, ms[:3]) // a client that went back changes nothing
	es := entries(t, s, key)
	if len(es) != 6 || !reflect.DeepEqual(es[:2], first) || heads(t, s) != 1 {
		t.Errorf("%d entries in %d threads", len(es), heads(t, s))
	}
	for i, e := range es {
		if string(e.Message.Raw) != string(ms[i].Raw) || e.Tokens != token.Session().Message(ms[i]) || e.Counter != token.Session().Name() {
			t.Errorf("entry %d is %s, %d tokens by %q", i, e.Message.Raw, e.Tokens, e.Counter)
		}
	}
	vs, err := s.Variants(t.Context(), key, es[1].ID)
	if err != nil || len(vs) != 1 || string(vs[0].Raw) != string(spaced[1].Raw) {
		t.Errorf("other forms %v, %v", vs, err)
	}
}

// A history that departs from the log is a fork with a key of its own, which shares what
// came before; whoever departs the same way goes on with it, in any process.
//
// SPEC: V1
func TestDepartingForks(t *testing.T) {
	s := memory.New()
	h := over(t, s)
	ms := talk(6)
	h.must(t, ms)
	before := entries(t, s, key)
	other := departed(ms, 3, "otherwise")
	b := h.must(t, other)
	if !regexp.MustCompile(`^t~[0-9a-f]{8}$`).MatchString(b.Key.Thread) {
		t.Errorf("key %q", b.Key.Thread)
	}
	es := entries(t, s, b.Key)
	if len(es) != 6 || !reflect.DeepEqual(es[:3], before[:3]) || !reflect.DeepEqual(entries(t, s, key), before) {
		t.Errorf("a fork of %d entries, or the log has changed", len(es))
	}
	for _, h := range []*History{h, over(t, s)} {
		if again := h.must(t, append(slices.Clone(other), talk(8)[6:]...)); again.Key != b.Key {
			t.Errorf("the same departure is %q", again.Key.Thread)
		}
	}
	deeper := h.must(t, departed(other, 5, "once more"))
	if !strings.HasPrefix(deeper.Key.Thread, b.Key.Thread+"~") || heads(t, s) != 3 {
		t.Errorf("a fork of the fork is %q, of %d threads", deeper.Key.Thread, heads(t, s))
	}
	if back := h.must(t, ms); back.Key != key {
		t.Errorf("the first history is %q", back.Key.Thread)
	}
}

// A client that leaves the history to the log sends what is new.
//
// SPEC: V1
func TestContinue(t *testing.T) {
	h := over(t, memory.New())
	ms := talk(6)
	h.must(t, ms[:2])
	for _, fresh := range [][]message.Message{ms[2:3], nil, ms[3:]} {
		if _, err := h.Log(t.Context(), Request{Key: key, Messages: fresh, Continue: true, Meter: token.Session()}); err != nil {
			t.Fatal(err)
		}
	}
	if b := h.must(t, ms); b.Thread.Len() != 6 || b.Key != key {
		t.Errorf("%d messages in %q", b.Thread.Len(), b.Key.Thread)
	}
}

// Processes that log one conversation at the same time lose nothing, and nobody fails.
//
// SPEC: L17
func TestRacesAreTriedAgain(t *testing.T) {
	s := memory.New()
	ms := talk(40)
	var all sync.WaitGroup
	for range 4 {
		h := over(t, s)
		all.Go(func() {
			for n := 1; n <= len(ms); n++ {
				if _, err := h.Log(t.Context(), Request{Key: key, Messages: ms[:n], Meter: token.Session()}); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	if es := entries(t, s, key); len(es) != len(ms) || heads(t, s) != 1 {
		t.Errorf("%d of %d messages in %d threads", len(es), len(ms), heads(t, s))
	}
}

// What another process appended is read, and only that a plan stands of which nobody told
// has all of it read anew.
//
// SPEC: V1
func TestGoesOnFromAnotherProcess(t *testing.T) {
	s := memory.New()
	one, two := over(t, s), over(t, s)
	ms := talk(8)
	mine := one.must(t, ms[:4])
	two.must(t, ms[:6])
	got, err := one.Load(t.Context(), key, nil)
	if err != nil || got.Thread.Len() != 6 || got.Thread.At(0) != mine.Thread.At(0) {
		t.Errorf("not the remembered thread with what is new: %v", err)
	}
	p, err := plan.Build(plan.Plan{Thread: "t", Base: got.Thread.Tip(), Version: 1}, got.Thread)
	if err == nil {
		err = s.Commit(t.Context(), key, p, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	if got, err = one.Load(t.Context(), key, nil); err != nil || got.PlanVersion != 1 || got.Thread.At(0) == mine.Thread.At(0) {
		t.Errorf("the thread is not read anew under another plan: %v", err)
	}
}

// A fork takes the plan's records along whose messages it has; a client that sees less
// than a plan was made from reads the one before.
//
// SPEC: V8
func TestPlansOfBranches(t *testing.T) {
	s := memory.New()
	h := over(t, s)
	ms := talk(8)
	drop := func(version int, th *thread.Thread, at ...int) {
		t.Helper()
		p := plan.Plan{Thread: "t", Base: th.Tip(), Version: version}
		for _, i := range at {
			p.Records = append(p.Records, plan.Record{Action: plan.Drop, Span: plan.Span{IDs: []thread.ID{th.At(i).ID}}})
		}
		built, err := plan.Build(p, th)
		if err == nil {
			err = s.Commit(t.Context(), key, built, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	drop(1, h.must(t, ms[:4]).Thread, 1)
	drop(2, h.must(t, ms).Thread, 1, 5)
	b := h.must(t, departed(ms, 5, "otherwise"))
	carried, err := s.Plan(t.Context(), b.Key)
	if err != nil || len(carried.Records) != 1 || carried.Thread != b.Key.Thread || carried.Version != 1 {
		t.Errorf("carried %+v, %v", carried, err)
	}
	for n, want := range map[int]int{8: 2, 5: 1, 4: 1} {
		b := h.must(t, ms[:n])
		found, err := h.Current(t.Context(), &b.Session, b.View)
		if err != nil || found.Plan.Version != want || found.Behind != (n < 8) {
			t.Errorf("who sees %d messages reads %+v, %v", n, found, err)
		}
	}
	b = h.must(t, ms[:2])
	if found, err := h.Current(t.Context(), &b.Session, b.View); err != nil || found.Plan != nil || !found.Behind {
		t.Errorf("who sees two messages reads %+v, %v", found, err)
	}
}

// What is erased goes out of the thread, its forks and its parents, and out of memory;
// threads beside them keep what they have.
//
// SPEC: V1
func TestEraseReachesTheFamily(t *testing.T) {
	s := memory.New()
	h := over(t, s)
	ms := talk(6)
	tip := h.must(t, ms).Thread.At(1).ID
	fork := h.must(t, departed(ms, 4, "otherwise")).Key
	apart := h.must(t, departed(ms, 1, "apart")).Key // it never had the message
	have, err := h.Erase(t.Context(), fork, tip, artifact.Tombstone{Reason: "asked"})
	if err != nil {
		t.Fatal(err)
	}
	if in := have.Threads; !slices.Contains(in, key) || !slices.Contains(in, fork) || len(in) != 2 {
		t.Errorf("erased in %v", in)
	}
	for k, want := range map[store.Key]bool{key: true, fork: true, apart: false} {
		if got := entries(t, s, k)[1].Erased; got != want {
			t.Errorf("%s: erased %v", k.Thread, got)
		}
	}
	if n := h.Sessions.Stats().Entries; n != 0 {
		t.Errorf("%d sessions remember", n)
	}
	if family, err := h.Family(t.Context(), apart); err != nil || len(family) != 3 {
		t.Errorf("a family of %d, %v", len(family), err)
	}
}

// An answer is the thread's last while the message that it answers is the tip.
//
// SPEC: V1
func TestReplies(t *testing.T) {
	s := memory.New()
	h := over(t, s)
	ms := talk(3)
	if _, err := LastReply(t.Context(), s, key); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("of no thread: %v", err)
	}
	tip := h.must(t, ms).Thread.Tip()
	answer := func(words ...string) {
		t.Helper()
		var reply []message.Message
		for _, w := range words {
			reply = append(reply, message.TextOf(message.Assistant, w))
		}
		if err := h.RecordReply(t.Context(), key, "", tip, reply); err != nil {
			t.Fatal(err)
		}
	}
	for n := range 20 {
		answer(fmt.Sprint("first ", n), "second")
		got, err := LastReply(t.Context(), s, key)
		if err != nil || len(got) != 2 || got[0].Parts[0].Text != fmt.Sprint("first ", n) {
			t.Fatalf("answer %d is %v, %v", n, got, err)
		}
	}
	h.must(t, talk(5))
	if got, err := LastReply(t.Context(), s, key); err != nil || got != nil {
		t.Errorf("an answer to what the client went on from: %v, %v", got, err)
	}
	if es := entries(t, s, key); len(es) != 5 {
		t.Errorf("answers are in the log: %d entries", len(es))
	}
}

// Budgets of about one size have one branch; others, and other policies, have their own.
func TestBranchKey(t *testing.T) {
	of := func(policy string, budget, n int) store.Key {
		return branchKey(key, Request{Policy: policy, Budget: budget}, n)
	}
	same := of("balanced", 16_384, 0)
	if same != of("balanced", 17_000, 0) || same.Tenant != key.Tenant || !strings.HasPrefix(same.Thread, "t~") {
		t.Errorf("%v", same)
	}
	for name, k := range map[string]store.Key{"budget": of("balanced", 24_000, 0), "policy": of("session", 16_384, 0), "number": of("balanced", 16_384, 1)} {
		if k == same {
			t.Errorf("another %s has the same branch", name)
		}
	}
	for budget := range 20 {
		_ = of("balanced", budget, 0) // no budget is too small
	}
}
