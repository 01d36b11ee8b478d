package strategy_test

import (
	"strings"
	"testing"
)

// A line of a file that was changed after it was shown or written says so; one of another
// file does not.
//
// SPEC: B18
func TestChangedFilesAreMarked(t *testing.T) {
	filler := strings.Repeat("\na line that stands in all of them", 60)
	got := closely(t, 0, 400,
		calls("bash", `{"command":"cat src/limits.py"}`, text("the retry limit of import_queue_7 is 12"+filler)),
		calls("bash", `{"command":"cat src/names.py"}`, text("the name of import_queue_9 is billing_eu"+filler)),
		calls("edit", `{"path":"src/limits.py","old":"12","new":"15"}`, text("ok")),
		calls("write", `{"path":"plan.md","content":"the first plan moves archive_queue_2 to billing_us"}`, text("ok")),
		calls("write", `{"path":"notes.md","content":"the notes tell of archive_queue_5"}`, text("ok")),
		calls("edit", `{"path":"plan.md","old":"moves","new":"copies"}`, text("ok")),
		calls("bash", `{"command":"cat ./src/limits.py"}`, text("the retry limit of export_queue_3 is 15")),
		calls("bash", `{"command":"ls"}`, text("nothing of note")))
	for _, want := range []string{"#3 tool, file changed since: the retry limit", "#5 tool: the name", "#15 tool: the retry limit", "#8 agent, file changed since: ", "#10 agent: "} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}
