package storetest

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

// inParts proves that a thread's parts are those of the whole, and that it is the same
// whatever of it a caller has.
func inParts(t tester, s store.Store, k store.Key, whole []thread.Entry) {
	t.Helper()
	c, r := context.Background(), rand.New(rand.NewPCG(uint64(len(whole)), 1))
	for range 3 {
		from, to := r.IntN(len(whole)+2)-1, r.IntN(len(whole)+3)-1
		es, err := store.LoadRange(c, s, k, from, to)
		noError(t, err)
		if want := store.Range(whole, from, to); len(want)+len(es) > 0 {
			equal(t, want, es)
		}
	}
	var have []message.Message
	for _, e := range whole {
		switch r.IntN(8) {
		case 0:
			have = append(have, message.TextOf(message.User, "of another conversation"))
		case 1:
			e.Message.Raw = append(append([]byte{}, e.Message.Raw...), ' ')
			have = append(have, e.Message)
		default:
			have = append(have, e.Message)
		}
	}
	have = append(have, message.TextOf(message.User, "new"))
	for _, n := range []int{len(have), len(have) / 2} {
		es, err := store.LoadHaving(c, s, k, have[:n])
		noError(t, err)
		equal(t, whole, es)
	}
}

// RunPartial proves that content which a caller has is not read: open returns a store and a
// function that damages the content of all messages.
func RunPartial(t *testing.T, open func(t *testing.T) (s store.Store, damage func())) {
	// SPEC: T11
	t.Run("ReadsNothingThatTheCallerHas", func(t *testing.T) {
		s, damage := open(t)
		es := say("", many(150)...)
		add(t, s, mainKey, store.Batch{Entries: es})
		fork := store.Key{Thread: "fork"}
		add(t, s, fork, store.Batch{ForkOf: "main", At: es[99].ID, Entries: say(es[99].ID, "another way")})
		own := say("", "another way")[0].Message
		damage()
		ms := make([]message.Message, len(es))
		for i := range es {
			ms[i] = es[i].Message
		}
		have, err := store.LoadHaving(ctx(t), s, mainKey, ms)
		noError(t, err)
		equal(t, es, have)
		have, err = store.LoadHaving(ctx(t), s, fork, append(ms[:100:100], own))
		noError(t, err)
		equal(t, es[:100], have[:100])
		if _, err := store.LoadHaving(ctx(t), s, mainKey, ms[1:]); err == nil {
			t.Error("what the caller does not have was not read")
		}
		if _, err := s.Load(ctx(t), mainKey); err == nil {
			t.Error("the content is not damaged: this test proves nothing")
		}
	})
}

// damageable is a store whose content a test can damage: of the n-th record of plans,
// counted from 0, and of the newest version's header.
type damageable func(t *testing.T) (s store.Maintained, record func(n int), header func())

// RunDamagedPlan proves that a plan which cannot be read takes no thread with it.
func RunDamagedPlan(t *testing.T, open damageable) {
	for name, f := range map[string]func(*testing.T, damageable){
		"Record": damagedRecord, "AllRecords": damagedRecords, "Repair": damagedRepaired,
		"OlderRepaired": damagedOlderRepaired, "CommitFails": damagedCommitFails,
	} {
		t.Run(name, func(t *testing.T) { f(t, open) })
	}
}

// twoVersions writes a thread with two versions of a plan, the second with one record more.
func twoVersions(t *testing.T, s store.Store) (es []thread.Entry, first, second plan.Record) {
	t.Helper()
	es = say("", many(20)...)
	add(t, s, mainKey, store.Batch{Entries: es})
	first = plan.Record{Action: plan.Summarize, Text: strings.Repeat("first ", 40), Span: span(es[1:5])}
	second = plan.Record{Action: plan.Summarize, Text: strings.Repeat("second ", 40), Span: span(es[5:9])}
	noError(t, s.Commit(ctx(t), mainKey, build(t, mainKey, 1, es, first), nil))
	noError(t, s.Commit(ctx(t), mainKey, build(t, mainKey, 2, es, first, second), nil))
	return es, first, second
}

// SPEC: V9
func damagedRecord(t *testing.T, open damageable) {
	s, record, _ := open(t)
	es, first, second := twoVersions(t, s)
	record(1)
	p, err := s.Plan(ctx(t), mainKey)
	noError(t, err)
	equal(t, 2, p.Version)
	if len(p.Records) != 1 || p.Records[0].Text != first.Text {
		t.Fatalf("records %v", p.Records)
	}
	found, _, err := s.Check(ctx(t))
	noError(t, err)
	if len(found) != 1 || found[0].Key != mainKey || !found[0].Repair {
		t.Fatalf("found %v", found)
	}
	next := build(t, mainKey, 3, es, first, second) // with the same record again
	noError(t, s.Commit(ctx(t), mainKey, next, nil))
	p, err = s.Plan(ctx(t), mainKey)
	noError(t, err)
	equal(t, next, p)
}

// A commit that fails does not forget that the plan is damaged: the next one that succeeds
// shares nothing with it.
//
// SPEC: V9
func damagedCommitFails(t *testing.T, open damageable) {
	s, record, _ := open(t)
	es, first, second := twoVersions(t, s)
	record(1)
	_, err := s.Plan(ctx(t), mainKey)
	noError(t, err)
	next := build(t, mainKey, 3, es, first, second)
	gone, cancel := context.WithCancel(ctx(t))
	cancel()
	isError(t, s.Commit(gone, mainKey, next, nil), context.Canceled)
	foreign := build(t, mainKey, 3, say("", "of another thread"))
	isError(t, s.Commit(ctx(t), mainKey, foreign, nil), store.ErrForeign)
	noError(t, s.Commit(ctx(t), mainKey, next, nil))
	p, err := s.PlanAt(ctx(t), mainKey, 3)
	noError(t, err)
	equal(t, next, p)
}

// SPEC: V9
func damagedRecords(t *testing.T, open damageable) {
	s, record, _ := open(t)
	es, _, _ := twoVersions(t, s)
	record(0)
	p, err := s.Plan(ctx(t), mainKey)
	noError(t, err)
	equal(t, 2, p.Version)
	equal(t, 0, len(p.Records))
	equal(t, tip(es), p.Base)
}

// SPEC: V9
func damagedRepaired(t *testing.T, open damageable) {
	s, record, header := open(t)
	twoVersions(t, s)
	record(0)
	header()
	found, _, err := s.Check(ctx(t))
	noError(t, err)
	noError(t, s.Repair(ctx(t), found, now(9)))
	found, _, err = s.Check(ctx(t))
	noError(t, err)
	for _, d := range found {
		if strings.Contains(d.What, "version 3") {
			t.Errorf("after the repair: %v", d)
		}
	}
	p, err := s.Plan(ctx(t), mainKey)
	noError(t, err)
	equal(t, 3, p.Version)
}

// A repair of an older version leaves the plan in force as it is: no new version follows it.
//
// SPEC: V9
func damagedOlderRepaired(t *testing.T, open damageable) {
	s, record, _ := open(t)
	es := say("", many(20)...)
	add(t, s, mainKey, store.Batch{Entries: es})
	for v, text := range []string{"first ", "second "} {
		r := plan.Record{Action: plan.Summarize, Text: strings.Repeat(text, 40), Span: span(es[1:5])}
		noError(t, s.Commit(ctx(t), mainKey, build(t, mainKey, v+1, es, r), nil))
	}
	want, err := s.Plan(ctx(t), mainKey)
	noError(t, err)
	record(0)
	found, _, err := s.Check(ctx(t))
	noError(t, err)
	equal(t, 1, len(found))
	noError(t, s.Repair(ctx(t), found, now(9)))
	have, err := s.Plan(ctx(t), mainKey)
	noError(t, err)
	equal(t, want, have)
	found, _, err = s.Check(ctx(t))
	noError(t, err)
	equal(t, 0, len(found))
}
