package summary_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/summary/internal/testspan"
	"github.com/seed-3db51b0e/precis/summary/wording"
	"github.com/seed-3db51b0e/precis/thread"
	"pgregory.net/rapid"
)

func at(n int) summary.Source {
	return summary.Source{ID: thread.ID(fmt.Sprintf("%032d", n)), N: n}
}

func two() *int { n := 2; return &n }

// full is a summary with an item of every kind.
func full() *summary.Structured {
	return &summary.Structured{
		Schema: summary.Schema, Round: 2, From: at(1), To: at(90), Count: 90,
		Facts: []summary.Fact{
			{Kind: summary.Constraint, Text: "Never delete production data.", Pinned: true, From: at(3)},
			{Kind: summary.Constraint, Text: "The budget is $1000.", From: at(5)},
			{Kind: summary.Preference, Text: "I prefer Python.", Who: "Ana", From: at(7)},
			{Kind: summary.Plain, Text: "The staging host is db7.internal.", From: at(9)},
			{Kind: summary.Finding, Text: "The parser takes 120 ms.", From: at(11)},
		},
		Task:      &summary.Note{Text: "Fix the importer\nand its tests.", From: at(60)},
		Plan:      []summary.Step{{Text: "read the code", Status: summary.Done, From: at(61)}, {Text: "fix it", Status: summary.Doing, From: at(61)}},
		Open:      []summary.OpenItem{{Text: "update the docs", Context: "asked in passing", Priority: summary.High, Status: summary.Pending, From: at(62)}},
		Errors:    []summary.Failure{{Text: "KeyError: 'a'", Command: "pytest -q", From: at(63)}, {Text: "panic: boom", Command: "go run .", Fix: "edited a.go, then the same command succeeded", Fixed: at(70), From: at(64)}},
		Files:     []summary.File{{Path: "a.go", State: summary.FileEdited, Times: 3, From: at(65)}, {Path: "b.go", State: summary.FileEdited, From: at(66)}, {Path: "c.md", State: summary.FileRead, From: at(67)}},
		Decisions: []summary.Decision{{Text: "Keep the old format", Rationale: "clients depend on it", Turn: 9, Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), From: at(68)}},
		Commands:  []summary.Command{{Line: "pytest -q", Outcome: "failure", Exit: two(), Error: "KeyError: 'a'", From: at(63)}, {Line: "make lint", Outcome: "success", Times: 4, From: at(69)}},
		Outcomes:  []summary.ToolOutcome{{Tool: "get_order", Outcome: "success", Fields: []summary.Field{{Name: "order_id", Value: "W17"}, {Name: "status", Value: "shipped"}}, From: at(71)}},
		Artifacts: []summary.Artifact{{ID: "a0123456789ab", Description: "the full log", Hint: "read it for timings", From: at(72)}},
		Ledger:    []summary.Mention{{Value: "req-77f2a1", Line: "…failed with req-77f2a1 after 3 tries", Score: 4, From: at(73)}},
	}
}

func chars(s string) int { return (len(s) + 3) / 4 }

// SPEC: L6, L18. JSON loses nothing; another schema is refused.
func TestJSON(t *testing.T) {
	data, err := json.Marshal(full())
	if err != nil {
		t.Fatal(err)
	}
	var back summary.Structured
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(full(), &back); diff != "" {
		t.Error(diff)
	}
	for _, other := range []int{0, summary.Schema - 1, 999} {
		if err := json.Unmarshal(fmt.Appendf(nil, `{"schema":%d}`, other), &back); !errors.Is(err, summary.ErrSchema) {
			t.Errorf("schema %d: %v", other, err)
		}
	}
}

func conversation(t *testing.T, texts ...string) (*thread.Thread, plan.Span) {
	t.Helper()
	var ms []message.Message
	for _, x := range texts {
		ms = append(ms, message.TextOf(message.User, x))
	}
	return testspan.Of(t, ms)
}

// SPEC: L6, V10. What the span does not hold is refused, by name.
func TestVerify(t *testing.T) {
	th, span := conversation(t, "Deploy build 4711 to db7.internal by 2026-03-01.", "See src/load/parse.go, it says \"not ready\".")
	first := summary.Source{ID: th.At(0).ID, N: 1}
	fact := func(text string) *summary.Structured {
		return &summary.Structured{Schema: summary.Schema, Facts: []summary.Fact{{Kind: summary.Plain, Text: text, From: first}}}
	}
	for _, c := range []struct {
		s    *summary.Structured
		want string // the invention, "" for none
	}{
		{fact("Build 4711 goes to db7.internal"), ""},
		{fact("The file src/load/parse.go is not ready"), ""},
		{fact("A read/write problem in 3 files"), "read/write"},
		{fact("Build 4712 goes to db7.internal"), "4712"},
		{fact("Mail ops@example.org"), "ops@example.org"},
		{fact("Edit src/load/lexer.go"), "src/load/lexer.go"},
		{fact("It takes 15 minutes"), "15"},
		{fact("It says \"almost ready\""), "almost ready"},
		{fact("It says \"not ready\""), ""},
		{&summary.Structured{Facts: []summary.Fact{{Text: "x", From: summary.Source{ID: "nope", N: 1}}}}, "nope"},
		{&summary.Structured{Facts: []summary.Fact{{Text: "x", From: summary.Source{ID: first.ID, N: 2}}}}, string(first.ID)},
		{&summary.Structured{Files: []summary.File{{Path: "src/load", From: first}}}, ""},
		{&summary.Structured{Files: []summary.File{{Path: "src/store", From: first}}}, "src/store"},
		{&summary.Structured{Ledger: []summary.Mention{{Value: "4711", Line: "Deploy build 4711…", From: first}}}, ""},
		{&summary.Structured{Ledger: []summary.Mention{{Value: "4711", Line: "Cancel build 4711…", From: first}}}, "Cancel build 4711"},
		{&summary.Structured{Facts: []summary.Fact{{Text: "deploy build", Pinned: true, From: first}}}, "deploy build"},
	} {
		err := summary.Verify(c.s, th, span)
		var inv *summary.UnsupportedError
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%+v: %v", c.s, err)
		case c.want != "" && (!errors.As(err, &inv) || !errors.Is(err, summary.ErrUnsupported) || inv.Value != c.want):
			t.Errorf("%+v: got %v, want %q", c.s, err, c.want)
		}
	}
}

// SPEC: L21, B16. A pinned text of an earlier summary must survive.
func TestVerifyPins(t *testing.T) {
	th, span := conversation(t, "Never delete production data.")
	pin := summary.Fact{Kind: summary.Constraint, Text: "Never delete production data.", Pinned: true, From: summary.Source{ID: th.At(0).ID, N: 1}}
	earlier := &summary.Structured{Facts: []summary.Fact{pin}}
	if err := summary.Verify(&summary.Structured{}, th, span, earlier); !errors.Is(err, summary.ErrLostPin) {
		t.Errorf("got %v", err)
	}
	if err := summary.Verify(earlier, th, span, earlier); err != nil {
		t.Error(err)
	}
}

// SPEC: L21. A pinned constraint survives 100 rounds, whatever is said after it.
func TestPinSurvivesRounds(t *testing.T) {
	s := &summary.Structured{Schema: summary.Schema, From: at(1), To: at(1), Count: 1, Facts: []summary.Fact{
		{Kind: summary.Constraint, Text: "Never delete production data", Pinned: true, From: at(1)},
	}}
	for i := range 100 {
		n := i + 2
		s = summary.Merge(s, &summary.Structured{From: at(n), To: at(n), Count: 1, Facts: []summary.Fact{
			{Kind: summary.Constraint, Text: "Actually, you can delete production data now.", From: at(n)},
			{Kind: summary.Plain, Text: fmt.Sprintf("Host h%d.internal is up.", i), From: at(n)},
		}})
	}
	if !strings.Contains(wording.Text(s, 400, chars), "Never delete production data (#1)") {
		t.Errorf("lost:\n%s", wording.Text(s, 400, chars))
	}
	if s.Round != 100 || s.Count != 101 {
		t.Errorf("round %d, %d messages", s.Round, s.Count)
	}
}

// SPEC: L6, B2. Of a file or command the last state stands; an error is resolved
// by what came after it; a step done closes an open item.
func TestMergeStates(t *testing.T) {
	old := &summary.Structured{
		Files:    []summary.File{{Path: "a.go", State: summary.FileCreated, From: at(1)}, {Path: "b.go", State: summary.FileEdited, From: at(2)}},
		Commands: []summary.Command{{Line: "make", Outcome: "failure", From: at(3)}},
		Errors:   []summary.Failure{{Text: "boom", Command: "make", From: at(3)}, {Text: "src/c.go:3:1: bad", Command: "vet", From: at(4)}, {Text: "other", Command: "x", From: at(4)}},
		Open:     []summary.OpenItem{{Text: "Write the docs.", From: at(5)}, {Text: "Ship it", From: at(5)}},
		Ledger:   []summary.Mention{{Value: "9001", Line: "port 9001", Score: 2, From: at(5)}},
	}
	fresh := &summary.Structured{
		Files:    []summary.File{{Path: "./a.go", State: summary.FileEdited, From: at(11)}, {Path: "b.go", State: summary.FileRead, From: at(12)}, {Path: "src/c.go", State: summary.FileEdited, From: at(13)}},
		Commands: []summary.Command{{Line: "make", Outcome: "success", From: at(14)}},
		Plan:     []summary.Step{{Text: "write the docs", Status: summary.Done, From: at(15)}},
	}
	s := summary.Merge(old, fresh)
	got := wording.Text(s, 0, nil)
	for _, want := range []string{
		"- created ./a.go (#11)", "- edited b.go (#2), src/c.go (#13)", "`make` → ran (run 2 times) (#14)",
		"earlier: boom — from `make` (#3) → the same command ran without an error line (#14)", "earlier: src/c.go:3:1: bad — from `vet` (#4) → edited src/c.go, not run since (#13)",
		"open: other", "Ship it", "port 9001",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("missing %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, ") Write the docs") {
		t.Errorf("a step done must close its open item:\n%s", got)
	}
}

// SPEC: B2, L21. A superseded value stands nowhere: not as fact, decision, open
// item, plan step or identifier.
func TestMergeRetires(t *testing.T) {
	old := &summary.Structured{
		Facts:     []summary.Fact{{Kind: summary.Constraint, Text: "The staging port is 48213.", From: at(1)}, {Kind: summary.Constraint, Text: "The backup port is 5555.", From: at(1)}},
		Decisions: []summary.Decision{{Text: "I'll use 48213 for the staging port", From: at(2)}},
		Open:      []summary.OpenItem{{Text: "open the staging port 48213 in the firewall", From: at(2)}},
		Ledger:    []summary.Mention{{Value: "48213", Line: "the staging port is 48213", From: at(1)}, {Value: "5555", Line: "backup port is 5555", From: at(1)}},
	}
	fresh := &summary.Structured{Facts: []summary.Fact{{Kind: summary.Constraint, Text: "Change the staging port to 50001.", From: at(9)}}}
	got := wording.Text(summary.Merge(old, fresh), 0, nil)
	if strings.Contains(got, "48213") || !strings.Contains(got, "50001") || strings.Count(got, "5555") != 2 {
		t.Errorf("got\n%s", got)
	}
}

// SPEC: V5, L6. Merging changes no argument, is deterministic, keeps pins, and
// carries every file and every fact that nothing supersedes.
func TestMergeProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := 0
		draw := func(label string) *summary.Structured {
			s := &summary.Structured{Schema: summary.Schema}
			for i := range rapid.IntRange(0, 6).Draw(t, label) {
				n++
				word := fmt.Sprintf("%s%c%c", label, 'a'+rune(i), 'a'+rune(n%26))
				s.Facts = append(s.Facts, summary.Fact{Kind: summary.Plain, Text: "alpha " + word, Pinned: rapid.Bool().Draw(t, "pin"), From: at(n)})
				s.Files = append(s.Files, summary.File{Path: rapid.StringMatching(`[a-c]/[a-c]\.go`).Draw(t, "path"), State: summary.FileEdited, From: at(n)})
				s.Ledger = append(s.Ledger, summary.Mention{Value: word, Line: word, Score: float64(i), From: at(n)})
			}
			s.From, s.To, s.Count = at(1), at(n+1), len(s.Facts)
			return s
		}
		a, b := draw("first"), draw("second")
		before, _ := json.Marshal([]*summary.Structured{a, b})
		m := summary.Merge(a, b)
		after, _ := json.Marshal([]*summary.Structured{a, b})
		if string(before) != string(after) {
			t.Fatal("arguments changed")
		}
		if diff := cmp.Diff(m, summary.Merge(a, b)); diff != "" {
			t.Fatal("not deterministic", diff)
		}
		text := wording.Text(m, 0, nil)
		for _, s := range []*summary.Structured{a, b} {
			for _, f := range s.Facts {
				if !strings.Contains(text, f.Text) {
					t.Fatalf("lost fact %q", f.Text)
				}
			}
			for _, f := range s.Files {
				if !strings.Contains(text, f.Path) {
					t.Fatalf("lost file %q", f.Path)
				}
			}
		}
	})
}
