package extract

import (
	"slices"
	"strings"
)

// bans reports whether a clause of a statement rules something out: "no new dependencies".
func bans(text string) bool {
	if strings.HasSuffix(text, "?") {
		return false
	}
	asked := words(text) <= maxRuleWords && asksWork(lowered(strings.ToLower(text)))
	return slices.ContainsFunc(clausesOf(text), func(said []string) bool {
		return len(said) > 1 && len(said) <= maxBanWords && (bansInEnglish(said) || bansElsewhere(said) || asked && excludes(said))
	})
}

// clausesOf returns the words of each clause of a text, in lower case.
func clausesOf(text string) (clauses [][]string) {
	for clause := range strings.FieldsFuncSeq(strings.ToLower(text), func(c rune) bool { return strings.ContainsRune(",;:–—", c) }) {
		said := strings.Fields(clause)
		for i, w := range said {
			said[i] = bareWord(w)
		}
		clauses = append(clauses, said)
	}
	return clauses
}

// maxBanWords is how many words such a clause has.
const maxBanWords = 8

// asksWork reports whether a lowered statement asks for something to be made, or politely.
func asksWork(low string) bool {
	return asksToMake(low) || saysAny(low, polite)
}

// asksToMake reports whether a lowered statement begins with a verb that asks for something to be made.
func asksToMake(low string) bool {
	first, rest, _ := strings.Cut(low[1:], " ")
	return makeVerbs[first] && !strings.HasPrefix(rest, "sure ")
}

// excludes reports whether a clause of a statement that asks for something begins with what the work
// shall not hold: "no emojis", "without a header".
func excludes(clause []string) bool {
	for len(clause) > 0 && softening[clause[0]] {
		clause = clause[1:]
	}
	if len(clause) < 2 || !excluding[clause[0]] || tells(clause[1:]) {
		return false
	}
	what := clause[1]
	if determiners[what] && len(clause) > 2 {
		what = clause[2]
	}
	what = strings.TrimPrefix(strings.ReplaceAll(what, "’", "'"), "d'")
	return !reported[what] && !sayings[what] && !oneTimeVerbs[what] && !changeVerbs[what] && !makeVerbs[what]
}

func bansInEnglish(clause []string) bool {
	if clause[0] != "no" {
		return false
	}
	what, rest := clause[1], clause[2:]
	if tells(rest) {
		return false
	}
	return barred[what] && len(rest) > 0 && !reported[rest[0]] || forbidden[what]
}

// tells reports whether a clause goes on with a finite verb of its own: it tells what is not so, but
// for one that says what is allowed.
func tells(rest []string) bool {
	for i, w := range rest {
		switch {
		case subordinating[w]:
			return false
		case finite[w]:
			return i+1 == len(rest) || !allowing[rest[i+1]]
		}
	}
	return false
}

func bansElsewhere(clause []string) bool {
	said := strings.Join(clause, " ")
	for _, begin := range barring {
		if rest, ok := strings.CutPrefix(said, begin+" "); ok {
			what, _, _ := strings.Cut(rest, " ")
			return !reported[what]
		}
	}
	return len(clause) > 2 && clause[0] == "yeni" && clause[len(clause)-1] == "yok" && !reported[clause[1]]
}

// corrects reports whether a statement in another language puts a value in the place of another:
// "Nein, nicht 8443, sondern 9443".
func corrects(text string) bool {
	said := strings.Fields(strings.ToLower(text))
	if len(said) < 4 || len(said) > maxCorrectionWords || strings.HasSuffix(text, "?") || strings.IndexFunc(text, func(c rune) bool { return c >= '0' && c <= '9' }) < 0 {
		return false
	}
	not := 0
	if denials[bareWord(said[0])] {
		not = 1
	}
	if !negations[bareWord(said[not])] {
		return false
	}
	return slices.ContainsFunc(said[not+1:], func(w string) bool { return contrasts[bareWord(w)] })
}

// maxCorrectionWords is how many words such a statement has.
const maxCorrectionWords = 12
