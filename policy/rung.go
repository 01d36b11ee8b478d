package policy

import (
	"github.com/seed-3db51b0e/precis/strategy"
	"github.com/seed-3db51b0e/precis/summary"
)

// Rung is one strategy with its numbers.
type Rung struct {
	Strategy string `json:"strategy"` // see the builders below
	// Above is the size in tokens from which a part is taken; To is what stays.
	Above int `json:"above_tokens,omitempty"`
	To    int `json:"to_tokens,omitempty"`
	// Recent lets the rung work on recent units too, not only old ones.
	Recent bool `json:"recent,omitempty"`
	// Fill makes a summary take all old units at once and all the room below Low.
	Fill bool `json:"fill,omitempty"`
	// Texts lets a preview cut what was said, not only results.
	Texts bool `json:"texts,omitempty"`
	// Keep states how many of the last messages stay where all before them is
	// summarized; KeepShare, where Keep is 0, the share of the messages.
	Keep      int     `json:"keep_messages,omitempty"`
	KeepShare float64 `json:"keep_share,omitempty"`
	// Write names the text a fold writes: "session" or "handover".
	Write summary.Part `json:"write,omitempty"`
	// Truncate stands a placeholder in where no summary can be had.
	Truncate bool `json:"truncate,omitempty"`
	// Cold runs the rung before the ladder and whatever the size, but only while
	// the provider's cache is cold: what it breaks costs nothing then.
	Cold bool `json:"cold,omitempty"`
	// KeepTurns states how many of the newest turns a cold rung does not hide,
	// KeepIntact how many of them it does not touch.
	KeepTurns  int `json:"keep_turns,omitempty"`
	KeepIntact int `json:"keep_intact_turns,omitempty"`
	// Tokens caps a summary's text, where it is not the policy's cap.
	Tokens int `json:"tokens,omitempty"`
	// TurnTokens caps the text about the head of a turn that is cut in two.
	TurnTokens int `json:"turn_tokens,omitempty"`
	// Chunk states how many messages a batch of an archive covers; First and Last
	// are how many batches are shown from either end.
	Chunk int `json:"chunk_messages,omitempty"`
	First int `json:"clip_first,omitempty"`
	Last  int `json:"clip_last,omitempty"`
}

// Ladder builds the strategies for a budget.
func (p Policy) Ladder(budget int, heat *strategy.Relevance, with summary.Summarizer) strategy.Ladder {
	return p.rungs(budget, heat, with, false)
}

// Pruning builds the strategies that run while the provider's cache is cold.
func (p Policy) Pruning(budget int, heat *strategy.Relevance) strategy.Ladder {
	return p.rungs(budget, heat, nil, true)
}

func (p Policy) rungs(budget int, heat *strategy.Relevance, with summary.Summarizer, cold bool) strategy.Ladder {
	var l strategy.Ladder
	for _, r := range p.Rungs {
		if r.Cold != cold {
			continue
		}
		l = append(l, builders[r.Strategy](rung{r.at(budget), heat, with, p.VerbatimShare > 0}))
	}
	return l
}

// at scales the rung's tokens to a budget.
func (r Rung) at(budget int) Rung {
	r.Above, r.To = min(r.Above, budget/10), min(r.To, budget/20)
	r.Tokens, r.TurnTokens = min(r.Tokens, budget/10), min(r.TurnTokens, budget/10)
	return r
}

type rung struct {
	Rung
	relevance *strategy.Relevance
	with      summary.Summarizer
	verbatim  bool
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
		return strategy.Args{Above: r.Above, To: r.To, From: r.zone(), Relevance: r.relevance}
	},
	"preview": func(r rung) strategy.Strategy {
		return strategy.Preview{Label: "preview", Above: r.Above, To: r.To, From: r.zone(), Texts: r.Texts, Relevance: r.relevance}
	},
	"externalize": func(r rung) strategy.Strategy {
		return strategy.Externalize{Above: r.Above, To: r.To, Relevance: r.relevance}
	},
	"clear": func(r rung) strategy.Strategy { return strategy.Clear{Above: r.Above} },
	"summarize": func(r rung) strategy.Strategy {
		s := strategy.Summarize{From: r.zone(), With: r.with, Fill: r.Fill}
		if r.verbatim {
			s.Relevance = r.relevance
		}
		return s
	},
	"fold": func(r rung) strategy.Strategy {
		return strategy.SummarizePrefix{Keep: r.Keep, Share: r.KeepShare, Part: r.Write, With: r.with, Truncate: r.Truncate}
	},
	"archive": func(r rung) strategy.Strategy {
		return strategy.Archive{Keep: r.Keep, Chunk: r.Chunk, First: r.First, Last: r.Last, Search: "precis_grep", With: r.with}
	},
	"timeline": func(r rung) strategy.Strategy {
		return strategy.Timeline{SummaryTokens: r.Tokens, TurnTokens: r.TurnTokens, With: r.with}
	},
	"hide": func(r rung) strategy.Strategy {
		return strategy.Hide{Cold: r.Cold, KeepTurns: r.KeepTurns, KeepIntact: r.KeepIntact, MaxTokens: r.To, Relevance: r.relevance}
	},
	"drop": func(r rung) strategy.Strategy { return strategy.Drop{} },
}
