package extract

import (
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/seed-3db51b0e/precis/tool"
)

// prose returns what a text in JSON tells in words, each string in lines of its own, and as it is
// one that tells nothing so, and any other.
func prose(text string) string {
	if body := strings.TrimSpace(text); body == "" || body[0] != '{' && body[0] != '[' || !jsontext.Value(body).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
		return text
	}
	d := tool.Decode(new(jsontext.Decoder), text)
	var b strings.Builder
	for {
		t, err := d.ReadToken()
		switch {
		case err != nil && b.Len() == 0:
			return text
		case err != nil:
			return b.String()
		case t.Kind() == '"' && !tool.WasName(d) && isProse(t.String()):
			b.WriteString(t.String() + "\n")
		}
	}
}

// isProse reports whether a string of JSON is more than a name or a number: some languages part no
// words.
func isProse(s string) bool {
	return strings.Contains(s, " ") || strings.ContainsFunc(s, func(c rune) bool { return c >= utf8.RuneSelf })
}
