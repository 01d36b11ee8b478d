package summary

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// claim is a statement taken apart: what it is about, what it says of it, and
// whether it takes something older back.
type claim struct {
	n     int
	words set      // stems of what it is about
	vals  set      // lower-case values: numbers, names, paths, quoted text
	set   string   // the one value it assigns: "port is 8080", "TTL=5"; "" for none
	unit  string   // of set: "30 seconds"
	firm  bool     // the words leave no doubt that set is assigned
	count bool     // states a number
	sized bool     // states a number with a unit
	subj  set      // stems of what set is assigned to: its nearest name
	outer set      // and of what stands around that: "timeout for the upload"
	seq   []string // its stems in order, "" for a word that says nothing
	inSeq uint64   // the bits of those
	nouns []noun   // what it counts
	gone  set      // stems and values it takes back: "instead of X"
	cue   bool     // says that something changes
	also  bool     // says that it adds to what stands
	never bool     // forbids
	allow bool     // permits
}

// noun is the stem of what a number counts: "4 workers".
type noun struct{ number, stem string }

// counts is the stem of what a number of the claim counts, "" when it counts nothing.
func (c *claim) counts(number string) string {
	for i := len(c.nouns) - 1; i >= 0; i-- {
		if c.nouns[i].number == number {
			return c.nouns[i].stem
		}
	}
	return ""
}

// maxClaim bounds what of a statement is looked at, in words.
const maxClaim = 60

// token is one word of a statement.
type token struct {
	low   string // lower case, without quotes
	stem  string
	val   bool // a value rather than a word
	num   bool // a number, perhaps with a unit
	end   bool // ends a clause
	colon bool // a colon stands after it: nothing beyond is taken back
	stop  bool // says nothing about a subject
}

func parseClaim(text string, n int) claim {
	ts := tokens(text)
	low := " " + lowMarks(text) + " "
	said := phrasesIn(low)
	c := claim{
		n: n, seq: make([]string, 0, len(ts)+4),
		cue:   said&cuePhrase != 0 || strings.HasSuffix(strings.TrimRight(low, ". "), " now"),
		also:  said&alsoPhrase != 0 || strings.HasSuffix(strings.TrimRight(low, ". "), " too"),
		never: said&(neverPhrase|exclusivePhrase) == neverPhrase,
		allow: said&allowPhrase != 0,
	}
	skip := c.retire(ts)
	c.assignment(ts, skip)
	for i := range ts {
		t := &ts[i]
		c.sequence(t)
		switch {
		case skip[i]:
		case t.val:
			c.vals.add(t.low)
		case !t.stop && t.stem != "":
			c.words.add(t.stem)
		}
	}
	return c
}

func (c *claim) sequence(t *token) {
	w := t.stem
	if t.stop {
		w = ""
	}
	c.seq = append(c.seq, w)
	c.inSeq |= bitOf(sumOf(w))
	if t.end {
		c.seq = append(c.seq, "")
		c.inSeq |= bitOf(sumOf(""))
	}
}

// assignment finds the value that is given to something, and to what: "the port
// is 8080", "8080 for the port".
func (c *claim) assignment(ts []token, skip []bool) {
	for i := range ts {
		if skip[i] || !ts[i].val {
			continue
		}
		next := i + 1
		unit := ""
		if next < len(ts) && units[ts[next].low] && !ts[i].end {
			unit = ts[next].stem
			next++
		}
		if subj, outer, firm := subjectOf(ts, skip, i, next); subj.len() > 0 && (c.set == "" || firm && !c.firm) {
			c.set, c.unit, c.subj, c.outer, c.firm = ts[i].low, unit, subj, outer, firm
		}
		if ts[i].num && unit == "" && next < len(ts) && !ts[i].end && !ts[next].stop && !ts[next].val {
			c.nouns = append(c.nouns, noun{ts[i].low, ts[next].stem})
		}
		if ts[i].num && (i == 0 || ts[i-1].stem != "line") {
			c.count, c.sized = true, c.sized || unit != ""
		}
	}
}

// subjectOf finds what the value at i is given to; next is the position after it
// and its unit. It looks for a link before ("the port is 8080"), one after ("8080
// for the port", "8080 wins for the port"), or none ("make the port 8080").
func subjectOf(ts []token, skip []bool, i, next int) (subj, outer set, firm bool) {
	marker, firm := assigns(ts, i)
	after := linkAfter(ts, next)
	switch {
	case marker >= 0 && after < 0:
		subj, outer = phraseBefore(ts, skip, marker)
		return subj, outer, firm
	case marker >= 0:
		inner, around := phraseBefore(ts, skip, marker)
		for _, w := range around.of {
			inner.add(w)
		}
		return phraseAfter(ts, skip, after+1), inner, true
	case after >= 0:
		return phraseAfter(ts, skip, after+1), set{}, true
	case (next >= len(ts) || ts[next-1].end) && !strings.ContainsAny(ts[i].low, "_/"):
		return clauseBefore(ts, skip, i), set{}, false
	}
	return set{}, set{}, false
}

// clauseBefore collects all words before i in its clause: without a link there
// is no telling which of them name the subject.
func clauseBefore(ts []token, skip []bool, i int) (subj set) {
	named := false
	for k := i - 1; k >= 0 && !ts[k].end && !skip[k]; k-- {
		named = named || determiners[ts[k].low]
		if !ts[k].stop && ts[k].stem != "" {
			subj.add(ts[k].stem)
		}
	}
	if subj.len() < 2 || !named {
		return set{}
	}
	return subj
}

// linkAfter is the position of a word that links the value before next to what
// follows, at most one word apart, or -1.
func linkAfter(ts []token, next int) int {
	for k := next; k < len(ts) && k <= next+1 && !ts[k-1].end; k++ {
		switch ts[k].low {
		case "for", "as", "on":
			return k
		case "is", "are", "becomes", "the":
			if k == next && (ts[k].low == "the" || k+1 < len(ts) && determiners[ts[k+1].low]) {
				return k
			}
		}
	}
	return -1
}

var units = wordSet(`ms millisecond milliseconds second seconds sec secs minute minutes min mins hour hours hr hrs day days week weeks month months kb mb gb tb bytes percent
	px usd eur dollars euros`)

var determiners = wordSet("the a an our my your its their this that these those all every each")

// phraseBefore collects the words before a marker, back to a determiner or the
// start of the clause; beyond "for the" and its like they are the outer ones.
func phraseBefore(ts []token, skip []bool, marker int) (subj, outer set) {
	into := &subj
	for k := marker - 1; k >= 0 && k >= marker-10; k-- {
		t := &ts[k]
		if t.end || skip[k] {
			break
		}
		if determiners[t.low] && into.len() > 0 {
			if k == 0 || !joins[ts[k-1].low] {
				break
			}
			into = &outer
		}
		if !t.stop && t.stem != "" {
			into.add(t.stem)
		}
	}
	return subj, outer
}

// joins link the parts of one name: "the timeout for the upload".
var joins = wordSet("for of in on at")

// phraseAfter collects the words of the phrase that starts at k.
func phraseAfter(ts []token, skip []bool, k int) (subj set) {
	for ; k < len(ts) && subj.len() < 5 && !skip[k]; k++ {
		t := &ts[k]
		if !t.stop && t.stem != "" {
			subj.add(t.stem)
		} else if subj.len() > 0 && !determiners[t.low] && !joins[t.low] {
			break
		}
		if t.end {
			break
		}
	}
	return subj
}

// lowMarks is a text in lower case with punctuation turned into spaces, so that
// phrases are found by word.
func lowMarks(text string) string {
	b := make([]byte, 0, len(text))
	for i := range len(text) {
		c := text[i]
		switch {
		case c >= utf8.RuneSelf:
			return strings.Map(lowMark, text)
		case c >= 'A' && c <= 'Z':
			c |= 0x20
		case marksWord[c]:
			c = ' '
		}
		b = append(b, c)
	}
	return string(b)
}

var marksWord = [256]bool{',': true, ';': true, ':': true, '!': true, '?': true, '(': true, ')': true, '"': true, '\t': true}

func lowMark(r rune) rune {
	switch r = unicode.ToLower(r); {
	case r < utf8.RuneSelf && marksWord[r]:
		return ' '
	case r == '’':
		return '\''
	}
	return r
}

// retire marks what the statement takes back, and returns those positions.
func (c *claim) retire(ts []token) []bool {
	skip := make([]bool, len(ts))
	for i := range ts {
		from := retireAt(ts, i)
		if from == 0 || ts[from-1].end {
			continue
		}
		taken := 0
		for j := from; j < len(ts) && taken < 4; j++ {
			t := &ts[j]
			if taken > 0 && (stopsRetiring(t.low) || determiners[t.low]) {
				break
			}
			skip[j] = true
			if t.val || (!t.stop && t.stem != "") {
				taken++
				c.takeBack(t.low)
				c.takeBack(t.stem)
			}
			if t.end || t.colon {
				break
			}
		}
		c.cue = c.cue || taken > 0
	}
	return skip
}

func (c *claim) takeBack(w string) {
	if w != "" {
		c.gone.add(w)
	}
}

// retireAt returns where the words taken back start when a marker stands at i,
// else 0.
func retireAt(ts []token, i int) int {
	next := func(k int) string {
		if i+k < len(ts) {
			return ts[i+k].low
		}
		return ""
	}
	switch ts[i].low {
	case "instead", "rid":
		if next(1) == "of" {
			return i + 2
		}
	case "than":
		if i > 0 && (ts[i-1].low == "rather" || ts[i-1].low == "better" || ts[i-1].low == "other") {
			return i + 1
		}
	case "longer":
		if i > 0 && ts[i-1].low == "no" {
			return i + 1
		}
	case "from":
		if hasSoon(ts, i+1, "to") || i > 0 && (ts[i-1].low == "down" || ts[i-1].low == "up") {
			return i + 1
		}
	case "replace", "replaces", "replacing", "supersedes", "overrides", "drop", "forget", "scrap", "ditch", "abandon", "was", "previously", "formerly", "not":
		if ts[i].low != "not" || i > 0 && !auxiliary[ts[i-1].low] && next(1) != "" && !stop[next(1)] {
			return i + 1
		}
	case "stop":
		return i + 1
	case "away":
		if next(1) == "from" {
			return i + 2
		}
	case "place":
		if i > 0 && ts[i-1].low == "in" && next(1) == "of" {
			return i + 2
		}
	}
	return 0
}

var auxiliary = wordSet("do does did must should can could will would may might is are was be need have has am")

func hasSoon(ts []token, i int, word string) bool {
	for j := i; j < len(ts) && j < i+5; j++ {
		if ts[j].low == word {
			return j > i
		}
		if ts[j].end {
			return false
		}
	}
	return false
}

func stopsRetiring(w string) bool {
	switch w {
	case "to", "with", "for", "by", "in", "on", "and", "but", "as", "because", "since", "so", "use", "go", "when", "at":
		return true
	}
	return false
}

// assigns returns the position of the word that links the value at i to what
// stands before it, or -1; firm when the link can mean nothing else.
func assigns(ts []token, i int) (marker int, firm bool) {
	for j := i - 1; j >= 0 && j >= i-3; j-- {
		if ts[j].end {
			return -1, false
		}
		switch ts[j].low {
		case "is", "are", "=", ":", "be", "to", "becomes", "become", "stays", "equals", "->":
			return j, true
		case "at", "most", "least", "max", "maximum", "min", "minimum", "limit", "under", "below", "within", "exactly", "than", "uses", "use", "of", "on", "by", "version":
			return j, false
		case "a", "an", "the", "only", "about", "up", "just", "now":
		default:
			return -1, false
		}
	}
	return -1, false
}

// tokens splits a statement into words and values.
func tokens(text string) []token {
	ts := make([]token, 0, 16)
	for i := 0; i < len(text) && len(ts) < maxClaim; {
		c := text[i]
		if strings.HasPrefix(text[i:], "->") || strings.HasPrefix(text[i:], "→") {
			ts = append(ts, token{low: "->"})
			i += 2 + int(c>>7)
			continue
		}
		if c == '=' || c == ':' && i+1 < len(text) && text[i+1] == ' ' {
			if len(ts) > 0 {
				ts[len(ts)-1].colon = true
			}
			ts = append(ts, token{low: string(c)})
			i++
			continue
		}
		if !tokenByte(c) {
			if len(ts) > 0 && (c == ',' || c == ';' || c == '!' || c == '?') {
				ts[len(ts)-1].end = true
			}
			i++
			continue
		}
		j := i
		for j < len(text) && tokenByte(text[j]) {
			j++
		}
		ts = append(ts, tokenOf(text, i, j, len(ts) == 0))
		i = j
	}
	return ts
}

func tokenByte(c byte) bool {
	return c >= 0x80 || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || strings.IndexByte("_-./@#$%+~'", c) >= 0
}

func tokenOf(text string, i, j int, first bool) token {
	w := strings.TrimRight(text[i:j], ".-'/~")
	end := j < len(text) && strings.IndexByte(",;!?)", text[j]) >= 0 || strings.HasSuffix(text[i:j], ".")
	w = strings.TrimLeft(w, "'-")
	w = strings.TrimSuffix(w, "'s")
	t := token{low: strings.ToLower(w), end: end}
	t.stop = stop[t.low]
	if w == "" {
		return t
	}
	quoted := i > 0 && (text[i-1] == '`' || text[i-1] == '"')
	t.num = isNumeric(w)
	t.val = t.num || quoted || isValueWord(w, first)
	t.stem = stem(t.low)
	return t
}

// isNumeric is true for numbers with or without sign, unit or currency.
func isNumeric(w string) bool {
	digits, letters := 0, 0
	for i := 0; i < len(w); i++ {
		switch c := w[i]; {
		case c >= '0' && c <= '9':
			digits++
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			letters++
		}
	}
	lead := strings.TrimLeft(w, "$#+-~v€£")
	return digits > 0 && letters <= 3 && lead != "" && lead[0] >= '0' && lead[0] <= '9'
}

// isValueWord is true for what names one particular thing: it holds digits or
// joins, is an identifier, or is written with capitals inside a sentence.
func isValueWord(w string, first bool) bool {
	upper, joins := 0, 0
	for i := 0; i < len(w); i++ {
		switch c := w[i]; {
		case c >= '0' && c <= '9' || c == '_' || c == '/' || c == '@' || c == '#' || c == '$':
			return true
		case c == '.' || c == '+':
			joins++
		case c >= 'A' && c <= 'Z':
			upper++
		}
	}
	capital := w[0] >= 'A' && w[0] <= 'Z'
	return joins > 0 || upper > 1 || (upper == 1 && !capital) || (capital && !first && len(w) > 1 && !stop[strings.ToLower(w)])
}

// stem takes common endings off, enough to compare two statements.
func stem(w string) string {
	n := len(w)
	switch {
	case n > 5 && strings.HasSuffix(w, "ing"):
		w = w[:n-3]
	case n > 4 && strings.HasSuffix(w, "ies"):
		w = w[:n-3] + "y"
	case n > 4 && strings.HasSuffix(w, "ed"):
		w = w[:n-2]
	case n > 4 && strings.HasSuffix(w, "es"):
		w = w[:n-2]
	case n > 3 && strings.HasSuffix(w, "s") && w[n-2] != 's':
		w = w[:n-1]
	}
	if n := len(w); n > 4 && w[n-1] == 'e' {
		w = w[:n-1]
	}
	if n := len(w); n > 4 && w[n-1] == w[n-2] {
		w = w[:n-1]
	}
	return w
}
