// Package policy holds the presets: the numbers by which compactions differ, as
// data.
//
// Use: Named("balanced"), change fields, Validate. Law: a policy is data; all
// presets run on the same engine. Promise: `precis policy show NAME`
// prints exactly this.
//
// A rung names one of the Strategies. docs/designs.md says what each preset keeps and writes.
package policy

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sort"
	"time"

	"github.com/seed-3db51b0e/precis/model"
)

// Errors callers branch on.
var (
	ErrUnknown = errors.New("unknown policy")
	ErrInvalid = errors.New("invalid policy")
)

// Policy is everything a user may choose about compaction. Shares are fractions
// of the budget; fields in tokens count for at most a tenth of a small one.
type Policy struct {
	Name  string `json:"name"`
	About string `json:"about"`
	// Style names the wording of what the prompt says about itself.
	Style string `json:"style"`
	// Window is the budget in tokens that the design was drawn for: `policy
	// show` states its numbers for it.
	Window int `json:"window_tokens"`
	// UseFullWindow makes the model's whole window the budget where a request states
	// none, not its soft threshold: for designs that reserve the reply's room.
	UseFullWindow bool `json:"whole,omitempty"`
	// Reserves are tokens taken off the budget before Soft and Low.
	Reserves Reserves `json:"reserves,omitzero"`
	// ExcludeOverhead makes Soft and Low shares of the room for messages alone: the system
	// prompt and the tools as they are come off first.
	ExcludeOverhead bool `json:"net,omitempty"`
	// Soft is the share of the budget above which compaction starts, Low the
	// share it goes down to.
	Soft float64 `json:"soft"`
	Low  float64 `json:"low"`
	// LowAgain takes the place of Low in a compaction that leaves the lines of the log which the last
	// summary quotes as they stand: the prompt begins as it did, so that the provider's cache of its
	// beginning holds. It counts from Low to Soft; 0: each compaction chooses all lines anew. It takes
	// Economy.
	LowAgain float64 `json:"low_again,omitempty"`
	// Economy asks, between Soft and the budget, whether a compaction is worth the
	// cached prefix it breaks, chooses the lines of a summary closely, and leaves out
	// those that cost more to carry than to look up. Without it Soft
	// alone decides.
	Economy bool `json:"economy,omitempty"`
	// ColdSoft is the share of the budget that stands in for Soft once the provider's
	// cache is cold, and a rewrite free; 0: Soft stays. It takes Economy.
	ColdSoft float64 `json:"rested,omitempty"`
	// Boundary is the share of the budget by which a compaction may come earlier at a
	// boundary of the work (a request answered, tests that pass, a commit, a piece that
	// the agent declares done), and, away from one, waits to the last such share. It takes
	// Economy; 0: boundaries change nothing.
	Boundary float64 `json:"boundary,omitempty"`
	// Inclusive starts compaction at Soft already, not only above it.
	Inclusive bool `json:"from_soft,omitempty"`
	// Safety and Rehydration, in tokens, are kept free below Soft and Low:
	// against miscounting, and for artifacts that come back for a turn.
	Safety      int `json:"safety_tokens,omitempty"`
	Rehydration int `json:"rehydration_tokens,omitempty"`
	// RecentShare of the budget, at least, is kept as it is at the end, and
	// RecentTurns turns.
	RecentShare float64 `json:"recent_share"`
	RecentTurns int     `json:"recent_turns"`
	// PinFirst keeps the first user message verbatim.
	PinFirst bool `json:"pin_first"`
	// SummaryShare of the budget is the most a summary takes, SummaryTokens an
	// absolute cap (0 = none), SummaryRatio the most against its span (0 = none).
	SummaryShare  float64 `json:"summary_share"`
	SummaryTokens int     `json:"summary_tokens"`
	SummaryRatio  float64 `json:"summary_ratio"`
	// VerbatimShare of a summary holds lines of the log as they stood, chosen by how
	// likely they are to be needed again; the rest is the structured summary.
	VerbatimShare float64 `json:"trail_share"`
	// Detail is the share of the budget that the agent's own newest words and calls take, for
	// the most part, whole and in blocks, before such a summary chooses lines: they reach back
	// over 2.25 times that share. 0: none. It takes Economy.
	Detail float64 `json:"detail,omitempty"`
	// ColdAfter states how long, in seconds, a thread rests until its provider's cache
	// counts as cold; 0: as long as the model's cache lives, or 300.
	ColdAfter int `json:"cold_after_seconds,omitempty"`
	// CacheOffset states how many rounds before the last one the pre-tail cache point
	// lies, CacheRounds how many there must be at least; 0 is 4 and 2.
	CacheOffset int `json:"cache_point_offset_rounds,omitempty"`
	CacheRounds int `json:"cache_point_min_rounds,omitempty"`
	// Recall is the tool that reads content back, named in pointers.
	Recall string `json:"recall_tool"`
	// Rungs are the ladder, applied in order until Low is met.
	Rungs []Rung `json:"rungs"`
}

// Reserves are tokens kept free for what is not the conversation.
type Reserves struct {
	System int `json:"system_tokens,omitempty"` // system prompt and tools
	Output int `json:"output_tokens,omitempty"` // the reply
	Safety int `json:"safety_tokens,omitempty"` // against miscounting
}

// AtMostTenth is what a number of a policy in tokens counts for at a budget: a tenth of it at most.
func AtMostTenth(tokens, budget int) int { return min(tokens, budget/10) }

// at scales the reserves to a budget.
func (r Reserves) at(budget int) Reserves {
	return Reserves{AtMostTenth(r.System, budget), AtMostTenth(r.Output, budget), AtMostTenth(r.Safety, budget)}
}

// Named returns a preset.
func Named(name string) (Policy, error) {
	p, ok := presets[name]
	if !ok {
		return Policy{}, fmt.Errorf("policy %q: %w", name, ErrUnknown)
	}
	p.Rungs = slices.Clone(p.Rungs)
	return p, nil
}

// IsZero reports whether nothing of the policy is set.
func (p Policy) IsZero() bool { return reflect.ValueOf(p).IsZero() }

// Names lists the presets, the default first.
func Names() []string {
	var rest []string
	for n := range presets {
		if n != "balanced" {
			rest = append(rest, n)
		}
	}
	sort.Strings(rest)
	return append([]string{"balanced"}, rest...)
}

// Trigger is the size of a request, in tokens, above which it is compacted;
// fixed is the cost of the request beside its messages. Target is the size it is
// brought down to.
func (p Policy) Trigger(budget, fixed int) int { return p.share(p.Soft, budget, fixed) }

// Most is the size of the largest request that is left alone.
func (p Policy) Most(budget, fixed int) int {
	if p.Inclusive {
		return p.Trigger(budget, fixed) - 1
	}
	return p.Trigger(budget, fixed)
}

// ShouldCompact reports whether a request of so many tokens is to be compacted; fixed is
// the cost of the request beside its messages. A Policy with Economy asks besides
// whether that pays.
func (p Policy) ShouldCompact(tokens, budget, fixed int) bool { return tokens > p.Most(budget, fixed) }

// Mark is the size of the largest request that is left alone without a question,
// with a provider's cache that is warm or cold.
func (p Policy) Mark(budget, fixed int, cold bool) int {
	if cold && p.ColdSoft > 0 {
		return p.share(p.ColdSoft, budget, fixed)
	}
	return p.Most(budget, fixed)
}

// Target: see Trigger.
func (p Policy) Target(budget, fixed int) int { return p.share(p.Low, budget, fixed) }

// TargetAgain is the size that a request is brought down to where the lines that the last summary quotes
// stand; 0 where they never do.
func (p Policy) TargetAgain(budget, fixed int) int {
	if p.LowAgain == 0 {
		return 0
	}
	return p.share(p.LowAgain, budget, fixed)
}

func (p Policy) share(of float64, budget, fixed int) int {
	r := p.Reserves.at(budget)
	room := budget - r.System - r.Output - r.Safety
	if p.ExcludeOverhead {
		room -= fixed
	}
	n := int(float64(room)*of) - AtMostTenth(p.Safety, budget) - p.Reserve(budget)
	if p.ExcludeOverhead {
		n += fixed
	}
	return n
}

// Reserve is the room for artifacts that come back, in tokens.
func (p Policy) Reserve(budget int) int { return AtMostTenth(p.Rehydration, budget) }

// ColdTime is ColdAfter as a duration; 0 leaves it to the model.
func (p Policy) ColdTime() time.Duration { return time.Duration(p.ColdAfter) * time.Second }

// Rests reports whether the policy does anything more once the cache is cold.
func (p Policy) Rests() bool { return p.ColdSoft > 0 || p.Prunes() }

// Prunes reports whether the policy does anything while the cache is cold.
func (p Policy) Prunes() bool {
	return slices.ContainsFunc(p.Rungs, func(r Rung) bool { return r.Cold })
}

// Budget is the budget of a request that states none.
func (p Policy) Budget(m model.Model) int {
	if p.UseFullWindow {
		return m.Cap()
	}
	return m.SoftThreshold()
}

// RecentTokens is the least that stays at the end as it is.
func (p Policy) RecentTokens(budget int) int { return int(float64(budget) * p.RecentShare) }

// SummaryCap is the most tokens that a summary takes.
func (p Policy) SummaryCap(budget int) int {
	share := int(float64(budget) * p.SummaryShare)
	if p.SummaryTokens > 0 {
		return min(share, p.SummaryTokens)
	}
	return share
}
