package extract

import (
	"strings"
	"unicode"
)

// tongue counts words by language, as phrases of English mean something else elsewhere:
// what is written in another language is kept as requests and values, and not read for
// demands, decisions and what is left to do.
type tongue struct{ english, other int }

// foreign reports whether the conversation is not in English so far.
func (g *tongue) foreign() bool { return g.other >= 2 && g.other > g.english }

// maxTongue is how many bytes of a text tell its language.
const maxTongue = 2000

// hear counts the words of a text.
func (g *tongue) hear(text string) {
	for w := range strings.FieldsFuncSeq(cut(text, maxTongue), func(c rune) bool { return !unicode.IsLetter(c) && c != '\'' }) {
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
		case english[w]:
			g.english++
		case elsewhere[w]:
			g.other++
		}
	}
}

// english and elsewhere are the words that tell: the ones that hardly a sentence is without.
var english, elsewhere = wordSet(`the is it to and of this that you for with we i'll should please have not be are from on can what let i was if when my`),
	wordSet(`der die das und nicht ist ein eine einen für mit auf zu den dem bitte wir ich auch noch jetzt
		el los las que por para con una del es en se lo esta este ahora pero
		le les des est pas une dans et pour avec vous nous sur qui
		il che di non per sono della questo
		os não em um uma isso você het een niet van voor och att det som`)

func wordSet(list string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		m[w] = true
	}
	return m
}
