package contradict

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxTokens bounds how many words of a statement are read.
const maxTokens = 60

// token is one word of a statement.
type token struct {
	low   string // lower case, without quotes
	stem  string
	val   bool // a value rather than a word
	num   bool // a number, perhaps with a unit
	end   bool // ends a clause
	colon bool // a colon stands after it: nothing beyond is taken back
	stop  bool // says nothing about a subject
}

// tokens splits a statement into words and values.
func tokens(text string) []token {
	ts := make([]token, 0, 16)
	for i := 0; i < len(text) && len(ts) < maxTokens; {
		c := text[i]
		if strings.HasPrefix(text[i:], "->") || strings.HasPrefix(text[i:], "→") {
			ts = append(ts, token{low: "->"})
			i += 2 + int(c>>7)
			continue
		}
		if c == '=' || c == ':' && i+1 < len(text) && text[i+1] == ' ' {
			if len(ts) > 0 {
				ts[len(ts)-1].colon = true
			}
			ts = append(ts, token{low: string(c)})
			i++
			continue
		}
		if !tokenByte(c) {
			if len(ts) > 0 && (c == ',' || c == ';' || c == '!' || c == '?') {
				ts[len(ts)-1].end = true
			}
			i++
			continue
		}
		j := i
		for j < len(text) && tokenByte(text[j]) {
			j++
		}
		ts = append(ts, tokenOf(text, i, j, len(ts) == 0))
		i = j
	}
	return ts
}

func tokenByte(c byte) bool {
	return c >= 0x80 || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || strings.IndexByte("_-./@#$%+~'", c) >= 0
}

func tokenOf(text string, i, j int, first bool) token {
	w := strings.TrimRight(text[i:j], ".-'/~")
	end := j < len(text) && strings.IndexByte(",;!?)", text[j]) >= 0 || strings.HasSuffix(text[i:j], ".")
	w = strings.TrimLeft(w, "'-")
	w = strings.TrimSuffix(w, "'s")
	t := token{low: strings.ToLower(w), end: end}
	t.stop = stopWords[t.low]
	if w == "" {
		return t
	}
	quoted := i > 0 && (text[i-1] == '`' || text[i-1] == '"')
	t.num = isNumeric(w)
	t.val = t.num || quoted || isValueWord(w, first)
	t.stem = stem(t.low)
	return t
}

// isNumeric is true for numbers with or without sign, unit or currency.
func isNumeric(w string) bool {
	digits, letters := 0, 0
	for i := 0; i < len(w); i++ {
		switch c := w[i]; {
		case c >= '0' && c <= '9':
			digits++
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			letters++
		}
	}
	lead := strings.TrimLeft(w, "$#+-~v€£")
	return digits > 0 && letters <= 3 && lead != "" && lead[0] >= '0' && lead[0] <= '9'
}

// isValueWord is true for what names one particular thing: it holds digits or
// joins, is an identifier, or is written with capitals inside a sentence.
func isValueWord(w string, first bool) bool {
	upper, joins := 0, 0
	for i := 0; i < len(w); i++ {
		switch c := w[i]; {
		case c >= '0' && c <= '9' || c == '_' || c == '/' || c == '@' || c == '#' || c == '$':
			return true
		case c == '.' || c == '+':
			joins++
		case c >= 'A' && c <= 'Z':
			upper++
		}
	}
	capital := w[0] >= 'A' && w[0] <= 'Z'
	return joins > 0 || upper > 1 || (upper == 1 && !capital) || (capital && !first && len(w) > 1 && !stopWords[strings.ToLower(w)])
}

// stem takes common endings off, enough to compare two statements.
func stem(w string) string {
	n := len(w)
	switch {
	case n > 5 && strings.HasSuffix(w, "ing"):
		w = w[:n-3]
	case n > 4 && strings.HasSuffix(w, "ies"):
		w = w[:n-3] + "y"
	case n > 4 && strings.HasSuffix(w, "ed"):
		w = w[:n-2]
	case n > 4 && strings.HasSuffix(w, "es"):
		w = w[:n-2]
	case n > 3 && strings.HasSuffix(w, "s") && w[n-2] != 's':
		w = w[:n-1]
	}
	if n := len(w); n > 4 && w[n-1] == 'e' {
		w = w[:n-1]
	}
	if n := len(w); n > 4 && w[n-1] == w[n-2] {
		w = w[:n-1]
	}
	return w
}

// lowMarks returns a text in lower case between spaces, with punctuation turned into spaces, so that
// phrases are found by word.
func lowMarks(text string) string {
	var b strings.Builder
	b.Grow(len(text) + 2)
	b.WriteByte(' ')
	for i := range len(text) {
		c := text[i]
		switch {
		case c >= utf8.RuneSelf:
			return " " + strings.Map(lowMark, text) + " "
		case c >= 'A' && c <= 'Z':
			c |= 0x20
		case marksWord[c]:
			c = ' '
		}
		b.WriteByte(c)
	}
	b.WriteByte(' ')
	return b.String()
}

var marksWord = [256]bool{',': true, ';': true, ':': true, '!': true, '?': true, '(': true, ')': true, '"': true, '\t': true}

func lowMark(r rune) rune {
	switch r = unicode.ToLower(r); {
	case r < utf8.RuneSelf && marksWord[r]:
		return ' '
	case r == '’':
		return '\''
	}
	return r
}
