package strategy

import (
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/summary"
)

// LadderOf builds the rungs of a policy for a budget in tokens, in the policy's
// order. Rungs that wait for a cold cache are left out: see PruningOf. Where summaries
// hold no lines of the log, a single message that is most of the prompt is previewed
// first.
func LadderOf(p policy.Policy, budget int, relevance *Relevance, with summary.Summarizer) Ladder {
	l := rungsOf(p, budget, relevance, with, false)
	if p.VerbatimShare == 0 { // its summaries hold no lines of what they cover
		return append(Ladder{previewLarge{relevance: relevance}}, l...)
	}
	return l
}

// PruningOf builds the rungs that run while the provider's cache is cold.
func PruningOf(p policy.Policy, budget int, relevance *Relevance) Ladder {
	return rungsOf(p, budget, relevance, nil, true)
}

func rungsOf(p policy.Policy, budget int, relevance *Relevance, with summary.Summarizer, cold bool) Ladder {
	var l Ladder
	for _, r := range p.Rungs {
		if r.Cold == cold {
			l = append(l, builders[r.Strategy](rung{r.At(budget), relevance, with, p.VerbatimShare > 0}))
		}
	}
	return l
}

// LimitsOf scales the numbers of a policy to a budget in tokens.
func LimitsOf(p policy.Policy, budget int) Limits {
	return Limits{
		Budget:        budget,
		RecentTokens:  p.RecentTokens(budget),
		KeepRecent:    p.RecentTokens(budget),
		RecentTurns:   p.RecentTurns,
		SummaryTokens: p.SummaryCap(budget),
		SummaryRatio:  p.SummaryRatio,
		VerbatimShare: p.VerbatimShare,
		LinesClosely:  p.Economy,
		SkipBegunTurn: p.Economy,
		OwnTokens:     int(float64(budget) * p.Detail),
		Recall:        p.Recall,
	}
}

type rung struct {
	policy.Rung
	relevance *Relevance
	with      summary.Summarizer
	verbatim  bool
}

func (r rung) zone() Zone {
	if r.Recent {
		return Recent
	}
	return Old
}

var builders = map[string]func(rung) Strategy{
	"reencode": func(r rung) Strategy { return Reencode{From: r.zone()} },
	"args": func(r rung) Strategy {
		return Args{Above: r.Above, To: r.To, From: r.zone(), Relevance: r.relevance}
	},
	"preview": func(r rung) Strategy {
		return Preview{Above: r.Above, To: r.To, From: r.zone(), Texts: r.Texts, Relevance: r.relevance}
	},
	"externalize": func(r rung) Strategy {
		return Externalize{Above: r.Above, To: r.To, Relevance: r.relevance}
	},
	"clear": func(r rung) Strategy { return Clear{Above: r.Above} },
	"summarize": func(r rung) Strategy {
		s := Summarize{From: r.zone(), With: r.with, Fill: r.Fill}
		if r.verbatim {
			s.Relevance = r.relevance
		}
		return s
	},
	"fold": func(r rung) Strategy {
		return SummarizePrefix{Keep: r.Keep, Share: r.KeepShare, Part: summary.Part(r.Write), With: r.with, Truncate: r.Truncate}
	},
	"archive": func(r rung) Strategy {
		return Archive{Keep: r.Keep, Chunk: r.Chunk, First: r.First, Last: r.Last, Search: searchTool, With: r.with}
	},
	"timeline": func(r rung) Strategy {
		return Timeline{SummaryTokens: r.Tokens, TurnTokens: r.TurnTokens, With: r.with}
	},
	"hide": func(r rung) Strategy {
		return Hide{Cold: r.Cold, KeepTurns: r.KeepTurns, KeepIntact: r.KeepIntact, MaxTokens: r.To, Relevance: r.relevance}
	},
	"drop": func(r rung) Strategy { return Drop{} },
}
