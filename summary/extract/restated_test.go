package extract_test

import (
	"strings"
	"testing"
)

// Of a message in which the user changes his mind, what was taken back is no rule; a statement that adds to
// the one before it, or says no to something else, takes nothing back.
//
// SPEC: B2
func TestSecondThoughtsWithinAMessage(t *testing.T) {
	for text, want := range map[string]string{
		"Add a cache. Use Redis for it. No wait, use Memcached there. Actually no, forget both: keep at most 500 entries in memory.": "Actually no, forget both: keep at most 500 entries in memory.",
		"Use port 8080. On second thought, use port 9090.":                                                                           "On second thought, use port 9090.",
		"Never touch db/. On second thought, also never touch docs/.":                                                                "Never touch db/.|On second thought, also never touch docs/.",
		"Use port 8080. Actually no tests please, never.":                                                                            "Use port 8080.|Actually no tests please, never.",
		"Never push to main. Oh no, the build is red again.":                                                                         "Never push to main.",
		"Never push to main. Hmm no, it is not raining today.":                                                                       "Never push to main.",
		"Never push to main. On second thought, I trust you with the release notes.":                                                 "Never push to main.",
		"Never push to main. Actually no, nothing else.":                                                                             "Never push to main.",
		"Never push to main. Scratch that todo list off the board.":                                                                  "Never push to main.",
		"Never push to main. No wait is allowed in the tests.":                                                                       "Never push to main.",
		"Never push to main. No, wait until the checks are green before you merge.":                                                  "Never push to main.",
		"Never push to main. On second thought, do the docs first.":                                                                  "Never push to main.",
		"Never push to main. Scratch that.":                                                                                          "",
		"Never push to main. On second thought, pushing to main is fine.":                                                            "",
		"Use port 8080. No, 8081.":                                                                                                   "Use port 8080. No, 8081.",
		"Use port 8080. Sorry, no: 8081. Never push.":                                                                                "Use port 8080. Sorry, no: 8081.|Never push.",
		"Use Redis for it, always. No, Memcached.":                                                                                   "Use Redis for it, always. No, Memcached.",
		"Use port 8080. No, 3 tests fail since the last commit.":                                                                     "Use port 8080.",
		"Use port 8080? No, 8081. Never push.":                                                                                       "Never push.",
		"Bitte nimm die Datei. Nimm immer Port 8080. Nein, den 8081.":                                                                "Nimm immer Port 8080. Nein, den 8081.",
		"El archivo y la prueba. Usa siempre el puerto 8080. No, el 8081.":                                                           "Usa siempre el puerto 8080. No, el 8081.",
		"必须用 8080 端口。不，用 8081。不要提交。":                                                                                                 "必须用 8080 端口。不，用 8081。|不要提交。",
		"Use port 8080. No, really.":                                                                                                 "Use port 8080.",
		"Bitte nimm die Datei und das Skript. Nimm immer Port 8080. Ach nein, nimm immer Port 9090.":                                 "Ach nein, nimm immer Port 9090.",
		"El archivo y la prueba. Usa siempre el puerto 8080. No espera, usa siempre el puerto 9090.":                                 "No espera, usa siempre el puerto 9090.",
	} {
		var got []string
		for _, f := range summarize(t, script(t, "user: "+text)).Facts {
			if isRule(f) {
				got = append(got, f.Text)
			}
		}
		if strings.Join(got, "|") != want {
			t.Errorf("%s\n%q", text, got)
		}
	}
}
