package recall

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxTerm is the most bytes of a term; what is longer is data, not a word.
const maxTerm = 100

// terms calls f for each term of a text, in lower case: its words, without the
// endings of English plurals and verbs; identifiers whole and in pieces
// ("src/userID.go" is src/userid.go, userid.go, src, userid, user, id, go; "user_id" is
// userid, too); paths by the ends they may be named by ("/a/b/c/d.go" is b/c/d.go, too); and
// pairs of characters where a script does not part words.
func terms(text string, f func(string)) {
	start, joined := -1, false
	for i, r := range text {
		switch {
		case wordRune(r):
			if start < 0 {
				start, joined = i, false
			}
		case joins(r) && start >= 0:
			joined = true
		case start >= 0:
			chunk(text[start:i], joined, f)
			start = -1
		}
	}
	if start >= 0 {
		chunk(text[start:], joined, f)
	}
}

func wordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z'
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// joins reports whether a character may stand inside an identifier, a path, an
// address or a number.
func joins(r rune) bool { return r < utf8.RuneSelf && strings.IndexByte("_-./:@~+#", byte(r)) >= 0 }

// chunk emits an identifier whole, its last name, and its words.
func chunk(s string, joined bool, f func(string)) {
	if !joined {
		word(s, f)
		return
	}
	whole := strings.TrimRight(s, "_-./:@~+#")
	if len(whole) <= maxTerm && strings.IndexFunc(whole, joins) >= 0 {
		whole = strings.ToLower(whole)
		f(whole)
		if name := whole[strings.LastIndexAny(whole, "/:")+1:]; name != whole && strings.IndexFunc(name, joins) >= 0 {
			f(name)
		}
		ends(whole, f)
		if oneName := strings.ReplaceAll(whole, "_", ""); oneName != whole && strings.IndexFunc(oneName, joins) < 0 {
			f(stem(oneName))
		}
	}
	for w := range strings.FieldsFuncSeq(s, joins) {
		word(w, f)
	}
}

// ends emits the ends of a path that begin with one or two folders above its name.
func ends(path string, f func(string)) {
	at := strings.LastIndexByte(path, '/')
	for n := 0; n < 2 && at > 0; n++ {
		if at = strings.LastIndexByte(path[:at], '/'); at >= 0 && at+1 < len(path) {
			f(path[at+1:])
		}
	}
}

// word emits a word and, where it is several written as one, its pieces.
func word(s string, f func(string)) {
	if len(s) > maxTerm {
		if ascii(s) {
			return // data
		}
		pairs(s, f)
		return
	}
	if !ascii(s) && strings.IndexFunc(s, unspaced) >= 0 {
		pairs(s, f)
		return
	}
	lower := strings.ToLower(s)
	f(stem(lower))
	if lower == s {
		return
	}
	for from := 0; from < len(s); {
		to := from + hump(s[from:])
		if to-from < len(s) {
			f(stem(strings.ToLower(s[from:to])))
		}
		from = to
	}
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// hump is the length of the first piece of a camelCase word: "user" of
// "userID", "HTTP" of "HTTPServer".
func hump(s string) int {
	var before, last rune // the two before r
	at := 0               // where last begins
	for i, r := range s {
		if unicode.IsUpper(r) && last != 0 && !unicode.IsUpper(last) {
			return i
		}
		if unicode.IsLower(r) && unicode.IsUpper(last) && unicode.IsUpper(before) {
			return at
		}
		before, last, at = last, r, i
	}
	return len(s)
}

// unspaced reports whether a character is of a script that does not part words.
func unspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// pairs emits each pair of neighbouring characters, a single one alone.
func pairs(s string, f func(string)) {
	s = strings.ToLower(s)
	var at [2]int // where the last two characters begin
	n := 0
	for i := range s {
		if n >= 2 {
			f(s[at[0]:i])
		}
		at[0], at[1] = at[1], i
		n++
	}
	if n == 1 {
		f(s)
	} else if n > 1 {
		f(s[at[0]:])
	}
}

// stem takes the ending of an English plural or verb from a word. It need not
// give a word, only the same for a word's forms: "tun" for tune, tunes, tuned
// and tuning.
func stem(w string) string {
	root := w
	switch {
	case strings.HasSuffix(w, "ies") && len(w) > 5:
		return w[:len(w)-3] + "y"
	case strings.HasSuffix(w, "ing"):
		root = single(w[:len(w)-3])
	case strings.HasSuffix(w, "ed") && !strings.HasSuffix(w, "eed"):
		root = single(w[:len(w)-2])
	case strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us"):
		root = w[:len(w)-1]
	}
	root = strings.TrimSuffix(root, "e")
	if len(root) < 3 || !strings.ContainsAny(root, "aeiouy") {
		return w
	}
	return root
}

// single folds "runn" of "running" into "run".
func single(root string) string {
	n := len(root)
	if n > 3 && root[n-1] == root[n-2] && strings.IndexByte("lsz", root[n-1]) < 0 {
		return root[:n-1]
	}
	return root
}

// common are the terms of words that English and its questions are made with.
var common = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`
		a about all also am an and any are as at be been but by can could did do does for from had has have he her him his how
		i if in into is it its me my no not of on or our out she should so some than that the their them then there these they
		this those to up us was we were what when where which while who whom whose why will with would you your`) {
		m[stem(w)] = true
	}
	return m
}()
