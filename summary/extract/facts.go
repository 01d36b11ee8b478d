package extract

import (
	"strings"

	"github.com/seed-3db51b0e/precis/identifier"
	"github.com/seed-3db51b0e/precis/summary"
)

// factKind reports whether a statement of a user is kept, and as what.
func factKind(s sentence, low string, in triggers, n int) (summary.FactKind, bool) {
	if n < 2 || n > maxFactWords || isFragment(s.text, low) || in&binding == 0 && demandsNothing(low) || givesReason(s.text, low) || isBareCondition(s.text, low) {
		return "", false
	}
	if in&binding == 0 && reports(low) {
		in = 0
	}
	question := strings.HasSuffix(s.text, "?")
	switch {
	case !question && in&stays == 0 && asksFirst(s.text):
		return "", false
	case question && in&(change|stays) == 0:
		return "", false
	case question && in&stays == 0:
		return summary.Plain, hasValue(s.text)
	case in&binding != 0:
		return summary.Constraint, true
	case in&weakly != 0 && hasValue(s.text):
		return summary.Constraint, true
	case in&preference != 0:
		return summary.Preference, true
	case (in&change != 0 || isSetting(s.text, low)) && hasValue(s.text):
		return summary.Constraint, true
	case in&wished != 0 && hasValue(s.text):
		return summary.Preference, true
	case isPlainFact(s.text, low, n):
		return summary.Plain, true
	}
	return "", false
}

// asksFirst reports whether a statement is a question with what is to be done in one of its cases, and no rule for that.
func asksFirst(text string) bool {
	end := sentenceEnd(text)
	if end == len(text) || text[end-1] != '?' || asksToLeave(lowered(strings.ToLower(text[:end]))) {
		return false
	}
	does := text[end:]
	if _, then, ok := strings.Cut(does, ", "); ok {
		does = then
	}
	return triggersIn(lowered(does))&binding == 0
}

// maxFactWords is how many words a statement has that is kept; a plain fact has maxPlainWords.
const (
	maxFactWords  = 90
	maxPlainWords = 39
)

// isFragment reports whether a statement says nothing by itself: it needs what stands before or behind
// it, or is pasted.
func isFragment(text, low string) bool {
	return startsAny(low, fragments) || strings.HasSuffix(text, ":") || isPasted(text)
}

// demandsNothing reports whether a statement thanks or supposes.
func demandsNothing(low string) bool { return startsAny(low, thanks) || supposes(low) }

// isSetting reports whether a statement begins with an imperative that sets something.
func isSetting(text, low string) bool {
	return startsAny(low, settings) && !isLabel(text) || strings.HasPrefix(text, "No, ") && startsAny(strings.TrimPrefix(low, " no"), settings)
}

// isPlainFact reports whether a statement of n words tells something particular that is: it asks for
// nothing, and is no line of a log. low is without what demands nothing, behind which a "but" tells.
func isPlainFact(text, low string, n int) bool {
	if n <= 2 || n > maxPlainWords || !hasValue(text) || isBlank(text) || isLogLine(text) || asksFor(text, low) {
		return false
	}
	return low == lowered(text) || strings.Contains(low, " but ")
}

// asksFor reports whether a statement begins as a request or a question, with or without a label.
func asksFor(text, low string) bool {
	return isLabelledRequest(text) || startsAny(low, requestStarts) || startsAny(low, asking)
}

// isLabelledRequest reports whether a statement asks for something behind a label: "Request 3: please
// read the file".
func isLabelledRequest(text string) bool {
	label, rest, ok := strings.Cut(text, ": ")
	if !ok || words(label) > maxLabelWords {
		return false
	}
	low := lowered(rest)
	first, _, _ := strings.Cut(low[1:], " ")
	return startsAny(low, requestStarts) || oneTimeVerbs[first] || makeVerbs[first] || first == "please"
}

// isLogLine reports whether a statement is a line of a log or of a listing: it begins with a position in
// a file, a time or the number of a line, or is an arrow between names.
func isLogLine(text string) bool {
	first, rest, _ := strings.Cut(text, " ")
	next, _, _ := strings.Cut(rest, " ")
	name, at, ok := strings.Cut(first, ":")
	switch {
	case ok && at != "" && isDigit(at[0]) && strings.Contains(name, "."), logLineWords[first]:
		return true
	case len(first) >= len("2006-01-02") && first[4] == '-' && first[7] == '-' && isDigit(first[0]) && (len(first) > len("2006-01-02") || next != "" && isDigit(next[0])):
		return true
	case strings.EqualFold(first, "line") && strings.HasSuffix(next, ":") && isDigit(next[0]):
		return true
	}
	return next == "->" && words(text) <= 4
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// supposes reports whether a user supposes something, rather than states it.
func supposes(low string) bool {
	return startsAny(low, opinions) || strings.HasSuffix(low, " i suppose ") || strings.HasSuffix(low, " i guess ") || strings.HasSuffix(low, " i think ")
}

// reports reports whether a statement tells what was tried and what came of it, or that a program
// cannot do something, rather than what is to be.
func reports(low string) bool {
	has := func(p string) bool { return strings.Contains(low, p) }
	if saysAny(low, orderWords) {
		return false
	}
	return startsAny(low, triedOpenings) && saysAny(low, resultWords) || has(" says it can't ") || has(" says it cannot ") && !has(" cannot be ")
}

// isNameAt reports whether a word with a capital stands inside a sentence: not "I'm", whatever its apostrophe.
func isNameAt(s string, i int) bool {
	return i > 1 && s[i-1] == ' ' && strings.IndexByte(".!?", s[i-2]) < 0 && i+1 < len(s) && s[i+1] >= 'A' && !strings.HasPrefix(s[i+1:], "’")
}

// isBlank reports whether a statement leaves open what stands behind its label: "Date of Birth: [your date of birth]".
func isBlank(text string) bool {
	_, value, ok := strings.Cut(strings.TrimRight(text, "."), ": ")
	return ok && strings.HasPrefix(value, "[") && strings.HasSuffix(value, "]") && strings.Contains(value, " ")
}

// hasValue reports whether a text names something particular: an identifier, a
// number, or a name written with a capital inside the sentence.
func hasValue(s string) bool {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= '0' && c <= '9' || c == '`' || c == '"':
			return true
		case c >= 'A' && c <= 'Z' && isNameAt(s, i):
			return true
		}
	}
	found := false
	identifier.Scan(s, func(identifier.Kind, int, int) { found = true })
	return found
}
