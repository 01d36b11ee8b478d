package strategy

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/identifier"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/tool"
)

// piece is a line, or a part of a long line, that may stay in the prompt.
type piece struct {
	*lineFacts
	owner int32 // which body it belongs to
	base  int32 // worth beside its values
	joins bool  // it goes on with the line that the piece before it begins
}

// lineFacts holds what is known of a line wherever it stands: outputs repeat theirs.
type lineFacts struct {
	text  string
	cost  int // tokens, line break included
	vals  []int32
	form  uint64
	fails bool // it tells of an error
	plain bool // it has words beside its values
}

// presence describes how a value stands in the prompt.
type presence uint8

// The ways a value stands: bare, in a list of its like or on a line without a
// word, it tells less than in a line that says what it is.
const (
	absent presence = iota
	bare
	spoken
)

// Shares of a value's worth that a line brings: one without a word beside it,
// and one with words where the value stands bare so far.
const bareShare, againShare = .6, .8

// lineChooser chooses the pieces that keep the most of what is likely to be needed
// within a number of tokens. A value that already stands somewhere is worth
// nothing a second time, so the choice covers many values rather than one often.
type lineChooser struct {
	relevance *Relevance
	ids       map[string]int32
	weight    []int
	stands    []presence // by value id
	pieces    []piece
	known     map[string]*lineFacts // by line
	vals      []int32               // what the wordings' values are slices of
	forms     map[uint64]int        // pieces of each form: see formOf
	taken     map[uint64]int        // those that stay
	take      []bool                // by piece: it stays
	opened    map[int32]bool        // by owner: a piece of it stays
	spent     map[int32]int         // by owner: the tokens of what stays of it
	speaker   map[int32]string      // by owner
	changes   *changes              // of the files that results show
	most      int                   // the most tokens of one owner
	ends      []int32               // last lines of results, by piece
	failure   []int32               // the line that told of the last failure, by piece; none
	own       []ownBlock            // what the agent said
	ownTokens int                   // Limits.OwnTokens; 0 where nothing stands in blocks
	edits     []thread.Place        // calls that changed files as they are now
	asked     []ownBlock            // what users said
	decided   []summary.Decision    // what the agent decided, the newest first
	said      map[string]bool       // lines that stand in the prompt, without indentation; nil where nothing stands in blocks
	// minWorth is the worth of a token, in the steps of Relevance.Of, below which no piece is
	// carried along.
	minWorth float64
	// closely tells values that stand bare from spoken ones, and lines that say what
	// another says already from new ones. A lineChooser that is not takes the ladder's
	// lines, as its preset's examples have them.
	closely bool
}

func newLineChooser(h *Relevance, closely bool) *lineChooser {
	return &lineChooser{relevance: h, closely: closely, ids: map[string]int32{}, known: map[string]*lineFacts{}, forms: map[uint64]int{}, taken: map[uint64]int{}, opened: map[int32]bool{}, spent: map[int32]int{}, speaker: map[int32]string{}}
}

func (k *lineChooser) id(v string) int32 {
	id, ok := k.ids[v]
	if !ok {
		id = int32(len(k.weight))
		k.ids[v] = id
		k.weight = append(k.weight, k.relevance.Of(v))
		k.stands = append(k.stands, absent)
	}
	return id
}

// shows marks the values of a text as standing in the prompt.
func (k *lineChooser) shows(text string, how presence) {
	identifier.Scan(text, func(_ identifier.Kind, a, b int) {
		v := k.id(text[a:b])
		k.stands[v] = max(k.stands[v], how)
	})
	if k.said != nil {
		k.hears(text)
	}
}

// Tenths of the worth of a line beside its values, where lines are chosen closely: what
// somebody says is told in words, what calls and results hold mostly in values.
const besideProse, besideOther = 3, 1

// bodyKind says what a text is of which a lineChooser is offered the lines.
type bodyKind int

const (
	matter   bodyKind = iota // a call, or a result
	prose                    // what somebody said
	remarked                 // what the agent said before or beside a call
)

// add offers the lines of a body.
func (k *lineChooser) add(owner int, body string, kind bodyKind, count func(string) int) {
	lines, beside, told := cut(body), besideOther, -1
	if kind != matter {
		beside = besideProse
	}
	if kind == remarked && k.said != nil {
		lines, told = remark(lines)
	}
	for i := range lines {
		l := lines[i].text
		trimmed := strings.TrimSpace(l)
		if k.closely && k.said == nil { // blocks keep their indentation
			l = trimmed
		}
		w := k.known[l]
		if w == nil {
			w = k.lineFacts(l, count)
			k.known[l] = w
		}
		worth := base(trimmed, w.fails, i == 0 || i == len(lines)-1)
		if k.closely {
			worth = worth * beside / 10
		}
		if i == told {
			worth += remarkWorth
		}
		k.forms[w.form]++
		k.pieces = append(k.pieces, piece{lineFacts: w, owner: int32(owner), base: int32(worth), joins: k.said != nil && i > 0 && lines[i].at == lines[i-1].at})
	}
}

// lineFacts reads a line. Only a chooser that chooses closely asks for a word of four
// letters outside its values.
func (k *lineChooser) lineFacts(l string, count func(string) int) *lineFacts {
	shown := asContent(l)
	from, at, found := len(k.vals), 0, !k.closely
	identifier.Scan(l, func(_ identifier.Kind, a, b int) {
		found, at = found || wordIn(l[at:a]), b
		k.vals = append(k.vals, k.id(l[a:b]))
	})
	form := l
	if k.closely {
		form = strings.TrimSpace(l)
	}
	return &lineFacts{
		text: shown, cost: count(shown) + 1, vals: k.vals[from:len(k.vals):len(k.vals)],
		form: formOf(form), fails: fails(l), plain: found || wordIn(l[at:]),
	}
}

// base is the worth of a line beside the values it holds, in the steps of Relevance.Of. edge
// says that it is the first or the last of its text.
func base(l string, failure, edge bool) int {
	switch {
	case l == "":
		return 0
	case failure:
		return 1500
	case edge:
		return 500
	case len(l) < 4:
		return 10
	}
	return 50
}

func wordIn(s string) bool {
	n := 0
	for i := range len(s) {
		if c := s[i] | 0x20; c < 'a' || c > 'z' {
			n = 0
			continue
		}
		if n++; n == 4 {
			return true
		}
	}
	return false
}

// density is the worth of a piece for its tokens. One of many alike is worth
// less than one of its kind: of a hundred lines of a log that differ in their
// numbers, few are ever asked for again; and what a line says beside its values
// is worth hardly anything where one alike stays already.
func (k *lineChooser) density(p *piece) float64 {
	s := float64(p.base) / float64(1+10*k.taken[p.form])
	for _, v := range p.vals {
		switch {
		case k.stands[v] == absent && p.plain:
			s += float64(k.weight[v])
		case k.stands[v] == absent:
			s += bareShare * float64(k.weight[v])
		case k.stands[v] == bare && p.plain:
			s += againShare * float64(k.weight[v])
		}
	}
	alike := bits.Len(uint(k.forms[p.form])) // 1 for one, 2 for two or three, …
	return 2 * s / float64((p.cost+2)*(1+alike))
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
type ranked []rank

type rank struct {
	den float64
	at  int32
}

// down moves the piece at i to its place among those below it.
func (r ranked) down(i int) {
	for {
		best := i
		for c := 2*i + 1; c <= 2*i+2 && c < len(r); c++ {
			if r[c].den > r[best].den || r[c].den == r[best].den && r[c].at < r[best].at {
				best = c
			}
		}
		if best == i {
			return
		}
		r[i], r[best] = r[best], r[i]
		i = best
	}
}

// ownerShare is the part of the room that the lines of one message may take, unless
// there are few messages: one over ownerShare.
const ownerShare = 4

// pick keeps pieces worth up to limit tokens, beside those that stay already,
// and reports whether there was any. entry is what the first piece of an owner
// costs beside itself. Densities only fall as values come to stand, so a stale
// top is measured again and put back: each piece is measured a few times, not
// once for every choice.
func (k *lineChooser) pick(limit, entry int) (any bool) {
	k.take = append(k.take, make([]bool, len(k.pieces)-len(k.take))...)
	k.most = max(k.most, limit/ownerShare, 2*limit/max(len(k.speaker), 1))
	r := k.rank()
	for len(r) > 0 && r[0].den >= k.minWorth {
		i := r[0].at
		p := &k.pieces[i]
		if d := k.density(p); d < r[0].den {
			r[0].den = d
			r.down(0)
			continue
		}
		r[0] = r[len(r)-1]
		r = r[:len(r)-1]
		r.down(0)
		cost := p.cost
		if !k.opened[p.owner] {
			cost += entry + k.changes.cost(p.owner)
		}
		if cost > limit || k.spent[p.owner]+cost > k.most {
			continue
		}
		limit -= cost
		k.spent[p.owner] += cost
		k.keep(i)
		any = true
	}
	return any
}

// rank is the heap of what may still be kept.
func (k *lineChooser) rank() ranked {
	r := make(ranked, 0, len(k.pieces))
	for i := range k.pieces {
		if k.take[i] {
			continue
		}
		if d := k.density(&k.pieces[i]); d > 0 {
			r = append(r, rank{d, int32(i)})
		}
	}
	for i := len(r)/2 - 1; i >= 0; i-- {
		r.down(i)
	}
	return r
}

// mostEnds is how many of the newest results keep their last line: it tells what came of
// the call, or what is to be done next.
const mostEnds = 4

// endWorth is the worth of such a line, in the steps of Relevance.Of: what is alike above it
// takes nothing from it.
const endWorth = 1000

// addEnd notes the last line that says something, of the pieces from a position on. Of
// JSON no line is the last: what its end holds tells nothing of how the call went.
func (k *lineChooser) addEnd(from int) {
	if isJSON(k.pieces[from].text) {
		return
	}
	if n := slices.IndexFunc(k.pieces[from:], func(p piece) bool { return p.fails }); n >= 0 {
		k.failure = []int32{int32(from + n)}
	}
	for i := len(k.pieces) - 1; i >= from; i-- {
		if l := strings.TrimSpace(k.pieces[i].text); l != "" && (l[0] != '<' || l[len(l)-1] != '>') && !tool.IsAside(l) {
			k.ends = append(k.ends, int32(i))
			return
		}
	}
}

// keepEnds keeps the line of the last failure and the last lines of the newest results that
// are worth their tokens, one of those that are alike, in at most limit tokens, and returns
// what they take.
func (k *lineChooser) keepEnds(limit int) (spent int) {
	k.take = append(k.take, make([]bool, len(k.pieces)-len(k.take))...)
	ends := slices.Concat(k.ends[max(0, len(k.ends)-mostEnds):], k.failure)
	for _, i := range slices.Backward(ends) {
		p := &k.pieces[i]
		if cost := p.cost + headCost + k.changes.cost(p.owner); spent+cost <= limit && k.taken[p.form] == 0 && endWorth/float64(p.cost+2) >= k.minWorth {
			spent += cost
			k.spent[p.owner] += cost
			k.keep(i)
		}
	}
	return spent
}

func (k *lineChooser) keep(i int32) {
	p := &k.pieces[i]
	k.take[i], k.opened[p.owner] = true, true
	if k.closely {
		k.taken[p.form]++
	}
	how := bare
	if p.plain {
		how = spoken
	}
	for _, v := range p.vals {
		k.stands[v] = max(k.stands[v], how)
	}
}
