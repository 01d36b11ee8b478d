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

// SPEC: B18, B20. What is never, always or not to be done is a rule in each of the languages that are
// read for demands; who tells what never was makes none.
func TestRulesByLanguage(t *testing.T) {
	for _, c := range []struct{ language, opens, rules, none string }{
		{"German", "Bitte repariere den Import in der Datei.", "Du kannst die Tests ändern, aber lass src/api.go in Ruhe.|Den Parser kannst du umbauen, den Lexer lass wie er ist.|Lass schema.sql bitte unverändert.|Finger weg von config.yml.|Ändere alles außer config.yml.|Nur src/b.go anfassen.|Ab jetzt nur noch auf Englisch antworten.|Ändere niemals die Datei schema.sql.|Ändere die Datei schema.sql nicht.|Nutze immer Tabs.|Nie pushen.", "Lass mich in Ruhe nachdenken.|Alles außer dem Login geht wieder.|Er lässt die Datei, wie sie ist.|Nur der Login geht nicht.|Das habe ich noch nie gesehen, ich habe immer gewartet.|Das ändert nichts."},
		{"Dutch", "Los de fout in de parser op.", "Pas de tests aan, maar laat src/api.go zoals het is.|Vanaf nu alleen Engels.|Wijzig nooit het bestand schema.sql.|Wijzig schema.sql niet.", "Ik heb dat nooit gezien."},
		{"French", "Corrige l'import dans le fichier, il perd la dernière ligne.", "Tu peux changer les tests, mais laisse src/api.go tel quel.|Désormais, réponds en anglais.|Change tout sauf config.yml.|Ne modifie jamais le fichier schema.sql.|Ne touche pas au schéma.|Utilise toujours des tabulations.", "Je n'ai jamais vu ça.|Ce n'est pas grave."},
		{"Spanish", "Arregla la importación en el archivo, que pierde una línea.", "Puedes cambiar las pruebas, pero deja src/api.go como está.|Puedes editar docs/, pero no toques docs/legal.md.|El lexer déjalo como está.|Cambia todo menos config.yml.|Solo toca src/b.go.|A partir de ahora responde en inglés.|Nunca modifiques el archivo schema.sql.|No toques el esquema.|Usa siempre tabuladores.", "Funciona todo menos el inicio.|Solo falla una prueba.|Nunca he visto esto.|No hay prisa."},
		{"Portuguese", "Conserte a importação no arquivo, ela perde uma linha.", "Pode mudar os testes, mas deixe src/api.go como está.|A partir de agora, responda em inglês.|Nunca altere o arquivo schema.sql.|Não mexa no esquema.|Use sempre tabulações.", "Eu nunca vi isso.|Não sei o que é."},
		{"Italian", "Correggi l'importazione nel file, perde una riga.", "Puoi cambiare i test, ma lascia src/api.go così com'è.|D'ora in poi rispondi in inglese.|Non modificare mai il file schema.sql.|Non toccare lo schema.|Usa sempre le tabulazioni.", "Non ho mai visto questo.|Non funziona."},
		{"Polish", "Napraw import w pliku, bo się gubi wiersz. To nie jest trudne.", "Nigdy nie zmieniaj pliku schema.sql.|Nie dotykaj schematu.|Zawsze używaj tabulatorów.", "Nie wiem, co to jest."},
		{"Russian", "Исправь импорт в файле, он теряет строку.", "Никогда не меняй файл schema.sql.|Не трогай схему.|Всегда используй табуляцию.", "Я никогда не видел такого.|Не знаю."},
		{"Turkish", "Dosyadaki içe aktarmayı düzelt, bir satırı kaybediyor.", "schema.sql dosyasını asla değiştirme.|Her zaman sekme kullan.", "Bunu bilmiyorum."},
		{"Arabic", "أصلح الاستيراد في الملف، فهو يفقد سطرا.", "لا تغيّر الملف schema.sql أبدا.|يجب استخدام المسافات دائما.", "لا أعرف ما هذا."},
		{"Hebrew", "תקן את הייבוא בקובץ, הוא מאבד שורה.", "לעולם אל תשנה את הקובץ schema.sql.|השתמש תמיד ברווחים.", "אני לא יודע מה זה."},
		{"Hindi", "फ़ाइल में आयात ठीक करें, यह एक पंक्ति खो देता है।", "schema.sql फ़ाइल को कभी भी न बदलें।|हमेशा टैब का उपयोग करें।", "मुझे नहीं पता यह क्या है।"},
		{"Vietnamese", "Hãy sửa phần nhập trong tệp, nó làm mất một dòng.", "Không bao giờ sửa tệp schema.sql.|Đừng đụng vào lược đồ.", "Tôi không biết đó là gì."},
		{"Korean", "파일의 가져오기를 고쳐 주세요.", "schema.sql 파일은 절대 수정하지 마세요.|항상 탭을 사용하세요.", "잘 모르겠어요."},
		{"Japanese", "ファイルのインポートを直してください。", "schema.sql は絶対に変更しないでください。|必ずタブを使ってください。", "よく分かりません。"},
		{"Chinese", "请修复文件里的导入。", "docs/ 可以改，但是别碰 docs/legal.md。|解析器可以重构，词法分析器保持原样。|只改 src/b.go。|先别提交。|从现在起用英文回答。|绝对不要修改 schema.sql 文件。|必须使用制表符。", "我不知道这是什么。|别的测试都通过了。"},
	} {
		for i, list := range []string{c.rules, c.none} {
			for said := range strings.SplitSeq(list, "|") {
				text := wording.Text(summarize(t, script(t, "user: "+c.opens+"\n---\nassistant: OK.\n---\nuser: "+said)), 0, nil)
				if got := strings.Contains(text, "## Constraints and preferences (verbatim)\n- "+said+" (#3)"); got != (i == 0) {
					t.Errorf("%s: %q is a rule: %t\n%s", c.language, said, got, text)
				}
			}
		}
	}
}
