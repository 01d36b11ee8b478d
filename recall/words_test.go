package recall

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// SPEC: L22
func TestTerms(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "",
		"Hello, World!":                  "hello world",
		"src/userID.go":                  "src/userid.go userid.go src userid user id go",
		"/a/b/cd/e.go":                   "a/b/cd/e.go e.go cd/e.go b/cd/e.go a b cd e go",
		"max_tokens_per_request":         "max_tokens_per_request maxtokensperrequest max token per request",
		"HTTPServer2":                    "httpserver2 http server2",
		"fix-it.":                        "fix-it fix it",
		"--flag":                         "flag",
		"a/b/":                           "a/b a b",
		"10.0.0.1:8080":                  "10.0.0.1:8080 10 0 0 1 8080",
		"tune tunes tuned tuning":        "tun tun tun tun",
		"run runs running":               "run run run",
		"cities city":                    "city city",
		"need seed string bus class red": "need seed string bus class red",
		"Größe größe":                    "größe größe",
		"ВЫХОД выход":                    "выход выход",
		"東京都に行く":                         "東京 京都 都に に行 行く",
		"漢":                              "漢",
		"naïveCase":                      "naïvecas naïv cas",
		"x\xffy":                         "x y",
		"e\u0301te\u0301":                "e\u0301te\u0301",
		"...":                            "",
		strings.Repeat("ab", 60):         "",
	} {
		var got []string
		terms(text, func(s string) { got = append(got, s) })
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%q: %q, want %q", text, s, want)
		}
	}
}

// FuzzTerms: every term is lower-case text of bounded length, and the same text
// gives the same terms.
func FuzzTerms(f *testing.F) {
	for _, s := range []string{"src/userID.go", "HTTPServer", "東京都", "a_b-c.d/e:f@g~h+i#j", "\xff\xfeA", "İstanbul ẞ ǅ", "running", "__init__"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var got []string
		terms(text, func(s string) { got = append(got, s) })
		i := 0
		terms(text, func(s string) {
			if s == "" || len(s) > 3*maxTerm || strings.ContainsAny(s, " \n\t,;") || utf8.ValidString(text) && !utf8.ValidString(s) || s != got[i] {
				t.Fatalf("term %q of %q", s, text)
			}
			i++
		})
	})
}

// SPEC: L22
func TestAsksAgain(t *testing.T) {
	for text, want := range map[string]bool{
		"Could you remind me which port it was?":                          true,
		"What was the name of the table again?":                           true,
		"I no longer have the output of that command.":                    true,
		"I’ve lost track of the failing test.":                            true,
		"Please resend the file.":                                         true,
		"Can you please share the error message again?":                   true,
		"I don't have the earlier conversation.":                          true,
		"I don't have access to the full output.":                         true,
		"The earlier messages are no longer available.":                   true,
		"I cannot recall the id.":                                         true,
		"Well.\nCould you repeat the order number?":                       true,
		"I ran the tests again.":                                          false,
		"What was wrong: the port.":                                       false,
		"Could you run it?":                                               false,
		"I will remind you.":                                              false,
		"```\nCould you remind me?\n```":                                  false,
		"> Could you remind me?":                                          false,
		"The previous version is not available on this mirror.":           false,
		"The function no longer has a side effect; I have no more to do.": false,
		"": false,
	} {
		if asksAgain(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}
