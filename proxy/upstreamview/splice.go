package upstreamview

import (
	"context"
	"errors"
	"slices"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/thread"
)

// Prompt is a turn's prompt before what the provider sees is put into it.
type Prompt struct {
	Turn     *precis.Turn
	Messages []message.Message // the turn's, one by one; they may be marked
	// Declared is set where the request declares the recall tools: only then do turns
	// stand in it.
	Declared bool
	// Bound is set where the model checks its thinking against what it stood behind,
	// the tools included.
	Bound bool
	// Answering is set in the middle of an answer: that began behind the old prefix.
	Answering bool
	// MaxTokens bounds what a new plan leaves of the turns.
	MaxTokens int
}

// spot is a message of a prompt.
type spot struct {
	message.Message
	at    int  // position in the thread of what it stands for; -1: nothing
	whole bool // it is as it was said, but for thinking
}

// Place returns the prompt as the provider sees it: with the turns at their places,
// and without thinking whose prefix is another now. Turns of answers that the plan
// took out or changed are gone for good. An error is that of the store; what is
// returned beside it holds.
func (v *View) Place(ctx context.Context, p Prompt) ([]message.Message, error) {
	spots := p.spots()
	var turns []upstreamTurn
	var lost, unset error
	if p.Declared {
		turns, lost = v.standing(ctx, p, spots)
	}
	if p.Bound {
		var void int
		void, unset = v.void(ctx, p)
		for i, s := range spots {
			if s.at >= 0 && s.at < void { // what is empty then is left out by its codec
				spots[i].Message = WithoutThinking([]message.Message{s.Message})[0]
			}
		}
	}
	return splice(spots, turns, p.Bound), errors.Join(lost, unset)
}

func (p Prompt) spots() []spot {
	out := make([]spot, len(p.Messages))
	for i, m := range p.Messages {
		o := p.Turn.Origins[i]
		whole := o.First >= 0 && o.Record == nil
		if whole && p.Turn.Plan != nil {
			whole = !p.Turn.Plan.Touches(p.Turn.Thread.At(o.First).ID)
		}
		out[i] = spot{m, o.First, whole}
	}
	return out
}

// standing returns the turns of a branch that keep their place. A new plan, which breaks
// the prefix anyway, takes out the oldest where they are too large.
func (v *View) standing(ctx context.Context, p Prompt, spots []spot) (kept []upstreamTurn, err error) {
	whole := map[int]bool{}
	for _, s := range spots {
		whole[s.at] = s.whole
	}
	var gone []thread.ID
	size := 0
	for _, t := range v.state.of(p.Turn.Thread) {
		if !t.whole(whole) {
			gone = append(gone, t.At)
			continue
		}
		kept, size = append(kept, t), size+t.tokens
	}
	for p.Turn.Outcome == precis.Compacted && size > p.MaxTokens {
		gone, size, v.dropped = append(gone, kept[0].At), size-kept[0].tokens, true
		kept = kept[1:]
	}
	if gone != nil {
		err = v.add(ctx, entry{Gone: gone}.logged())
	}
	return kept, err
}

// of returns the turns whose answers are in a branch: the first of each answer, since
// what was said after it followed from that.
func (s *state) of(t *thread.Thread) (out []upstreamTurn) {
	taken := map[int]bool{}
	for _, u := range s.turns {
		last := u.Index + u.Count - 1
		if u.Index < 0 || u.Count < 1 || last >= t.Len() || t.At(last).ID != u.At || taken[u.Index] {
			continue
		}
		taken[u.Index] = true
		out = append(out, u)
	}
	slices.SortFunc(out, func(a, b upstreamTurn) int { return a.Index - b.Index })
	return out
}

// whole reports whether all of the answer stands in the prompt as it was said.
func (t upstreamTurn) whole(at map[int]bool) bool {
	for i := t.Index; i < t.Index+t.Count; i++ {
		if !at[i] {
			return false
		}
	}
	return true
}

// void returns the position up to which thinking of a branch is void: with other
// tools, or without a turn that no plan took out, it stood behind another prefix.
func (v *View) void(ctx context.Context, p Prompt) (int, error) {
	branch := p.Turn.Key.Thread
	b := v.state.bases[branch]
	if b.Declared == p.Declared && !v.dropped {
		return b.Void, nil
	}
	b = thinkingBasis{p.Declared, p.Turn.Thread.Len()}
	if p.Answering {
		b.Void++
	}
	v.dropped = false
	return b.Void, v.add(ctx, entry{Branch: branch, Basis: &b}.logged())
}

// splice puts turns in the place of their answers. Where thinking is bound, theirs
// goes with that of the answer.
func splice(spots []spot, turns []upstreamTurn, bound bool) (out []message.Message) {
	for i := 0; i < len(spots); {
		if len(turns) == 0 || spots[i].at != turns[0].Index {
			out = append(out, spots[i].Message)
			i++
			continue
		}
		t := turns[0]
		thinks := func(s spot) bool { return s.Has(message.Thinking) }
		if bound && !slices.ContainsFunc(spots[i:i+t.Count], thinks) {
			t.messages = WithoutThinking(t.messages)
		}
		out = append(out, t.messages...)
		turns, i = turns[1:], i+t.Count
	}
	return out
}

// WithoutThinking returns messages without their thinking.
func WithoutThinking(ms []message.Message) []message.Message {
	out := slices.Clone(ms)
	for i, m := range out {
		if m.Has(message.Thinking) {
			out[i].Parts = slices.DeleteFunc(slices.Clone(m.Parts), func(p message.Part) bool { return p.Kind == message.Thinking })
			out[i].Edited = true
		}
	}
	return out
}
