// Package value finds the identifiers in a text: what a later step of an agent
// may need word for word.
//
// Use: Scan. Law: one pass, no allocation, the same values on any machine.
// Promise: a value is the longest token at its place: "/a/b.py" holds no "b.py".
package value

import "strings"

// Kind is the kind of a value.
type Kind uint8

// The kinds.
const (
	None       Kind = iota
	Email           // someone@example.org
	URL             // https://…
	UUID            // 8-4-4-4-12 hex digits
	Date            // 2026-01-31
	Path            // a/b, /a/b
	File            // name.ext
	Number          // four digits or more, with separators of numbers
	ID              // letters and digits mixed, five or more
	Identifier      // snake_case, camelCase, dotted.name, ten or more
)

// String names the kind.
func (k Kind) String() string {
	return [...]string{"none", "email", "url", "uuid", "date", "path", "file", "number", "id", "identifier"}[k]
}

// Scan calls f for each value of text with its kind and position.
func Scan(text string, f func(k Kind, start, end int)) {
	for i := 0; i < len(text); {
		if text[i] == '\\' && i+1 < len(text) && strings.IndexByte("nrtbf", text[i+1]) >= 0 {
			i += 2 // an escape of undecoded JSON parts words
			continue
		}
		if !wordByte[text[i]] {
			i++
			continue
		}
		j := i + 1
		for j < len(text) && wordByte[text[j]] {
			j++
		}
		start, end := trim(text, i, j)
		if k := classify(text[start:end]); k != None {
			f(k, start, end)
		} else {
			pieces(text, start, end, f)
		}
		i = j
	}
}

// wordByte marks the bytes a value may hold.
var wordByte = func() (t [256]bool) {
	for _, c := range "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./:@%+~#$?&=" {
		t[c] = true
	}
	return t
}()

// trim drops punctuation that ends a sentence or opens a word.
func trim(s string, i, j int) (int, int) {
	for j > i && strings.IndexByte(".:?&=-+%#$@", s[j-1]) >= 0 {
		j--
	}
	for i < j && strings.IndexByte(":?&=+%#$@-", s[i]) >= 0 {
		i++
	}
	return i, j
}

// pieces splits a token that is no value as a whole at the bytes that join
// values in running text: "path:line", "key=value", "a-b".
func pieces(s string, i, j int, f func(Kind, int, int)) {
	start := i
	for at := i; at <= j; at++ {
		if at < j && strings.IndexByte(":=?&#%+@$~", s[at]) < 0 {
			continue
		}
		a, b := trim(s, start, at)
		if a < b && (a != i || b != j) {
			if k := classify(s[a:b]); k != None {
				f(k, a, b)
			}
		}
		start = at + 1
	}
}

func classify(w string) Kind {
	n := len(w)
	if n < 4 || n > 300 {
		return None
	}
	s := shapeOf(w)
	switch {
	case s.scheme && w[0] >= 'a' && w[0] <= 'z' && strings.Index(w, "://") < 12:
		return URL
	case s.scheme:
		return None
	case s.at == 1 && s.dotAfterAt && !s.slash:
		return Email
	case s.colon || s.odd:
		return None
	case n == 36 && s.dashes == 4 && isUUID(w):
		return UUID
	case isDate(w):
		return Date
	case s.slash:
		return pathKind(w, s)
	case s.letters == 0:
		return numberKind(w, s)
	case s.dots > 0 && isFile(w):
		return File
	case s.digits > 0 && s.letters > 0 && n >= 5 && s.dots == 0:
		return ID
	case n >= 10 && (s.under || s.camel || s.dots > 0):
		return Identifier
	}
	return None
}

type shape struct {
	letters, digits, dots, dashes, at int
	slash, colon, under, camel, odd   bool
	scheme, dotAfterAt                bool
}

func shapeOf(w string) (s shape) {
	for i := 0; i < len(w); i++ {
		switch c := w[i]; {
		case c >= '0' && c <= '9':
			s.digits++
		case c >= 'a' && c <= 'z':
			s.letters++
		case c >= 'A' && c <= 'Z':
			s.letters++
			s.camel = s.camel || (i > 0 && w[i-1] >= 'a' && w[i-1] <= 'z')
		case c == '.':
			s.dots++
			s.dotAfterAt = s.dotAfterAt || s.at > 0
		case c == '-':
			s.dashes++
		case c == '_':
			s.under = true
		case c == '/':
			s.slash = true
			s.scheme = s.scheme || (i > 1 && w[i-1] == ':' && i+1 < len(w) && w[i+1] == '/')
		case c == '@':
			s.at++
		case c == ':':
			s.colon = true
		default:
			s.odd = s.odd || c != '~'
		}
	}
	return s
}

func pathKind(w string, s shape) Kind {
	if s.letters < 2 || s.at > 0 || strings.Contains(w, "//") {
		return None
	}
	if w[0] != '/' && w[0] != '.' && w[0] != '~' && s.dots == 0 && strings.Count(w, "/") == 1 && len(w) < 8 {
		return None // and/or
	}
	return Path
}

func numberKind(w string, s shape) Kind {
	if s.digits < 4 || s.under {
		return None
	}
	if s.digits == len(w) && (isYear(w) || strings.TrimRight(w, "0") == w[:1]) {
		return None
	}
	return Number
}

func isYear(w string) bool { return len(w) == 4 && (w[:2] == "19" || w[:2] == "20") }

func isDate(w string) bool {
	return len(w) >= 10 && w[4] == '-' && w[7] == '-' && digits(w[:4]) && digits(w[5:7]) && digits(w[8:10]) &&
		(len(w) == 10 || w[10] == 'T')
}

func isUUID(w string) bool {
	for i := 0; i < len(w); i++ {
		switch i {
		case 8, 13, 18, 23:
			if w[i] != '-' {
				return false
			}
		default:
			c := w[i] | 0x20
			if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'f') {
				return false
			}
		}
	}
	return true
}

// isFile is true for a short alphanumeric extension after a name.
func isFile(w string) bool {
	dot := strings.LastIndexByte(w, '.')
	ext := w[dot+1:]
	if dot < 1 || len(ext) < 1 || len(ext) > 5 || strings.Count(w, ".") > 2 {
		return false
	}
	return extensions[ext]
}

var extensions = func() map[string]bool {
	m := map[string]bool{}
	for _, e := range strings.Fields("c cc cfg conf cpp cs css csv db env go gz h hpp html ini ipynb java jpg js json jsonl jsx kt lock log lua md mjs mod php pdf pl png proto py pyc pyi rb rs rst sh so sql sum svg swift tar tf tgz toml ts tsx txt vue wasm xml yaml yml zip") {
		m[e] = true
	}
	return m
}()

func digits(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}
