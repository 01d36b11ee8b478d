package wording

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-3db51b0e/precis/identifier"
)

// The ranks of lines, from what is kept longest to what goes first.
const (
	rankConstraint = iota
	rankTask       // task, plan, open items
	rankWish       // preferences
	rankFailure    // unresolved
	rankTested     // what test runners said last
	rankChanged    // files changed
	rankEffect     // commands not to be run twice
	rankFact
	rankDecision
	rankFound   // what was looked up
	rankRequest // earlier requests
	rankCommand
	rankArtifact
	rankFixed // resolved errors: what was tried, and why it failed
	rankFinding
	rankDone // plan steps done, what the agent left to itself
	rankLedger
	rankRead
	rankScrap // mentions hardly used
	ranks     // their number
)

// share is the part of the cap, after constraints, task, plan and open items
// took what they need, that a rank may take before the ranks below it had
// theirs; what is left over then goes by rank.
var share = [ranks]float64{
	rankWish: .25, rankRequest: .06, rankFailure: .14, rankTested: .1, rankChanged: .3, rankEffect: .2, rankFound: .3, rankFact: .2, rankDecision: .25,
	rankCommand: .12, rankArtifact: .05, rankFixed: .12, rankDone: .03, rankFinding: .06, rankLedger: .25, rankRead: .03,
}

// fitter picks the lines that fit.
type fitter struct {
	picks
	ls     []line
	cost   []int
	ranked []int // line positions, by rank then worth
	heads  [sections]bool
	headed [sections]int // cost of each heading
	left   int
	effect int // tokens that lines of rankEffect may take at least, where there is room
}

// effectShare and mostEffect are the most that what is not done twice without consequences may take
// before the request in hand stands at length: one part in so many of the room, and so many
// tokens.
const effectShare, mostEffect = 3, 150

func fit(header string, ls []line, limit int, count func(string) int) string {
	if count(header) > limit {
		return ""
	}
	f := newFitter(ls, limit-count(header), count)
	f.tighten(count)
	f.shorten(count)
	f.pick()
	text, _ := f.settle(limit, count, func() string { return compose(header, f.kept()) })
	return f.telling(header, text, limit, count)
}

func newFitter(ls []line, left int, count func(string) int) *fitter {
	f := &fitter{picks: newPicks(len(ls)), ls: ls, cost: make([]int, len(ls)), ranked: make([]int, len(ls)), left: left}
	for i := range ls {
		f.cost[i], f.ranked[i] = ls[i].cost(count), i
	}
	for i := range headings {
		f.headed[i] = count("\n" + headings[i])
	}
	slices.SortStableFunc(f.ranked, func(a, b int) int {
		return cmp.Or(cmp.Compare(ls[a].rank, ls[b].rank), cmp.Compare(ls[b].worth, ls[a].worth))
	})
	return f
}

// cost returns about how many tokens a line takes: one with a lead shares it with others.
func (l *line) cost(count func(string) int) int {
	n := count("\n" + l.text)
	if l.lead != "" {
		n += 1 + count("\n"+l.lead)/perLine
	}
	return n
}

// tighten writes the first ranks in their short form when the long ones do not
// fit beside what was done. When even that is too much, the constraints that remain become
// one line of pointers; those that crowd do so before others are cut.
func (f *fitter) tighten(count func(string) int) {
	f.effect = min(f.costOf(rankEffect), f.left/effectShare, mostEffect)
	if f.need(rankTask)+f.effect > f.left {
		f.clipAll(count, func(l *line) bool { return l.rank == rankTask })
	}
	if f.need(rankTask) <= f.left {
		return // rules stand whole before what was done
	}
	if crowds := func(l *line) bool { return l.rank == rankConstraint && l.crowds }; f.leastNeed(count) > f.left {
		f.clipAll(count, crowds)
		f.point(rankTask, crowds, count)
	}
	rules := func(l *line) bool { return l.rank == rankConstraint }
	if f.need(rankTask) > f.left {
		f.clipAll(count, rules)
	}
	f.point(rankConstraint, rules, count)
}

// leastNeed returns what the constraints cost in their short form.
func (f *fitter) leastNeed(count func(string) int) (n int) {
	for i := range f.ls {
		if l := f.ls[i]; l.rank == rankConstraint {
			n += count("\n" + cmp.Or(l.short, l.text))
		}
	}
	return n + f.headed[constraints]
}

// clipAll puts some lines into their short form.
func (f *fitter) clipAll(count func(string) int, some func(*line) bool) {
	for i := range f.ls {
		if l := &f.ls[i]; some(l) && l.short != "" && !l.clipped {
			f.clip(i, count)
		}
	}
}

// clip puts a line into its short form.
func (f *fitter) clip(i int, count func(string) int) {
	l := &f.ls[i]
	l.clipped = true
	if l.text = l.short; l.shortLead != "" {
		l.lead = l.shortLead
	}
	f.cost[i] = l.cost(count)
}

// shorten leaves out where files were changed, and all of calls with consequences but what they
// were made for, from the least of them on, as far as their share does not hold all of it and as far
// as lines do not fit.
func (f *fitter) shorten(count func(string) int) {
	rest := max(f.left-f.need(rankTask), 0)
	for _, rank := range []int{rankChanged, rankEffect} {
		over := f.costOf(rank) - int(f.allowed(rank, rest))
		over = min(over, f.need(ranks)-f.left)
		for _, i := range slices.Backward(f.ranked) {
			if l := &f.ls[i]; over > 0 && l.rank == rank && l.short != "" {
				over -= f.cost[i]
				f.clip(i, count)
				over += f.cost[i]
			}
		}
	}
}

// need returns what the ranks up to one cost together.
func (f *fitter) need(rank int) int { return f.between(0, rank) }

// costOf returns what the lines of one rank cost together.
func (f *fitter) costOf(rank int) int { return f.between(rank, rank) }

// between returns what the lines of ranks cost together, with their headings.
func (f *fitter) between(from, to int) (n int) {
	var seen [sections]bool
	for i := range f.ls {
		if l := &f.ls[i]; l.rank >= from && l.rank <= to {
			n += f.cost[i]
			if !seen[l.section] {
				seen[l.section] = true
				n += f.headed[l.section]
			}
		}
	}
	return n
}

// point folds the least of some constraints into one line naming where they stand, once each, until the
// ranks up to one fit.
func (f *fitter) point(rank int, some func(*line) bool, count func(string) int) {
	var at []int
	for _, i := range f.ranked {
		if some(&f.ls[i]) {
			at = append(at, i)
		}
	}
	if len(at) == 0 || f.need(rank) <= f.left {
		return
	}
	last, first := at[len(at)-1], pointer(f.ls[at[0]].text)
	text, named := pointing, map[string]bool{}
	for n := len(at) - 1; n >= 0 && f.need(rank) > f.left; n-- {
		i := at[n]
		more, ok := strings.CutPrefix(f.ls[i].text, pointing)
		if !ok {
			more = " " + pointer(f.ls[i].text)
		}
		if !named[more] {
			text, named[more] = text+more, true
		}
		f.ls[i].text, f.cost[i], f.ls[i].rank = "", 0, ranks
		f.ls[last] = line{section: constraints, rank: rankConstraint, worth: 2e9, text: text}
		f.cost[last] = count("\n" + text)
	}
	if f.need(rankConstraint) > f.left {
		f.ls[last].text = "- more: " + first + "…"
	}
	f.ls = slices.DeleteFunc(f.ls, func(l line) bool { return l.rank == ranks })
	effect := f.effect
	*f = *newFitter(f.ls, f.left, count)
	f.effect = effect
}

// pointing begins the line that names where constraints stand which have no room.
const pointing = "- more, read them in the log:"

// pointer returns the "#n" a line ends in.
func pointer(text string) string {
	for i := len(text) - 1; i >= 0; i-- {
		if text[i] == '#' {
			if _, err := strconv.Atoi(text[i+1 : len(text)-1]); err == nil {
				return text[i : len(text)-1]
			}
		}
	}
	return ""
}

// pick takes lines by rank: first within each rank's share, then with what is left.
func (f *fitter) pick() {
	var spent [ranks]int
	rest := f.left
	for _, i := range f.ranked {
		r, c := f.ls[i].rank, f.price(i)
		if c > f.left || r > rankTask && float64(spent[r]+c) > f.allowed(r, rest) || f.covered(i) {
			continue
		}
		spent[r] += c
		f.spend(i, c)
		if r <= rankTask {
			rest = f.left
		}
	}
	for _, i := range f.ranked {
		if c := f.price(i); !f.keep[i] && c <= f.left && !f.covered(i) {
			f.spend(i, c)
		}
	}
}

// allowed returns how many of the tokens left after constraints, task, plan and open items a rank
// may take before the ranks below it had theirs.
func (f *fitter) allowed(rank, rest int) float64 {
	switch n := share[rank]; rank {
	case rankEffect:
		return max(n*float64(rest), float64(f.effect))
	case rankChanged:
		return n * float64(rest)
	default:
		return n * float64(max(rest-f.effect, 0))
	}
}

// covered reports whether what a line says stands in lines already picked: a preference within the
// request it is from, each identifier of a line of the ledger anywhere.
func (f *fitter) covered(i int) bool {
	switch l := &f.ls[i]; {
	case l.rank == rankWish:
		return slices.ContainsFunc(f.order, func(j int) bool { return f.ls[j].section == requests && strings.Contains(f.ls[j].text, l.said) })
	case l.section != ledger:
		return false
	}
	all, some := true, false
	text := f.ls[i].text
	identifier.Scan(text, func(_ identifier.Kind, a, b int) {
		some = true
		all = all && slices.ContainsFunc(f.order, func(j int) bool { return strings.Contains(f.ls[j].text, text[a:b]) })
	})
	return all && some
}

func (f *fitter) price(i int) int {
	if f.heads[f.ls[i].section] {
		return f.cost[i]
	}
	return f.cost[i] + f.headed[f.ls[i].section]
}

// spend takes a line for a cost in tokens.
func (f *fitter) spend(i, cost int) {
	f.take(i)
	f.heads[f.ls[i].section] = true
	f.left -= cost
}

func (f *fitter) kept() []line {
	var ls []line
	for i := range f.ls {
		if f.keep[i] {
			ls = append(ls, f.ls[i])
		}
	}
	ordered(ls)
	return ls
}

// telling returns the text with a line of how many requests of the user are not among those that it
// lists, where there is room for it.
func (f *fitter) telling(header, text string, limit int, count func(string) int) string {
	said, ls := f.leftOut(), f.kept()
	if said == "" {
		return text
	}
	first := slices.IndexFunc(ls, func(l line) bool { return l.section == requests })
	if whole := compose(header, slices.Insert(ls, first, line{section: requests, text: said})); count(whole) <= limit {
		return whole
	}
	return text
}

// leftOut says how many requests are not listed, and whether they stood before those that are or among
// them; "" where all or none are listed.
func (f *fitter) leftOut() string {
	before, among, listed := 0, 0, false
	for i := range f.ls {
		switch {
		case f.ls[i].section != requests:
		case f.keep[i]:
			listed = true
		case listed:
			among++
		default:
			before++
		}
	}
	if !listed || before+among == 0 {
		return ""
	}
	where := " more, left out here"
	switch {
	case before == 0:
		where = " more, left out below"
	case among > 0:
		where += " and below"
	}
	return "- … and " + strconv.Itoa(before+among) + where
}

// ordered puts lines in their short form behind the others of their group; where there are no others,
// nothing is told "as well".
func ordered(ls []line) {
	whole := [sections]map[int]bool{}
	for i := range ls {
		if l := &ls[i]; l.group > 0 && !l.clipped {
			if whole[l.section] == nil {
				whole[l.section] = map[int]bool{}
			}
			whole[l.section][l.group] = true
		}
	}
	for i := range ls {
		if l := &ls[i]; l.group > 0 && !whole[l.section][l.group] {
			l.lead = strings.Replace(l.lead, asWell, ": ", 1)
		}
	}
	slices.SortStableFunc(ls, func(a, b line) int {
		if c := cmp.Or(cmp.Compare(a.section, b.section), cmp.Compare(a.group, b.group)); c != 0 || a.clipped == b.clipped || a.group == 0 {
			return c
		}
		if a.clipped {
			return 1
		}
		return -1
	})
}

// asWell ends the lead of lines that stand behind others of their group.
const asWell = " as well: "
