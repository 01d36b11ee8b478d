package identifier_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-3db51b0e/precis/identifier"
)

type hit struct {
	kind       identifier.Kind
	start, end int
}

func hits(scan func(string, func(identifier.Kind, int, int)), text string) (hs []hit) {
	scan(text, func(k identifier.Kind, a, b int) { hs = append(hs, hit{k, a, b}) })
	return hs
}

func sameHits(t interface{ Fatalf(string, ...any) }, text string) {
	if got, want := hits(identifier.Scan, text), hits(plainly, text); !slices.Equal(got, want) {
		t.Fatalf("%q: %v, want %v", text, got, want)
	}
}

// Eight bytes at a time find what one at a time does.
func TestScanPlainly(t *testing.T) {
	for _, line := range benchTexts {
		sameHits(t, line+line)
	}
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		for _, p := range rapid.SliceOf(rapid.SampledFrom(scraps)).Draw(t, "scraps") {
			b.WriteString(p)
		}
		sameHits(t, b.String())
	})
}

var scraps = []string{
	" ", " ", "\n", "\t", "\\n", "\\", "a", "b", "the", "handler", "Server", "HTTP", "x", "1", "42", "2026", "-01-31", "T10", ".", ".go", ".json", ".e.g", "/", "//",
	":", "://", "@", "=", "?", "&", "#", "%", "+", "$", "~", "-", "_", ",", "(", ")", "\"", "'", "`", "{", "}", "é", "…", "\xff", "\x00", "example.org", `C:\`, ` D:\\`, `\dir`, "2026-01-31T10:05", ":33", ".250", "Z", "+01:00", "123e4567-e89b-12d3-a456-426614174000", "<", "</", "119ms", "th", "kHz",
}

func FuzzScanPlainly(f *testing.F) {
	for _, line := range benchTexts {
		f.Add(line)
	}
	f.Add(strings.Join(scraps, ""))
	f.Fuzz(func(t *testing.T, s string) { sameHits(t, s) })
}

// plainly is Scan a byte at a time, each word looked at again for what it is.
func plainly(text string, f func(k identifier.Kind, start, end int)) {
	for i := 0; i < len(text); {
		c := traits[text[i]]
		if c == 0 {
			i++
			if text[i-1] == '\\' && i < len(text) && escaped(text[i]) && !inDrive(text, i-1) {
				i++ // an escape of undecoded JSON parts words
			}
			continue
		}
		j, all := i+1, c
		for j < len(text) && traits[text[j]] != 0 {
			all |= traits[text[j]]
			j++
		}
		if j-i >= shortest && !plain(all, j-i) {
			word(text, i, j, all, f)
		}
		i = j
	}
}

// shortest is the least bytes of a value.
const shortest = 4

// The traits of a byte that a value may hold; the others have none.
const (
	lower uint8 = 1 << iota
	upper
	other
	ends  // may end a sentence, and is no part of a value there
	opens // may open a word, likewise
	joins // joins values in running text
)

var traits = func() (t [256]uint8) {
	for set, trait := range map[string]uint8{
		"abcdefghijklmnopqrstuvwxyz": lower, "ABCDEFGHIJKLMNOPQRSTUVWXYZ": upper, "0123456789_-./:@%+~#$?&=": other,
		".:?&=-+%#$@": ends, ":?&=+%#$@-": opens, ":=?&#%+@$~": joins,
	} {
		for _, c := range set {
			t[c] |= trait
		}
	}
	return t
}()

func escaped(c byte) bool { return c == 'n' || c == 'r' || c == 't' || c == 'b' }

var (
	driveBefore = regexp.MustCompile(`(?:^|[^\w./:@%+~#$?&=-])[A-Za-z]:$`)
	behindDrive = regexp.MustCompile(`^(?:\\\\(?:\\\\|[\w./:@%+~#$?&=-])*|\\(?:\\|[\w./:@%+~#$?&=-])*)`)
)

// inDrive says that the "\" at a place is of a path that begins with a drive.
func inDrive(text string, place int) bool {
	for i := 0; i <= place; i++ {
		if text[i] != '\\' {
			continue
		}
		path := behindDrive.FindString(text[i:])
		if !driveBefore.MatchString(text[max(0, i-3):i]) || len(path) < 2 && i+1 == len(text) || path[1:] != "" && escaped(path[1]) {
			continue
		}
		if end := i + len(path); place < end {
			return true
		} else {
			i = end - 1
		}
	}
	return false
}

// plain says that a word of these traits is an ordinary one: only letters, and
// too short or without the humps of an identifier.
func plain(all uint8, n int) bool {
	return all&^(lower|upper) == 0 && (n < leastIdentifier || all != lower|upper)
}

// word tells the value that text[i:j] is, or those in it.
func word(text string, i, j int, all uint8, f func(identifier.Kind, int, int)) {
	if i > 0 && text[i-1] == '<' && text[i] == '/' { // of a closing tag
		i++
	}
	start, end := trim(text, i, j)
	if k := classify(text[start:end]); k != identifier.None {
		f(k, start, end)
	} else if all&joins != 0 {
		pieces(text, start, end, f)
	}
}

// trim drops punctuation that ends a sentence or opens a word.
func trim(s string, i, j int) (int, int) {
	for j > i && traits[s[j-1]]&ends != 0 {
		j--
	}
	for i < j && traits[s[i]]&opens != 0 {
		i++
	}
	return i, j
}

// pieces splits a token that is no value as a whole at the bytes that join
// values in running text: "path:line", "key=value", "a-b".
func pieces(s string, i, j int, f func(identifier.Kind, int, int)) {
	start := i
	for at := i; at <= j; at++ {
		if m := moment.FindStringSubmatch(s[at:j]); at == start && m != nil && (at+len(m[0]) == j || traits[s[at+len(m[0])]]&(joins|ends) != 0) {
			f(identifier.Date, at, at+len(m[0]))
			at += len(m[0])
			start = at + 1
			continue
		}
		if at < j && traits[s[at]]&joins == 0 {
			continue
		}
		a, b := trim(s, start, at)
		if b-a >= shortest && (a != i || b != j) {
			if k := classify(s[a:b]); k != identifier.None {
				f(k, a, b)
			}
		}
		start = at + 1
	}
}

// moment is a date with a time.
var moment = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d|[+-]\d{4})?`)

// leastIdentifier is the least bytes of an identifier.
const leastIdentifier = 10

func classify(w string) identifier.Kind {
	n := len(w)
	if n < shortest || n > 300 {
		return identifier.None
	}
	s := shapeOf(w)
	scheme := s.has(slash) && s.has(colon) && strings.Contains(w[1:], "://")
	switch {
	case scheme && w[0] >= 'a' && w[0] <= 'z' && strings.Index(w, "://") < 12:
		return identifier.URL
	case scheme:
		return identifier.None
	case s.has(at) && s.has(dot) && !s.has(slash) && isEmail(w):
		return identifier.Email
	case s.has(colon | odd | at):
		return identifier.None
	case n == 36 && s.has(dash) && isUUID(w):
		return identifier.UUID
	case s.has(dash) && isDate(w):
		return identifier.Date
	case s.has(slash):
		return pathKind(w, s)
	case !s.has(small | big):
		return numberKind(w, s)
	case s.has(dot) && isFile(w):
		return identifier.File
	case s.has(digit) && n >= 5 && !s.has(dot) && !measure.MatchString(w):
		return identifier.ID
	case n >= leastIdentifier && (s.has(under|dot) || s.has(small) && s.has(big) && humped(w)):
		return identifier.Identifier
	}
	return identifier.None
}

// shape says which bytes a word has.
type shape uint16

// What the bytes of a word may be.
const (
	small shape = 1 << iota
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
)

func (s shape) has(any shape) bool { return s&any != 0 }

var shapes = func() (t [256]shape) {
	for i := range t {
		t[i] = odd
	}
	for set, shape := range map[string]shape{
		"abcdefghijklmnopqrstuvwxyz": small, "ABCDEFGHIJKLMNOPQRSTUVWXYZ": big, "0123456789": digit,
		".": dot, "-": dash, "_": under, "/": slash, "@": at, ":": colon, "~": tilde,
	} {
		for _, c := range set {
			t[c] = shape
		}
	}
	return t
}()

func shapeOf(w string) (s shape) {
	for i := range len(w) {
		s |= shapes[w[i]]
	}
	return s
}

// measure is digits with a unit, or an ordinal.
var measure = regexp.MustCompile(`(?i)^[0-9]+(cm|[ghkmsvwx]|[kmgt]b|[kmg]?hz|[kmgt]ib|kg|km|mins?|m?m|[mnu]s|px|rem|secs?|st|nd|rd|th)$`)

// isEmail is true for one "@" behind a letter, a digit or "_" and with a dot behind it.
func isEmail(w string) bool {
	name, host, _ := strings.Cut(w, "@")
	return name != "" && shapeOf(name[len(name)-1:]).has(small|big|digit|under) && strings.IndexByte(host, '.') >= 0 && strings.IndexByte(host, '@') < 0
}

// humped says whether an upper-case letter follows a lower-case one.
func humped(w string) bool {
	for i := 1; i < len(w); i++ {
		if shapes[w[i]] == big && shapes[w[i-1]] == small {
			return true
		}
	}
	return false
}

// count is how many bytes of a word are of the kinds.
func count(w string, kinds shape) (n int) {
	for i := range len(w) {
		if shapes[w[i]]&kinds != 0 {
			n++
		}
	}
	return n
}

func pathKind(w string, s shape) identifier.Kind {
	if count(w, small|big) < 2 || strings.Contains(w, "//") {
		return identifier.None
	}
	if w[0] != '/' && w[0] != '.' && w[0] != '~' && !s.has(dot) && len(w) < 8 && count(w, slash) == 1 {
		return identifier.None // and/or
	}
	return identifier.Path
}

func numberKind(w string, s shape) identifier.Kind {
	n := count(w, digit)
	if n < 4 || s.has(under) {
		return identifier.None
	}
	if n == len(w) && (isYear(w) || strings.TrimRight(w, "0") == w[:1]) {
		return identifier.None
	}
	return identifier.Number
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
