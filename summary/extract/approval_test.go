package extract_test

import (
	"slices"
	"testing"
)

// SPEC: B20. What is done only with the user's word is a rule, in each language; who asks or tells of somebody's
// word makes none.
func TestWhatNeedsTheUsersWord(t *testing.T) {
	for text, stands := range map[string]bool{
		"ask before deleting anything":                                                        true,
		"Ask me first when you want to rename something.":                                     true,
		"If the migration takes longer than five minutes, stop and ask me.":                   true,
		"Check with me before you merge.":                                                     true,
		"Work on the branch dev unless I say otherwise.":                                      true,
		"Nothing gets merged without my approval.":                                            true,
		"Nobody but me pushes to main.":                                                       true,
		"Der Ordner infra/ ist tabu für dich und die anderen.":                                true,
		"Bitte nur auf dem Branch dev arbeiten, außer ich sage etwas anderes.":                true,
		"Keine Änderungen an der API, es sei denn, ich stimme vorher zu.":                     true,
		"Frag mich, bevor du etwas von den Dateien löschst.":                                  true,
		"Trabaja en la rama dev, a menos que yo diga otra cosa.":                              true,
		"Pregúntame antes de borrar algo en la carpeta.":                                      true,
		"Travaille sur la branche dev, sauf si je te dis autre chose.":                        true,
		"Demande-moi avant de supprimer les fichiers.":                                        true,
		"别动 infra 目录，除非我同意。":                                                                  true,
		"删除之前先问我。":                                                                            true,
		"Why did you not ask me first?":                                                       false,
		"They ask me for the report every week.":                                              false,
		"Ich frag mich, warum der Test nicht läuft und was mit dem Rest ist.":                 false,
		"Warum hast du das Modul nicht geändert, und was ist mit dem Rest?":                   false,
		"Bob asked me about the exporter, and I have told him that you are on it.":            false,
		"Please repair the exporter and tell me when you are done with it and with the tests": false,
	} {
		s := summarize(t, script(t, "user: "+text))
		if got := slices.ContainsFunc(s.Facts, isRule); got != stands {
			t.Errorf("%s: a rule is %t, %+v", text, got, s.Facts)
		}
	}
}
