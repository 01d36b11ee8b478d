package wording

import "sort"

// picks are those of some items that stay.
type picks struct {
	keep  []bool // by item
	order []int  // items that stay, in the order picked
}

func newPicks(items int) picks {
	return picks{keep: make([]bool, items), order: make([]int, 0, items)}
}

func (p *picks) take(i int) {
	p.keep[i] = true
	p.order = append(p.order, i)
}

// settle writes the whole, and drops what was picked last as far as it does not fit: the counts of
// items need not add up to the count of the whole. It looks for how many fit by ever larger steps, then
// by halves, so a few writes are enough. It is false when nothing is left to drop. A nil count fits
// all.
func (p *picks) settle(limit int, count func(string) int, write func() string) (string, bool) {
	text := write()
	if count == nil || count(text) <= limit {
		return text, true
	}
	all := p.order
	first := func(n int) string {
		for at, i := range all {
			p.keep[i] = at < n
		}
		p.order = all[:n]
		return write()
	}
	fits := func(n int) bool { return count(first(n)) <= limit }
	few, many := len(all), len(all) // few may fit, many do not
	for step := 1; few == many || !fits(few); step *= 2 {
		if few == 0 {
			return "", false
		}
		few, many = max(0, few-step), few
	}
	few += sort.Search(many-few-1, func(n int) bool { return !fits(few + n + 1) })
	return first(few), true
}
