package strategy

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// Arguments read as they were meant, however their client escapes letters.
//
// SPEC: B2
func TestEscapedLetters(t *testing.T) {
	for args, want := range map[string]string{
		`{"path":"\u043e\u0442\u0447\u0451\u0442.md"}`: `{"path":"отчёт.md"}`,
		`{"a":"\ud83d\ude00 \u00e9\n\t\"\\"}`:          "{\"a\":\"😀 é\n\t\"\\\"}",
		`{"a":"\\u0041 \u0007 \ud83d x \u00"}`:         `{"a":"\u0041 \u0007 \ud83d x \u00"}`,
		`{"a":"plain"}`:                                `{"a":"plain"}`,
		`é \`:                                          `é \`,
		`\u00e`:                                        `\u00e`,
		`\ud83d\ud83d`:                                 `\ud83d\ud83d`,
	} {
		if got := unescape(args); got != want {
			t.Errorf("%s: %s, want %s", args, got, want)
		}
	}
}

// What JSON escapes in one way or another reads alike.
//
// SPEC: B2
func TestEscapesReadAlike(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		said := strings.Map(func(r rune) rune {
			if r != '\n' && r != '\t' && !unicode.IsPrint(r) || strings.ContainsRune("<>&", r) {
				return -1
			}
			return r
		}, rapid.String().Draw(rt, "text"))
		b, err := json.Marshal(said)
		if err != nil {
			rt.Fatal(err)
		}
		var ascii strings.Builder
		for _, r := range string(b) {
			if r < utf8.RuneSelf || r == unicode.ReplacementChar {
				ascii.WriteRune(r)
				continue
			}
			for _, u := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&ascii, `\u%04x`, u)
			}
		}
		for _, args := range []string{string(b), ascii.String()} {
			if got := unescape(args); got != `"`+said+`"` {
				rt.Fatalf("%s: %q, want %q", args, got, said)
			}
		}
	})
}
