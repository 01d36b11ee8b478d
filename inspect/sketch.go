package inspect

import (
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/thread"
)

// sketch is a version of a plan without what takes room: no ids of what it covers, no
// texts, no summaries. A long thread has many versions, and each covers most of it.
type sketch struct {
	plan.Plan // its numbers, pins and holds; Records is empty
	covers    []cover
	of        string // the parent whose plan it is, "" where it is the thread's own
	back      []int  // positions of what it holds and a version before it had left out
}

// cover is a record of a sketch.
type cover struct {
	plan.Record          // without ids and texts
	spans       [][2]int // positions [from, to) of a thread, in order
}

// sketchOf reduces a plan of a thread; nil is none.
func sketchOf(t *thread.Thread, p *plan.Plan) *sketch {
	if p == nil {
		return nil
	}
	s := &sketch{Plan: plan.Plan{
		Thread: p.Thread, Base: p.Base, Version: p.Version, ThreadVersion: p.ThreadVersion, CreatedAt: p.CreatedAt, Policy: p.Policy,
		Style: p.Style, Pins: p.Pins, Holds: p.Holds, Restores: p.Restores, NoThinking: p.NoThinking, Original: p.Original,
		Compacted: p.Compacted, Inputs: p.Inputs, Economy: p.Economy,
	}}
	for i := range p.Records {
		r := &p.Records[i]
		c := cover{Record: plan.Record{
			ID: r.ID, Action: r.Action, Kind: r.Kind, Strategy: r.Strategy, Reason: r.Reason, Tokens: r.Tokens, Saves: r.Saves,
			Span: plan.Span{Part: r.Span.Part, FirstTurn: r.Span.FirstTurn, LastTurn: r.Span.LastTurn},
		}}
		for _, at := range t.Positions(r.Span.IDs) {
			switch n := len(c.spans); {
			case at < 0:
			case n > 0 && c.spans[n-1][1] == at:
				c.spans[n-1][1]++
			default:
				c.spans = append(c.spans, [2]int{at, at + 1})
			}
		}
		if len(c.spans) > 0 {
			s.covers = append(s.covers, c)
		}
	}
	return s
}

func (c *cover) first() int { return c.spans[0][0] }

func (c *cover) last() int { return c.spans[len(c.spans)-1][1] - 1 }

func (c *cover) holds(at int) bool {
	for _, x := range c.spans {
		if x[0] <= at && at < x[1] {
			return true
		}
	}
	return false
}

// over is what did most to a message: the record over the whole of it, else one over a
// part that is no repair; nil for none.
func (s *sketch) over(at int) (most *cover) {
	if s == nil {
		return nil
	}
	for i := range s.covers {
		c := &s.covers[i]
		switch {
		case !c.holds(at):
		case c.Span.Part == 0:
			return c
		case most == nil && stateOf(&c.Record) != Whole:
			most = c
		}
	}
	return most
}

// differs is the position of the first message that two plans treat differently, and how
// many records each has that the other has not.
func differs(a, b *sketch, n int) (at, added, removed int) {
	beyond := func(x, y *sketch) (count int) {
		if x == nil {
			return 0
		}
		has := map[string]bool{}
		if y != nil {
			for i := range y.covers {
				has[y.covers[i].ID] = true
			}
		}
		for i := range x.covers {
			if c := &x.covers[i]; !has[c.ID] {
				n = min(n, c.first())
				count++
			}
		}
		return count
	}
	added, removed = beyond(b, a), beyond(a, b)
	return n, added, removed
}
