package thread

import (
	"cmp"
	"slices"

	"github.com/seed-3db51b0e/precis/message"
)

// Place is a part of a thread: the position of its entry, and the number of the
// part counted from 1. Part 0 is no part at all.
type Place struct{ Index, Part int }

// Pair is a tool call and the result that answers it; one of the two may be none.
type Pair struct{ Call, Result Place }

// Complete reports whether the pair has both a call and a result.
func (p Pair) Complete() bool { return p.Call.Part > 0 && p.Result.Part > 0 }

// Alone returns the place of the one of a pair that is there, where the other is not.
func (p Pair) Alone() (at Place, alone bool) { return p.start(), !p.Complete() }

// start is where the pair stands.
func (p Pair) start() Place {
	if p.Call.Part > 0 {
		return p.Call
	}
	return p.Result
}

func (p Place) compare(q Place) int {
	return cmp.Or(cmp.Compare(p.Index, q.Index), cmp.Compare(p.Part, q.Part))
}

// Calls are the tool calls that have no result yet, while the messages of a
// history pass in order. It is the one rule of which result answers which call:
// a result answers the message right before it, so of several calls with its id
// it takes the first that the last message made. Each call has one result. The
// zero value is ready.
type Calls struct {
	id    string // of the call that waits alone, as most do: it takes no map
	at    Place
	alone bool // such a call waits, and open is empty
	open  map[string][]Place
}

// Called takes in a call.
func (c *Calls) Called(id string, at Place) {
	if !c.alone && len(c.open) == 0 {
		c.id, c.at, c.alone = id, at, true
		return
	}
	if c.open == nil {
		c.open = map[string][]Place{}
	}
	if c.alone {
		c.open[c.id], c.alone = append(c.open[c.id], c.at), false
	}
	c.open[id] = append(c.open[id], at)
}

// Answered takes in a result and returns the call that it answers, false if
// there is none.
func (c *Calls) Answered(id string) (call Place, ok bool) {
	if c.alone {
		if id != c.id {
			return Place{}, false
		}
		c.alone = false
		return c.at, true
	}
	open := c.open[id]
	if len(open) == 0 {
		return Place{}, false
	}
	last := open[len(open)-1].Index
	i := slices.IndexFunc(open, func(p Place) bool { return p.Index == last })
	call = open[i]
	if open = slices.Delete(open, i, i+1); len(open) > 0 {
		c.open[id] = open
	} else {
		delete(c.open, id)
	}
	return call, true
}

// Pairs pairs the calls and results of a unit, in their order: a pair stands
// where its call does, and a result without a call where it stands itself.
func (t *Thread) Pairs(u Unit) []Pair {
	var calls Calls
	var pairs []Pair
	for i := u.Start; i < u.End; i++ {
		parts := t.At(i).Message.Parts
		for n := range parts {
			here := Place{i, n + 1}
			switch p := &parts[n]; p.Kind {
			case message.Call:
				calls.Called(p.CallID, here)
				pairs = append(pairs, Pair{Call: here})
			case message.Result:
				if call, ok := calls.Answered(p.CallID); ok {
					at, _ := slices.BinarySearchFunc(pairs, call, func(x Pair, call Place) int { return x.start().compare(call) })
					pairs[at].Result = here
				} else {
					pairs = append(pairs, Pair{Result: here})
				}
			}
		}
	}
	return pairs
}

// Part returns the part at a place, whose Part must not be 0.
func (t *Thread) Part(at Place) *message.Part { return &t.At(at.Index).Message.Parts[at.Part-1] }
