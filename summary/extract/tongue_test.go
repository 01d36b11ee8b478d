package extract_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-3db51b0e/precis/summary/wording"
)

// SPEC: B18. A conversation in another language is told by what needs no language: what
// was asked, in order, and the newest of it, files, commands and errors. Nothing in it is
// taken for a demand, a decision or a thing left to do by a word that English has, too; what
// its own words demand is a rule.
func TestOtherLanguages(t *testing.T) {
	for name, c := range map[string]struct {
		asked  []string // by the user, in order
		rule   string   // of the user's, in the first of them
		agent  []string // texts of the agent
		thanks string
	}{
		"German": {
			[]string{
				"Bitte repariere den Import in src/lager.py, er verliert die letzte Zeile. Ändere dabei niemals das Schema!",
				"Jetzt noch ein Test dafür, also auch für leere Dateien.",
			},
			"Ändere dabei niemals das Schema!",
			[]string{"Ich sehe mir die Datei an und starte den Test.", "Der Fehler war ein falscher Index. Jetzt ist alles gut, der Plan ist fertig: kein Rest mehr da."},
			"Danke, passt.",
		},
		"Spanish": {
			[]string{
				"Arregla la importación en src/lager.py, que pierde la última línea. No toques nunca el esquema.",
				"Ahora añade una prueba para eso y comprueba todo antes de seguir.",
			},
			"No toques nunca el esquema.",
			[]string{"Voy a mirar el archivo y lanzar la prueba.", "El fallo era un índice. Todo listo: todo pasa, es decir, no queda nada por hacer en el plan."},
			"Gracias, perfecto.",
		},
		"Chinese": {
			[]string{
				"请修复 src/lager.py 里的导入，它会丢掉最后一行。绝对不要改动数据库结构。",
				"现在再加一个测试。",
			},
			"绝对不要改动数据库结构。",
			[]string{"我先看一下文件，然后运行测试。", "问题出在索引上，现在已经修好了。"},
			"好的，谢谢",
		},
	} {
		t.Run(name, func(t *testing.T) {
			text := wording.Text(summarize(t, script(t, strings.Join([]string{
				"user: " + c.asked[0],
				"assistant: " + c.agent[0],
				`call bash {"command":"pytest tests/test_lager.py"}`, "result: E   IndexError: list index out of range\n1 failed\n\nCommand exited with code 1",
				`call edit {"path":"src/lager.py","old":"rows[n]","new":"rows[n-1]"}`, "result: ok",
				`call bash {"command":"pytest tests/test_lager.py"}`, "result: 7 passed\n\nCommand exited with code 0",
				"assistant: " + c.agent[1],
				"user: " + c.thanks,
				"user: " + c.asked[1],
			}, "\n---\n"))), 0, nil)
			text, _, _ = strings.Cut(text, "## Identifiers")
			for _, want := range []string{
				"## Constraints and preferences (verbatim)\n- " + c.rule + " (#1)\n## Requests", "\n- " + c.asked[1] + " (#", "edited src/lager.py (#", "`pytest tests/test_lager.py` → exit 0: 7 passed", "IndexError: list index out of range",
				"## Requests of the user, in order\n- " + c.asked[0][:48], ", answered (#",
			} {
				if !strings.Contains(text, want) {
					t.Errorf("missing %q in\n%s", want, text)
				}
			}
			for _, wrong := range []string{"## Facts", "## Current plan", "## Open items", "## Decisions", "open:", c.thanks} {
				if strings.Contains(text, wrong) {
					t.Errorf("%q in\n%s", wrong, text)
				}
			}
		})
	}
}

// SPEC: B18, B20. A rule is read in the language it is written in, whatever the rest of the
// conversation is in.
func TestRulesInTheirOwnLanguage(t *testing.T) {
	text := wording.Text(summarize(t, script(t, strings.Join([]string{
		"user: 请修复 src/lager.py 里的导入，它会丢掉最后一行。绝对不要改动数据库结构。",
		"assistant: 我先看一下文件，然后运行测试。",
		"user: Never touch the table ledger_4711, except to add a column.",
		"assistant: 好的。",
		"user: Please go on with the exporter. Ändere niemals die Tabelle konto_12, außer um eine Spalte anzufügen.",
	}, "\n---\n"))), 0, nil)
	for _, rule := range []string{"绝对不要改动数据库结构。 (#1)", "Never touch the table ledger_4711, except to add a column. (#3)", "Ändere niemals die Tabelle konto_12, außer um eine Spalte anzufügen. (#5)"} {
		if before, _, ok := strings.Cut(text, "\n- "+rule); !ok || strings.Contains(before, "## Requests") {
			t.Errorf("%q is no rule in\n%s", rule, text)
		}
	}
}

// SPEC: B18, B20. What a user rules out or corrects in another language is a rule, and so is what is
// demanded in Dutch; what was not there is none.
func TestRulesOfOtherLanguages(t *testing.T) {
	for _, c := range []struct {
		said  string
		rules []string
	}{
		{"Los de fout in de parser op. De API mag nooit veranderd worden. Alle tests moeten slagen met versie 3.2. Gebruik altijd tabs.", []string{"De API mag nooit veranderd worden.", "Alle tests moeten slagen met versie 3.2.", "Gebruik altijd tabs."}},
		{"De limiet is 64 MB en de poort is 8080. Kijk naar de fout in de parser.", nil},
		{"Bitte füge einen Export hinzu, keine neuen Abhängigkeiten.", []string{"Bitte füge einen Export hinzu, keine neuen Abhängigkeiten."}},
		{"Keine neuen Abhängigkeiten.", []string{"Keine neuen Abhängigkeiten."}},
		{"Ajoute un export. Pas de nouvelles dépendances.", []string{"Pas de nouvelles dépendances."}},
		{"Добавь экспорт, без новых зависимостей.", []string{"Добавь экспорт, без новых зависимостей."}},
		{"Dodaj eksport. Żadnych nowych zależności.", []string{"Żadnych nowych zależności."}},
		{"Dışa aktarma ekle, yeni bağımlılık yok.", []string{"Dışa aktarma ekle, yeni bağımlılık yok."}},
		{"Agrega una exportación, sin nuevas dependencias.", []string{"Agrega una exportación, sin nuevas dependencias."}},
		{"Nein, nicht 8443, sondern 9443.", []string{"Nein, nicht 8443, sondern 9443."}},
		{"Nee, niet poort 8443 maar 9443.", []string{"Nee, niet poort 8443 maar 9443."}},
		{"Nein, test_mahnstufe nicht anfassen, das macht Jonas in RECH-398.", []string{"Nein, test_mahnstufe nicht anfassen, das macht Jonas in RECH-398."}},
		{"Ablage unter /srv/export/a.csv. Bitte ohne E-Mail-Adressen (Datenschutz!).", []string{"Bitte ohne E-Mail-Adressen (Datenschutz!)."}},
		{"Den README mache ich selbst.", []string{"Den README mache ich selbst."}},
		{"Agrega un resumen, por favor, sin emojis.", []string{"Agrega un resumen, por favor, sin emojis."}},
		{"El README lo hago yo.", []string{"El README lo hago yo."}},
		{"Le README, je m'en occupe.", []string{"Le README, je m'en occupe."}},
		{"Das kann ich leider nicht ändern.", nil},
		{"Bitte ohne Eile, ich warte noch auf den Test.", nil},
		{"Hab ich selbst kopiert, läuft auch ohne Fehler.", nil},
		{"Ich habe den Test gestartet, keine neuen Fehler.", nil},
		{"Es gibt keine neuen Dateien im Ordner.", nil},
		{"Nein, das war nicht der Fehler 404 von gestern, sondern der Fehler 500 von heute im Server.", nil},
	} {
		got := []string{}
		for _, f := range summarize(t, script(t, "user: Bitte repariere den Import in der Datei, er verliert die letzte Zeile.\n---\nassistant: Das mache ich.\n---\nuser: "+c.said)).Facts {
			if f.From.N == 3 {
				got = append(got, string(f.Kind)+" "+f.Text)
			}
		}
		want := []string{}
		for _, r := range c.rules {
			want = append(want, "constraint "+r)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: %s", c.said, diff)
		}
		alone := summarize(t, script(t, "user: "+c.said)) // without a language before it
		for _, r := range c.rules {
			if text := wording.Text(alone, 0, nil); !strings.Contains(text, "## Constraints and preferences (verbatim)\n- ") || !strings.Contains(text, "- "+r+" (#1)\n") {
				t.Errorf("alone, %q is no rule in\n%s", r, text)
			}
		}
	}
}
