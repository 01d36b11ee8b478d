package contradict

import "slices"

// maxRetracted bounds how many words one phrase takes back.
const maxRetracted = 4

// retract notes the words that the statement takes back ("instead of X", "no longer
// X") and returns a mark for each of their tokens.
func (s *Statement) retract(ts []token) []bool {
	skip := make([]bool, len(ts))
	for i := range ts {
		from := retractedFrom(ts, i)
		if from == 0 || ts[from-1].end {
			continue
		}
		taken := 0
		for j := from; j < len(ts) && taken < maxRetracted; j++ {
			t := &ts[j]
			if taken > 0 && (endsRetraction[t.low] || determiners[t.low]) {
				break
			}
			skip[j] = true
			if t.val || (!t.stop && t.stem != "") {
				taken++
				s.takeBack(t.low)
				s.takeBack(t.stem)
			}
			if t.end || t.colon {
				break
			}
		}
		s.changes = s.changes || taken > 0
	}
	return skip
}

func (s *Statement) takeBack(w string) {
	if w != "" {
		s.retracted.add(w)
	}
}

// retraction says around which words a word takes back what follows.
type retraction struct {
	after []string // one of these stands before it; empty = anything
	then  string   // stands after it and is skipped; "" = nothing
	when  func(ts []token, i int) bool
}

var retractions = map[string][]retraction{
	"instead": {{then: "of"}},
	"rid":     {{then: "of"}},
	"place":   {{after: []string{"in"}, then: "of"}},
	"away":    {{then: "from"}},
	"than":    {{after: []string{"rather", "better", "other"}}},
	"longer":  {{after: []string{"no"}}},
	"from":    {{after: []string{"down", "up"}}, {when: toFollows}},
	"not":     {{when: negatesName}},
	"replace": {{}}, "replaces": {{}}, "replacing": {{}}, "supersedes": {{}}, "overrides": {{}}, "drop": {{}}, "forget": {{}}, "scrap": {{}},
	"nicht": {{when: negatesNumber}}, "niet": {{when: negatesNumber}}, "pas": {{when: negatesNumber}}, "nie": {{when: negatesNumber}}, "inte": {{when: negatesNumber}}, "не": {{when: negatesNumber}},
	"ditch": {{}}, "abandon": {{}}, "was": {{}}, "previously": {{}}, "formerly": {{}}, "stop": {{}},
}

// retractedFrom returns where the words taken back start when a phrase that takes
// back stands at i, else 0.
func retractedFrom(ts []token, i int) int {
	for _, r := range retractions[ts[i].low] {
		if from := r.match(ts, i); from > 0 {
			return from
		}
	}
	return 0
}

func (r retraction) match(ts []token, i int) int {
	from := i + 1
	if len(r.after) > 0 && (i == 0 || !slices.Contains(r.after, ts[i-1].low)) || r.when != nil && !r.when(ts, i) {
		return 0
	}
	if r.then != "" {
		if from == len(ts) || ts[from].low != r.then {
			return 0
		}
		from++
	}
	return from
}

// negatesName reports whether a "not" stands before a name: "X, not Y", but not "do not".
func negatesName(ts []token, i int) bool {
	return i > 0 && !auxiliaries[ts[i-1].low] && i+1 < len(ts) && ts[i+1].low != "" && !stopWords[ts[i+1].low]
}

// negatesNumber reports whether a word for "not" of another language stands before a number.
func negatesNumber(ts []token, i int) bool { return i+1 < len(ts) && isNumeric(ts[i+1].low) }

// toFollows reports whether a "to" follows in the clause: "from 5 to 7".
func toFollows(ts []token, i int) bool {
	for j := i + 1; j < len(ts) && j < i+6; j++ {
		if ts[j].low == "to" {
			return j > i+1
		}
		if ts[j].end {
			return false
		}
	}
	return false
}
