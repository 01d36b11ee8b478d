package storetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

var eraseTests = map[string]func(*testing.T, store.Store){
	"Erase":             erase,
	"EraseStays":        eraseStays,
	"EraseShared":       eraseShared,
	"EraseOfCopies":     eraseOfCopies,
	"Expire":            expire,
	"ExpireShared":      expireShared,
	"EraseEntry":        eraseEntry,
	"EraseEntryAgain":   eraseEntryAgain,
	"EraseEntryRounds":  eraseEntryRounds,
	"EraseEntryShared":  eraseEntryShared,
	"EraseEntryAll":     eraseEntryAll,
	"EraseEntryAndPlan": eraseEntryAndPlan,
	"EraseLost":         eraseLost,
	"EraseEntryBeside":  eraseEntryBeside,
	"EraseRace":         eraseRace,
}

var tombstone = artifact.Tombstone{At: now(7), By: "ann", Reason: "held a password"}

// erasedAs checks that an error says what became of the content.
func erasedAs(t tester, err error, want artifact.Tombstone) {
	t.Helper()
	var e *store.ErasedError
	if !errors.Is(err, store.ErrErased) || !errors.As(err, &e) {
		t.Fatalf("error is %v", err)
	}
	equal(t, want, e.Tombstone)
	if !strings.Contains(err.Error(), want.String()) {
		t.Fatalf("does not say so: %v", err)
	}
}

// with is an artifact with a tombstone.
func with(a artifact.Artifact, why artifact.Tombstone) artifact.Artifact {
	a.Erased = &why
	return a
}

// kept makes the thread main of six messages with artifacts of some.
func kept(t *testing.T, s store.Store, arts ...func([]thread.Entry) artifact.Artifact) ([]thread.Entry, []artifact.Artifact) {
	t.Helper()
	es := say("", many(6)...)
	add(t, s, mainKey, store.Batch{Entries: es})
	list := make([]artifact.Artifact, len(arts))
	for i, f := range arts {
		list[i] = f(es)
	}
	noError(t, s.Commit(ctx(t), mainKey, build(t, mainKey, 1, es, oneRecord(es)...), list))
	return es, list
}

// oneRecord is a plan's record that has nothing to do with artifacts.
func oneRecord(es []thread.Entry) []plan.Record {
	return []plan.Record{{Action: plan.Summarize, Text: "s", Span: span(es[3:5])}}
}

func taken(at, part int, text string) func([]thread.Entry) artifact.Artifact {
	return func(es []thread.Entry) artifact.Artifact { return artifact.Of(es[at].ID, part, []byte(text)) }
}

// SPEC: V1, L16: an erased artifact says when, by whom and why; its metadata,
// other artifacts, the log and the plans stay.
func erase(t *testing.T, s store.Store) {
	es, a := kept(t, s, taken(1, 1, "secret"), taken(1, 2, "kept"))
	noError(t, s.Erase(ctx(t), mainKey, a[0].ID, tombstone))
	sees(t, s, mainKey, with(a[0], tombstone), a[1])
	loads(t, s, mainKey, es)
	p, err := s.Plan(ctx(t), mainKey)
	noError(t, err)
	equal(t, 1, len(p.Records))
	later := artifact.Tombstone{At: now(9), By: "bob"}
	noError(t, s.Erase(ctx(t), mainKey, a[0].ID, later)) // once is enough: the first stays
	sees(t, s, mainKey, with(a[0], tombstone), a[1])
	noError(t, s.Erase(ctx(t), mainKey, a[1].ID, artifact.Tombstone{At: now(9)}))
	sees(t, s, mainKey, with(a[0], tombstone), with(a[1], artifact.Tombstone{At: now(9), Reason: artifact.ReasonErased}))
}

// SPEC: V1, L17: what was erased does not come back, neither with the repeat of
// a commit nor with a later one.
func eraseStays(t *testing.T, s store.Store) {
	es, a := kept(t, s, taken(1, 1, "secret"))
	noError(t, s.Erase(ctx(t), mainKey, a[0].ID, tombstone))
	before := snapshot(t, s, "")
	noError(t, s.Commit(ctx(t), mainKey, build(t, mainKey, 1, es, oneRecord(es)...), a))
	equal(t, before, snapshot(t, s, ""))
	again := a[0]
	again.TTL, again.Created = time.Hour, now(3)
	noError(t, s.Commit(ctx(t), mainKey, build(t, mainKey, 2, es), []artifact.Artifact{again}))
	sees(t, s, mainKey, with(again, tombstone))
}

// SPEC: V1, L16: an artifact belongs to its entry. Threads that share the entry
// share its end; one that has the same words as its own does not.
func eraseShared(t *testing.T, s store.Store) {
	es, a := kept(t, s, taken(1, 1, "secret"), taken(4, 1, "late"))
	k, kk, beside := store.Key{Thread: "fork"}, store.Key{Thread: "fork of fork"}, store.Key{Thread: "beside"}
	add(t, s, k, store.Batch{ForkOf: "main", At: es[2].ID})
	mine := a[0]
	mine.Tool = "sh"
	noError(t, s.Commit(ctx(t), k, build(t, k, 1, es[:3]), []artifact.Artifact{mine}))
	add(t, s, kk, store.Batch{ForkOf: "fork", At: es[1].ID})
	add(t, s, beside, store.Batch{Entries: es})
	noError(t, s.Commit(ctx(t), beside, build(t, beside, 1, es), a))
	isError(t, s.Erase(ctx(t), k, a[1].ID, tombstone), store.ErrNotFound) // not shared
	noError(t, s.Erase(ctx(t), kk, a[0].ID, tombstone))
	sees(t, s, kk, with(of("fork", mine), tombstone))
	sees(t, s, k, with(mine, tombstone))
	sees(t, s, mainKey, with(a[0], tombstone), a[1])
	sees(t, s, beside, a[0], a[1])
	later := store.Key{Thread: "later"}
	add(t, s, later, store.Batch{ForkOf: "main", At: es[1].ID})
	sees(t, s, later, with(of("main", a[0]), tombstone))
}

// SPEC: V1: content that something else still holds stays for it.
func eraseOfCopies(t *testing.T, s store.Store) {
	text := strings.Repeat("the same content ", 20)
	es, a := kept(t, s, taken(1, 1, text), taken(2, 1, text))
	add(t, s, mainKey, store.Batch{
		Tip: tip(es), Envelope: []byte(text),
		Variants: []store.Variant{{ID: es[0].ID, Raw: []byte(text)}, {ID: es[3].ID, Raw: []byte(text)}},
	})
	noError(t, s.Erase(ctx(t), mainKey, a[0].ID, tombstone))
	noError(t, s.EraseEntry(ctx(t), mainKey, es[3].ID, tombstone))
	sees(t, s, mainKey, with(a[0], tombstone), a[1])
	vs, err := s.Variants(ctx(t), mainKey, es[0].ID)
	noError(t, err)
	equal(t, text, string(vs[0].Raw))
	e, err := s.Envelope(ctx(t), mainKey)
	noError(t, err)
	equal(t, text, string(e))
}

// lasting gives an artifact a time.
func lasting(f func([]thread.Entry) artifact.Artifact, ttl time.Duration) func([]thread.Entry) artifact.Artifact {
	return func(es []thread.Entry) artifact.Artifact {
		a := f(es)
		a.Created, a.TTL = now(0), ttl
		return a
	}
}

func expires(t *testing.T, s store.Store, tenant string, at time.Time, want int) {
	t.Helper()
	n, err := s.Expire(ctx(t), tenant, at)
	noError(t, err)
	equal(t, want, n)
}

// SPEC: V1, L16
func expire(t *testing.T, s store.Store) {
	es, a := kept(t, s, lasting(taken(0, 1, "never"), 0),
		lasting(taken(1, 1, "soon"), time.Minute), lasting(taken(2, 1, "later"), time.Hour))
	other := store.Key{Tenant: "other", Thread: "main"}
	add(t, s, other, store.Batch{Entries: es})
	noError(t, s.Commit(ctx(t), other, build(t, other, 1, es), a))
	expires(t, s, "", now(1), 0) // to the last moment
	sees(t, s, mainKey, a[0], a[1], a[2])
	expires(t, s, "", now(2), 1)
	soon := with(a[1], artifact.Tombstone{At: now(2), Reason: artifact.ReasonExpired})
	sees(t, s, mainKey, a[0], soon, a[2])
	expires(t, s, "", now(3), 0)
	noError(t, s.Erase(ctx(t), mainKey, a[2].ID, tombstone))
	expires(t, s, "", now(1000), 0) // it is gone
	sees(t, s, mainKey, a[0], soon, with(a[2], tombstone))
	sees(t, s, other, a[0], a[1], a[2]) // tenants have their own
	expires(t, s, "nobody", now(1000), 0)
	loads(t, s, mainKey, es)
}

// SPEC: L16: the last time that an owner gave counts, and of the threads that
// share an artifact the longest.
func expireShared(t *testing.T, s store.Store) {
	es, a := kept(t, s, lasting(taken(1, 1, "longer in the fork"), time.Minute), lasting(taken(2, 1, "longer now"), time.Minute))
	longer := a[1]
	longer.TTL = time.Hour
	noError(t, s.Commit(ctx(t), mainKey, build(t, mainKey, 2, es), []artifact.Artifact{longer}))
	k := store.Key{Thread: "fork"}
	add(t, s, k, store.Batch{ForkOf: "main", At: es[2].ID})
	mine := a[0]
	mine.TTL = 2 * time.Hour
	noError(t, s.Commit(ctx(t), k, build(t, k, 1, es[:3]), []artifact.Artifact{mine}))
	expires(t, s, "", now(30), 0)
	expires(t, s, "", now(61), 1)
	sees(t, s, mainKey, a[0], with(longer, artifact.Tombstone{At: now(61), Reason: artifact.ReasonExpired}))
	expires(t, s, "", now(121), 1)
	sees(t, s, k, with(mine, artifact.Tombstone{At: now(121), Reason: artifact.ReasonExpired}),
		with(of("main", longer), artifact.Tombstone{At: now(61), Reason: artifact.ReasonExpired}))
}

// gone is what Load returns for an erased entry of one part.
func gone(e thread.Entry) thread.Entry {
	note := message.Part{Kind: message.Text, Text: "[erased on 2030-01-02 03:11:05 UTC by ann: held a password]"}
	e.Message = message.Message{Role: e.Message.Role, Parts: []message.Part{note}}
	e.Tokens, e.Counter, e.Erased = 0, "", true
	return e
}

// SPEC: V1: an erased message leaves its place in the chain, and says so.
func eraseEntry(t *testing.T, s store.Store) {
	es := say("", many(6)...)
	es[2].Tokens, es[2].Counter = 7, "o200k"
	h := add(t, s, mainKey, store.Batch{Entries: es, Variants: []store.Variant{{ID: es[2].ID, Raw: []byte("form")}}})
	noError(t, s.PutSummary(ctx(t), "", "key", []byte("quotes it"), now(1)))
	noError(t, s.PutSummary(ctx(t), "other", "key", []byte("does not"), now(1)))
	noError(t, s.EraseEntry(ctx(t), mainKey, es[2].ID, tombstone))
	noError(t, s.EraseEntry(ctx(t), mainKey, es[2].ID, artifact.Tombstone{At: now(99)}))
	loads(t, s, mainKey, es[:2], []thread.Entry{gone(es[2])}, es[3:])
	vs, err := s.Variants(ctx(t), mainKey, es[2].ID)
	noError(t, err)
	equal(t, 0, len(vs))
	after, err := s.Head(ctx(t), mainKey)
	noError(t, err)
	equal(t, h, after)
	cached(t, s, "", "key", "")
	cached(t, s, "other", "key", "does not")
	have, err := s.Load(ctx(t), mainKey)
	noError(t, err)
	th, err := thread.New(have)
	noError(t, err)
	noError(t, th.Verify())
	ms := make([]message.Message, len(es))
	for i := range es {
		ms[i] = es[i].Message
	}
	equal(t, 6, th.Match(ms)) // the client's history is still known
	ms[2] = have[2].Message
	equal(t, 2, th.Match(ms)) // the tombstone's words are not what was said (V10)
}

// SPEC: V1: the client sends its history again, and nothing of what was erased
// is logged for it.
func eraseEntryAgain(t *testing.T, s store.Store) {
	es := say("", many(6)...)
	add(t, s, mainKey, store.Batch{Entries: es})
	noError(t, s.EraseEntry(ctx(t), mainKey, es[5].ID, tombstone))
	before := snapshot(t, s, "")
	other := es[5]
	other.Message.Raw = []byte(`{"role":"assistant", "content":"message 5"}`)
	for _, b := range []store.Batch{
		{Entries: es},
		{Tip: es[4].ID, Entries: []thread.Entry{other}},
	} {
		add(t, s, mainKey, b)
	}
	add(t, s, mainKey, store.Batch{Tip: tip(es), Now: before[0].Head.Updated, Variants: []store.Variant{{ID: es[5].ID, Raw: []byte("form")}}})
	equal(t, before, snapshot(t, s, ""))
	more := say(tip(es), "and on")
	add(t, s, mainKey, store.Batch{Tip: tip(es), Entries: more})
	loads(t, s, mainKey, es[:5], []thread.Entry{gone(es[5])}, more)
	have, err := s.Load(ctx(t), mainKey)
	noError(t, err)
	_, err = s.Append(ctx(t), store.Key{Thread: "copy"}, store.Batch{Entries: have, Now: now(1)})
	isError(t, err, store.ErrErased) // a tombstone is not what was said
}

// SPEC: V1, V3: calls and results stay pairs, and parts keep their numbers.
func eraseEntryRounds(t *testing.T, s store.Store) {
	es := thread.Extend("", rich())
	add(t, s, mainKey, store.Batch{Entries: es})
	for _, e := range es {
		noError(t, s.EraseEntry(ctx(t), mainKey, e.ID, tombstone))
	}
	have, err := s.Load(ctx(t), mainKey)
	noError(t, err)
	for i, e := range have {
		m, was := e.Message, es[i].Message
		equal(t, was.Role, m.Role)
		equal(t, was.Meta, m.Meta)
		equal(t, len(was.Parts), len(m.Parts))
		equal(t, 0, len(m.Raw))
		for j, p := range m.Parts {
			if k := was.Parts[j].Kind; k == message.Call || k == message.Result {
				equal(t, [3]string{string(k), was.Parts[j].CallID, was.Parts[j].Name}, [3]string{string(p.Kind), p.CallID, p.Name})
			}
			if !strings.Contains(p.Body(), "[erased on 2030-01-02 03:11:05 UTC by ann: held a password]") {
				t.Fatalf("entry %d part %d says %q", i, j, p.Body())
			}
			if p.Kind == message.Call {
				erasedCall(t, p.Args)
			}
		}
	}
}

// erasedCall checks that what is left of a call's arguments is what a provider takes: a
// JSON object.
func erasedCall(t tester, args string) {
	t.Helper()
	var left map[string]string
	noError(t, json.Unmarshal([]byte(args), &left))
	equal(t, 1, len(left))
}

// SPEC: V1
func eraseEntryShared(t *testing.T, s store.Store) {
	es := say("", many(6)...)
	add(t, s, mainKey, store.Batch{Entries: es})
	k, beside := store.Key{Thread: "fork"}, store.Key{Thread: "beside"}
	own := say(es[3].ID, "own")
	add(t, s, k, store.Batch{ForkOf: "main", At: es[3].ID, Entries: own})
	add(t, s, beside, store.Batch{Entries: es[:3]})
	isError(t, s.EraseEntry(ctx(t), k, es[4].ID, tombstone), store.ErrNotFound)
	noError(t, s.EraseEntry(ctx(t), k, es[1].ID, tombstone))
	left := []thread.Entry{gone(es[1])}
	loads(t, s, mainKey, es[:1], left, es[2:])
	loads(t, s, k, es[:1], left, es[2:4], own)
	loads(t, s, beside, es[:3])
	later := store.Key{Thread: "later"}
	add(t, s, later, store.Batch{ForkOf: "main", At: es[1].ID})
	loads(t, s, later, es[:1], left)
	said := store.Key{Thread: "said again"} // is a new message
	add(t, s, said, store.Batch{Entries: es[:2]})
	loads(t, s, said, es[:2])
}

// SPEC: V1, L16: an entry takes its artifacts with it, those to come too.
func eraseEntryAll(t *testing.T, s store.Store) {
	es, a := kept(t, s, taken(1, 1, "one"), taken(1, 2, "two"), taken(2, 1, "kept"))
	first := artifact.Tombstone{At: now(1), By: "bob", Reason: "first"}
	noError(t, s.Erase(ctx(t), mainKey, a[0].ID, first))
	noError(t, s.EraseEntry(ctx(t), mainKey, es[1].ID, tombstone))
	sees(t, s, mainKey, with(a[0], first), with(a[1], tombstone), a[2])
	late := artifact.Of(es[1].ID, 3, []byte("three"))
	noError(t, s.Commit(ctx(t), mainKey, build(t, mainKey, 2, es), []artifact.Artifact{late}))
	sees(t, s, mainKey, with(a[0], first), with(a[1], tombstone), with(late, tombstone), a[2])
}

// SPEC: V1, V8: plans over an erased message can still be read and committed. No version
// has the records that may quote it.
func eraseEntryAndPlan(t *testing.T, s store.Store) {
	es := say("", many(9)...)
	add(t, s, mainKey, store.Batch{Entries: es})
	p := build(t, mainKey, 1, es, everyRecord(es)...)
	noError(t, s.Commit(ctx(t), mainKey, p, nil))
	noError(t, s.Commit(ctx(t), mainKey, build(t, mainKey, 2, es), nil))
	for _, i := range []int{0, 4, 8} {
		noError(t, s.EraseEntry(ctx(t), mainKey, es[i].ID, tombstone))
	}
	left := *p
	left.Records = slices.DeleteFunc(slices.Clone(p.Records), func(r plan.Record) bool {
		return r.Action == plan.Summarize || slices.ContainsFunc(r.Span.IDs, func(id thread.ID) bool { return id == es[0].ID || id == es[4].ID || id == es[8].ID })
	})
	if len(left.Records) == 0 || len(left.Records) == len(p.Records) {
		t.Fatalf("%d of %d records are left", len(left.Records), len(p.Records))
	}
	have, err := s.PlanAt(ctx(t), mainKey, 1)
	noError(t, err)
	equal(t, plan.Restore(left), have)
	noError(t, s.Commit(ctx(t), mainKey, build(t, mainKey, 2, es), nil))
	noError(t, s.Commit(ctx(t), mainKey, build(t, mainKey, 3, es, everyRecord(es)...), nil))
}

// SPEC: V1, V10: a summary that was made of more messages than it covers by now may quote
// one that it lost, wherever that stood. One that covers all that it was made of does not.
func eraseLost(t *testing.T, s store.Store) {
	es := say("", many(9)...)
	add(t, s, mainKey, store.Batch{Entries: es})
	of := func(count, covered int) plan.Record {
		return plan.Record{Action: plan.Summarize, Text: fmt.Sprint("of ", count), Excerpts: []string{"#4 user: secret"}, Summary: raw(fmt.Sprintf(`{"count":%d}`, count)), Span: span(es[:covered])}
	}
	lost, sound := build(t, mainKey, 1, es, of(4, 3)), build(t, mainKey, 2, es, of(3, 3))
	noError(t, s.Commit(ctx(t), mainKey, lost, nil))
	noError(t, s.Commit(ctx(t), mainKey, sound, nil))
	noError(t, s.EraseEntry(ctx(t), mainKey, es[3].ID, tombstone))
	have, err := s.PlanAt(ctx(t), mainKey, 1)
	noError(t, err)
	equal(t, 0, len(have.Records))
	have, err = s.PlanAt(ctx(t), mainKey, 2)
	noError(t, err)
	equal(t, sound, have)
}

// SPEC: V1, L17: erasing while others write and read.
func eraseRace(t *testing.T, s store.Store) {
	es, a := kept(t, s, lasting(taken(1, 1, "secret"), time.Minute))
	var g errgroup.Group
	for i := range 8 {
		g.Go(func() error { return s.EraseEntry(ctx(t), mainKey, es[i%3].ID, tombstone) })
		g.Go(func() error { return s.Erase(ctx(t), mainKey, a[0].ID, tombstone) })
		g.Go(func() error { return insist(t, s, "more") })
		g.Go(func() error {
			have, err := s.Load(ctx(t), mainKey)
			if err != nil {
				return err
			}
			_, err = thread.New(have)
			return err
		})
		g.Go(func() error {
			_, err := s.Artifact(ctx(t), mainKey, a[0].ID)
			if errors.Is(err, store.ErrErased) {
				return nil
			}
			return err
		})
	}
	noError(t, g.Wait())
	sees(t, s, mainKey, with(a[0], tombstone))
	have, err := s.Load(ctx(t), mainKey)
	noError(t, err)
	equal(t, []thread.Entry{gone(es[0]), gone(es[1]), gone(es[2])}, have[:3])
}
