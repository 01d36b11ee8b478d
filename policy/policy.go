// Package policy holds the presets: every number a compaction depends on, as
// data.
//
// Use: Named("balanced"), change fields, Validate. Law: a policy is data; all
// presets run on the same engine (SPEC L20). Promise: `precis policy show NAME`
// prints exactly this.
package policy

import (
	"errors"
	"fmt"
	"slices"
	"sort"

	"github.com/seed-3db51b0e/precis/strategy"
	"github.com/seed-3db51b0e/precis/summary"
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
	// Soft is the share of the budget above which compaction starts, Low the
	// share it goes down to.
	Soft float64 `json:"soft"`
	Low  float64 `json:"low"`
	// Reserve is kept free below Soft: safety and rehydration, tokens.
	Reserve int `json:"reserve_tokens"`
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
	// TrailShare of a summary holds lines of the log as they stood, chosen by how
	// likely they are to be needed again; the rest is the structured summary.
	TrailShare float64 `json:"trail_share"`
	// Recall is the tool that reads content back, named in pointers.
	Recall string `json:"recall_tool"`
	// Rungs are the ladder, applied in order until Low is met.
	Rungs []Rung `json:"rungs"`
}

// Rung is one strategy with its numbers.
type Rung struct {
	Strategy string `json:"strategy"` // reencode, externalize, args, preview, clear, summarize, drop
	// Above is the size in tokens from which a part is taken; To is what stays.
	Above int `json:"above_tokens,omitempty"`
	To    int `json:"to_tokens,omitempty"`
	// Recent lets the rung work on recent units too, not only old ones.
	Recent bool `json:"recent,omitempty"`
	// Fill makes a summary take all old units at once and all the room below Low.
	Fill bool `json:"fill,omitempty"`
	// Texts lets a preview cut what was said, not only results.
	Texts bool `json:"texts,omitempty"`
}

var presets = map[string]Policy{
	"balanced": {
		Name: "balanced", About: "the default: everything old becomes one message of state and of the lines likeliest to be needed again",
		Style: "balanced", Soft: 1, Low: .55, RecentShare: .08, RecentTurns: 2, PinFirst: true,
		SummaryShare: .3, TrailShare: .92, Recall: "precis_read",
		Rungs: []Rung{
			{Strategy: "reencode", Recent: true},
			{Strategy: "summarize", Fill: true},
			{Strategy: "args", Above: 400, To: 160, Recent: true},
			{Strategy: "preview", Above: 500, To: 200, Recent: true},
			{Strategy: "summarize", Recent: true},
		},
	},
	"ladder": {
		Name: "ladder", About: "externalize, summarize, clear, drop, in that order",
		Style: "ladder", Soft: .85, Low: .6, Reserve: 2500, RecentTurns: 3, PinFirst: true,
		SummaryShare: .5, SummaryRatio: .25, TrailShare: .6, Recall: "read_artifact",
		Rungs: []Rung{
			{Strategy: "externalize", Above: 1000, To: 100},
			{Strategy: "summarize"},
			{Strategy: "clear", Above: 100},
			{Strategy: "drop"},
		},
	},
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

// Validate names the first bad field.
func (p Policy) Validate() error {
	bad := func(field string, v any) error {
		return fmt.Errorf("policy %s: %s = %v: %w", p.Name, field, v, ErrInvalid)
	}
	switch {
	case p.Soft <= 0 || p.Soft > 1:
		return bad("soft", p.Soft)
	case p.Low <= 0 || p.Low > p.Soft:
		return bad("low", p.Low)
	case p.Reserve < 0:
		return bad("reserve_tokens", p.Reserve)
	case p.RecentShare < 0 || p.RecentShare >= 1:
		return bad("recent_share", p.RecentShare)
	case p.RecentTurns < 0:
		return bad("recent_turns", p.RecentTurns)
	case p.SummaryShare <= 0 || p.SummaryShare >= 1:
		return bad("summary_share", p.SummaryShare)
	}
	if p.TrailShare < 0 || p.TrailShare > 1 {
		return bad("trail_share", p.TrailShare)
	}
	for i, r := range p.Rungs {
		if builders[r.Strategy] == nil {
			return bad(fmt.Sprintf("rungs[%d].strategy", i), r.Strategy)
		}
	}
	return nil
}

// Trigger is the size of a request, in tokens, above which it is compacted, and
// Target the size it is brought down to.
func (p Policy) Trigger(budget int) int {
	return int(float64(budget)*p.Soft) - p.reserve(budget)
}

// Target: see Trigger.
func (p Policy) Target(budget int) int {
	return int(float64(budget)*p.Low) - p.reserve(budget)
}

func (p Policy) reserve(budget int) int { return min(p.Reserve, budget/10) }

// Limits scales the policy's numbers to a budget.
func (p Policy) Limits(budget int) strategy.Limits {
	share := int(float64(budget) * p.SummaryShare)
	if p.SummaryTokens > 0 {
		share = min(share, p.SummaryTokens)
	}
	return strategy.Limits{
		Budget:        budget,
		RecentTokens:  int(float64(budget) * p.RecentShare),
		RecentTurns:   p.RecentTurns,
		SummaryTokens: share,
		SummaryRatio:  p.SummaryRatio,
		TrailShare:    p.TrailShare,
		Recall:        p.Recall,
	}
}

// Ladder builds the strategies for a budget.
func (p Policy) Ladder(budget int, heat *strategy.Heat, with summary.Summarizer) strategy.Ladder {
	var l strategy.Ladder
	for i, r := range p.Rungs {
		r.Above, r.To = min(r.Above, budget/10), min(r.To, budget/20)
		l = append(l, builders[r.Strategy](rung{r, i + 1, heat, with, p.TrailShare > 0}))
	}
	return l
}

type rung struct {
	Rung
	order int
	heat  *strategy.Heat
	with  summary.Summarizer
	trail bool
}

func (r rung) zone() strategy.Zone {
	if r.Recent {
		return strategy.Recent
	}
	return strategy.Old
}

var builders = map[string]func(rung) strategy.Strategy{
	"reencode": func(r rung) strategy.Strategy { return strategy.Reencode{From: r.zone()} },
	"args": func(r rung) strategy.Strategy {
		return strategy.Args{Order: r.order, Above: r.Above, To: r.To, From: r.zone(), Heat: r.heat}
	},
	"preview": func(r rung) strategy.Strategy {
		return strategy.Preview{Label: "preview", Order: r.order, Above: r.Above, To: r.To, From: r.zone(), Texts: r.Texts, Heat: r.heat}
	},
	"externalize": func(r rung) strategy.Strategy {
		return strategy.Externalize{Order: r.order, Above: r.Above, To: r.To, Heat: r.heat}
	},
	"clear": func(r rung) strategy.Strategy { return strategy.Clear{Order: r.order, Above: r.Above} },
	"summarize": func(r rung) strategy.Strategy {
		s := strategy.Summarize{Order: r.order, From: r.zone(), With: r.with, Fill: r.Fill}
		if r.trail {
			s.Heat = r.heat
		}
		return s
	},
	"drop": func(r rung) strategy.Strategy { return strategy.Drop{Order: r.order} },
}
