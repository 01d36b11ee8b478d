package strategy_test

import (
	"strings"
	"testing"
)

// A line of a file that was changed after it was shown says so; one of another file does not.
//
// SPEC: B18
func TestChangedFilesAreMarked(t *testing.T) {
	filler := strings.Repeat("\na line that stands in all of them", 60)
	got := closely(t, 0, 400,
		calls("bash", `{"command":"cat src/limits.py"}`, text("the retry limit of import_queue_7 is 12"+filler)),
		calls("bash", `{"command":"cat src/names.py"}`, text("the name of import_queue_9 is billing_eu"+filler)),
		calls("edit", `{"path":"src/limits.py","old":"12","new":"15"}`, text("ok")),
		calls("bash", `{"command":"cat ./src/limits.py"}`, text("the retry limit of export_queue_3 is 15")),
		calls("bash", `{"command":"ls"}`, text("nothing of note")))
	for _, want := range []string{"#3 tool, file changed since: the retry limit", "#5 tool: the name", "#9 tool: the retry limit"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// A line of a file that was put back as it was when the line was shown says nothing of the changes
// in between; one that was shown between them does.
//
// SPEC: B18
func TestFilesPutBackAreNotMarked(t *testing.T) {
	filler := strings.Repeat("\na line that stands in all of them", 60)
	got := closely(t, 0, 400,
		calls("bash", `{"command":"cat src/limits.py"}`, text("the retry limit of import_queue_7 is 12"+filler)),
		calls("bash", `{"command":"sed -i s/12/15/ src/limits.py"}`, text("")),
		calls("bash", `{"command":"cat ./src/limits.py"}`, text("the retry limit of export_queue_3 is 15")),
		calls("bash", `{"command":"git checkout -- src/limits.py"}`, text("")),
		calls("bash", `{"command":"ls"}`, text("nothing of note")))
	for _, want := range []string{"#3 tool: the retry limit", "#7 tool, file changed since: the retry limit"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}
