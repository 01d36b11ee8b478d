package replay

import (
	"cmp"
	"container/heap"
	"context"
	"slices"

	"github.com/seed-3db51b0e/precis/message"
)

// oraclePolicy knows what later steps will need. It plans anew only when the
// prompt is over the budget, works on whole units, takes them greedily by need
// for each token, and fills three quarters of the budget at most: no policy
// that keeps or drops whole messages does much better.
var oraclePolicy = baseline("oracle", func(s Setup) Step {
	o := oracle{s: s}
	return o.step
})

type oracle struct {
	s    Setup
	kept map[int]bool // first messages of units before from that stay
	from int          // all from here on stays
}

func (o *oracle) step(_ context.Context, h []message.Message) (Prompt, error) {
	us := units(h)
	p := o.prompt(h, us)
	if o.s.Fixed+o.s.sum(p.Messages) > o.s.Budget {
		o.plan(h, us)
		p = o.prompt(h, us)
	}
	return p, nil
}

func (o *oracle) prompt(h []message.Message, us []unit) Prompt {
	var p Prompt
	head := pins(h, message.User)
	for _, u := range us {
		if u.start < head || u.start >= o.from || o.kept[u.start] {
			p.Messages = append(p.Messages, h[u.start:u.end]...)
		}
	}
	return p
}

// plan keeps the pins, the newest unit, and what the steps until the next plan
// at the latest, one budget of history away, need most.
func (o *oracle) plan(h []message.Message, us []unit) {
	demand := o.demand(len(h))
	head := pins(h, message.User)
	last := us[len(us)-1]
	room := o.s.Budget*3/4 - o.s.Fixed - o.s.sum(h[:head]) - o.s.sum(h[last.start:last.end])
	o.kept, o.from = map[int]bool{}, last.start
	o.serve(last, demand)
	o.serve(unit{0, head}, demand)
	var offers offers
	for _, u := range us[:len(us)-1] {
		if u.start >= head {
			offers = append(offers, o.offer(h, u, demand))
		}
	}
	heap.Init(&offers)
	for len(offers) > 0 && offers[0].worth > 0 {
		best := heap.Pop(&offers).(offer)
		now := o.offer(h, best.unit, demand)
		switch {
		case now.tokens > room:
		case now.worth < best.worth:
			heap.Push(&offers, now)
		default:
			o.kept[now.start] = true
			room -= now.tokens
			o.serve(now.unit, demand)
		}
	}
}

// demand returns how often the steps from here on, until the history has grown by a
// budget, need a value. Those that come before the prompt can be full again, a
// quarter of the budget from here, weigh most.
func (o *oracle) demand(now int) map[int32]int {
	d := map[int32]int{}
	x := o.s.future
	i, _ := slices.BinarySearchFunc(x.steps, now, func(s step, at int) int { return cmp.Compare(s.at, at) })
	for _, s := range x.steps[i:] {
		ahead := x.sums[s.at] - x.sums[now]
		if ahead > o.s.Budget {
			break
		}
		weight := 1
		if ahead*4 <= o.s.Budget {
			weight = 8
		}
		for _, n := range s.needs {
			d[n.value] += weight
		}
	}
	return d
}

// serve takes what a unit says out of the demand.
func (o *oracle) serve(u unit, demand map[int32]int) {
	for i := u.start; i < u.end; i++ {
		for _, v := range o.s.future.facts[o.s.future.keys[i]].values {
			delete(demand, v)
		}
	}
}

// offer is a unit and the need it would meet for each token.
type offer struct {
	unit
	tokens int
	worth  float64
}

func (o *oracle) offer(h []message.Message, u unit, demand map[int32]int) offer {
	f := offer{unit: u, tokens: o.s.sum(h[u.start:u.end])}
	met := map[int32]bool{}
	n := 0
	for i := u.start; i < u.end; i++ {
		for _, v := range o.s.future.facts[o.s.future.keys[i]].values {
			if !met[v] {
				met[v] = true
				n += demand[v]
			}
		}
	}
	f.worth = float64(n) / float64(max(f.tokens, 1))
	return f
}

// offers is a heap, the best first; of equals the newest.
type offers []offer

func (o offers) Len() int { return len(o) }
func (o offers) Less(i, j int) bool {
	return o[i].worth > o[j].worth || o[i].worth == o[j].worth && o[i].start > o[j].start
}
func (o offers) Swap(i, j int) { o[i], o[j] = o[j], o[i] }
func (o *offers) Push(v any)   { *o = append(*o, v.(offer)) }
func (o *offers) Pop() any {
	v := (*o)[len(*o)-1]
	*o = (*o)[:len(*o)-1]
	return v
}
