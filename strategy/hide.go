package strategy

import (
	"context"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
)

// Hide prunes old turns once the provider's cache is cold: their
// large blocks, results and texts and call arguments, stand behind replacement
// text with a pointer. It runs before a compaction; to prune whatever the
// budget, run it on a view whose Target is 0. A turn is the shorter of user
// turn and tool round. What is hidden stays hidden as it is.
type Hide struct {
	// Cold says that the cache has expired: until then, nothing is hidden.
	Cold bool
	// KeepTurns states how many of the newest turns are not hidden. Of them the
	// newest KeepIntact stay as they are; in the rest, blocks of more than four
	// times MaxTokens are cut to that.
	KeepTurns, KeepIntact int
	// MaxTokens caps a replacement; 0 is 240. Blocks up to it are left alone.
	MaxTokens int
	Relevance *Relevance
}

// Name implements Strategy.
func (Hide) Name() string { return "hide" }

// Analyze implements Strategy.
func (s Hide) Analyze(v *View) []Proposal {
	if !s.Cold {
		return nil
	}
	return eachPart(v, Recent, func(i, n int, p message.Part) (Proposal, bool) {
		limit, _ := s.limit(v, i)
		if limit == 0 || !prunes(v.Part(i, n)) {
			return Proposal{}, false
		}
		size := weight(v, p, limit)
		return Proposal{Strategy: s.Name(), Saves: size - min(limit, size/2), Reason: "an old turn, and the cache is cold"}, size > limit
	})
}

// limit returns how many tokens a block of entry i may keep and how it is then
// replaced; 0 where it is intact.
func (s Hide) limit(v *View, i int) (int, plan.ReplaceKind) {
	most := s.MaxTokens
	if most == 0 {
		most = 240
	}
	switch age := v.T.Turns() - v.T.Turn(i); {
	case age < s.KeepIntact:
		return 0, ""
	case age < s.KeepTurns:
		return 4 * most, plan.Preview
	}
	return most, plan.Hidden
}

// prunes reports whether a part under a record may be replaced: one that nothing
// acted on, or one that was only trimmed while its turn was recent.
func prunes(r *plan.Record) bool {
	return r.Verbatim() || r.Kind == plan.Preview
}

// weight returns what a part costs, 0 for one that is not hidden or surely takes no more than
// limit.
func weight(v *View, p message.Part, limit int) int {
	switch p.Kind {
	case message.Media:
		return v.Meter.Part(p)
	case message.Result:
		if hasMedia(p) {
			return v.Meter.Part(p)
		}
	case message.Text, message.Call:
	default:
		return 0
	}
	size, _ := v.exceeds(p.Body(), limit)
	return size
}

// Execute implements Strategy.
func (s Hide) Execute(_ context.Context, v *View, p Proposal) (Result, error) {
	part, i := v.part(p.Span)
	limit, how := s.limit(v, i)
	limit = min(limit, weight(v, part, 0)/2)
	return Result{Record: replacement(p, how, s.replace(v, i, part, limit))}, nil
}

// replace is a text of at most limit tokens for a part, or where not even that
// will do a bare pointer: Draft.Apply refuses what does not free anything.
func (s Hide) replace(v *View, i int, p message.Part, limit int) string {
	for to := limit; to >= 24; to /= 2 {
		if text := s.excerpt(v, i, p, to); v.Meter.Text(text) <= limit {
			return text
		}
	}
	bare := v.Limits.pointer(i, 1, "blocks")
	if p.Kind == message.Call {
		return quoted(bare)
	}
	return bare
}

// excerpt keeps about to tokens of a part; of a call each long argument is cut
// and the arguments stay JSON.
func (s Hide) excerpt(v *View, i int, p message.Part, to int) string {
	switch p.Kind {
	case message.Media:
		return v.Limits.pointer(i, 1, "media items")
	case message.Call:
		cut := Args{Above: to / 2, To: to / 2, Relevance: s.Relevance}
		args, err := cutArgs(p.Args, false, func(body string) string { return cut.body(v, i, body) })
		if err != nil {
			return quoted(cut.body(v, i, p.Args))
		}
		return args
	}
	return preview(v, s.Relevance, p, i, to)
}
