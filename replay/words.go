package replay

import "strings"

// word is a content word of a text: an ASCII-alphabetic run of four letters or
// more that is no stop word and does not lie inside a token value.
type word struct {
	text       string // lower case
	start, end int
}

// words returns the content words of s. vs are its values.
func words(s string, vs []value) []word {
	var ws []word
	next := 0
	for i := 0; i < len(s); {
		if c := s[i] | 0x20; c < 'a' || c > 'z' {
			i++
			continue
		}
		j := i + 1
		for j < len(s) && s[j]|0x20 >= 'a' && s[j]|0x20 <= 'z' {
			j++
		}
		next = skip(vs, next, i)
		if j-i >= 4 && (next == len(vs) || vs[next].Start >= j) {
			if w := strings.ToLower(s[i:j]); !stopWords[w] {
				ws = append(ws, word{w, i, j})
			}
		}
		i = j
	}
	return ws
}

// skip passes the values that end at or before i, and phrases: their words are
// ordinary words.
func skip(vs []value, n, i int) int {
	for n < len(vs) && (vs[n].End <= i || vs[n].Kind == kindPhrase) {
		n++
	}
	return n
}

// stopWords say nothing about where a value came from. The words by which
// pointers and ledgers name what they stand for are among them.
var stopWords = wordSet(`about above after again against also although always another anything around
	because been before being below between both could does doing done down during each either else even
	every from further gave give given gives goes have having here hers herself himself however into itself
	just keep kept know like made make makes many might more most much must myself neither never none
	once only other others ought ours ourselves over please really same shall should since some something
	still such sure take taken than that their theirs them themselves then there these they this those
	through thus together under until upon used uses using very want well were what when where whether which
	while whom whose will with within without would your yours yourself yourselves
	omitted message messages ledger value values pointer summary tokens characters line lines result results
	call calls tool tools output compacted cleared removed precis read bytes chars earlier later seen history
	file files path paths command commands name names identifier identifiers number numbers step steps turn
	turns round rounds section note notes`)
