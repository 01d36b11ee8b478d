package summary

import (
	"slices"
	"strings"
)

// board holds the statements that stand, so that a newer one can find what it
// supersedes without looking at them all.
type board struct {
	claims []claim
	items  []statement // what each claim was taken from
	alive  []bool
	byWord map[string][]int // stem or value → positions, oldest first
	byText map[string]int   // folded text → position
	gone   []retired
	found  []int // scratch
}

// retired is what a newer statement took back: lines older than it that speak
// of the subject with the old value do not stand either.
type retired struct {
	before int
	vals   []string
	words  []string
}

func newBoard() *board { return &board{byWord: map[string][]int{}, byText: map[string]int{}} }

// maxPostings bounds how many earlier statements of one word are looked at:
// a word in more of them says little.
const maxPostings = 64

// add puts a statement on the board without letting it supersede anything.
func (b *board) add(c claim, it statement) int {
	at := len(b.claims)
	b.claims, b.items, b.alive = append(b.claims, c), append(b.items, it), append(b.alive, true)
	for w := range c.words {
		b.byWord[w] = append(b.byWord[w], at)
	}
	for v := range c.vals {
		b.byWord[v] = append(b.byWord[v], at)
	}
	return at
}

// supersede takes from the board what c replaces: all that it surely does, else
// the likeliest. may says which positions c is allowed to replace.
func (b *board) supersede(c claim, may func(at int) bool) {
	best, bestScore, done := -1, 0.0, false
	for _, at := range b.near(c) {
		old := &b.claims[at]
		if !b.alive[at] || old.n >= c.n || !may(at) {
			continue
		}
		sure, score := replaces(&c, old)
		if sure {
			b.kill(at, &c)
			done = true
			continue
		}
		if score > bestScore || score == bestScore && at > best {
			best, bestScore = at, score
		}
	}
	if !done && bestScore > 0 {
		b.kill(best, &c)
	}
}

// near collects the statements that share a word or value with c, oldest first.
func (b *board) near(c claim) []int {
	found := b.found[:0]
	for _, set := range []map[string]bool{c.words, c.vals, c.gone} {
		for w := range set {
			list := b.byWord[w]
			found = append(found, list[max(0, len(list)-maxPostings):]...)
		}
	}
	slices.Sort(found)
	b.found = found
	return slices.Compact(found)
}

func (b *board) kill(at int, by *claim) {
	b.alive[at] = false
	old := &b.claims[at]
	r := retired{before: by.n}
	for v := range old.vals {
		if !by.vals[v] {
			r.vals = append(r.vals, v)
		}
	}
	for g := range by.gone {
		if old.words[g] && len(g) > 2 {
			r.vals = append(r.vals, g)
		}
	}
	for w := range old.words {
		if by.words[w] {
			r.words = append(r.words, w)
		}
	}
	if len(r.vals) > 0 {
		b.gone = append(b.gone, r)
	}
}

// replaces says whether c surely replaces old, or else how likely it does; 0 is
// no. Two statements that each name something the other does not ("import retry
// limit", "export retry limit") are about different things.
func replaces(c, old *claim) (sure bool, score float64) {
	if c.also {
		return false, 0
	}
	shared := c.shared(old)
	within := shared > 0 && shared == min(len(c.words), len(old.words))
	alike := float64(shared) / float64(max(1, len(c.words)+len(old.words)-shared))
	if same, shorter := sameName(c, old); same {
		return true, 0
	} else if shorter {
		return false, alike
	}
	if shared > 1 && namesBoth(c, old) && (c.holds(old.subj, old.bits.subj) || old.holds(c.subj, c.bits.subj)) {
		return true, 0
	}
	if hit := c.takenFrom(old); hit > 0 {
		switch {
		case within:
			return true, 0
		case alike >= .6 || (alike >= .4 || shared > 1) && takesBack(c, old) || shared == 0 && len(old.words)+len(old.vals) <= 3:
			return false, alike + float64(hit)
		}
		return false, 0
	}
	if shared == 0 || !differ(c, old) || !c.cue && !(c.allow && old.never) {
		return false, 0
	}
	if !within && (len(c.vals) > 0 && len(old.vals) > 0 || alike < .3) {
		return false, 0
	}
	if within && alike == 1 && len(c.vals) > 0 && len(old.vals) > 0 {
		return true, 0
	}
	return false, alike
}

// shared is how many words both are about.
func (c *claim) shared(old *claim) (n int) {
	if c.bits.words&old.bits.words == 0 {
		return 0
	}
	if len(c.about) > len(old.about) {
		c, old = old, c
	}
	for _, w := range c.about {
		if old.words[w] {
			n++
		}
	}
	return n
}

// takenFrom is how many words and values of old c takes back.
func (c *claim) takenFrom(old *claim) int {
	if c.bits.gone&(old.bits.words|old.bits.vals) == 0 {
		return 0
	}
	return overlap(c.gone, old.words) + overlap(c.gone, old.vals)
}

// takesBack: c takes back a particular value of old, one that is hardly shared
// by chance.
func takesBack(c, old *claim) bool {
	for v := range old.vals {
		if c.gone[v] && len(v) >= 4 && strings.ContainsAny(v, "0123456789") {
			return true
		}
	}
	return false
}

// sameName: c gives another value to what old gave one to. A shorter name for it
// ("the limit") is taken as the same when the newer statement says that
// something changes.
func sameName(c, old *claim) (same, shorter bool) {
	if (c.never || old.never) && !c.cue || c.unit != old.unit && c.unit != "" && old.unit != "" {
		return false, false
	}
	if c.set != "" && c.set == old.set {
		return false, false
	}
	if c.set != "" && old.set != "" && c.bits.subj&^old.bits.subj == 0 { // else it is not named alike
		n := overlap(c.subj, old.subj)
		if n == len(c.subj) && (n > 1 || c.cue || isNumeric(c.set)) && sameAround(c, old, n) {
			same, shorter = n == len(old.subj), c.cue
		}
	}
	same = same || speaksOf(old, c) || speaksOf(c, old)
	return same, shorter
}

// namesBoth: c names the value of old and another one like it.
func namesBoth(c, old *claim) bool {
	v := old.set
	if v == "" || !c.vals[v] {
		return false
	}
	for w := range c.vals {
		if !old.vals[w] && isNumeric(w) == isNumeric(v) {
			return true
		}
	}
	return false
}

// speaksOf: c names what of gives a value to, and one other value like it.
func speaksOf(c, of *claim) bool {
	name, v := of.subj, of.set
	if v == "" || len(name) < 2 || !c.holds(name, of.bits.subj) || c.vals[v] {
		return false
	}
	other := ""
	for w := range c.vals {
		if name[w] || name[stem(w)] {
			continue
		}
		if other != "" {
			return false
		}
		other = w
	}
	n := c.noun[other]
	return other != "" && isNumeric(other) == isNumeric(v) && (n == "" || of.words[n])
}

// holds: the words of the name, whose bits these are, stand side by side, and no
// other word before them makes it a longer one.
func (c *claim) holds(name map[string]bool, bits uint64) bool {
	if len(name) == 0 || bits&^c.bits.seq != 0 {
		return false
	}
	run := 0
	for i, w := range c.seq {
		if !name[w] {
			run = 0
			continue
		}
		run++
		if run == len(name) && (i < run || c.seq[i-run] == "") {
			return true
		}
	}
	return false
}

// sameAround: what stands around the name does not tell two things apart.
func sameAround(c, old *claim, n int) bool {
	if len(c.outer) == 0 || len(old.outer) == 0 {
		return n > 1 || len(c.outer) == len(old.outer)
	}
	return overlap(c.outer, old.outer) > 0
}

// differ: the newer statement says something else, not the same again.
func differ(c, old *claim) bool {
	if old.bits.vals&^c.bits.vals != 0 || old.bits.words&^c.bits.words != 0 {
		return true
	}
	for v := range old.vals {
		if !c.vals[v] {
			return true
		}
	}
	for w := range old.words {
		if !c.words[w] {
			return true
		}
	}
	return c.never != old.never || c.allow != old.allow
}

func overlap(a, b map[string]bool) int {
	if len(a) > len(b) {
		a, b = b, a
	}
	n := 0
	for w := range a {
		if b[w] {
			n++
		}
	}
	return n
}
