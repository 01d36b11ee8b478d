package replay

import (
	"slices"
	"strings"
)

// valueKind tells values apart by their form.
type valueKind string

// The kinds of value, in the order a token is tried against them.
const (
	kindEmail      valueKind = "email"
	kindURL        valueKind = "url"
	kindUUID       valueKind = "uuid"       // 8-4-4-4-12 hex digits
	kindDate       valueKind = "date"       // 2024-05-15, 05/15/2024
	kindPath       valueKind = "path"       // /a/b, ./a, a/b.py, a/b/c
	kindFile       valueKind = "file"       // name.ext with a known extension
	kindNumber     valueKind = "number"     // ≥ 4 digits, no year, not round
	kindID         valueKind = "id"         // letters and digits, ≥ 5 bytes
	kindIdentifier valueKind = "identifier" // snake, camel or dotted, ≥ 10 bytes
	kindPhrase     valueKind = "phrase"     // 2–6 words, 8–60 bytes, in quotes or a whole JSON string
)

// value is something a later step may need word for word.
type value struct {
	Kind       valueKind
	Text       string
	Start, End int // bytes in the scanned text
}

// valuesOf returns the values of a text in order of their start. Tokens never
// overlap each other: a value is the longest token at its place, so "/a/b.py"
// does not hold "b.py". Phrases may hold tokens.
//
// This is the judge's own reading of what a value is. It deliberately shares
// no code with the engine it judges.
func valuesOf(text string) []value {
	vs := append(tokens(text), phrases(text)...)
	slices.SortStableFunc(vs, func(a, b value) int { return a.Start - b.Start })
	return vs
}

// tokens scans maximal runs of token bytes and classifies each.
func tokens(text string) []value {
	var vs []value
	for i := 0; i < len(text); {
		switch {
		case text[i] == '\\':
			i += escape(text[i:]) // of undecoded JSON: it parts tokens
		case !runByte[text[i]]:
			i++
		default:
			end := runEnd(text, i)
			if v, stop := special(text, i, end); stop > 0 {
				if v.Kind != "" {
					vs = append(vs, v)
				}
				i = stop
				continue
			}
			vs = split(vs, text, i, end, "/-.")
			i = end
		}
	}
	return vs
}

// escape is the length of the JSON escape that s begins with.
func escape(s string) int {
	switch {
	case len(s) >= 6 && s[1] == 'u' && isHex(s[2:6]):
		return 6
	case len(s) >= 2 && strings.IndexByte(`nrtbf"\/`, s[1]) >= 0:
		return 2
	}
	return 1
}

var runByte = byteSet("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./-~")

func byteSet(s string) (t [256]bool) {
	for i := range len(s) {
		t[s[i]] = true
	}
	return t
}

func runEnd(text string, i int) int {
	for i < len(text) && runByte[text[i]] {
		i++
	}
	return i
}

// special recognises what spans more than one run: a URL or an e-mail address.
// stop is 0 when the run [start, end) is neither.
func special(text string, start, end int) (v value, stop int) {
	if strings.HasPrefix(text[end:], "://") && letters(text[start:end]) {
		stop = end + 3
		for stop < len(text) && !urlEnd[text[stop]] && text[stop] > ' ' && text[stop] < 0x7f {
			stop++
		}
		url := strings.TrimRight(text[start:stop], ".,;:!?*_~/")
		if len(url) <= end-start+3 {
			return value{}, stop
		}
		return value{kindURL, url, start, start + len(url)}, stop
	}
	if end+1 < len(text) && text[end] == '@' && alnum(text[end+1]) {
		stop = runEnd(text, end+1)
		domain := strings.TrimRight(text[end+1:stop], ".-/~_")
		local := strings.TrimLeft(text[start:end], "./-~")
		if dot := strings.LastIndexByte(domain, '.'); dot > 0 && letters(domain[dot+1:]) && local != "" && !strings.ContainsAny(local+domain, "/~") {
			at := end - len(local)
			mail := text[at : end+1+len(domain)]
			return value{kindEmail, mail, at, at + len(mail)}, stop
		}
	}
	return value{}, 0
}

var urlEnd = byteSet("\"'`<>()[]{}|\\^,;")

// split classifies text[i:j]; if it is no value as a whole, its pieces between
// the first of the joints that occurs are tried instead.
func split(vs []value, text string, i, j int, joints string) []value {
	i, j = trim(text, i, j)
	if j-i < 4 {
		return vs
	}
	if k, n := classify(text[i:j]); k != "" {
		return append(vs, value{k, text[i : i+n], i, i + n})
	}
	for at := range len(joints) {
		if strings.IndexByte(text[i:j], joints[at]) < 0 {
			continue
		}
		for i < j {
			n := strings.IndexByte(text[i:j], joints[at])
			if n < 0 {
				n = j - i
			}
			vs = split(vs, text, i, i+n, joints[at+1:])
			i += n + 1
		}
		return vs
	}
	return vs
}

// trim drops what ends a sentence or a list item, and opens a flag.
func trim(s string, i, j int) (int, int) {
	for i < j && (s[i] == '-' || (s[i] == '.' && !dotted(s[i:j])) || (s[i] == '~' && !strings.HasPrefix(s[i:j], "~/"))) {
		i++
	}
	for i < j && strings.IndexByte(".-/~", s[j-1]) >= 0 {
		j--
	}
	return i, j
}

func dotted(s string) bool { return strings.HasPrefix(s, "./") || strings.HasPrefix(s, "../") }

// classify reports what a token is and how many of its bytes are the value (a
// date may open a longer token); "" when it is none.
func classify(w string) (valueKind, int) {
	n := len(w)
	s := shapeOf(w)
	switch {
	case n > 300 || s.tilde > 0 && w[0] != '~':
		return "", 0
	case n == 36 && isUUID(w):
		return kindUUID, n
	case isDay(w):
		return kindDate, 10
	case s.slash > 0:
		return pathOrDate(w, s), n
	case s.letters == 0:
		return number(w, s), n
	case s.dots > 0 && isFile(w):
		return kindFile, n
	case s.dots == 0 && isID(w, s):
		return kindID, n
	case n >= 10 && isIdentifier(w, s):
		return kindIdentifier, n
	}
	return "", 0
}

type shape struct{ letters, digits, dots, dashes, slash, under, tilde, humps int }

func shapeOf(w string) (s shape) {
	for i := range len(w) {
		switch c := w[i]; {
		case c >= '0' && c <= '9':
			s.digits++
		case c == '.':
			s.dots++
		case c == '-':
			s.dashes++
		case c == '/':
			s.slash++
		case c == '_':
			s.under++
		case c == '~':
			s.tilde++
		default:
			s.letters++
			if i > 0 && c < 'a' && w[i-1] >= 'a' && w[i-1] <= 'z' {
				s.humps++
			}
		}
	}
	return s
}

// pathOrDate judges a token with slashes. It needs two of them or a file name
// at its end: "and/or" and "/testbed" are no paths.
func pathOrDate(w string, s shape) valueKind {
	if s.letters == 0 {
		if p := strings.Split(w, "/"); len(p) == 3 && s.digits == len(w)-2 && (len(p[0]) == 4 || len(p[2]) == 4) {
			return kindDate
		}
		return ""
	}
	if strings.Contains(w, "//") || s.letters < 2 {
		return ""
	}
	if s.slash > 1 || isFile(w[strings.LastIndexByte(w, '/')+1:]) {
		return kindPath
	}
	return ""
}

// number takes integers and decimals of four digits or more, but no years, no
// round ones (one or two digits beside zeros) and no versions.
func number(w string, s shape) valueKind {
	if s.digits < 4 || s.dots > 1 || s.dashes > 0 || s.under > 0 {
		return ""
	}
	year := len(w) == 4 && (w[:2] == "19" || w[:2] == "20")
	if year || len(strings.Trim(strings.Replace(w, ".", "", 1), "0")) <= 2 {
		return ""
	}
	return kindNumber
}

// isID wants letters and digits, and more of the digits than a common word with
// a version at its end has ("python3", "utf-8", "base64").
func isID(w string, s shape) bool {
	if s.letters == 0 || s.digits < 2 || len(w) < 5 {
		return false
	}
	stem := strings.TrimRight(w, "0123456789")
	return len(w)-len(stem) > 2 || len(stem) != s.letters || stem != strings.ToLower(stem)
}

func isIdentifier(w string, s shape) bool {
	if s.dashes > 0 {
		return false
	}
	if s.dots > 0 && (strings.Contains(w, "..") || s.letters < 4) {
		return false
	}
	return s.under > 0 || s.humps > 0 || s.dots > 0
}

func isDay(w string) bool {
	return len(w) >= 10 && w[4] == '-' && w[7] == '-' && digits(w[:4]) && digits(w[5:7]) && digits(w[8:10]) &&
		(len(w) == 10 || w[10] == 'T')
}

func isUUID(w string) bool {
	for i := range len(w) {
		if dash := i == 8 || i == 13 || i == 18 || i == 23; dash != (w[i] == '-') || !dash && !isHex(w[i:i+1]) {
			return false
		}
	}
	return true
}

func isHex(s string) bool {
	for i := range len(s) {
		if c := s[i] | 0x20; !(s[i] >= '0' && s[i] <= '9' || c >= 'a' && c <= 'f') {
			return false
		}
	}
	return true
}

func isFile(w string) bool {
	dot := strings.LastIndexByte(w, '.')
	return dot > 0 && extensions[w[dot+1:]] && strings.IndexByte(w, '/') < 0
}

var extensions = wordSet(`bat c cc cfg conf cpp cs css csv gif go gz h hpp htm html ico ini ipynb
	jar java jpeg jpg js json jsonl jsx kt lock log lua md mjs mp3 mp4 patch pdf php pkl pl png proto
	py pyc pyi pyx rb rs rst scss sh sol sql sqlite3 svg swift tar tex toml ts tsv tsx txt vue wasm whl
	xls xlsx xml yaml yml zip`)

func wordSet(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(s) {
		m[w] = true
	}
	return m
}

// phrases returns quoted strings that are phrases, without their quotes.
func phrases(text string) []value {
	var vs []value
	for i := 0; i < len(text); i++ {
		q := text[i]
		if q != '"' && q != '\'' || i > 0 && alnum(text[i-1]) {
			continue
		}
		n := closing(text[i+1:], q)
		if n < 0 {
			continue
		}
		if p := strings.TrimSuffix(text[i+1:i+1+n], `\`); isPhrase(p) {
			vs = append(vs, value{kindPhrase, p, i + 1, i + 1 + len(p)})
			i += n
		}
	}
	return vs
}

// closing returns where the quote ends, -1 if not on this line and within reach. An
// apostrophe inside a word closes nothing.
func closing(s string, q byte) int {
	for i := 0; i < len(s) && i <= maxPhrase+1 && s[i] != '\n'; i++ {
		if s[i] == q && (i+1 == len(s) || !alnum(s[i+1])) {
			return i
		}
	}
	return -1
}

const minPhrase, maxPhrase = 8, 60

// isPhrase is true for 2 to 6 words that begin with a letter or digit.
func isPhrase(s string) bool {
	if len(s) < minPhrase || len(s) > maxPhrase || !alnum(s[0]) || strings.ContainsAny(s, "\"\n\t{}[]<>=|`") {
		return false
	}
	words, lettered := 0, 0
	for w := range strings.FieldsSeq(s) {
		words++
		if letters(w[:1]) && len(w) > 1 {
			lettered++
		}
	}
	return words >= 2 && words <= 6 && lettered >= 1 && strings.Count(s, " ") == words-1
}

func letters(s string) bool {
	for i := range len(s) {
		if c := s[i] | 0x20; c < 'a' || c > 'z' {
			return false
		}
	}
	return s != ""
}

func digits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

func alnum(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}
