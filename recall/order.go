package recall

import (
	"hash/maphash"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/message"
)

// The order of hits: what decides beside the words that a text has in common with what is
// searched. The numbers are measured (docs/evaluation.md).
const (
	// considered is how many of the best texts are put in order by what each adds to those
	// before it.
	considered = 200
	// novelty is what of a term's share counts for a text after each text before it that
	// holds the term.
	novelty = 0.5
	// asking is up to how many words a search asks for what they say, and describing from how
	// many on it describes a step, of which what is missed may say little.
	asking, describing = 10, 30
	// firsthand is the weight of what a tool or the user said against what the agent said: it
	// repeats the others, and comes along beside them. Where a search asks, the agent's
	// conclusion may be the answer, and it is firsthandAsked.
	firsthand, firsthandAsked = 4, 1.5
	// unseen is the weight, where a search describes, of each doubling of the words that a text
	// has and neither the prompt nor a better hit has.
	unseen = 3
	// shortest is the length in bytes of the words that count so.
	shortest = 4
)

// describes returns how much a search describes a step, from 0 for one that asks to 1.
func (q query) describes() float64 {
	return min(max(float64(len(q.terms)-asking)/(describing-asking), 0), 1)
}

// order puts the texts that match in the order in which they are shown: each is the one that
// adds most, with what stands beside it, to those before it. What stands beside one of them,
// with which it is shown, and what repeats one, comes after all others. repeats are the
// positions of the messages that say the same as a text. Scores never rise.
func (r *Reader) order(t Topic, q query, found []scored, fresh *news) (out []scored, repeats map[int][]int) {
	var base map[int]float64
	if t.Lost {
		base = r.weigh(q, found, fresh)
		found = r.lostFirst(found)
	}
	c := r.choice(q, found[:min(len(found), considered)], t)
	if t.Lost {
		c.news = fresh.cover(c, base)
		for n := range c.texts {
			c.reckon(n)
		}
	}
	for n := c.next(); n >= 0; n = c.next() {
		out = append(out, c.take(n, c.lead(n)))
	}
	out = append(out, found[min(len(found), considered):]...)
	for i := 1; i < len(out); i++ {
		out[i].score = min(out[i].score, out[i-1].score)
	}
	return out, c.repeats
}

// weigh makes scores those of a search for what the prompt does not show, and orders the
// texts by them. It returns what the scores are without the news, by doc.
func (r *Reader) weigh(q query, found []scored, fresh *news) map[int]float64 {
	describes := q.describes()
	first := firsthandAsked + (firsthand-firsthandAsked)*describes
	base := make(map[int]float64, len(found))
	for i := range found {
		f := &found[i]
		if RoleOf(r.Thread.At(r.words.docs[f.doc].index).Message) != message.Assistant {
			f.score *= first
		}
		base[f.doc] = f.score
		f.score = rounded(f.score * factor(fresh.texts[f.doc], describes))
	}
	best(found)
	return base
}

// lostFirst puts what the prompt shows as it was said behind the rest.
func (r *Reader) lostFirst(found []scored) []scored {
	lost, shown := make([]scored, 0, len(found)), []scored(nil)
	for _, s := range found {
		if r.compacted(r.words.docs[s.doc]) {
			lost = append(lost, s)
		} else {
			shown = append(shown, s)
		}
	}
	return append(lost, shown...)
}

// standing is how a text stands in the order in the making, the better ones first.
type standing uint8

const (
	free  standing = iota
	shown          // stands in the prompt as it was said, where what does not is searched
	last           // repeats a text that was taken, or comes along beside one
	taken
)

// choice is the order in the making. texts and what follows it, but for news, are by text.
type choice struct {
	r         *Reader
	describes float64       // see query.describes
	beside    int           // messages to either side that come along with one
	repeats   map[int][]int // by doc
	at        map[int]int   // the text at a position of the log
	texts     []scored
	shares    [][]float64 // of the score, by term
	left      [][]float64 // … that is still new
	worth     []float64   // the part of the score that is still new
	lines     []map[uint64]bool
	standing  []standing
	news      *cover // nil where what the prompt shows counts as much
}

// choice returns the order of some texts before any is taken.
func (r *Reader) choice(q query, texts []scored, t Topic) *choice {
	c := &choice{
		r: r, describes: q.describes(), texts: slices.Clone(texts), beside: max(t.Neighbours, 0), repeats: map[int][]int{}, at: map[int]int{},
		lines: make([]map[uint64]bool, len(texts)), standing: make([]standing, len(texts)), worth: make([]float64, len(texts)),
	}
	byDoc := make(map[int32]int, len(texts))
	for n, s := range texts {
		d := r.words.docs[s.doc]
		if d.artifact < 0 {
			c.at[d.index] = n
		}
		if t.Lost && !r.compacted(d) {
			c.standing[n] = shown
		}
		byDoc[int32(s.doc)] = n
		c.shares = append(c.shares, make([]float64, len(q.terms)))
	}
	for i, t := range q.terms {
		for _, p := range r.words.posts[t] {
			if n, ok := byDoc[p.doc]; ok {
				c.shares[n][i] = r.words.share(q.worth[t], p)
			}
		}
	}
	for n, shares := range c.shares {
		c.left = append(c.left, slices.Clone(shares))
		c.reckon(n)
	}
	return c
}

// reckon computes the part of a text's score that is still new.
func (c *choice) reckon(n int) {
	all, left := 0.0, 0.0
	for i, s := range c.shares[n] {
		all += s
		left += c.left[n][i]
	}
	score := c.texts[n].score
	if c.news != nil {
		score = rounded(c.news.base[n] * factor(c.news.left[n], c.describes))
	}
	c.worth[n] = score
	if all > 0 { // else it was found by its meaning
		c.worth[n] = rounded(score * left / all)
	}
}

// next returns the text that adds most with what stands beside it, -1 when all are taken.
func (c *choice) next() int {
	best, most := -1, 0.0
	for n, s := range c.standing {
		if s == taken {
			continue
		}
		w := c.worth[n]
		if d := c.r.words.docs[c.texts[n].doc]; d.artifact < 0 {
			for away := 1; away <= c.beside; away++ {
				w += c.free(d.index-away) + c.free(d.index+away)
			}
		}
		if best < 0 || s < c.standing[best] || s == c.standing[best] && w > most {
			best, most = n, w
		}
	}
	return best
}

// free is the worth of the text at a position, 0 for one that would add nothing.
func (c *choice) free(at int) float64 {
	if n, ok := c.at[at]; ok && c.standing[n] == free {
		return c.worth[n]
	}
	return 0
}

// lead returns the best of the texts that are shown with one, itself among them: the hit.
func (c *choice) lead(n int) int {
	d := c.r.words.docs[c.texts[n].doc]
	if d.artifact >= 0 || c.standing[n] != free {
		return n
	}
	lead := n
	for at := d.index - c.beside; at <= d.index+c.beside; at++ {
		if m, ok := c.at[at]; ok && c.standing[m] == free && c.texts[m].score > c.texts[lead].score {
			lead = m
		}
	}
	return lead
}

// take takes a text as a hit, with what stands around the middle text: what it holds is new
// in no other.
func (c *choice) take(middle, hit int) scored {
	c.standing[hit] = taken
	out, around, doc := c.texts[hit], c.r.words.docs[c.texts[middle].doc], c.r.words.docs[c.texts[hit].doc]
	out.beside = around.index - doc.index
	c.show(doc, out.doc, around.index)
	for m, s := range c.standing {
		if s == taken {
			continue
		}
		other := c.r.words.docs[c.texts[m].doc]
		switch away := max(around.index-other.index, other.index-around.index); {
		case doc.artifact < 0 && other.artifact < 0 && away <= c.beside:
			c.standing[m] = last
		case s != last && c.same(hit, m):
			c.standing[m] = last
			c.repeats[out.doc] = append(c.repeats[out.doc], other.index)
		}
		for i, s := range c.shares[middle] {
			if s > 0 {
				c.left[m][i] *= novelty
			}
		}
		c.reckon(m)
	}
	slices.Sort(c.repeats[out.doc])
	return out
}

// show notes that a hit is shown, with what stands around a position of the log.
func (c *choice) show(d doc, hit, around int) {
	switch {
	case c.news == nil:
	case d.artifact >= 0:
		c.news.show(hit)
	default:
		for i := max(0, around-c.beside); i <= around+c.beside && i < c.r.Thread.Len(); i++ {
			c.news.show(i)
		}
	}
}

// The least share of their lines that two texts have in common which say the same, and
// that of the shorter one that stands in a longer one, and how many lines that must be.
const (
	alike, within, enough = 0.8, 0.9, 5
)

// same reports whether two texts of one speaker say the same: a file that was read again,
// or a stretch of it.
func (c *choice) same(n, m int) bool {
	a, b := c.r.words.docs[c.texts[n].doc], c.r.words.docs[c.texts[m].doc]
	if a.artifact >= 0 || b.artifact >= 0 || RoleOf(c.r.Thread.At(a.index).Message) != RoleOf(c.r.Thread.At(b.index).Message) {
		return false
	}
	in, of := c.linesOf(n), c.linesOf(m)
	common := 0
	for l := range of {
		if in[l] {
			common++
		}
	}
	least, most := min(len(in), len(of)), max(len(in), len(of))
	return most > 0 && float64(common) >= alike*float64(most) || least >= enough && float64(common) >= within*float64(least)
}

// seed makes the sums of lines, which no answer shows.
var seed = maphash.MakeSeed()

// linesOf are the sums of a text's lines that are not blank.
func (c *choice) linesOf(n int) map[uint64]bool {
	if c.lines[n] != nil {
		return c.lines[n]
	}
	c.lines[n] = map[uint64]bool{}
	e := c.r.Thread.At(c.r.words.docs[c.texts[n].doc].index)
	for _, p := range e.Message.Parts {
		for line := range strings.Lines(asRead(p)) {
			if line = strings.TrimSpace(line); line != "" {
				c.lines[n][maphash.String(seed, line)] = true
			}
		}
	}
	return c.lines[n]
}
