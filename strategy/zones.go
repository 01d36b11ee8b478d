package strategy

import (
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/thread"
)

// ZonesOf reports how each entry may be treated: system messages and what is not known
// are fixed, and the rest of a round with such is pinned; pins are pinned, the newest
// unit and the last thing the user said are newest (of rounds that the provider ties
// together not the results before the last one), units within the recent limits are
// recent, holds are held, the rest is old. pinFirst pins the first user message, with a
// greeting before it. What begins an open tool loop with thinking is pinned where the
// provider demands it, not the results of its calls.
func ZonesOf(d *Draft, l Limits, pinFirst bool, pins, holds []plan.Ref) []Zone {
	z := make([]Zone, d.T.Len())
	for i := range z {
		z[i] = Old
	}
	markHeld(d, z, holds)
	markRecent(d, z, l)
	keepWork(d, z, l.Budget/2)
	markPinned(d, z, pinFirst, pins)
	markFixed(d, z)
	if i := d.leadingThinking(); i >= 0 {
		z[i] = min(z[i], Pinned)
	}
	return z
}

func markHeld(d *Draft, z []Zone, holds []plan.Ref) {
	for _, h := range holds {
		if i, ok := d.T.Find(h.ID); ok {
			z[i] = Held
		}
	}
}

func markRecent(d *Draft, z []Zone, l Limits) {
	us := d.T.Units()
	spent, firstTurn := 0, d.T.Turns()-l.RecentTurns
	if l.SkipBegunTurn && len(us) > 0 && thread.Speaks(d.T.At(us[len(us)-1].Start).Message) {
		firstTurn--
	}
	for n := len(us) - 1; n >= 0; n-- {
		u, cost := us[n], 0
		for i := u.Start; i < u.End; i++ {
			cost += d.Original(i)
		}
		spent += cost
		byTurn := l.RecentTurns > 0 && d.T.Turn(u.Start) > firstTurn
		if n < len(us)-1 && spent > l.RecentTokens && !byTurn {
			break
		}
		for i := u.Start; i < u.End; i++ {
			if z[i] == Old {
				z[i] = Recent
			}
			if n == len(us)-1 {
				z[i] = Newest
			}
		}
	}
	if len(us) > 0 {
		markTiedRounds(d, z, us[len(us)-1], l.RecentTokens)
	}
	if i := d.lastUser; i >= 0 && z[i] != Held {
		z[i] = Newest
	}
}

func markPinned(d *Draft, z []Zone, pinFirst bool, pins []plan.Ref) {
	for i := 0; pinFirst && i < len(z); i++ {
		if thread.Speaks(d.T.At(i).Message) {
			z[i], pinFirst = Pinned, false
			pinGreeting(d, z[:i])
		}
	}
	for _, p := range pins {
		i, ok := d.T.Find(p.ID)
		if !ok {
			continue
		}
		for u := d.T.UnitOf(i); u.Start < u.End; u.Start++ { // a call stays with its results
			z[u.Start] = Pinned
		}
	}
}

// mostGreeting is the most tokens before the first user message that stay with it.
const mostGreeting = 100

// pinGreeting keeps what little was said before the first user message: a summary that
// began there would stand before that message.
func pinGreeting(d *Draft, z []Zone) {
	cost := 0
	for i := range z {
		m := &d.T.At(i).Message
		if m.Role == message.System {
			continue
		}
		if cost += d.Original(i); cost > mostGreeting || m.Has(message.Call) || z[i] != Old || d.Whole(i) != nil {
			return
		}
	}
	for i := range z {
		z[i] = Pinned
	}
}

func markFixed(d *Draft, z []Zone) {
	for _, i := range d.T.Systems() {
		z[i] = Fixed
	}
	for _, i := range d.T.Fixed() {
		for u := d.T.UnitOf(i); u.Start < u.End; u.Start++ {
			z[u.Start] = min(z[u.Start], Pinned)
		}
		z[i] = Fixed
	}
	if len(d.T.Fixed()) == 0 {
		return
	}
	for _, u := range d.T.Units() { // what belongs to something that is not known
		for _, p := range d.T.Pairs(u) {
			if at, alone := p.Alone(); alone && d.T.Names(d.T.Part(at).CallID) {
				z[at.Index] = Fixed
			}
		}
	}
}

// lastUser returns the position of the last message in which the user speaks, -1 for none.
func lastUser(t *thread.Thread) int {
	for i := t.Len() - 1; i >= 0; i-- {
		if thread.Speaks(t.At(i).Message) {
			return i
		}
	}
	return -1
}
