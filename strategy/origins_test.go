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

// A file is not taken for another of its name in another folder.
//
// SPEC: B18
func TestFilesOfOneNameAreNotMarked(t *testing.T) {
	filler := strings.Repeat("\na line that stands in all of them", 60)
	got := closely(t, 0, 400,
		calls("bash", `{"command":"cd /srv/app && cat tests/filters/limits.py"}`, text("the retry limit of import_queue_7 is 12"+filler)),
		calls("bash", `{"command":"cd /srv/app && cat limits.py"}`, text("the retry limit of export_queue_3 is 15"+filler)),
		calls("bash", `{"command":"cd /srv/app && sed -i s/12/15/ limits.py"}`, text("")),
		calls("bash", `{"command":"ls"}`, text("nothing of note")))
	for _, want := range []string{"#3 tool: the retry limit", "#5 tool, file changed since: the retry limit"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// Lines of a result say which file or command they come from, where the call does not stand above
// them: the whole path once, then the file's name. Of several files none is named.
//
// SPEC: B18
func TestLinesSayWhereTheyComeFrom(t *testing.T) {
	filler := strings.Repeat("\na line that stands in all of them", 60)
	sh := func(line, n string) round {
		return calls("bash", `{"command":"`+line+`"}`, text("queue_"+n+": retry limit retry_"+n+", owner billing_"+n+filler))
	}
	got := closely(t, 20, 600,
		sh("cat src/queues/limits.py", "one"), sh("sed -n 40,50p src/queues/limits.py", "two"), sh("sed -n 60,70p src/queues/limits.py", "three"),
		sh("cd /srv/app && python check_queues.py | tail", "four"), sh("python check_queues.py | tail", "five"),
		sh("cat src/names.py src/queues/limits.py", "six"), calls("bash", `{"command":"ls"}`, text("nothing of note")))
	for _, want := range []string{
		"#3 tool, src/queues/limits.py: queue_one", "#5 tool, limits.py: queue_two", "#7 tool, limits.py: queue_three",
		"#9 tool: queue_four", "#11 tool, python check_queues.py: queue_five", "#13 tool: queue_six",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}
