// Package identifier finds the identifiers in a text: what a later step of an agent
// may need word for word.
//
// Use: Scan, or Append for a list. Law: one pass, no allocation but that of the list, the same
// values on any machine.
// Promise: a value is the longest token at its place: "/a/b.py" holds no "b.py".
package identifier

import (
	"strings"
)

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
	drive := 0 // end of the last path that begins with a drive
	for i := 0; i < len(text); {
		floor := i
		i += quiet(text[i:])
		if i == len(text) {
			return
		}
		if text[i] == '\\' {
			if i >= drive {
				drive = driveEnd(text, i)
			}
			if i++; i > drive && i < len(text) && escaped(text[i]) {
				i++ // an escape of undecoded JSON parts words
			}
			continue
		}
		start, all := i, mark(0)
		for start > floor && marks[text[start-1]] == small {
			start, all = start-1, small
		}
		for i < len(text) && marks[text[i]] != 0 {
			all |= marks[text[i]]
			i++
		}
		if i-start >= shortest && !plain(all, i-start) {
			word(text, start, i, all, f)
		}
	}
}

// shortest is the least bytes of a value.
const shortest = 4

// Match is a value's kind, and where it stands in a text.
type Match struct {
	Kind       Kind
	Start, End int
}

// Append adds the values of text to a list.
func Append(list []Match, text string) []Match {
	Scan(text, func(k Kind, start, end int) { list = append(list, Match{k, start, end}) })
	return list
}

// quiet counts the bytes at the start of s that need no look: lower-case letters, of
// which alone no value is made, and what stands between words.
func quiet(s string) (n int) {
	for len(s)-n >= 8 {
		w := s[n : n+8]
		if loud[w[0]]|loud[w[1]]|loud[w[2]]|loud[w[3]]|loud[w[4]]|loud[w[5]]|loud[w[6]]|loud[w[7]] != 0 {
			break
		}
		n += 8
	}
	for n < len(s) && loud[s[n]] == 0 {
		n++
	}
	return n
}

// loud is not 0 for what quiet stops at.
var loud = func() (t [256]uint8) {
	for c, m := range marks {
		if m&^small != 0 || c == '\\' {
			t[c] = 1
		}
	}
	return t
}()

// mark tells what a byte of a word is; the marks of a word are those of its
// bytes. A byte that no value holds has none.
type mark uint16

// What a byte may be.
const (
	small mark = 1 << iota
	big
	digit
	dot
	dash
	under
	slash
	at
	colon
	tilde
	odd
	ends  // may end a sentence, and is no part of a value there
	opens // may open a word, likewise
	joins // joins values in running text
)

func (m mark) has(any mark) bool { return m&any != 0 }

var marks = func() (t [256]mark) {
	for set, m := range map[string]mark{
		"abcdefghijklmnopqrstuvwxyz": small, "ABCDEFGHIJKLMNOPQRSTUVWXYZ": big, "0123456789": digit,
		".": dot, "-": dash, "_": under, "/": slash, "@": at, ":": colon, "~": tilde, "%+#$?&=": odd,
		".:?&=-+%#$@": ends, ":?&=+%#$@-": opens, ":=?&#%+@$~": joins,
	} {
		for _, c := range set {
			t[c] |= m
		}
	}
	return t
}()

// escaped reports whether a byte behind "\" is of an escape of JSON. A form feed is rarer than a name
// in a path of Windows that begins with f.
func escaped(c byte) bool { return c == 'n' || c == 'r' || c == 't' || c == 'b' }

// driveEnd returns where the path ends whose drive stands before the "\" at i, 0 where none does.
// In undecoded JSON each "\" of it is two; where it is one, what reads as an escape is no path.
func driveEnd(text string, i int) int {
	if i < 2 || text[i-1] != ':' || !marks[text[i-2]].has(small|big) || i > 2 && marks[text[i-3]] != 0 {
		return 0
	}
	parts := `\\`
	if !strings.HasPrefix(text[i:], parts) {
		if parts = `\`; i+1 == len(text) || escaped(text[i+1]) {
			return 0
		}
	}
	for i < len(text) {
		switch {
		case strings.HasPrefix(text[i:], parts):
			i += len(parts)
		case marks[text[i]] != 0:
			i++
		default:
			return i
		}
	}
	return i
}

// plain reports whether a word of these marks is an ordinary one: only letters, and
// too short or without the inner capitals of an identifier.
func plain(all mark, n int) bool {
	return all&^(small|big) == 0 && (n < leastIdentifier || all != small|big)
}

// word calls f for the value that text[i:j] is, or for those in it.
func word(text string, i, j int, all mark, f func(Kind, int, int)) {
	if i > 0 && text[i-1] == '<' && text[i] == '/' { // of a closing tag
		i++
		all = marksOf(text[i:j])
	}
	i, j, all = trim(text, i, j, all)
	if k := classify(text[i:j], all); k != None {
		f(k, i, j)
	} else if all.has(joins) {
		pieces(text, i, j, f)
	}
}

// trim drops punctuation that ends a sentence or opens a word. all are the marks
// of s[i:j]; it returns those of what is left.
func trim(s string, i, j int, all mark) (int, int, mark) {
	a, b := i, j
	for b > a && marks[s[b-1]].has(ends) {
		b--
	}
	for a < b && marks[s[a]].has(opens) {
		a++
	}
	if b-a < j-i {
		all = marksOf(s[a:b])
	}
	return a, b, all
}

func marksOf(w string) (m mark) {
	for i := range len(w) {
		m |= marks[w[i]]
	}
	return m
}

// pieces splits a token that is no value as a whole at the bytes that join
// values in running text: "path:line", "key=value", "a-b".
func pieces(s string, i, j int, f func(Kind, int, int)) {
	start, all := i, mark(0)
	for at := i; at <= j; at++ {
		if at == start {
			if n := timeLength(s[at:j]); n > 0 {
				f(Date, at, at+n)
				at += n
				start = at + 1
				continue
			}
		}
		if at < j && !marks[s[at]].has(joins) {
			all |= marks[s[at]]
			continue
		}
		if at-start >= shortest && !plain(all, at-start) {
			a, b, m := trim(s, start, at, all)
			if b-a >= shortest && (a != i || b != j) {
				if k := classify(s[a:b], m); k != None {
					f(k, a, b)
				}
			}
		}
		start, all = at+1, 0
	}
}

// The least bytes of an id and of an identifier.
const (
	leastID         = 5
	leastIdentifier = 10
)

// longest is the most bytes of a value.
const longest = 300

// classify returns what a word with these marks is: of the rules, the first that
// holds.
func classify(w string, s mark) Kind {
	switch {
	case len(w) < shortest || len(w) > longest:
		return None
	case s.has(slash) && s.has(colon) && strings.Contains(w[1:], "://"):
		return addressKind(w)
	case s.has(at) && isEmail(w, s):
		return Email
	case s.has(colon | odd | at):
		return None
	case s.has(dash) && isUUID(w):
		return UUID
	case s.has(dash) && isDate(w):
		return Date
	case s.has(slash):
		return pathKind(w, s)
	case !s.has(small | big):
		return numberKind(w, s)
	}
	return nameKind(w, s)
}

// addressKind tells whether a word with "://" in it is a URL.
func addressKind(w string) Kind {
	if w[0] >= 'a' && w[0] <= 'z' && strings.Index(w, "://") < 12 {
		return URL
	}
	return None
}

// nameKind returns what a word of letters, digits and joining marks is.
func nameKind(w string, s mark) Kind {
	switch {
	case s.has(dot) && isFile(w):
		return File
	case s.has(digit) && !s.has(dot) && len(w) >= leastID && !measured(w):
		return ID
	case len(w) >= leastIdentifier && (s.has(under|dot) || s.has(small) && s.has(big) && humped(w)):
		return Identifier
	}
	return None
}

// measured reports whether a word is digits with a unit, or an ordinal: 119ms, 100th.
func measured(w string) bool {
	unit := strings.TrimLeft(w, "0123456789")
	var low [4]byte // the longest unit
	if len(unit) > len(low) {
		return false
	}
	for i := range len(unit) {
		low[i] = unit[i] | 0x20
	}
	switch string(low[:len(unit)]) {
	case "cm", "g", "gb", "ghz", "gib", "h", "hz", "k", "kb", "kg", "khz", "kib", "km", "m", "mb", "mhz", "mib", "min", "mins", "mm", "ms", "ns",
		"px", "rem", "s", "sec", "secs", "tb", "tib", "us", "v", "w", "x", "st", "nd", "rd", "th":
		return true
	}
	return false
}

// isEmail reports whether one "@" stands in a word, behind a letter, a digit or "_" and with a
// dot behind it.
func isEmail(w string, s mark) bool {
	if !s.has(dot) || s.has(slash) {
		return false
	}
	name, host, _ := strings.Cut(w, "@")
	if name == "" || !marks[name[len(name)-1]].has(small|big|digit|under) {
		return false
	}
	return strings.IndexByte(host, '.') >= 0 && strings.IndexByte(host, '@') < 0
}

// humped reports whether an upper-case letter follows a lower-case one.
func humped(w string) bool {
	for i := 1; i < len(w); i++ {
		if marks[w[i]] == big && marks[w[i-1]] == small {
			return true
		}
	}
	return false
}

// count counts the bytes of a word that are of the kinds, up to limit.
func count(w string, kinds mark, limit int) (n int) {
	for i := 0; i < len(w) && n < limit; i++ {
		if marks[w[i]].has(kinds) {
			n++
		}
	}
	return n
}

func pathKind(w string, s mark) Kind {
	if count(w, small|big, 2) < 2 || strings.Contains(w, "//") {
		return None
	}
	if w[0] != '/' && w[0] != '.' && w[0] != '~' && !s.has(dot) && len(w) < 8 && count(w, slash, 2) == 1 {
		return None // and/or
	}
	return Path
}

func numberKind(w string, s mark) Kind {
	n := count(w, digit, len(w))
	if n < 4 || s.has(under) {
		return None
	}
	if n == len(w) && (isYear(w) || strings.TrimRight(w, "0") == w[:1]) {
		return None
	}
	return Number
}

func isYear(w string) bool { return len(w) == 4 && (w[:2] == "19" || w[:2] == "20") }

func isDate(w string) bool { return fits(w, "0000-00-00") && (len(w) == 10 || w[10] == 'T') }

// timeLength returns the length of the date with a time at the beginning of a word, as ISO 8601 has
// it, 0 where there is none or the word goes on with a letter.
func timeLength(w string) int {
	const minute = "0000-00-00T00:00"
	if !fits(w, minute) {
		return 0
	}
	n := len(minute)
	if fits(w[n:], ":00") {
		if n += 3; fits(w[n:], ".0") {
			n += len(w[n:]) - len(strings.TrimLeft(w[n+1:], "0123456789"))
		}
	}
	for _, zone := range []string{"Z", "+00:00", "-00:00", "+0000", "-0000"} {
		if fits(w[n:], zone) {
			n += len(zone)
			break
		}
	}
	if n < len(w) && !marks[w[n]].has(joins|ends) {
		return 0
	}
	return n
}

// fits reports whether a word begins as a pattern says, in which 0 is any digit.
func fits(w, pattern string) bool {
	if len(w) < len(pattern) {
		return false
	}
	for i := range len(pattern) {
		if w[i] != pattern[i] && (pattern[i] != '0' || w[i] < '0' || w[i] > '9') {
			return false
		}
	}
	return true
}

func isUUID(w string) bool {
	if len(w) != 36 {
		return false
	}
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

// isFile reports whether a word is a name with a known extension.
func isFile(w string) bool {
	for i := len(w) - 1; i > 0 && i >= len(w)-6; i-- {
		if w[i] == '.' {
			return isExtension(w[i+1:]) && strings.Count(w, ".") <= 2
		}
	}
	return false
}

func isExtension(s string) bool {
	switch s {
	case "c", "cc", "cfg", "conf", "cpp", "cs", "css", "csv", "db", "env", "go", "gz", "h", "hpp", "html", "ini", "ipynb", "java", "jpg", "js", "json",
		"jsonl", "jsx", "kt", "lock", "log", "lua", "md", "mjs", "mod", "php", "pdf", "pl", "png", "proto", "py", "pyc", "pyi", "rb", "rs", "rst", "sh",
		"so", "sql", "sum", "svg", "swift", "tar", "tf", "tgz", "toml", "ts", "tsx", "txt", "vue", "wasm", "xml", "yaml", "yml", "zip":
		return true
	}
	return false
}
