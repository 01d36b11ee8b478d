package storetest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

var planTests = map[string]func(*testing.T, store.Store){
	"PlanRoundTrip":  planRoundTrip,
	"PlanVersions":   planVersions,
	"PlanStale":      planStale,
	"PlanForeign":    planForeign,
	"PlanRepeat":     planRepeat,
	"PlanLarge":      planLarge,
	"PlanAndLog":     planAndLog,
	"PlanWithoutIDs": planWithoutIDs,
	"PlanMissing":    planMissing,
	"PlanGrows":      planGrows,
}

// everyRecord are records of every shape over eight entries of one part each.
func everyRecord(es []thread.Entry) []plan.Record {
	part := span(es[7:8])
	part.Part = 1
	return []plan.Record{
		{Action: plan.Summarize, Text: "s: \xff \ufffd <&>", Excerpts: []string{"e: \xff \ufffd <&>", ""}, Summary: raw("{ \"facts\" : [ ] }"), Span: span(es[0:3]), Tokens: 3},
		{Action: plan.Drop, Reason: "old", Span: span([]thread.Entry{es[3], es[5]}), Saves: 10, Strategy: "drop"},
		{Action: plan.Clear, Tool: "sh", Outcome: "success", Fields: raw("{\"id\":\t9007199254740993}"), Span: span(es[4:5])},
		{Action: plan.Externalize, Artifact: "a0", Hint: "when needed", Text: "p", Span: span(es[6:7])},
		{Action: plan.Replace, Kind: plan.Preview, Text: "…", Span: part},
	}
}

// SPEC: L4, V8
func planRoundTrip(t *testing.T, s store.Store) {
	es := say("", many(9)...)
	add(t, s, mainKey, store.Batch{Entries: es})
	p := build(t, mainKey, 1, es, everyRecord(es)...)
	p.Pins = []plan.Ref{{ID: es[8].ID}}
	p.Warnings = []string{"overlap \xff"}
	noError(t, s.Commit(ctx(t), mainKey, p, nil))
	have, err := s.Plan(ctx(t), mainKey)
	noError(t, err)
	equal(t, p, have)
	for i, e := range es {
		equal(t, p.Touches(e.ID), have.Touches(e.ID))
		equal(t, p.ActionOf(e.ID), have.ActionOf(e.ID))
		equal(t, p.Part(e.ID, 1), have.Part(e.ID, 1))
		equal(t, i < 8, have.Touches(e.ID))
	}
	h, err := s.Head(ctx(t), mainKey)
	noError(t, err)
	equal(t, 1, h.PlanVersion)
}

// SPEC: V8
func planVersions(t *testing.T, s store.Store) {
	es := say("", many(9)...)
	add(t, s, mainKey, store.Batch{Entries: es})
	all := everyRecord(es)
	var plans []*plan.Plan
	var infos []store.PlanInfo
	for i, records := range [][]plan.Record{all[:1], all[:3], all, nil, all[2:], all} { // the last restores the third
		p := build(t, mainKey, i+1, es[:9-i%2], records...)
		noError(t, s.Commit(ctx(t), mainKey, p, nil))
		plans = append(plans, p)
		infos = append(infos, store.PlanInfo{
			Version: i + 1, Base: p.Base, Policy: "balanced", Original: 1000,
			Compacted: 400, Records: len(records), Created: now(i + 1),
		})
	}
	for i, p := range plans {
		have, err := s.PlanAt(ctx(t), mainKey, i+1)
		noError(t, err)
		equal(t, p, have)
	}
	have, err := s.PlanVersions(ctx(t), mainKey)
	noError(t, err)
	equal(t, infos, have)
	current, err := s.Plan(ctx(t), mainKey)
	noError(t, err)
	equal(t, plans[len(plans)-1], current)
	h, err := s.Head(ctx(t), mainKey)
	noError(t, err)
	equal(t, now(len(plans)), h.Updated)
	for _, v := range []int{-1, 0, len(plans) + 1} {
		_, err := s.PlanAt(ctx(t), mainKey, v)
		isError(t, err, store.ErrNotFound)
	}
}

// SPEC: L17
func planStale(t *testing.T, s store.Store) {
	es := say("", many(9)...)
	add(t, s, mainKey, store.Batch{Entries: es})
	for v := 1; v <= 3; v++ {
		noError(t, s.Commit(ctx(t), mainKey, build(t, mainKey, v, es), nil))
	}
	before := snapshot(t, s, "")
	for _, v := range []int{-1, 0, 1, 2, 3, 5, 99} {
		p := build(t, mainKey, v, es, everyRecord(es)...)
		err := s.Commit(ctx(t), mainKey, p, []artifact.Artifact{artifact.Of(es[0].ID, 1, []byte("lost"))})
		isError(t, err, store.ErrStale)
	}
	equal(t, before, snapshot(t, s, ""))
}

// SPEC: L17, V10
func planForeign(t *testing.T, s store.Store) {
	es := say("", many(9)...)
	other := say("", "another", "line")
	add(t, s, mainKey, store.Batch{Entries: es[:8]})
	add(t, s, store.Key{Thread: "other"}, store.Batch{Entries: other})
	before := snapshot(t, s, "")
	drop := func(es ...thread.Entry) plan.Record { return plan.Record{Action: plan.Drop, Span: span(es)} }
	lost := artifact.Of(es[0].ID, 1, []byte("lost"))
	for name, c := range map[string]struct {
		base     thread.ID
		record   plan.Record
		artifact artifact.Artifact
	}{
		"LaterBase":    {es[8].ID, drop(es[0]), lost},
		"OtherBase":    {other[0].ID, drop(es[0]), lost},
		"NoBase":       {"", drop(es[0]), lost},
		"NoID":         {"entry", drop(es[0]), lost},
		"OtherRecord":  {es[7].ID, drop(other[1]), lost},
		"PartlyOther":  {es[7].ID, drop(es[0], other[1]), lost},
		"LaterRecord":  {es[7].ID, drop(es[7], es[8]), lost},
		"OtherSource":  {es[7].ID, drop(es[0]), artifact.Of(other[0].ID, 1, []byte("lost"))},
		"MissedSource": {es[7].ID, drop(es[0]), artifact.Artifact{ID: "a1"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := build(t, mainKey, 1, es)
			p.Base, p.Records = c.base, []plan.Record{c.record}
			isError(t, s.Commit(ctx(t), mainKey, p, []artifact.Artifact{lost, c.artifact}), store.ErrForeign)
		})
	}
	equal(t, before, snapshot(t, s, ""))
}

// SPEC: L17
func planRepeat(t *testing.T, s store.Store) {
	es := say("", many(9)...)
	add(t, s, mainKey, store.Batch{Entries: es})
	arts := []artifact.Artifact{artifact.Of(es[0].ID, 1, []byte("kept"))}
	first := build(t, mainKey, 1, es, everyRecord(es)...)
	noError(t, s.Commit(ctx(t), mainKey, first, arts))
	before := snapshot(t, s, "")
	noError(t, s.Commit(ctx(t), mainKey, first, arts))
	loaded, err := s.Plan(ctx(t), mainKey)
	noError(t, err)
	noError(t, s.Commit(ctx(t), mainKey, loaded, arts))
	equal(t, before, snapshot(t, s, ""))
	for name, change := range map[string]func(*plan.Plan){
		"Header":      func(p *plan.Plan) { p.Compacted++ },
		"Telling":     func(p *plan.Plan) { p.Records[1].Reason = "another" },
		"Acting":      func(p *plan.Plan) { p.Records[0].Text = "another" },
		"Excerpt":     func(p *plan.Plan) { p.Records[0].Excerpts = []string{"e: \xff \ufffd <&>", "another"} },
		"NoExcerpts":  func(p *plan.Plan) { p.Records[0].Excerpts = nil },
		"Spacing":     func(p *plan.Plan) { p.Records[2].Fields = raw(`{"id":9007199254740993}`) },
		"FewerID":     func(p *plan.Plan) { p.Records[0].Span.IDs = p.Records[0].Span.IDs[:2] },
		"FewerRecord": func(p *plan.Plan) { p.Records = p.Records[1:] },
	} {
		t.Run(name, func(t *testing.T) {
			p := build(t, mainKey, 1, es, everyRecord(es)...)
			change(p)
			isError(t, s.Commit(ctx(t), mainKey, p, nil), store.ErrStale)
		})
	}
	noError(t, s.Commit(ctx(t), mainKey, build(t, mainKey, 2, es), nil))
	isError(t, s.Commit(ctx(t), mainKey, first, arts), store.ErrStale) // no longer the current one
}

// SPEC: V8
func planLarge(t *testing.T, s store.Store) {
	es := say("", many(600)...)
	add(t, s, mainKey, store.Batch{Entries: es})
	records := []plan.Record{{Action: plan.Summarize, Text: "all before", Span: span(es[:300])}}
	var odd []thread.Entry
	for i := 300; i < 400; i++ {
		records = append(records, plan.Record{Action: plan.Clear, Tool: fmt.Sprint(i), Span: span(es[i : i+1])})
	}
	for i := 400; i < 600; i += 2 {
		odd = append(odd, es[i])
	}
	records = append(records, plan.Record{Action: plan.Drop, Span: span(odd)})
	p := build(t, mainKey, 1, es, records...)
	noError(t, s.Commit(ctx(t), mainKey, p, nil))
	have, err := s.Plan(ctx(t), mainKey)
	noError(t, err)
	equal(t, p, have)
}

// SPEC: V1, V8
func planAndLog(t *testing.T, s store.Store) {
	es := say("", many(9)...)
	add(t, s, mainKey, store.Batch{Entries: es})
	for v := 1; v <= 20; v++ {
		noError(t, s.Commit(ctx(t), mainKey, build(t, mainKey, v, es, everyRecord(es)[v%5:]...), nil))
	}
	loads(t, s, mainKey, es)
	more := say(tip(es), "on")
	add(t, s, mainKey, store.Batch{Tip: tip(es), Entries: more})
	have, err := s.Plan(ctx(t), mainKey)
	noError(t, err)
	equal(t, 20, have.Version)
	equal(t, tip(es), have.Base)
}

// SPEC: L1
func planWithoutIDs(t *testing.T, s store.Store) {
	es := say("", "one")
	add(t, s, mainKey, store.Batch{Entries: es})
	p := build(t, mainKey, 1, es)
	p.Records = []plan.Record{{Action: plan.Drop}}
	isError(t, s.Commit(ctx(t), mainKey, p, nil), plan.ErrEmptySpan)
}

func planMissing(t *testing.T, s store.Store) {
	add(t, s, mainKey, store.Batch{Entries: say("", "one")})
	if err := s.Commit(ctx(t), mainKey, nil, nil); err == nil {
		t.Fatal("no error for no plan")
	}
}

// A span that grows from plan to plan, and shrinks, and leaves some out, is each
// time what was committed; wherever it names what the thread lacks, nothing is
// written. A fork's entries are not taken for those of its parent.
//
// SPEC: L17, V8, V10
func planGrows(t *testing.T, s store.Store) {
	es := say("", many(900)...)
	fork := append(slices.Clone(es[:600]), say(es[599].ID, many(300)...)...)
	forkKey := store.Key{Thread: "fork"}
	add(t, s, mainKey, store.Batch{Entries: es})
	add(t, s, forkKey, store.Batch{ForkOf: "main", At: es[599].ID, Entries: fork[600:]})
	version := 0
	for n := 300; n <= 900; n += 150 {
		gaps := slices.Concat(es[1:100], es[101:200], es[202:n])
		for _, spanned := range [][]thread.Entry{es[1:n], es[1 : n-140], gaps} {
			version++
			grows(t, s, mainKey, version, es, spanned)
			grows(t, s, forkKey, version, fork, at(fork, es, spanned))
			for _, i := range []int{0, 1, 130, len(spanned) / 2, len(spanned) - 1} {
				refuses(t, s, mainKey, version+1, es, withEntry(spanned, i, fork[800]))
				refuses(t, s, forkKey, version+1, fork, withEntry(at(fork, es, spanned), i, es[800]))
			}
		}
	}
}

// at are the entries of a thread that stand where some of another do.
func at(fork, es, some []thread.Entry) []thread.Entry {
	var out []thread.Entry
	i := 0
	for _, e := range some {
		for es[i].ID != e.ID {
			i++
		}
		out = append(out, fork[i])
	}
	return out
}

func grows(t *testing.T, s store.Store, k store.Key, version int, es, spanned []thread.Entry) {
	t.Helper()
	r := plan.Record{Action: plan.Summarize, Text: fmt.Sprint("summary ", version), Span: span(spanned)}
	p := build(t, k, version, es, r)
	noError(t, s.Commit(ctx(t), k, p, nil))
	have, err := s.Plan(ctx(t), k)
	noError(t, err)
	equal(t, p, have)
}

// withEntry returns entries with another one at position i.
func withEntry(es []thread.Entry, i int, e thread.Entry) []thread.Entry {
	es = slices.Clone(es)
	es[i] = e
	return es
}

func refuses(t *testing.T, s store.Store, k store.Key, version int, es, spanned []thread.Entry) {
	t.Helper()
	p := build(t, k, version, es)
	p.Records = []plan.Record{{Action: plan.Summarize, Text: "foreign", Span: span(spanned)}}
	isError(t, s.Commit(ctx(t), k, p, nil), store.ErrForeign)
	h, err := s.Head(ctx(t), k)
	noError(t, err)
	equal(t, version-1, h.PlanVersion)
}
