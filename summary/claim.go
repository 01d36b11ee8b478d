package summary

import (
	"strings"
)

// claim is a statement taken apart: what it is about, what it says of it, and
// whether it takes something older back.
type claim struct {
	n     int
	words map[string]bool   // stems of what it is about
	about []string          // the same as a list
	vals  map[string]bool   // lower-case values: numbers, names, paths, quoted text
	set   string            // the one value it assigns: "port is 8080", "TTL=5"; "" for none
	unit  string            // of set: "30 seconds"
	firm  bool              // the words leave no doubt that set is assigned
	count bool              // states a number
	sized bool              // states a number with a unit
	subj  map[string]bool   // stems of what set is assigned to: its nearest name
	outer map[string]bool   // and of what stands around that: "timeout for the upload"
	seq   []string          // its stems in order, "" for a word that says nothing
	noun  map[string]string // number → stem of the noun it counts: "4 workers"
	gone  map[string]bool   // stems and values it takes back: "instead of X"
	cue   bool              // says that something changes
	also  bool              // says that it adds to what stands
	never bool              // forbids
	allow bool              // permits
	bits  claimBits
}

// claimBits are a bit for each member of a claim's sets, which several may share:
// most pairs of statements are told apart by these alone.
type claimBits struct{ words, vals, gone, subj, seq uint64 }

func bitOf(w string) uint64 {
	h := uint32(2166136261) // FNV-1a
	for i := range len(w) {
		h = (h ^ uint32(w[i])) * 16777619
	}
	return 1 << (h >> 26)
}

func bitsOf(set map[string]bool) (m uint64) {
	for w := range set {
		m |= bitOf(w)
	}
	return m
}

// mark sets the bits of what the claim holds.
func (c *claim) mark() {
	c.bits = claimBits{words: bitsOf(c.words), vals: bitsOf(c.vals), gone: bitsOf(c.gone), subj: bitsOf(c.subj)}
	for _, w := range c.seq {
		c.bits.seq |= bitOf(w)
	}
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
}

func parseClaim(text string, n int) claim {
	ts := tokens(text)
	c := claim{n: n, words: map[string]bool{}, vals: map[string]bool{}, gone: map[string]bool{}, noun: map[string]string{}, seq: make([]string, 0, len(ts)+4)}
	low := " " + strings.Map(spaceMarks, strings.ToLower(text)) + " "
	c.cue = hasPhrase(low, cuePhrases) || strings.HasSuffix(strings.TrimRight(low, ". "), " now")
	c.also = hasPhrase(low, alsoPhrases) || strings.HasSuffix(strings.TrimRight(low, ". "), " too")
	c.never = hasPhrase(low, neverPhrases) && !hasPhrase(low, exclusivePhrases)
	c.allow = hasPhrase(low, allowPhrases)
	skip := c.retire(ts)
	c.assignment(ts, skip)
	for i, t := range ts {
		c.sequence(ts, i)
		switch {
		case skip[i]:
		case t.val:
			c.vals[t.low] = true
		case !stop[t.low] && t.stem != "":
			if !c.words[t.stem] {
				c.words[t.stem] = true
				c.about = append(c.about, t.stem)
			}
		}
	}
	c.mark()
	return c
}

func (c *claim) sequence(ts []token, i int) {
	if t := ts[i]; stop[t.low] {
		c.seq = append(c.seq, "")
	} else {
		c.seq = append(c.seq, t.stem)
	}
	if !ts[i].end {
		return
	}
	c.seq = append(c.seq, "")
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
		if subj, outer, firm := subjectOf(ts, skip, i, next); len(subj) > 0 && (c.set == "" || firm && !c.firm) {
			c.set, c.unit, c.subj, c.outer, c.firm = ts[i].low, unit, subj, outer, firm
		}
		if ts[i].num && unit == "" && next < len(ts) && !ts[i].end && !stop[ts[next].low] && !ts[next].val {
			c.noun[ts[i].low] = ts[next].stem
		}
		if ts[i].num && (i == 0 || ts[i-1].stem != "line") {
			c.count, c.sized = true, c.sized || unit != ""
		}
	}
}

// subjectOf finds what the value at i is given to; next is the position after it
// and its unit. It looks for a link before ("the port is 8080"), one after ("8080
// for the port", "8080 wins for the port"), or none ("make the port 8080").
func subjectOf(ts []token, skip []bool, i, next int) (subj, outer map[string]bool, firm bool) {
	marker, firm := assigns(ts, i)
	after := linkAfter(ts, next)
	switch {
	case marker >= 0 && after < 0:
		subj, outer = phraseBefore(ts, skip, marker)
		return subj, outer, firm
	case marker >= 0:
		inner, around := phraseBefore(ts, skip, marker)
		return phraseAfter(ts, skip, after+1), union(inner, around), true
	case after >= 0:
		return phraseAfter(ts, skip, after+1), nil, true
	case (next >= len(ts) || ts[next-1].end) && !strings.ContainsAny(ts[i].low, "_/"):
		return clauseBefore(ts, skip, i), nil, false
	}
	return nil, nil, false
}

func union(a, b map[string]bool) map[string]bool {
	for w := range b {
		a[w] = true
	}
	return a
}

// clauseBefore collects all words before i in its clause: without a link there
// is no telling which of them name the subject.
func clauseBefore(ts []token, skip []bool, i int) map[string]bool {
	subj := map[string]bool{}
	named := false
	for k := i - 1; k >= 0 && !ts[k].end && !skip[k]; k-- {
		named = named || determiners[ts[k].low]
		if !stop[ts[k].low] && ts[k].stem != "" {
			subj[ts[k].stem] = true
		}
	}
	if len(subj) < 2 || !named {
		return nil
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
func phraseBefore(ts []token, skip []bool, marker int) (subj, outer map[string]bool) {
	subj, outer = map[string]bool{}, map[string]bool{}
	into := subj
	for k := marker - 1; k >= 0 && k >= marker-10; k-- {
		t := ts[k]
		if t.end || skip[k] {
			break
		}
		if determiners[t.low] && len(into) > 0 {
			if k == 0 || !joins[ts[k-1].low] {
				break
			}
			into = outer
		}
		if !stop[t.low] && t.stem != "" {
			into[t.stem] = true
		}
	}
	return subj, outer
}

// joins link the parts of one name: "the timeout for the upload".
var joins = wordSet("for of in on at")

// phraseAfter collects the words of the phrase that starts at k.
func phraseAfter(ts []token, skip []bool, k int) map[string]bool {
	subj := map[string]bool{}
	for ; k < len(ts) && len(subj) < 5 && !skip[k]; k++ {
		t := ts[k]
		if !stop[t.low] && t.stem != "" {
			subj[t.stem] = true
		} else if len(subj) > 0 && !determiners[t.low] && !joins[t.low] {
			break
		}
		if t.end {
			break
		}
	}
	return subj
}

// spaceMarks turns punctuation into spaces, so that phrases are found by word.
func spaceMarks(r rune) rune {
	switch r {
	case ',', ';', ':', '!', '?', '(', ')', '"', '\t':
		return ' '
	case '’':
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
			t := ts[j]
			if taken > 0 && (stopsRetiring(t.low) || determiners[t.low]) {
				break
			}
			skip[j] = true
			if t.val || (!stop[t.low] && t.stem != "") {
				taken++
				c.gone[t.low], c.gone[t.stem] = true, true
			}
			if t.end || t.colon {
				break
			}
		}
		c.cue = c.cue || taken > 0
	}
	delete(c.gone, "")
	return skip
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
