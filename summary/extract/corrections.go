package extract

import (
	"slices"
	"strings"
)

// correctsValue reports whether a statement says no more than another value for what the one before it says:
// "Use port 8080. No, 8081." Neither tells what holds without the other.
func correctsValue(text, before string) bool {
	if !hasValue(before) || endsAny(text, asked) || endsAny(before, asked) {
		return false
	}
	if rest, ok := cutAny(text, correctingHeads); ok {
		return len(rest) <= maxCorrectionBytes && hasDigit(rest) && hasDigit(before)
	}
	said := strings.Fields(text)
	n := 0
	for n < len(said) && isOneOf(said[n], denials, correctingHead) {
		n++
	}
	rest := said[n:]
	if n == 0 || len(rest) == 0 || len(rest) > maxCorrected || strings.IndexByte(",:;", said[n-1][len(said[n-1])-1]) < 0 {
		return false
	}
	last := len(rest) - 1
	if hasDigit(before) {
		return hasDigit(rest[last]) && (last == 0 || isOneOf(rest[0], correctingWords))
	}
	return last == 0 && hasValue("is "+rest[0])
}

// isOneOf reports whether a word, whatever stands around it, is in one of some sets.
func isOneOf(word string, sets ...map[string]bool) bool {
	word = bareWord(strings.ToLower(word))
	return slices.ContainsFunc(sets, func(set map[string]bool) bool { return set[word] })
}

// A correction has so many words behind the word that denies; in a language without blanks, so many bytes.
const (
	maxCorrected       = 3
	maxCorrectionBytes = 40
)

// asked end a question.
var asked = []string{"?", "？"}

// cutAny cuts the first of some heads off a text.
func cutAny(text string, heads []string) (rest string, ok bool) {
	for _, h := range heads {
		if rest, ok = strings.CutPrefix(text, h); ok {
			return rest, true
		}
	}
	return text, false
}

func hasDigit(s string) bool { return strings.ContainsAny(s, "0123456789") }

// besides joins a statement to the one before it, as they stand in the text.
func besides(before, text string) string {
	if endsAny(before, []string{"。", "！"}) {
		return before + text
	}
	return before + " " + text
}
