package strategy

import (
	"container/heap"
	"math/bits"
	"strings"

	"github.com/seed-3db51b0e/precis/value"
)

// piece is a line, or a part of a long line, that may stay in the prompt.
type piece struct {
	owner int // which body it belongs to
	text  string
	cost  int // tokens, line break included
	vals  []int32
	base  int // worth beside its values
	form  uint64
}

// picker chooses the pieces that keep the most of what is likely to be needed
// within a number of tokens. A value that already stands somewhere is worth
// nothing a second time, so the choice covers many values rather than one often.
type picker struct {
	heat   *Heat
	ids    map[string]int32
	weight []int
	stands []bool // by value id: it is in the prompt already
	pieces []piece
	forms  map[uint64]int // pieces of each form: see formOf
}

func newPicker(h *Heat) *picker {
	return &picker{heat: h, ids: map[string]int32{}, forms: map[uint64]int{}}
}

func (k *picker) id(v string) int32 {
	id, ok := k.ids[v]
	if !ok {
		id = int32(len(k.weight))
		k.ids[v] = id
		k.weight = append(k.weight, k.heat.Of(v))
		k.stands = append(k.stands, false)
	}
	return id
}

// shows marks the values of a text as standing in the prompt.
func (k *picker) shows(text string) {
	value.Scan(text, func(_ value.Kind, a, b int) { k.stands[k.id(text[a:b])] = true })
}

// add offers the lines of a body.
func (k *picker) add(owner int, body string, count func(string) int) {
	lines := cut(body)
	for i := range lines {
		l := lines[i].text
		p := piece{owner: owner, text: l, cost: count(l) + 1, base: base(l, i, len(lines)), form: formOf(l)}
		k.forms[p.form]++
		value.Scan(l, func(_ value.Kind, a, b int) { p.vals = append(p.vals, k.id(l[a:b])) })
		k.pieces = append(k.pieces, p)
	}
}

// base is the worth of a line beside the values it holds, in Heat's steps.
func base(l string, i, n int) int {
	s := strings.TrimSpace(l)
	switch {
	case s == "":
		return 0
	case fails(s):
		return 1500
	case i == 0 || i == n-1:
		return 500
	case len(s) < 4:
		return 10
	}
	return 50
}

// density is the worth of a piece for its tokens. One of many alike is worth
// less than one of its kind: of a hundred lines of a log that differ in their
// numbers, few are ever asked for again.
func (k *picker) density(p *piece) float64 {
	s := p.base
	for _, v := range p.vals {
		if !k.stands[v] {
			s += k.weight[v]
		}
	}
	alike := bits.Len(uint(k.forms[p.form])) // 1 for one, 2 for two or three, …
	return 2 * float64(s) / float64((p.cost+2)*(1+alike))
}

// formOf is a hash of a line with each run of digits taken for one.
func formOf(l string) uint64 {
	const offset, prime = 14695981039346656037, 1099511628211 // FNV-1a
	h, digits := uint64(offset), false
	for i := range len(l) {
		c := l[i]
		if c >= '0' && c <= '9' {
			if digits {
				continue
			}
			c = '0'
		}
		digits = c == '0'
		h = (h ^ uint64(c)) * prime
	}
	return h
}

// ranked is a heap of pieces by density, best first, ties in reading order.
type ranked struct {
	at  []int
	den []float64
}

func (r *ranked) Len() int { return len(r.at) }
func (r *ranked) Less(i, j int) bool {
	if r.den[i] != r.den[j] {
		return r.den[i] > r.den[j]
	}
	return r.at[i] < r.at[j]
}

func (r *ranked) Swap(i, j int) {
	r.at[i], r.at[j] = r.at[j], r.at[i]
	r.den[i], r.den[j] = r.den[j], r.den[i]
}
func (r *ranked) Push(any) {}
func (r *ranked) Pop() any {
	r.at, r.den = r.at[:len(r.at)-1], r.den[:len(r.den)-1]
	return nil
}

// pick keeps pieces worth up to limit tokens. entry is what the first piece of
// an owner costs beside itself. Densities only fall as values come to stand, so
// a stale top is measured again and put back: each piece is measured a few
// times, not once for every choice.
func (k *picker) pick(limit, entry int) (take []bool) {
	take = make([]bool, len(k.pieces))
	r := &ranked{at: make([]int, 0, len(k.pieces)), den: make([]float64, 0, len(k.pieces))}
	for i := range k.pieces {
		if d := k.density(&k.pieces[i]); d > 0 {
			r.at, r.den = append(r.at, i), append(r.den, d)
		}
	}
	heap.Init(r)
	opened := map[int]bool{}
	for r.Len() > 0 {
		i := r.at[0]
		p := &k.pieces[i]
		if d := k.density(p); d < r.den[0] {
			r.den[0] = d
			heap.Fix(r, 0)
			continue
		}
		heap.Pop(r)
		cost := p.cost
		if !opened[p.owner] {
			cost += entry
		}
		if cost > limit {
			continue
		}
		limit -= cost
		take[i], opened[p.owner] = true, true
		for _, v := range p.vals {
			k.stands[v] = true
		}
	}
	return take
}
