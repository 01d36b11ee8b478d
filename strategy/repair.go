package strategy

import (
	"fmt"
	"maps"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/tool"
)

// Reconcile makes the draft's repairs those the history needs now, and says
// whether anything changed. A result without its call, or a second one, becomes
// user text; a call without its result gets one that says so; a call id used
// before gets a new one. Repairs the history has outgrown go:
// a call answered since. A call at the very tip is open, not broken, unless
// closeTip is set. What belongs to something that is not known is left alone.
func Reconcile(d *Draft, closeTip bool) (changed bool) {
	r := repairer{d: d, used: map[string]bool{}, next: map[string]int{}, want: map[plan.Ref]plan.Record{}}
	if d.Demands.CallsApart {
		r.apart = apart(d.T)
	}
	for _, u := range d.T.Units() {
		if u.End > d.T.FirstReuse() || !d.covered(u) {
			r.unit(u, closeTip || !u.Open)
		}
	}
	changed = r.prune()
	for _, rec := range r.out {
		changed = r.ensure(rec) || changed
	}
	return changed
}

// apart pairs the calls and results that stand in no unit together: each of the two
// places has its pair. An id that was used before pairs nothing.
func apart(t *thread.Thread) map[thread.Place]thread.Pair {
	var calls thread.Calls
	all := map[thread.Place]thread.Pair{}
	for _, u := range t.Units() {
		for _, p := range t.Pairs(u) {
			at, alone := p.Alone()
			if !alone || at.Index >= t.FirstReuse() {
				continue
			}
			id := t.Part(at).CallID
			if p.Call.Part > 0 {
				calls.Called(id, at)
			} else if call, ok := calls.Answered(id); ok {
				all[call] = thread.Pair{Call: call, Result: at}
				all[at] = all[call]
			}
		}
	}
	return all
}

// covered reports whether whole-message records stand over all of a unit: there is
// nothing of it to repair.
func (d *Draft) covered(u thread.Unit) bool {
	for i := u.Start; i < u.End; i++ {
		if d.cells[i].whole == nil {
			return false
		}
	}
	return true
}

// prune drops repairs nothing asks for any more.
func (r *repairer) prune() (changed bool) {
	for i := range r.d.cells {
		for n, rec := range r.d.cells[i].parts {
			want, ok := r.want[plan.Ref{ID: r.d.T.At(i).ID, Part: n}]
			stale := rec.Orphan != want.Orphan || rec.CallID != want.CallID || rec.Answer != want.Answer || rec.Kind == plan.Repaired && !ok
			if stale {
				r.d.unrepair(i, n, rec)
				changed = true
			}
		}
	}
	return changed
}

// ensure adds a repair to what already stands on its part.
func (r *repairer) ensure(rec plan.Record) bool {
	i, _ := r.d.T.Find(rec.Span.IDs[0])
	if r.d.Whole(i) != nil {
		return false
	}
	have := r.d.Part(i, rec.Span.Part)
	if have == nil {
		r.d.force(rec)
		return true
	}
	if have.CallID == rec.CallID && have.Answer == rec.Answer && have.Orphan == rec.Orphan {
		return false
	}
	both := *have
	both.CallID, both.Answer, both.Orphan = rec.CallID, rec.Answer, rec.Orphan
	r.d.force(both)
	return true
}

// unrepair takes the repair out of a part record, and the record with it when
// it did nothing else.
func (d *Draft) unrepair(i, n int, rec *plan.Record) {
	c := &d.cells[i]
	c.parts = maps.Clone(c.parts)
	if rec.Kind == plan.Repaired {
		delete(c.parts, n)
	} else {
		bare := *rec
		bare.CallID, bare.Answer, bare.Orphan = "", "", false
		c.parts[n] = &bare
	}
	d.recount(i)
}

type repairer struct {
	d    *Draft
	used map[string]bool // ids since some came again, and new ones
	next map[string]int  // the next suffix to try for a reused id
	want map[plan.Ref]plan.Record
	out  []plan.Record // want, a call's before its result's
	// apart holds the pairs of no unit, by both places; nil: there are none.
	apart map[thread.Place]thread.Pair
}

// unit finds the repairs of a unit, which is complete if its calls wait for no
// more results.
func (r *repairer) unit(u thread.Unit, complete bool) {
	for _, p := range r.d.T.Pairs(u) {
		if at, alone := p.Alone(); alone && r.d.T.Names(r.d.T.Part(at).CallID) {
			continue
		}
		if at, alone := p.Alone(); alone {
			if far, ok := r.apart[at]; ok {
				r.far(far, at)
				continue
			}
		}
		renamed := ""
		if p.Call.Part > 0 {
			renamed = r.rename(r.d.T.Part(p.Call).CallID, p.Call.Index)
			r.call(p, renamed, complete)
		}
		if p.Result.Part > 0 {
			r.result(p, renamed)
		}
	}
}

// far finds the repair of one of a pair that stands apart.
func (r *repairer) far(p thread.Pair, at thread.Place) {
	if at == p.Call {
		r.call(p, "", true)
	} else {
		r.result(p, "")
	}
}

// rename gives a call id of entry i that is empty or was used before a new,
// unused one.
func (r *repairer) rename(id string, i int) string {
	if i < r.d.T.FirstReuse() {
		return ""
	}
	if id != "" && !r.has(id, i) {
		r.used[id] = true
		return ""
	}
	stem := id
	if stem == "" {
		stem = "call"
	}
	for n := max(2, r.next[stem]); ; n++ {
		r.next[stem] = n + 1
		if to := fmt.Sprintf("%s_p%d", stem, n); !r.has(to, i) {
			r.used[to] = true
			return to
		}
	}
}

// has reports whether a call before, or a new name, has the id.
func (r *repairer) has(id string, i int) bool {
	if message.IsDerivedID(id) { // the provider goes by the place
		return false
	}
	first, ok := r.d.T.Called(id)
	return ok && first < i || r.used[id]
}

func (r *repairer) result(p thread.Pair, renamed string) {
	switch {
	case !p.Complete() || r.gone(p.Call) && !r.gone(p.Result):
		r.add(p.Result, plan.Record{Orphan: true, Reason: "a tool result whose call is missing, answered or compacted"})
	case renamed != "":
		r.add(p.Result, plan.Record{CallID: renamed, Reason: "call id used before"})
	}
}

func (r *repairer) call(p thread.Pair, renamed string, complete bool) {
	rec := plan.Record{CallID: renamed, Reason: "call id used before"}
	switch {
	case !p.Complete() && complete:
		rec.Answer, rec.Reason = tool.NoResult, "a call without a result"
	case p.Complete() && r.gone(p.Result) && !r.gone(p.Call):
		rec.Answer, rec.Reason = "[the result was compacted]", "a call whose result is compacted"
	}
	if rec.CallID != "" || rec.Answer != "" {
		r.add(p.Call, rec)
	}
}

// gone reports whether a record takes the whole message out of the prompt.
func (r *repairer) gone(at thread.Place) bool {
	whole := r.d.Whole(at.Index)
	return whole != nil && whole.Action.Together()
}

func (r *repairer) add(at thread.Place, rec plan.Record) {
	rec.Action, rec.Kind, rec.Strategy = plan.Replace, plan.Repaired, "repair"
	rec.Span = r.d.partSpan(at.Index, at.Part)
	r.want[plan.Ref{ID: rec.Span.Start(), Part: at.Part}] = rec
	r.out = append(r.out, rec)
}
