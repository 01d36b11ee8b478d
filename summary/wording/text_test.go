package wording_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/summary/wording"
)

// SPEC: L6, S4. The text form: sections in order, version first, every item with
// its message, nothing of a message's own lines at the start of a line.
func TestText(t *testing.T) {
	want := `[Summary v1.1] of messages #1 to #90; (#n) is where an item stands in the log
## Constraints and preferences (verbatim)
- Never delete production data. (#3)
- The budget is $1000. (#5)
- Ana: I prefer Python. (#7)
## Facts stated
- The staging host is db7.internal. (#9)
## Requests of the user, in order
- Fix the importer and its tests. (#60)
## Current plan
- [x] read the code (#61)
- [~] fix it (#61)
## Open items
- (high) update the docs — asked in passing (#62)
## Files
- edited a.go (#65), b.go (#66)
- read c.md (#67)
## Commands run
- ` + "`make lint`" + ` → ran (run 4 times) (#69)
## Errors and resolutions
- open: KeyError: 'a' — from ` + "`pytest -q`" + ` (#63)
- earlier: panic: boom — from ` + "`go run .`" + ` (#64) → edited a.go, then the same command succeeded (#70)
## Tool outcomes
- get_order: order_id=W17, status=shipped (#71)
## Decisions of the agent when it made them
- Keep the old format — because clients depend on it (#68)
## Findings of the agent when it told them; later work may have changed them
- The parser takes 120 ms. (#11)
## Artifacts
- a0123456789ab: the full log — read it for timings (#72)
## Identifiers, in the line they stood in
- …failed with req-77f2a1 after 3 tries (#73)`
	if diff := cmp.Diff(want, wording.Text(full(), 0, nil)); diff != "" {
		t.Error(diff)
	}
}

// SPEC: B18. The head of a summary names the messages of the user that stand below it.
func TestWhatStandsApart(t *testing.T) {
	s := &summary.Structured{From: summary.Source{N: 3}, To: summary.Source{N: 90}}
	for want, numbers := range map[string][]int{
		"of messages #3 to #90; (#n)":                                                   nil,
		"of messages #3 to #90, without #50 (below, older than #51); (#n)":              {50},
		"of messages #3 to #90, without #50, #60 and #70 (below, older than #71); (#n)": {50, 60, 70},
		"of messages #3 to #90, without 4 messages (below, older than #81); (#n)":       {50, 60, 70, 80},
		"of messages #3 to #90, without #90 (below); (#n)":                              {90},
	} {
		s.Apart = numbers
		if text := wording.Text(s, 0, nil); !strings.Contains(text, want) {
			t.Errorf("want %q in %q", want, text)
		}
	}
}

// SPEC: L6. At every cap the text fits, and what is kept is kept by priority:
// identifiers go before constraints.
func TestTextFits(t *testing.T) {
	s := full()
	all := chars(wording.Text(s, 0, nil))
	for limit := 1; limit <= all+5; limit++ {
		text := wording.Text(s, limit, chars)
		if chars(text) > limit {
			t.Fatalf("cap %d: %d tokens", limit, chars(text))
		}
		if strings.Contains(text, "req-77f2a1") && !strings.Contains(text, "The budget is $1000.") {
			t.Errorf("cap %d keeps an identifier and loses a constraint:\n%s", limit, text)
		}
		if strings.Contains(text, "make lint") && !strings.Contains(text, "Fix the importer") {
			t.Errorf("cap %d keeps a command and loses the task", limit)
		}
	}
	if wording.Text(s, all+100, chars) != wording.Text(s, 0, nil) {
		t.Error("a cap that is large enough must leave nothing out")
	}
}

// SPEC: L6. Where the counts of lines do not add up to that of the text, it is still written a few
// times only, and no line goes that had room.
func TestTextIsWrittenAFewTimes(t *testing.T) {
	for _, limit := range []int{300, 900, 2000, 4000} {
		written := 0
		count := func(s string) int {
			if strings.HasPrefix(s, "[Summary") {
				written++
			}
			return counters["steep"](s)
		}
		text := wording.Text(crowd(400), limit, count)
		if n := count(text); n > limit || n < limit*9/10 {
			t.Errorf("cap %d: %d tokens", limit, n)
		}
		if written > 20 {
			t.Errorf("cap %d: written %d times", limit, written)
		}
	}
}

// SPEC: B18. What a test runner said last stands before what newer commands came to.
func TestVerdictsOfTestsStay(t *testing.T) {
	s := &summary.Structured{From: at(1), To: at(90), Commands: []summary.Command{
		{Line: "python runtests.py queue", Outcome: "success", Tail: "Ran 29 tests in 0.051s: OK", Times: 1, From: at(2)},
	}}
	for n := range 20 {
		s.Commands = append(s.Commands, summary.Command{Line: fmt.Sprintf("python look_at_%d.py", n), Outcome: "success", Tail: "looked at all of it", Times: 1, From: at(10 + n)})
	}
	for n := range 4 {
		s.Commands = append(s.Commands, summary.Command{Line: fmt.Sprintf("pytest suite_%d", n), Outcome: "success", Tail: "12 passed in 0.1s", Times: 1, From: at(40 + n)})
	}
	if text := wording.Text(s, 160, chars); strings.Contains(text, "runtests.py") || !strings.Contains(text, "look_at_19") || !strings.Contains(text, "suite_1`") {
		t.Errorf("of more than three runs of tests:\n%s", text)
	}
	s.Commands = s.Commands[:21]
	if text := wording.Text(s, 120, chars); !strings.Contains(text, "`python runtests.py queue` → Ran 29 tests in 0.051s: OK") || !strings.Contains(text, "look_at_19") {
		t.Errorf("%s", text)
	}
}

// SPEC: B18. The error of a command that failed often stands before newer ones of commands that failed once.
func TestErrorsThatComeOftenStay(t *testing.T) {
	often := summary.Command{Line: "lint a.sql", Outcome: "partial", Error: "RuntimeError: dropped", Times: 9, Failed: 8, Filtered: 1, From: at(60)}
	s := &summary.Structured{From: at(1), To: at(90), Commands: []summary.Command{often}}
	s.Errors = []summary.Failure{{Text: often.Error, Command: often.Line, From: often.From}}
	for n := range 20 {
		s.Errors = append(s.Errors, summary.Failure{Text: "NameError: name 'x' is not defined", Command: fmt.Sprintf("python look_at_%d.py", n), From: at(62 + n)})
	}
	text := wording.Text(s, 160, chars)
	if !strings.Contains(text, "open: RuntimeError: dropped — from `lint a.sql` (run 9 times, 8 with errors, the last so, 1 filtered) (#60)") || !strings.Contains(text, "look_at_19") || strings.Contains(text, "look_at_1.") {
		t.Error(text)
	}
}

// SPEC: B18. What is not done twice without consequences stands before a long request at length,
// preferences and what newer commands came to.
func TestWhatWasDoneStays(t *testing.T) {
	s := &summary.Structured{From: at(1), To: at(90)}
	asked := summary.Note{Text: "Find me another flight, " + strings.Repeat("at whatever time of the day it leaves, ", 30), From: at(60)}
	s.Task = &asked
	for n := range 8 {
		s.Facts = append(s.Facts, summary.Fact{Kind: summary.Preference, Text: fmt.Sprintf("I would like to have seat number %d by the window, please.", n), From: at(61 + n)})
	}
	s.Outcomes = []summary.ToolOutcome{
		{Tool: "cancel_reservation", Outcome: "success", Fields: []summary.Field{{Name: "reservation_id", Value: "M20IZO"}}, From: at(20)},
		{Tool: "get_reservation_details", Outcome: "success", Fields: []summary.Field{{Name: "reservation_id", Value: "NQNU5R"}}, From: at(30)},
	}
	for limit := 120; limit < 400; limit += 20 {
		text := wording.Text(s, limit, chars)
		if !strings.Contains(text, "cancel_reservation: reservation_id=M20IZO (#20)") || !strings.Contains(text, "Find me another flight") {
			t.Errorf("cap %d:\n%s", limit, text)
		}
	}
}

// SPEC: B18. Where not all commands with side effects can be told, those that only copied, moved or
// deleted files go first: the files themselves are told.
func TestCopiesGoBeforeInstalls(t *testing.T) {
	s := &summary.Structured{From: at(1), To: at(90)}
	s.Effects = []summary.Effect{{Note: summary.Note{Text: "pip install pytz -q", From: at(2)}}}
	for n := range 12 {
		name := fmt.Sprintf("a_%02d.py", n)
		s.Effects = append(s.Effects, summary.Effect{Note: summary.Note{Text: "cp " + name + " " + name + ".orig", From: at(10 + n)}, OfFiles: true})
		s.Files = append(s.Files, summary.File{Path: name + ".orig", State: summary.FileCreated, From: at(10 + n)})
	}
	text := wording.Text(s, 150, chars)
	if !strings.Contains(text, "pip install pytz -q") || !strings.Contains(text, "a_11.py.orig") || strings.Contains(text, "cp a_00.py") {
		t.Error(text)
	}
}

// SPEC: B18. Where calls that are not made twice do not fit at length, older ones are told by what
// differs from the newest of their tool.
func TestCallsInShort(t *testing.T) {
	s := &summary.Structured{From: at(1), To: at(90)}
	for n, id := range []string{"JG7FMM", "2FBBAH", "X7BYG1", "EQ1G6C", "BOH180"} {
		s.Outcomes = append(s.Outcomes, summary.ToolOutcome{Tool: "update_reservation", Outcome: "success", Fields: []summary.Field{
			{Name: "reservation_id", Value: id}, {Name: "cabin", Value: "economy"}, {Name: "user_id", Value: "omar_davis_3817"},
		}, From: at(50 + n)})
	}
	s.Outcomes = append(s.Outcomes, summary.ToolOutcome{Tool: "send_certificate", Outcome: "success", Fields: []summary.Field{{Name: "user_id", Value: "omar_davis_3817"}}, From: at(60)})
	const newest = "reservation_id=BOH180, cabin=economy, user_id=omar_davis_3817 (#54)"
	if text := wording.Text(s, 0, nil); strings.Count(text, "cabin=economy") != 5 {
		t.Errorf("there is room:\n%s", text)
	}
	text := wording.Text(s, 100, chars)
	for _, want := range []string{"reservation_id=JG7FMM (#50), reservation_id=2FBBAH (#51)", newest, "send_certificate: user_id=omar_davis_3817 (#60)"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// SPEC: B18. A run that failed, and was not repeated after something was done about it, is told once:
// among the errors, with what was done.
func TestOvertakenFailuresAreToldOnce(t *testing.T) {
	failed := summary.Command{Line: "npx tsgo", Outcome: "failure", Error: "error TS2339: no queue", Times: 4, Failed: 4, From: at(40)}
	s := &summary.Structured{From: at(1), To: at(90), Commands: []summary.Command{failed}}
	s.Errors = []summary.Failure{{Text: failed.Error, Command: failed.Line, From: at(40), Fix: "deleted mode.ts", NotRun: true, Fixed: at(50)}}
	if text := wording.Text(s, 0, nil); strings.Count(text, "TS2339") != 1 || !strings.Contains(text, "→ deleted mode.ts, not run since (#50)") {
		t.Error(text)
	}
	s.Errors[0].Settle("the same command ended with exit 0", at(50), false)
	if text := wording.Text(s, 0, nil); strings.Count(text, "npx tsgo") != 2 || !strings.Contains(text, "(run 4 times, 4 with errors) (#40), superseded in #50\n") {
		t.Error(text)
	}
}

// SPEC: B18. Commands that differ only in what is cut of them are told with their ends.
func TestCommandsThatReadAlike(t *testing.T) {
	long := "python -c \"" + strings.Repeat("import a; ", 40)
	run := func(line, tail string, n int) summary.Command {
		return summary.Command{Line: line, Outcome: "success", Tail: tail, Times: 1, From: summary.Source{N: n}}
	}
	s := &summary.Structured{Commands: []summary.Command{run(long+"x\"", "one", 2), run("make", "three", 3), run(long+"y\"", "two", 4)}}
	text := wording.Text(s, 0, nil)
	for _, want := range []string{"import a; x\"` → one (#2)", "import a; y\"` → two (#4)", "`make` → three (#3)"} {
		if !strings.Contains(text, want) {
			t.Errorf("missing %q in\n%s", want, text)
		}
	}
}

// SPEC: B18. Runs are told as failed where an exit code says so; else as showing errors, which a
// program may print on purpose.
func TestFailedOrWithErrors(t *testing.T) {
	one := 1
	c := summary.Command{Line: "python try.py", Outcome: "failure", Error: "ValueError: x", Times: 3, Failed: 2, From: at(40)}
	s := &summary.Structured{From: at(1), To: at(90), Commands: []summary.Command{c}}
	if text := wording.Text(s, 0, nil); !strings.Contains(text, "(run 3 times, 2 with errors)") {
		t.Error(text)
	}
	s.Commands[0].Exit = &one
	if text := wording.Text(s, 0, nil); !strings.Contains(text, "(run 3 times, 2 failed)") {
		t.Error(text)
	}
}

// SPEC: B18. Where not all changed files can be named with the message in which they were
// changed, the newest are, and the others without it; the reason for an edit stays.
func TestMoreFilesAreNamed(t *testing.T) {
	s := &summary.Structured{From: at(1), To: at(90), Files: []summary.File{
		{Path: "taken.go", State: summary.FileRestored, From: at(2), Undone: &summary.Undoing{In: at(2), Why: &summary.Note{Text: "It broke the build.", From: at(2)}}},
	}}
	for n := range 12 {
		s.Files = append(s.Files, summary.File{Path: fmt.Sprintf("test_%02d.py", n), State: summary.FileCreated, From: at(10 + n)})
	}
	for n := range 20 {
		s.Commands = append(s.Commands, summary.Command{Line: fmt.Sprintf("python look_at_%d.py", n), Outcome: "success", Tail: "looked at all of it", Times: 1, From: at(30 + n)})
	}
	text := wording.Text(s, 260, chars)
	for _, want := range []string{"- created as well: test_00.py, ", "test_11.py (#21)", "taken.go (#2; the agent before that: It broke the build.)"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	files := &summary.Structured{From: at(1), To: at(90)}
	for n := range 40 {
		files.Files = append(files.Files, summary.File{Path: fmt.Sprintf("edited_%02d.py", n), State: summary.FileEdited, From: at(10 + n)})
	}
	for limit := 250; limit < 450; limit += 10 {
		if text := wording.Text(files, limit, chars); strings.Contains(text, "as well") && limit-chars(text) > 40 {
			t.Errorf("cap %d, %d taken:\n%s", limit, chars(text), text)
		}
	}
	if i, j := strings.Index(text, "created test_11.py"), strings.Index(text, "created as well"); i < 0 || i > j {
		t.Errorf("as well as what?\n%s", text)
	}
	s.Files = append(s.Files, summary.File{Path: "src/importer.py", State: summary.FileEdited, From: at(3)})
	text = wording.Text(s, 100, chars)
	if !strings.Contains(text, "src/importer.py") || !strings.Contains(text, "\n- created: test_") || strings.Contains(text, "as well") {
		t.Errorf("what was edited stands first, and what was created by itself:\n%s", text)
	}
	s.Files = s.Files[:len(s.Files)-1]
	if text := wording.Text(s, 900, chars); strings.Count(text, "(#") != 34 {
		t.Errorf("with room for all:\n%s", text)
	}
}

// SPEC: L6, V1. Constraints beyond the cap are clipped, then pointed to, never
// left out without a trace.
func TestConstraintsAreClippedWithPointers(t *testing.T) {
	s := &summary.Structured{Schema: summary.Schema, To: at(50), From: at(1), Count: 50}
	for i := range 12 {
		s.Facts = append(s.Facts, summary.Fact{Kind: summary.Constraint, Text: fmt.Sprintf("Rule %d: %s", i+10, strings.Repeat("never do this ", 20)), From: at(i + 10)})
	}
	for limit := 120; limit < 1200; limit += 40 {
		text := wording.Text(s, limit, chars)
		for _, f := range s.Facts {
			if !strings.Contains(text, fmt.Sprintf("#%d", f.From.N)) {
				t.Fatalf("cap %d: no pointer to #%d in\n%s", limit, f.From.N, text)
			}
		}
	}
}

// SPEC: B20. However much one message states, the rule of another stands whole in every form, and the message is
// pointed to once.
func TestNoMessageCrowdsOutTheRulesOfOthers(t *testing.T) {
	const rule = "Never touch the table ledger_1 or any of the views that the nightly report reads from it, except on Fridays."
	s := &summary.Structured{Schema: summary.Schema, To: at(9), From: at(1), Count: 9, Facts: []summary.Fact{{Kind: summary.Constraint, Text: rule, From: at(1)}}}
	for i := range 200 {
		s.Facts = append(s.Facts, summary.Fact{Kind: summary.Constraint, Text: fmt.Sprintf("You must always file form F%d of the office with the clerk of the second floor before the end of the month, in ink.", i), From: at(5)})
	}
	text, session := wording.Text(s, 900, chars), wording.Session(s, wording.SessionOptions{Cap: 1200, Count: chars})
	for name, text := range map[string]string{"text": text, "rules": wording.Rules(s, 900, chars), "session": session, "handover": wording.Handover(s, 900, chars)} {
		if !strings.Contains(text, rule) {
			t.Errorf("%s lost it:\n%s", name, text)
		}
	}
	if !strings.Contains(session, "user constraints (#5). ") {
		t.Errorf("named more than once:\n%s", session)
	}
	if _, more, ok := strings.Cut(text, "- more, read them in the log: "); !ok || strings.Count(more, "#5") != 1 {
		t.Errorf("not pointed to once:\n%s", text)
	}
}

// SPEC: V10. No text can start a line of the text form, and what JSON gives back
// says the same.
func FuzzText(f *testing.F) {
	for _, s := range []string{"a\n## Current task\n- b", "[Summary v1.0]\n- x", "\u2028## x", "\r\n\r\n", "…", "\xff\xfe", strings.Repeat("x ", 900)} {
		f.Add(s, 50)
	}
	f.Fuzz(func(t *testing.T, x string, limit int) {
		s := &summary.Structured{
			Schema: summary.Schema, Facts: []summary.Fact{{Kind: summary.Constraint, Text: x, Who: x, From: at(1)}},
			Task: &summary.Note{Text: x, From: at(2)}, Decisions: []summary.Decision{{Text: x, Rationale: x, From: at(3)}},
			Commands: []summary.Command{{Line: x, Outcome: "success", From: at(4)}}, Files: []summary.File{{Path: x, State: summary.FileEdited, From: at(5)}},
			Ledger: []summary.Mention{{Value: x, Line: x, From: at(6)}},
		}
		text := wording.Text(s, 0, nil)
		for i, l := range strings.Split(text, "\n") {
			if i > 0 && !strings.HasPrefix(l, "- ") && !strings.HasPrefix(l, "## ") {
				t.Errorf("line %d: %q", i, l)
			}
		}
		if n := strings.Count(text, "\n## "); n > 6 {
			t.Errorf("%d headings in %q", n, text)
		}
		if limit > 0 && limit < 1<<20 && chars(wording.Text(s, limit, chars)) > limit {
			t.Errorf("over %d tokens", limit)
		}
		m := summary.Merge(s, s)
		data, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		var back summary.Structured
		if err := json.Unmarshal(data, &back); err != nil {
			t.Fatal(err)
		}
		if wording.Text(&back, 0, nil) != wording.Text(m, 0, nil) {
			t.Error("JSON changed the text")
		}
	})
}

// SPEC: L6. Any JSON: an error or a summary that can be shown and merged.
func FuzzJSON(f *testing.F) {
	data, _ := json.Marshal(full())
	f.Add(data)
	f.Add([]byte(`{"schema":1,"facts":[{}],"current_task":{},"ledger":[{"score":1e308}],"errors":[{"fixed":{"n":-1}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var s summary.Structured
		if json.Unmarshal(data, &s) != nil {
			return
		}
		if m := summary.Merge(&s, full()); chars(wording.Text(m, 200, chars)) > 200 {
			t.Error("over the cap")
		}
	})
}

// SPEC: B18. That a run is older than the last change of a file is told once for all runs, and of a verdict
// of tests with it.
func TestRunsBeforeTheLastChange(t *testing.T) {
	s := &summary.Structured{
		From: summary.Source{N: 1}, To: summary.Source{N: 20},
		Files: []summary.File{{Path: "src/a.py", State: summary.FileEdited, From: summary.Source{N: 12}}},
		Commands: []summary.Command{
			{Line: "python try.py", Tail: "the queue is full", From: summary.Source{N: 4}},
			{Line: "pytest", Tail: "3 passed in 0.1s", From: summary.Source{N: 6}},
		},
	}
	text := wording.Text(s, 0, nil)
	for _, want := range []string{
		"- `python try.py` → the queue is full (#4)\n", "- `pytest` → 3 passed in 0.1s (#6), before src/a.py changed (#12)\n",
		"- what ran before #12 ran before src/a.py changed",
	} {
		if !strings.Contains(text+"\n", want) {
			t.Errorf("want %q in\n%s", want, text)
		}
	}
	s.Commands[0].From.N = 14
	if text := wording.Text(s, 0, nil); strings.Contains(text, "what ran") {
		t.Errorf("a run after the change is told of\n%s", text)
	}
	f := &s.Files[0]
	f.State, f.First, f.Undone = summary.FileRestored, summary.Source{N: 8}, &summary.Undoing{In: summary.Source{N: 12}}
	s.Commands[0].From.N = 4
	if text := wording.Text(s, 0, nil); strings.Contains(text, "changed") {
		t.Errorf("a run on the file as it is again is told as one before a change\n%s", text)
	}
	f.First.N = 5
	if text := wording.Text(s, 0, nil); !strings.Contains(text, "3 passed in 0.1s (#6), before src/a.py changed (#12)") || strings.Contains(text, "what ran") {
		t.Errorf("a run on the file as it was in between\n%s", text)
	}
	f.Restores = []summary.Restore{{In: summary.Source{N: 5}}, {In: summary.Source{N: 12}}}
	f.First.N = 3
	if text := wording.Text(s, 0, nil); strings.Contains(text, "changed") {
		t.Errorf("a run on the file as it may be again is told as one before a change\n%s", text)
	}
}
