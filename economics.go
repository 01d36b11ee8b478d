package precis

import (
	"math"

	"github.com/seed-3db51b0e/precis/cachecost"
	"github.com/seed-3db51b0e/precis/event"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/thread"
)

// cold says whether the provider has forgotten the thread's prompt, for policies
// that do something then.
func (e *Engine) cold(in Input) bool {
	return in.Client.Idle > 0 && e.policy.Rests() && cachecost.Cold(in.Model.Cache, e.policy.ColdTime(), in.Client.Idle)
}

// bound is the size above which a request is compacted without a question.
func (e *Engine) bound(in Input, fixed int) int {
	if e.policy.Economy {
		return in.Budget
	}
	return e.policy.Most(in.Budget, fixed)
}

// due says whether the board is to be compacted. Where the policy asks whether
// that pays, and it does not, the turn has the sums.
func (e *Engine) due(w *work) bool {
	total := w.draft.Total()
	if total > e.bound(w.in, w.fixed) {
		return true
	}
	w.turn.Economy = e.guess(w.in, w.t, total, w.turn.Original, w.fixed)
	return w.turn.Economy != nil && cachecost.Verdict(w.turn.Economy.Verdict).Worth()
}

// spared says whether a turn of the steady state may stay as it is, and why.
func (e *Engine) spared(t *Turn, in Input, fixed int) bool {
	t.Economy = e.guess(in, t.Thread, t.Compacted, t.Original, fixed)
	if t.Economy == nil {
		return true
	}
	if cachecost.Verdict(t.Economy.Verdict).Worth() {
		return false
	}
	t.Outcome = NotWorthIt
	e.emit(t.Key, skipped(t))
	return true
}

// guess reckons what compacting would cost before it is tried: the prompt would
// come down to the policy's target, and no more of it than its head would stand.
// It is nil for a prompt that nobody thinks of compacting: it is small, or no other
// follows that could save.
func (e *Engine) guess(in Input, t *thread.Thread, total, original, fixed int) *plan.Economy {
	cold := e.cold(in)
	if !e.policy.Economy || in.Mode.FinalTurn || total <= e.policy.Mark(in.Budget, fixed, cold) {
		return nil
	}
	c := cachecost.Choice{
		Before: total, After: e.policy.Target(in.Budget, fixed), Kept: fixed + e.head(t), Cold: cold,
		Growth: growth(t, original-fixed), Turns: t.Turns(), Gain: in.Budget / 20,
	}
	c.Cached = max(total-int(c.Growth), 0)
	return e.weighed(in, c)
}

// pays weighs what a compaction made of a board, if the policy asks. What is
// forced always pays.
func (e *Engine) pays(w *work) bool {
	if !e.policy.Economy {
		return true
	}
	c := cachecost.Choice{
		Before: w.turn.Before, After: w.draft.Total(), Kept: w.kept(), Cold: e.cold(w.in),
		Growth: growth(w.t, w.turn.Original-w.fixed), Turns: w.t.Turns(), Gain: w.in.Budget / 20,
		Forced: w.in.Mode.Force || w.heavy || w.turn.Before > w.in.Budget,
	}
	c.Cached = max(c.Before-w.news(), 0)
	w.turn.Economy = e.weighed(w.in, c)
	w.turn.Economy.Least = e.least(w.board)
	return cachecost.Verdict(w.turn.Economy.Verdict).Worth()
}

// weighed is a choice and its sums, for the plan.
func (e *Engine) weighed(in Input, c cachecost.Choice) *plan.Economy {
	r := cachecost.RatesOf(in.Model, c.Before)
	s := r.Weigh(c)
	if math.IsInf(s.BreakEven, 1) {
		s.BreakEven = -1
	}
	return &plan.Economy{
		Verdict: string(s.Verdict), Read: r.Read, Write: r.Write, USD: in.Model.PriceOf(c.Before).In,
		Before: c.Before, After: c.After, Cached: c.Cached, Kept: c.Kept, Cold: c.Cold,
		Turns: c.Turns, Growth: tenths(c.Growth), Remaining: tenths(s.Remaining),
		Rewrite: tenths(s.Rewrite), Saved: tenths(s.Saved), BreakEven: tenths(s.BreakEven), Waited: tenths(s.Waited),
	}
}

func tenths(f float64) float64 { return math.Round(10*f) / 10 }

// growth is how many tokens a turn of the thread adds, at least one. tokens are
// those of its messages.
func growth(t *thread.Thread, tokens int) float64 {
	return max(float64(tokens)/float64(max(t.Turns(), 1)), 1)
}

// head is what of the thread no compaction touches, at its start, in tokens.
func (e *Engine) head(t *thread.Thread) (n int) {
	for i := range t.Len() {
		m := t.At(i)
		first := e.policy.PinFirst && thread.Speaks(m.Message)
		if m.Message.Role != message.System && !first {
			break
		}
		n += m.Tokens
		if first {
			break
		}
	}
	return n
}

// news is what of the prompt the request before did not have: the answer to it
// and what came after.
func (b *board) news() (n int) {
	for i := b.t.Len() - 1; i >= 0; i-- {
		n += b.draft.Original(i)
		if b.t.At(i).Message.Role == message.Assistant {
			break
		}
	}
	return n
}

// kept is the head of the draft's prompt that stands as it did before.
func (w *work) kept() int {
	n := w.fixed
	for i := range w.t.Len() {
		id := w.t.At(i).ID
		was := w.base != nil && w.base.Touches(id)
		is := w.draft.Whole(i) != nil || w.draft.ActedOn(i, 0)
		if was != is || is && !w.same(i) {
			break
		}
		n += w.draft.Cost(i)
	}
	return n
}

// same says whether entry i stands under the draft as it did under the plan.
func (w *work) same(i int) bool {
	id := w.t.At(i).ID
	if old, now := w.base.Whole(id), w.draft.Whole(i); old != nil || now != nil {
		return alike(old, now) && old.Span.Start() == now.Span.Start()
	}
	for n := range w.t.At(i).Message.Parts {
		if !alike(w.base.Part(id, n+1), w.draft.Part(i, n+1)) {
			return false
		}
	}
	return true
}

func alike(a, b *plan.Record) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Action == b.Action && a.Kind == b.Kind && a.Text == b.Text
}

// least is the worth of a token below which a line of the log is not carried
// along in a summary, in the steps of strategy.Relevance: until the budget is full
// again, or the conversation expected to be over.
func (e *Engine) least(b *board) float64 {
	if !e.policy.Economy || b.in.Mode.FinalTurn {
		return 0
	}
	target := e.policy.Target(b.in.Budget, b.fixed)
	turns := min(float64(b.in.Budget-target)/growth(b.t, b.draft.Uncompacted()-b.fixed), cachecost.Remaining(b.t.Turns()))
	return 10_000 * cachecost.RatesOf(b.in.Model, b.in.Budget).Carry(target, turns)
}

// skipped tells of a turn that was left as it is.
func skipped(t *Turn) event.Event {
	v := event.Event{
		Kind: event.Skipped, Outcome: string(t.Outcome), Turn: t.Thread.Turns(),
		TokensBefore: t.Before, TokensAfter: t.Compacted, Budget: t.Budget,
	}
	if x := t.Economy; x != nil {
		v.Details = event.Details{Verdict: x.Verdict, BreakEven: x.BreakEven, Remaining: x.Remaining}
	}
	return v
}
