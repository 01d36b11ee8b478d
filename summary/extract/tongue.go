package extract

import (
	"strings"
	"unicode"

	"github.com/seed-3db51b0e/precis/internal/oneline"
)

// tongue counts words by language, as phrases of English mean something else elsewhere:
// what is written in another language is kept as requests and values, and read for
// demands alone, by words of its own.
type tongue struct{ english, other int }

// foreign reports whether a statement is not in English. One that does not tell is in the
// language of the conversation so far.
func (g *tongue) foreign(statement string) bool {
	if g.other < 2 {
		return false
	}
	var s tongue
	switch s.hear(statement); {
	case s.english > 0 && s.english >= s.other:
		return false
	case s.other >= 2:
		return true
	}
	return g.other > g.english
}

// demands reports whether a statement in another language is worded as a rule.
func demands(statement string) bool {
	low := lowered(strings.ToLower(statement))
	rule := strings.ReplaceAll(low, " immer noch ", " ")
	if !saysOf(low, germanWords, nil) {
		rule = strings.ReplaceAll(rule, " nie ", " ") // "not" in Slavic languages
	}
	return bans(statement) || orders(statement) || corrects(statement) || prohibits(statement) || allowsOnly(statement) || startsAny(low, fromNowOn) ||
		saysAny(strings.ReplaceAll(low, ",", ""), reserving) || saysOf(rule, demanding, demandingAnywhere) && !saysAny(low, recounting)
}

// decides reports whether a statement of the agent in another language settles something.
func decides(statement string) bool {
	return saysOf(statement, deciding, decidingAnywhere)
}

// maxTongue is how many bytes of a text tell its language.
const maxTongue = 2000

// hear counts the words of a text.
func (g *tongue) hear(text string) {
	for w := range strings.FieldsFuncSeq(oneline.Start(text, maxTongue), func(c rune) bool { return !unicode.IsLetter(c) && c != '\'' }) {
		letters := 0 // that English does not have
		for _, c := range w {
			if c > unicode.MaxLatin1 {
				letters++
			} else if c >= 0x80 {
				letters = 1
			}
		}
		switch w = strings.ToLower(w); {
		case letters > 0:
			g.other += (letters + 1) / 2 // without spaces, a word has about two letters
		case englishWords[w]:
			g.english++
		case otherWords[w]:
			g.other++
		}
	}
}
