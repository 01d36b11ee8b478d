package summary

import "strings"

// board holds the statements that stand, so that a newer one can find what it
// supersedes without looking at them all.
type board struct {
	claims []claim
	items  []statement // what each claim was taken from
	alive  []bool
	byWord map[string]int32 // stem or value → its last posting
	posted []posting
	byText map[textKey]int // position
	gone   []retired
	seen   []int32 // when a claim was looked at last
	looks  int32
}

// posting says that a word stands in the claim at a position; before is the
// word's posting before it, counted from 1, 0 for none.
type posting struct{ at, before int32 }

// retired is what a newer statement took back: lines older than it that speak
// of the subject with the old value do not stand either.
type retired struct {
	before int
	vals   []string
	words  []string
}

func newBoard() *board { return &board{byWord: map[string]int32{}, byText: map[textKey]int{}} }

// maxPostings bounds how many earlier statements of one word are looked at:
// a word in more of them says little.
const maxPostings = 64

// add puts a statement on the board without letting it supersede anything.
func (b *board) add(c claim, it statement) int {
	at := len(b.claims)
	b.claims, b.items, b.alive, b.seen = append(b.claims, c), append(b.items, it), append(b.alive, true), append(b.seen, 0)
	for _, set := range [...]set{c.words, c.vals} {
		for _, w := range set.of {
			b.posted = append(b.posted, posting{int32(at), b.byWord[w]})
			b.byWord[w] = int32(len(b.posted))
		}
	}
	return at
}

// supersede takes from the board what c replaces: all that it surely does, else
// the likeliest. may says which positions c is allowed to replace.
func (b *board) supersede(c claim, may func(at int) bool) {
	best, bestScore, done := -1, 0.0, false
	b.near(&c, func(at int) {
		old := &b.claims[at]
		if !b.alive[at] || old.n >= c.n || !may(at) {
			return
		}
		sure, score := replaces(&c, old)
		if sure {
			b.kill(at, &c)
			done = true
			return
		}
		if score > bestScore || score == bestScore && at > best {
			best, bestScore = at, score
		}
	})
	if !done && bestScore > 0 {
		b.kill(best, &c)
	}
}

// near calls f once with each of the statements that share a word or value with c.
func (b *board) near(c *claim, f func(at int)) {
	b.looks++
	for _, set := range [...]set{c.words, c.vals, c.gone} {
		for _, w := range set.of {
			p := b.byWord[w]
			for n := 0; n < maxPostings && p > 0; n++ {
				at := b.posted[p-1].at
				if p = b.posted[p-1].before; b.seen[at] != b.looks {
					b.seen[at] = b.looks
					f(int(at))
				}
			}
		}
	}
}

func (b *board) kill(at int, by *claim) {
	b.alive[at] = false
	old := &b.claims[at]
	r := retired{before: by.n}
	for _, v := range old.vals.of {
		if !by.vals.has(v) {
			r.vals = append(r.vals, v)
		}
	}
	for _, g := range by.gone.of {
		if old.words.has(g) && len(g) > 2 {
			r.vals = append(r.vals, g)
		}
	}
	for _, w := range old.words.of {
		if by.words.has(w) {
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
	shared := c.words.shared(&old.words)
	within := shared > 0 && shared == min(c.words.len(), old.words.len())
	alike := float64(shared) / float64(max(1, c.words.len()+old.words.len()-shared))
	if same, shorter := sameName(c, old); same {
		return true, 0
	} else if shorter {
		return false, alike
	}
	if shared > 1 && namesBoth(c, old) && (c.holds(old.subj) || old.holds(c.subj)) {
		return true, 0
	}
	if hit := c.takenFrom(old); hit > 0 {
		switch {
		case within:
			return true, 0
		case alike >= .6 || (alike >= .4 || shared > 1) && takesBack(c, old) || shared == 0 && old.words.len()+old.vals.len() <= 3:
			return false, alike + float64(hit)
		}
		return false, 0
	}
	if shared == 0 || !differ(c, old) || !c.cue && !(c.allow && old.never) {
		return false, 0
	}
	if !within && (c.vals.len() > 0 && old.vals.len() > 0 || alike < .3) {
		return false, 0
	}
	if within && alike == 1 && c.vals.len() > 0 && old.vals.len() > 0 {
		return true, 0
	}
	return false, alike
}

// takenFrom is how many words and values of old c takes back.
func (c *claim) takenFrom(old *claim) int {
	return c.gone.shared(&old.words) + c.gone.shared(&old.vals)
}

// takesBack: c takes back a particular value of old, one that is hardly shared
// by chance.
func takesBack(c, old *claim) bool {
	for _, v := range old.vals.of {
		if c.gone.has(v) && len(v) >= 4 && strings.ContainsAny(v, "0123456789") {
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
	if c.set != "" && old.set != "" && c.subj.in(&old.subj) { // else it is not named alike
		n := c.subj.len()
		if (n > 1 || c.cue || isNumeric(c.set)) && sameAround(c, old, n) {
			same, shorter = n == old.subj.len(), c.cue
		}
	}
	same = same || speaksOf(old, c) || speaksOf(c, old)
	return same, shorter
}

// namesBoth: c names the value of old and another one like it.
func namesBoth(c, old *claim) bool {
	v := old.set
	if v == "" || !c.vals.has(v) {
		return false
	}
	for _, w := range c.vals.of {
		if !old.vals.has(w) && isNumeric(w) == isNumeric(v) {
			return true
		}
	}
	return false
}

// speaksOf: c names what of gives a value to, and one other value like it.
func speaksOf(c, of *claim) bool {
	name, v := of.subj, of.set
	if v == "" || name.len() < 2 || !c.holds(name) || c.vals.has(v) {
		return false
	}
	other := ""
	for _, w := range c.vals.of {
		if name.has(w) || name.has(stem(w)) {
			continue
		}
		if other != "" {
			return false
		}
		other = w
	}
	n := c.counts(other)
	return other != "" && isNumeric(other) == isNumeric(v) && (n == "" || of.words.has(n))
}

// holds: the words of the name stand side by side, and no other word before them
// makes it a longer one.
func (c *claim) holds(name set) bool {
	if name.len() == 0 || name.bits&^c.inSeq != 0 {
		return false
	}
	run := 0
	for i, w := range c.seq {
		if !name.has(w) {
			run = 0
			continue
		}
		run++
		if run == name.len() && (i < run || c.seq[i-run] == "") {
			return true
		}
	}
	return false
}

// sameAround: what stands around the name does not tell two things apart.
func sameAround(c, old *claim, n int) bool {
	if c.outer.len() == 0 || old.outer.len() == 0 {
		return n > 1 || c.outer.len() == old.outer.len()
	}
	return c.outer.shared(&old.outer) > 0
}

// differ: the newer statement says something else, not the same again.
func differ(c, old *claim) bool {
	return !old.vals.in(&c.vals) || !old.words.in(&c.words) || c.never != old.never || c.allow != old.allow
}
