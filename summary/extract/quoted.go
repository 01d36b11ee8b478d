package extract

import (
	"strings"
	"unicode/utf8"
)

// quoteEnds are the marks of quotes: what may end one that such a mark begins.
var quoteEnds = map[rune]string{'"': `"`, '“': `”"`, '„': "“”\"", '«': "»", '「': "」", '『': "』"}

// A quote that somebody said has so many words at least; in a language without blanks, so many bytes.
const (
	leastQuoted      = 3
	leastQuotedBytes = 12
	mostQuoted       = 4000 // bytes; what has no end by then begins no quote
)

// withoutQuotes returns a line with an x for every byte of what it quotes, so that nothing in it reads as a
// statement of who quotes it, and no sentence ends there. A word in quotes is a name, and stands.
func withoutQuotes(line string) string {
	if !strings.ContainsAny(line, "\"“„«「『") {
		return line
	}
	var b strings.Builder
	for at := 0; at < len(line); {
		c, n := utf8.DecodeRuneInString(line[at:])
		b.WriteString(line[at : at+n])
		quote := 0
		if ends := quoteEnds[c]; ends != "" && mayOpen(line[:at]) {
			quote = max(0, strings.IndexAny(line[at+n:min(len(line), at+n+mostQuoted)], ends))
		}
		at += n
		if inner := strings.TrimSpace(line[at : at+quote]); words(inner) >= leastQuoted || len(inner) >= leastQuotedBytes && inner[0] >= 0x80 {
			b.WriteString(strings.Repeat("x", quote))
			at += quote
		}
	}
	return b.String()
}

// mayOpen reports whether a quote may begin behind a text: no word or number ends it, as in 5".
func mayOpen(before string) bool {
	if before == "" {
		return true
	}
	last := before[len(before)-1]
	return last >= 0x80 || strings.IndexByte(" \t([:,;-=", last) >= 0
}

// splitOwn calls f with the statements of a line, as splitLine does, with what of each is no quote.
func splitOwn(line string, f func(sentence)) {
	masked := withoutQuotes(line)
	if masked == line {
		splitLine(line, func(s sentence) {
			s.own = s.text
			f(s)
		})
		return
	}
	at := 0
	splitLine(masked, func(s sentence) {
		at += max(0, strings.Index(masked[at:], s.text))
		n := len(s.text)
		if s.own, s.text = s.text, line[at:at+n]; takesOn(s.own) {
			s.own = s.text
		}
		at += n
		f(s)
	})
}

// demandKinds are what the user demands, prefers or changes: what is only quoted does not.
const demandKinds = binding | preference | change | weakly | wished

// ownTriggers returns the triggers of a statement without those of demands that stand in its quotes alone, and whether
// nothing else in it demands.
func (s *sentence) ownTriggers(in triggers) (own triggers, quotes bool) {
	if s.own == s.text {
		return in, false
	}
	own = in &^ (demandKinds &^ triggersIn(withoutFalseDemands(lowered(s.own))))
	return own, in&demandKinds != 0 && own&demandKinds == 0
}

// adopting words of the user's make a rule of what they quote.
var adopting = phrases(`rule | rules | policy | motto | principle | remember | follow | obey | stick to | regel | regeln | regla | règle | regola`)

// takesOn reports whether the user makes a rule of what a statement quotes.
func takesOn(own string) bool { return saysAny(lowered(strings.ToLower(own)), adopting) }
