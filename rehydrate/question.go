package rehydrate

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/seed-3db51b0e/precis/identifier"
	"github.com/seed-3db51b0e/precis/plan"
)

// What a shared term is worth, and what a question must share with a hint to
// match it: one path, address, id or identifier; or a name out of code, a number
// or the name of a file in another folder, and one more word; or three words.
const (
	identifierWorth = 3
	codeWorth       = 2
	wordWorth       = 1
	threshold       = 3
	// widespread is how many hints may hold a term before it tells nothing: a
	// tool's name stands in the hint of every result of it.
	widespread = 3
)

// hint holds the terms of a rehydrate hint, with their worth.
type hint struct {
	id    string
	text  string
	terms map[string]int // nil until a question is asked
}

// weigh reads the hints, and takes from them the terms that do not tell them
// apart.
func weigh(hs []hint) {
	n := map[string]int{}
	for i := range hs {
		hs[i].terms = termsOf(hs[i].text)
		for t := range hs[i].terms {
			n[t]++
		}
	}
	for _, h := range hs {
		for t := range h.terms {
			if n[t] > widespread {
				delete(h.terms, t)
			}
		}
	}
}

// question adds what the questions in a text of the user or the agent name, then the artifacts
// whose hints they match, best match first.
func (s *scan) question(text string, by plan.Ref) {
	asked := questions(text)
	if asked == "" {
		return
	}
	s.text(asked, Named, by)
	if s.hints[0].terms == nil { // there is a hint for each artifact
		weigh(s.hints)
	}
	terms := termsOf(asked)
	type match struct {
		id    string
		worth int
	}
	var found []match
	for _, h := range s.hints {
		if w := shared(terms, h.terms); w >= threshold {
			found = append(found, match{h.id, w})
		}
	}
	slices.SortStableFunc(found, func(a, b match) int { return cmp.Compare(b.worth, a.worth) })
	for _, m := range found {
		s.add(m.id, Asked, by)
	}
}

// shared returns what the terms two texts share are worth.
func shared(a, b map[string]int) int {
	n := 0
	for t, w := range a {
		n += min(w, b[t])
	}
	return n
}

// termsOf returns what a text is about: its identifiers as they stand, the names of
// files without their folders, and the content words between them.
func termsOf(text string) map[string]int {
	terms := map[string]int{}
	from := 0
	identifier.Scan(text, func(k identifier.Kind, start, end int) {
		addWords(terms, text[from:start])
		addValue(terms, k, text[start:end])
		from = end
	})
	addWords(terms, text[from:])
	return terms
}

func addValue(terms map[string]int, k identifier.Kind, v string) {
	if k == identifier.Number || k == identifier.Date {
		terms[v] = codeWorth
		return
	}
	terms[v] = identifierWorth
	if name := path.Base(v); k == identifier.Path && terms[name] == 0 {
		terms[name] = codeWorth
	}
}

func addWords(terms map[string]int, text string) {
	words(text, func(w string) {
		if worth := worthOf(w); worth > 0 {
			w = stem(strings.ToLower(w))
			terms[w] = max(terms[w], worth)
		}
	})
}

// words calls f for each longest run of letters, digits and "_".
func words(text string, f func(string)) {
	for w := range strings.FieldsFuncSeq(text, func(r rune) bool {
		return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	}) {
		f(w)
	}
}

// worthOf returns what a word tells: nothing for one that any question or any hint may
// hold, more for one that looks like code.
func worthOf(w string) int {
	letters, code := 0, false
	lower := false
	for _, r := range w {
		switch {
		case unicode.IsLetter(r):
			letters++
			code = code || lower && unicode.IsUpper(r)
			lower = unicode.IsLower(r)
		default:
			code = true
		}
	}
	switch {
	case letters < 3 || stop[strings.ToLower(w)]:
		return 0
	case code && len(w) > 4:
		return codeWorth
	}
	return wordWorth
}

// stem folds the plural of English into the singular.
func stem(w string) string {
	if len(w) > 4 && w[len(w)-1] == 's' && w[len(w)-2] != 's' {
		return w[:len(w)-1]
	}
	return w
}

// stop are words that say nothing about a subject: those of English, of asking,
// and of the sentence that hints are made with.
var stop = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`
		a about above after again all also an and any are as at back be because been before being below between both but by
		can could did do does doing done down each else ever every few for from further get gets give go got had has have
		having he help her here hers him his how i if in into is it its just let like look made make makes many may me more
		most much must my new no nor not now of off old on once one only or other our out over own please put same say see
		she should show so some such tell than that the their them then there these they thing things this those through to
		too two under until up us use used uses using very want was way we well were what when where which while who whom
		whose why will with would yet you your
		read need needs full output content contents result results file files line lines tool call calls text data
		know think check find run work works change changes again really okay yes think mean means happen happened
		error errors code name names value values`) {
		m[w] = true
	}
	return m
}()

// questions returns what a user's text asks: each paragraph of its prose that holds a
// question, or opens like one. Fenced and quoted lines are not the user's words.
func questions(text string) string {
	var asked []string
	for _, p := range paragraphs(text) {
		if isQuestion(p) {
			asked = append(asked, p)
		}
	}
	return strings.Join(asked, "\n\n")
}

// paragraphs returns stretches of prose between blank lines.
func paragraphs(text string) []string {
	var out []string
	var p []string
	fence := ""
	flush := func() {
		if len(p) > 0 {
			out = append(out, strings.Join(p, "\n"))
		}
		p = nil
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		mark := fenceOf(line)
		switch {
		case fence != "":
			if mark != "" && strings.HasPrefix(mark, fence) {
				fence = ""
			}
		case mark != "":
			flush()
			fence = mark
		case line == "" || line[0] == '>':
			flush()
		default:
			p = append(p, line)
		}
	}
	flush()
	return out
}

// fenceOf returns the run of backticks or tildes that opens or closes a fence.
func fenceOf(line string) string {
	for _, c := range []string{"`", "~"} {
		n := len(line) - len(strings.TrimLeft(line, c))
		if n >= 3 {
			return line[:n]
		}
	}
	return ""
}

// isQuestion reports whether a sentence of the text ends in a question mark, or the
// text opens with words that ask.
func isQuestion(text string) bool {
	for i, r := range text {
		switch r {
		case '？', '؟':
			return true
		case '?':
			if endsWord(text[:i], text[i+1:]) {
				return true
			}
		}
	}
	return opensAsking(text)
}

// endsWord reports whether a mark ends a sentence, and does not stand inside an
// address or an expression.
func endsWord(before, after string) bool {
	after = strings.TrimLeft(after, `?!"')*_`)
	switch {
	case strings.TrimSpace(before) == "":
		return false
	case after == "" || after[0] == '\n':
		return true
	}
	return after[0] == ' ' && before[len(before)-1] != ' '
}

// asking are words that open a question by themselves; askingBefore need one of
// auxiliaries, or of degrees, behind them: "when you are done" asks nothing.
var (
	asking       = set("what why which who whose whom")
	askingBefore = set("when where how")
	auxiliaries  = set("s is are was were am do does did can could should would will has have had many much long often far big large")
)

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

func opensAsking(text string) bool {
	var w [2]string
	n := 0
	words(text[:min(len(text), 80)], func(s string) {
		if n < len(w) {
			w[n] = strings.ToLower(s)
			n++
		}
	})
	return asking[w[0]] || askingBefore[w[0]] && auxiliaries[w[1]]
}
