package contradict

import (
	"slices"
	"strings"
)

// Statement is a sentence taken apart: what it is about, what it says of it, and
// whether it takes something older back. Make one with Parse.
type Statement struct {
	n        int
	words    wordSet  // stems of what it is about
	values   wordSet  // in lower case: numbers, names, paths, quoted text
	stems    []string // all its stems in order, "" for a word that says nothing
	stemBits uint64   // the bits of those

	value   string  // the one value it assigns: "port is 8080", "TTL=5"; "" for none
	unit    string  // of value: "30 seconds"
	firm    bool    // the words leave no doubt that value is assigned
	subject wordSet // stems of what value is assigned to: its nearest name
	outer   wordSet // and of what stands around that: "timeout for the upload"
	number  bool    // states a number
	measure bool    // states a number with a unit
	nouns   []noun  // what it counts

	retracted wordSet   // stems and values it takes back: "instead of X"
	changes   bool      // says that something changes
	adds      bool      // says that it adds to what stands
	denies    bool      // begins with a no to what was said
	onwards   bool      // says that it holds from now on
	begins    [2]string // its first words but for the no, "from now on", articles and words of correction
	asks      bool      // asks how something came about, and changes nothing
	forbids   bool
	bans      bool // forbids, with exceptions or without
	permits   bool
	lifts     bool // takes back what was forbidden
	allows    bool // permits it, in the user's own name and whatever the case
	altering  altering
}

// noun is the stem of what a number counts: "4 workers".
type noun struct{ number, stem string }

// Parse reads a statement made in message n. It reads the first 60 words.
func Parse(text string, n int) Statement {
	ts := tokens(text)
	low := lowMarks(text)
	said, last := phrasesIn(low), strings.TrimRight(low, ". ")
	s := Statement{
		n: n, stems: make([]string, 0, len(ts)+4),
		changes: said&changePhrase != 0 || strings.HasSuffix(last, " now"),
		adds:    said&addPhrase != 0 || strings.HasSuffix(last, " too"),
		forbids: said&(forbidPhrase|exceptPhrase|exemptPhrase) == forbidPhrase,
		bans:    said&(forbidPhrase|exceptPhrase) == forbidPhrase,
		permits: said&permitPhrase != 0,
	}
	if strings.ContainsAny(text, "?？") {
		s.asks = asksWhy(low)
	} else {
		s.lifts, s.allows = said&liftPhrase != 0, said&(permitPhrase|forbidPhrase|refusePhrase|reservedPhrase) == permitPhrase
	}
	s.denies = len(ts) > 1 && denials[ts[0].low] && ts[0].end
	onwards := onwardsIn(ts)
	s.onwards = onwards >= 0
	s.begins, s.altering = beginningOf(ts, onwards), alteringIn(ts)
	skip := s.retract(ts)
	s.assign(ts, skip)
	for i := range ts {
		t := &ts[i]
		s.sequence(t)
		switch {
		case skip[i]:
		case t.val:
			s.values.add(t.low)
		case !t.stop && t.stem != "":
			s.words.add(t.stem)
		}
	}
	return s
}

// questionWords begin a question about what is so; one that asks for a change begins otherwise ("can you
// …?", "when you deploy, can you …?").
var questionWords = []string{"why", "who", "what is", "what's", "what if", "how come", "since when", "warum", "wieso", "weshalb", "wer ", "pourquoi", "qui ", "¿por qué", "¿quién", "为什么", "谁"}

// asksWhy reports whether a question asks why, or begins with such a word.
func asksWhy(low string) bool {
	low = strings.TrimSpace(low)
	end := strings.TrimRight(low, "?？ ")
	return slices.ContainsFunc(questionWords, func(w string) bool { return strings.HasPrefix(low, w) }) ||
		strings.HasSuffix(end, "why") || strings.HasSuffix(end, "warum") || strings.HasSuffix(end, "pourquoi") || strings.HasSuffix(end, "为什么")
}

// onwardsWords are how many words "from now on" is.
const onwardsWords = 3

// onwardsIn returns where a statement says "from now on", -1 where it does not.
func onwardsIn(ts []token) int {
	for i := 0; i+onwardsWords <= len(ts); i++ {
		if ts[i].low == "from" && (ts[i+1].low == "now" || ts[i+1].low == "here") && strings.HasPrefix(ts[i+2].low, "on") {
			return i
		}
	}
	return -1
}

// beginningOf returns the first two words of a statement that say what is done to what; onwards is where it says
// "from now on".
func beginningOf(ts []token, onwards int) (words [2]string) {
	n := 0
	for i := range ts {
		w := ts[i].low
		if denials[w] && i == 0 || corrective[w] || articles[w] || w == "always" || onwards >= 0 && i >= onwards && i < onwards+onwardsWords {
			continue
		}
		words[n] = w
		if n++; n == len(words) {
			return words
		}
	}
	return [2]string{}
}

// sequence appends a token to the stems in order; the end of a clause is a "".
func (s *Statement) sequence(t *token) {
	w := t.stem
	if t.stop {
		w = ""
	}
	s.stems = append(s.stems, w)
	s.stemBits |= bitOf(sumOf(w))
	if t.end {
		s.stems = append(s.stems, "")
		s.stemBits |= bitOf(sumOf(""))
	}
}

// Adds reports whether the statement says that it adds to what stands ("also"), so
// that it supersedes nothing.
func (s *Statement) Adds() bool { return s.adds }

// Substance returns how much the statement settles: 2 when it gives a value to
// something or states a measure, 1 when it states a number, 0 otherwise.
func (s *Statement) Substance() int {
	switch {
	case s.value != "" && (s.firm || !strings.ContainsAny(s.value, "_/")), s.measure:
		return 2
	case s.number:
		return 1
	}
	return 0
}

// Substance returns how much a text settles, as Statement.Substance does.
func Substance(text string) int {
	s := Parse(text, 0)
	return s.Substance()
}

// Names returns the stems of what the statement is about, and of the names that it holds, without what it
// takes back.
func (s *Statement) Names() (words, names []string) {
	words = s.words.of
	for _, v := range s.values.of {
		if isNumeric(v) {
			words = append(words[:len(words):len(words)], v)
		} else {
			names = append(names, stem(v))
		}
	}
	return words, names
}

// counts returns the stem of what a number of the statement counts, "" when it
// counts nothing.
func (s *Statement) counts(number string) string {
	for i := len(s.nouns) - 1; i >= 0; i-- {
		if s.nouns[i].number == number {
			return s.nouns[i].stem
		}
	}
	return ""
}

// holds reports whether the words of a name stand side by side in the statement, and
// no other word before them makes the name a longer one.
func (s *Statement) holds(name *wordSet) bool {
	if name.len() == 0 || name.bits&^s.stemBits != 0 {
		return false
	}
	run := 0
	for i, w := range s.stems {
		if !name.has(w) {
			run = 0
			continue
		}
		run++
		if run == name.len() && (i < run || s.stems[i-run] == "") {
			return true
		}
	}
	return false
}
