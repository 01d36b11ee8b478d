package proxy

import (
	"errors"
	"slices"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/thread"
)

// spot is a message of a prompt, and the position of what it stands for.
type spot struct {
	message.Message
	at    int  // -1: nothing
	whole bool // it is what was said, but for thinking
}

// placed is the prompt as the provider sees it: with the asides at their places,
// and without thinking that its footing does not bear. Asides of answers that
// the plan took out or changed are gone for good.
func (c *call) placed(turn *precis.Turn) []message.Message {
	spots := spotted(turn, c.points(turn))
	var standing []aside
	if c.declares(turn) {
		standing = c.spare(turn, spots)
	}
	if c.binds() {
		spots = shorn(spots, c.footing(turn))
	}
	return woven(spots, standing, c.binds())
}

// spotted are the messages of a turn, which may be marked by now.
func spotted(turn *precis.Turn, ms []message.Message) []spot {
	out := make([]spot, len(ms))
	for i, m := range ms {
		o := turn.Origins[i]
		whole := o.First >= 0 && o.Record == nil
		if whole && turn.Plan != nil {
			whole = !turn.Plan.Touches(turn.Thread.At(o.First).ID)
		}
		out[i] = spot{m, o.First, whole}
	}
	return out
}

// spare are the asides of a branch that keep their place. A new plan, which
// breaks the prefix anyway, takes the oldest where they grew too many.
func (c *call) spare(turn *precis.Turn, spots []spot) (kept []aside) {
	whole := map[int]bool{}
	for _, s := range spots {
		whole[s.at] = s.whole
	}
	var gone []thread.ID
	size := 0
	for _, a := range c.looks.view.standing(turn.Thread) {
		if !a.whole(whole) {
			gone = append(gone, a.At)
			continue
		}
		kept, size = append(kept, a), size+a.tokens
	}
	for turn.Outcome == precis.Compacted && size > c.in.Budget/asideShare {
		gone, size, c.looks.cut = append(gone, kept[0].At), size-kept[0].tokens, true
		kept = kept[1:]
	}
	if gone != nil {
		c.keep(remark{Gone: gone}.logged())
	}
	return kept
}

// standing are the asides whose answers are in a branch: one an answer, the first,
// since what was said after it followed from that.
func (v *view) standing(t *thread.Thread) (out []aside) {
	taken := map[int]bool{}
	for _, a := range v.asides {
		last := a.Index + a.Count - 1
		if a.Index < 0 || a.Count < 1 || last >= t.Len() || t.At(last).ID != a.At || taken[a.Index] {
			continue
		}
		taken[a.Index] = true
		out = append(out, a)
	}
	slices.SortFunc(out, func(a, b aside) int { return a.Index - b.Index })
	return out
}

// whole says whether all of the answer stands in the prompt as it was said.
func (a aside) whole(at map[int]bool) bool {
	for i := a.Index; i < a.Index+a.Count; i++ {
		if !at[i] {
			return false
		}
	}
	return true
}

// footing is the position up to which thinking of a branch is void: with other
// tools, or without an aside that no plan took, it stood behind another prefix.
func (c *call) footing(turn *precis.Turn) int {
	branch, declared := turn.Key.Thread, c.declares(turn)
	f := c.looks.view.footing[branch]
	if f.Declared == declared && !c.looks.cut {
		return f.Void
	}
	f = footing{declared, turn.Thread.Len()}
	if len(c.looks.rounds) > 0 { // the answer that is being given began on the old one
		f.Void++
	}
	c.looks.cut = false
	c.keep(remark{Branch: branch, Footing: &f}.logged())
	return f.Void
}

// shorn is a prompt without the thinking of what stands before a position. What
// is empty then is left out by its codec.
func shorn(spots []spot, void int) []spot {
	for i, s := range spots {
		if s.at >= 0 && s.at < void {
			spots[i].Message = unthought([]message.Message{s.Message})[0]
		}
	}
	return spots
}

// unthought are messages without thinking.
func unthought(ms []message.Message) []message.Message {
	out := slices.Clone(ms)
	for i, m := range out {
		if m.Has(message.Thinking) {
			out[i].Parts = slices.DeleteFunc(slices.Clone(m.Parts), func(p message.Part) bool { return p.Kind == message.Thinking })
			out[i].Edited = true
		}
	}
	return out
}

// woven puts asides in the place of their answers. Where thinking is bound, theirs
// goes with that of the answer.
func woven(spots []spot, asides []aside, bound bool) (out []message.Message) {
	for i := 0; i < len(spots); {
		if len(asides) == 0 || spots[i].at != asides[0].Index {
			out = append(out, spots[i].Message)
			i++
			continue
		}
		a := asides[0]
		thinks := func(s spot) bool { return s.Has(message.Thinking) }
		if bound && !slices.ContainsFunc(spots[i:i+a.Count], thinks) {
			a.messages = unthought(a.messages)
		}
		out = append(out, a.messages...)
		asides, i = asides[1:], i+a.Count
	}
	return out
}

// relieve takes the asides out of a prompt that does not fit with them.
func (c *call) relieve(turn *precis.Turn, in *precis.Input) bool {
	impossible := func(err error) bool { return errors.Is(err, precis.ErrImpossible) }
	if c.looks.heavy == 0 || len(c.looks.said) > 0 || !slices.ContainsFunc(turn.Failures, impossible) {
		return false
	}
	var gone []thread.ID
	for _, a := range c.looks.view.asides {
		if a.stands(in.Messages) {
			gone = append(gone, a.At)
		}
	}
	c.keep(remark{Gone: gone}.logged())
	in.Meter.Overhead.Request -= c.looks.heavy
	c.in.Meter, c.looks.heavy, c.looks.cut = in.Meter, 0, true
	return true
}
