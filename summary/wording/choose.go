package wording

import (
	"cmp"
	"slices"
	"sort"

	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/summary"
)

// piece is a bit of text that stays or goes as a whole.
type piece struct {
	part  int // where it stands
	rank  int // lower is kept before higher
	worth float64
	text  string
	short string // a clipped form with a pointer; "" when there is none
	cut   bool   // text is clipped
	kind  string // what it is called when it is left out
	from  summary.Source

	crowds bool // its message has more rules than its share
}

// choose picks what fits into left tokens, by rank, then worth: first the best
// of each part, so that none stands empty, then each rank within its share, so
// that much of one kind cannot crowd out the rest, then whatever still fits. A
// nil count picks all.
func choose(ps []piece, sep string, left int, share []float64, count func(string) int) *picks {
	c := newPicks(len(ps))
	if count == nil {
		for i := range ps {
			c.take(i)
		}
		return &c
	}
	cost := shorten(ps, sep, left, share, count)
	spent, all, parts := make([]int, len(share)), left, map[int]bool{}
	order := byRank(ps)
	pick := func(may func(i int) bool) {
		for _, i := range order {
			if c.keep[i] || cost[i] > left || !may(i) {
				continue
			}
			left -= cost[i]
			spent[ps[i].rank] += cost[i]
			c.take(i)
		}
	}
	pick(func(i int) bool {
		first := !parts[ps[i].part]
		parts[ps[i].part] = true
		return first
	})
	pick(func(i int) bool { r := ps[i].rank; return float64(spent[r]+cost[i]) <= share[r]*float64(all) })
	pick(func(int) bool { return true })
	return &c
}

// shorten puts the ranks that do not fit into their share into their short form, what crowds first,
// and returns what each piece costs.
func shorten(ps []piece, sep string, left int, share []float64, count func(string) int) []int {
	cost, need, own, all := make([]int, len(ps)), make([]int, len(share)), make([]int, len(share)), 0
	for i := range ps {
		cost[i] = count(sep + ps[i].text)
		need[ps[i].rank] += cost[i]
		if !ps[i].crowds {
			own[ps[i].rank] += cost[i]
		}
		all += cost[i]
	}
	if all <= left {
		return cost
	}
	for i := range ps {
		p := &ps[i]
		n := own[p.rank]
		if p.crowds {
			n = need[p.rank]
		}
		if p.short != "" && float64(n) > share[p.rank]*float64(left) {
			p.text, p.cut = p.short, true
			cost[i] = count(sep + p.text)
		}
	}
	return cost
}

func byRank(ps []piece) []int {
	order := make([]int, len(ps))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(ps[a].rank, ps[b].rank), cmp.Compare(ps[b].worth, ps[a].worth))
	})
	return order
}

// clipTokens cuts text at its end to limit tokens, marked; "" when nothing fits.
func clipTokens(text string, limit int, count func(string) int) string {
	if count == nil || count(text) <= limit {
		return text
	}
	n := sort.Search(len(text), func(n int) bool { return count(oneline.Clip(text, n)) > limit }) - 1
	for ; n > 0; n = n * 3 / 4 { // where the count does not grow with every byte
		if cut := oneline.Clip(text, n); count(cut) <= limit {
			return cut
		}
	}
	return ""
}
