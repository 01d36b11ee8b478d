package planner

import (
	"math"
	"slices"

	"github.com/seed-3db51b0e/precis/cachecost"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/strategy"
	"github.com/seed-3db51b0e/precis/thread"
)

// Cold reports whether the provider has forgotten the thread's prompt, for
// policies that do something then.
func (pl *Planner) Cold(r *Request) bool {
	return r.Idle > 0 && pl.Policy.Rests() && pl.cold(r)
}

func (pl *Planner) cold(r *Request) bool {
	return cachecost.Cold(r.Model.Cache, pl.Policy.ColdTime(), r.Idle)
}

// cached reports whether the provider's cache holds the beginning of the thread's prompt, up to the
// last excerpt: one that has breakpoints finds nothing anywhere else.
func (pl *Planner) cached(r *Request) bool {
	return !pl.Cold(r) && (r.CachePoints || r.Model.Cache.Breakpoints == 0)
}

// Bound returns the size above which a request is compacted without a question.
func (pl *Planner) Bound(r *Request) int {
	if pl.Policy.Economy {
		return r.Budget
	}
	return pl.Policy.Most(r.Budget, r.Fixed())
}

// Sizes are the tokens of a whole request.
type Sizes struct{ Original, Now int }

// Pays reports whether sums say that compacting is worth its cost; nil, where
// nobody asked, does not.
func Pays(x *plan.Economy) bool {
	return x != nil && cachecost.Verdict(x.Verdict).Worth()
}

// Estimate reckons what compacting would cost before it is tried: the prompt
// would come down to the policy's target, and no more of it than its head would
// stand. It is nil for a prompt that nobody thinks of compacting: it is small, or
// no other follows that could save.
func (pl *Planner) Estimate(r *Request, t *thread.Thread, size Sizes) *plan.Economy {
	cold, fixed := pl.Cold(r), r.Fixed()
	if !pl.Policy.Economy || r.FinalTurn || size.Now <= pl.mark(r, t, cold) {
		return nil
	}
	c := cachecost.Choice{
		Before: size.Now, After: pl.Policy.Target(r.Budget, fixed), Kept: found(r, fixed+pl.head(t), false), Cold: cold,
		Growth: growth(t, size.Original-fixed), Turns: t.Turns(), Gain: r.Budget / 20,
	}
	c.Cached = max(size.Now-int(c.Growth), 0)
	return weighed(r, c)
}

// mark is the size of the largest request that is left alone without a question. A policy
// with a Boundary asks earlier where a piece of work has just ended, and late elsewhere.
func (pl *Planner) mark(r *Request, t *thread.Thread, cold bool) int {
	mark := pl.Policy.Mark(r.Budget, r.Fixed(), cold)
	slack := int(float64(r.Budget) * pl.Policy.Boundary)
	switch {
	case slack == 0:
		return mark
	case strategy.Ends(t):
		return mark - slack
	}
	return max(mark, r.Budget-slack)
}

// Weigh returns what the draft, which was compacted from a request of before
// tokens under the plan base, costs and saves; nil where the policy does not ask.
// What is forced always pays.
func (pl *Planner) Weigh(d *Draft, base *plan.Plan, before Sizes) *plan.Economy {
	r := &d.Request
	if !pl.Policy.Economy {
		return nil
	}
	unchanged, standing := d.unchanged(base)
	c := cachecost.Choice{
		Before: before.Now, After: d.Total(), Kept: found(r, unchanged, standing && r.CachePoints), Cold: pl.Cold(r),
		Growth: growth(d.Thread, before.Original-r.Fixed()), Turns: d.Thread.Turns(), Gain: r.Budget / 20,
		Forced: r.Force || d.TooHeavy || before.Now > r.Budget,
	}
	c.Cached = max(c.Before-d.newTokens(), 0)
	x := weighed(r, c)
	x.Least = pl.leastWorth(d)
	return x
}

// weighed is a choice and its sums, for the plan.
func weighed(r *Request, c cachecost.Choice) *plan.Economy {
	rates := cachecost.RatesOf(r.Model, c.Before)
	s := rates.Weigh(c)
	if math.IsInf(s.BreakEven, 1) {
		s.BreakEven = -1
	}
	return &plan.Economy{
		Verdict: string(s.Verdict), Read: rates.Read, Write: rates.Write, USD: r.Model.PriceOf(c.Before).In,
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

// head returns the tokens at the start of the thread that no compaction touches.
func (pl *Planner) head(t *thread.Thread) (n int) {
	for i := range t.Len() {
		m := t.At(i)
		first := pl.Policy.PinFirst && thread.Speaks(m.Message)
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

// newTokens counts the part of the prompt that the request before did not have:
// the answer to it and the messages after that.
func (d *Draft) newTokens() (n int) {
	for i := d.Thread.Len() - 1; i >= 0; i-- {
		n += d.Original(i)
		if d.Thread.At(i).Message.Role == message.Assistant {
			break
		}
	}
	return n
}

// found is how much of an unchanged head the provider's cache finds: all of it, but nothing where
// the provider itself has it break at the end of a request only, unless a breakpoint stands there.
func found(r *Request, head int, marked bool) int {
	if c := r.Model.Cache; c.Breakpoints > 0 && !c.Explicit && !marked {
		return 0
	}
	return head
}

// unchanged is the head of the draft's prompt that stands as it did under base, and whether
// it ends with excerpts.
func (d *Draft) unchanged(base *plan.Plan) (n int, excerpts bool) {
	n = d.Request.Fixed()
	for i := range d.Thread.Len() {
		was := base != nil && base.Touches(d.Thread.At(i).ID)
		is := d.Whole(i) != nil || d.ActedOn(i, 0)
		if was != is || is && !d.same(i, base) {
			standing := d.standing(i, base)
			return n + standing, standing > 0
		}
		n += d.Cost(i)
	}
	return n, false
}

// standing returns the tokens of the excerpts at entry i with which the draft begins as base did.
func (d *Draft) standing(i int, base *plan.Plan) int {
	if base == nil {
		return 0
	}
	old, now := base.Whole(d.Thread.At(i).ID), d.Whole(i)
	if old == nil || now == nil || old.Span.Start() != now.Span.Start() {
		return 0
	}
	n := 0
	for n < min(len(old.Excerpts), len(now.Excerpts)) && old.Excerpts[n] == now.Excerpts[n] {
		n++
	}
	return d.ExcerptTokens(now.Excerpts[:n])
}

// same reports whether entry i stands under the draft as it did under base.
func (d *Draft) same(i int, base *plan.Plan) bool {
	id := d.Thread.At(i).ID
	if old, now := base.Whole(id), d.Whole(i); old != nil || now != nil {
		return alike(old, now) && old.Span.Start() == now.Span.Start()
	}
	for n := range d.Thread.At(i).Message.Parts {
		if !alike(base.Part(id, n+1), d.Part(i, n+1)) {
			return false
		}
	}
	return true
}

func alike(a, b *plan.Record) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Action == b.Action && a.Kind == b.Kind && a.Text == b.Text && slices.Equal(a.Excerpts, b.Excerpts)
}

// leastWorth is the worth of a token below which a line of the log is not carried
// along in a summary, in the steps of strategy.Relevance: until the budget is full
// again, or the conversation expected to be over.
func (pl *Planner) leastWorth(d *Draft) float64 {
	r, fixed := &d.Request, d.Request.Fixed()
	if !pl.Policy.Economy || r.FinalTurn {
		return 0
	}
	target := pl.Policy.Target(r.Budget, fixed)
	turns := min(float64(r.Budget-target)/growth(d.Thread, d.Uncompacted()-fixed), cachecost.Remaining(d.Thread.Turns()))
	return 10_000 * cachecost.RatesOf(r.Model, r.Budget).Carry(target, turns)
}
