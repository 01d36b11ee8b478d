package strategy

import (
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/identifier"
	"github.com/seed-3db51b0e/precis/summary/wording"
)

// piece is a line, or a part of a long line, that may stay in the prompt.
type piece struct {
	*lineFacts
	message int32 // position of the message that it stands in
	base    int32 // worth beside its values, in the steps of Relevance.Of
	joins   bool  // it goes on with the line that the piece before it begins
	result  bool  // of a result of a call
}

// lineFacts holds what is known of a line wherever it stands: outputs repeat theirs.
type lineFacts struct {
	text   string  // as it may stand in a summary
	cost   int     // tokens, line break included; never 0
	values []int32 // their numbers
	form   uint64  // see formOf
	fails  bool    // it tells of an error
	plain  bool    // it has words beside its values
}

func (l *lineFacts) trimmed() string { return strings.TrimSpace(l.text) }

// pieces holds the pieces that are offered, in the order of the log.
type pieces struct {
	mode    lineMode
	count   func(string) int // tokens of a text
	values  *values          // of all texts of the prompt
	list    []piece
	lines   []line                // of the text at hand
	known   map[string]*lineFacts // by line
	ids     []int32               // what lineFacts.values are slices of
	forms   map[uint64]int        // how many pieces have a form
	remarks remarkFinder
}

func newPieces(mode lineMode, vs *values, count func(string) int) *pieces {
	return &pieces{mode: mode, count: count, values: vs, known: map[string]*lineFacts{}, forms: map[uint64]int{}}
}

// bodyKind tells apart the texts whose lines are offered.
type bodyKind int

const (
	matter   bodyKind = iota // a call, or anything else that is neither said nor a result
	output                   // a result of a call
	prose                    // what somebody said
	remarked                 // what the agent said before or beside a call
)

// wordTenths returns how many tenths of a line's worth beside its values count, where lines are
// chosen closely: what somebody says stands in its words, what calls and results hold mostly in their
// values.
func (k bodyKind) wordTenths() int {
	if k == matter || k == output {
		return 1
	}
	return 3
}

// add offers the lines of a text in the message at a position.
func (p *pieces) add(at int, text string, kind bodyKind) {
	p.lines = slices.AppendSeq(p.lines[:0], eachLine(text))
	lines, remarkAt, json := p.lines, -1, isJSON(text)
	if kind == remarked && p.mode == closeBlocks {
		r := p.remarks.find(text)
		lines, remarkAt = r.cut(lines), r.at
	}
	for i := range lines {
		l := lines[i].text
		trimmed := strings.TrimSpace(l)
		if p.mode == closeLines { // blocks keep their indentation
			l = trimmed
		}
		facts := p.factsOf(l)
		worth := base(trimmed, facts.fails, i == 0 || i == len(lines)-1 && !json)
		if p.mode != ladderLines {
			worth = worth * kind.wordTenths() / 10
		}
		if i == remarkAt {
			worth += remarkWorth
		}
		p.forms[facts.form]++
		joins := p.mode == closeBlocks && i > 0 && lines[i].at == lines[i-1].at
		p.list = append(p.list, piece{lineFacts: facts, message: int32(at), base: int32(worth), joins: joins, result: kind == output})
	}
}

// raise makes the last line of a text, of the pieces from a number on, worth more; "" is none.
func (p *pieces) raise(from int, line string) {
	for i := len(p.list) - 1; i >= from && line != ""; i-- {
		if p.list[i].trimmed() == line {
			p.list[i].base += endedWorth
			return
		}
	}
}

// factsOf returns what is known of a line.
func (p *pieces) factsOf(l string) *lineFacts {
	facts := p.known[l]
	if facts == nil {
		facts = p.read(l)
		p.known[l] = facts
	}
	return facts
}

// read reads a line. Only where lines are chosen closely is a word of four letters asked for
// outside its values.
func (p *pieces) read(l string) *lineFacts {
	shown := wording.AsContent(l)
	from, at, found := len(p.ids), 0, p.mode == ladderLines
	identifier.Scan(l, func(_ identifier.Kind, a, b int) {
		found, at = found || wordIn(l[at:a]), b
		if !isUnset(l, b) {
			p.ids = append(p.ids, p.values.id(l[a:b]))
		}
	})
	form := l
	if p.mode != ladderLines {
		form = strings.TrimSpace(l)
	}
	return &lineFacts{
		text: shown, cost: p.count(shown) + 1, values: p.ids[from:len(p.ids):len(p.ids)],
		form: formOf(form), fails: fails(l), plain: found || wordIn(l[at:]),
	}
}

// isUnset reports whether a value of JSON that ends at a place is the name of a member that holds nothing.
func isUnset(text string, end int) bool {
	rest, ok := strings.CutPrefix(text[end:], `":`)
	rest = strings.TrimLeft(rest, " ")
	return ok && slices.ContainsFunc([]string{"null", "[]", "{}", `""`}, func(nothing string) bool { return strings.HasPrefix(rest, nothing) })
}

// cost returns the tokens of a block.
func (p *pieces) cost(b block) (cost int) {
	for _, l := range p.list[b.from:b.to] {
		cost += l.cost
	}
	return cost
}

// The worth of a line beside the values it holds, in the steps of Relevance.Of: of one that tells of a
// failure, of the first or the last of its text, of any, and of one of fewer than shortPiece bytes.
const (
	failureWorth, edgeWorth, anyWorth, shortWorth = 1500, 500, 50, 10
	shortPiece                                    = 4
)

// base is the worth of a line beside the values it holds. edge says that it is the first or the last of
// its text.
func base(l string, failure, edge bool) int {
	switch {
	case l == "":
		return 0
	case failure:
		return failureWorth
	case edge:
		return edgeWorth
	case len(l) < shortPiece:
		return shortWorth
	}
	return anyWorth
}

// wordIn reports whether a text has a word of four letters.
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
