package summary_test

import (
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/seed-3db51b0e/precis/summary"
)

// Of artifacts the newest are carried, each once, and merging them is linear: it takes about twice the
// bytes for twice as many.
func TestMergeOfArtifacts(t *testing.T) {
	kept := func(id string, n int) summary.Artifact { return summary.Artifact{ID: id, From: at(n)} }
	one := &summary.Structured{Schema: summary.Schema, Artifacts: []summary.Artifact{kept("a", 1), kept("b", 2)}}
	two := &summary.Structured{Schema: summary.Schema, Artifacts: []summary.Artifact{kept("c", 3), kept("a", 4)}}
	got := ""
	for _, a := range summary.Merge(one, two).Artifacts {
		got += fmt.Sprint(a.ID, a.From.N, " ")
	}
	if got != "b2 c3 a4 " {
		t.Errorf("merged to %s", got)
	}
	effort := func(n int) (bytes float64, count int) {
		s := &summary.Structured{Schema: summary.Schema}
		for i := range n {
			s.Artifacts = append(s.Artifacts, kept(fmt.Sprint(i), i+1))
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		m := summary.Merge(s)
		runtime.ReadMemStats(&after)
		return float64(after.TotalAlloc - before.TotalAlloc), len(m.Artifacts)
	}
	small, _ := effort(2_000)
	large, count := effort(4_000)
	if r := large / small; r > 2.6 || count > 200 {
		t.Errorf("twice the artifacts took %.1f times the bytes; %d were kept", r, count)
	}
}

// SPEC: B18. An error is not told as resolved by a file that was made and deleted, or moved away.
func TestFilesThatAreGoneResolveNothing(t *testing.T) {
	for state, want := range map[summary.FileState]string{summary.FileEdited: "edited src/tmp.py", summary.FileGone: ""} {
		s := &summary.Structured{
			Schema: summary.Schema,
			Errors: []summary.Failure{{Text: "KeyError in src/tmp.py", Command: "make", From: at(1)}},
			Files:  []summary.File{{Path: "src/tmp.py", State: state, From: at(2)}},
		}
		if got := summary.Merge(s).Errors[0].Fix; got != want {
			t.Errorf("%s: resolved by %q, want %q", state, got, want)
		}
	}
}

// SPEC: B18. What was done in two folders was done twice, and a thing that was looked up again is still the
// one that was named.
func TestMergeKeepsFoldersAndNames(t *testing.T) {
	did := func(in string, n int) []summary.Effect {
		return []summary.Effect{{Note: summary.Note{Text: "make install", From: at(n)}, In: in}}
	}
	found := func(named, n int) []summary.ToolOutcome {
		return []summary.ToolOutcome{{Tool: "get_order", Outcome: "success", Named: named, From: at(n), Fields: []summary.Field{
			{Name: "order_id", Value: "W1"}, {Name: summary.FoundField, Value: "status=pending"},
		}}}
	}
	got := summary.Merge(
		&summary.Structured{Schema: summary.Schema, Effects: did("", 3), Outcomes: found(5, 4)},
		&summary.Structured{Schema: summary.Schema, Effects: did("/two", 13), Outcomes: found(0, 14)},
	)
	if all := got.Effects; len(all) != 2 || all[0].From.N != 3 || all[1].In != "/two" || slices.Contains(got.EffectsAgain(), true) {
		t.Errorf("effects: %+v, again %v", all, got.EffectsAgain())
	}
	if all := got.Outcomes; len(all) != 1 || all[0].Named != 5 || all[0].From.N != 14 {
		t.Errorf("outcomes: %+v", all)
	}
}

// SPEC: B20. However much one message states, the rules of other messages are carried, and the newest of them
// where there are too many.
func TestNoMessageCrowdsOutTheRulesOfOthers(t *testing.T) {
	rule := func(text string, n int) summary.Fact {
		return summary.Fact{Kind: summary.Constraint, Text: text, From: at(n)}
	}
	stated := []summary.Fact{rule("Never touch the ledger, except on Fridays.", 1)}
	for n := 3; n < 9; n += 2 {
		for i := range 200 {
			stated = append(stated, rule(fmt.Sprintf("You must file form F%d of part %d.", i, n), n))
		}
	}
	stated = append(stated, rule("Never push to the release branch.", 11))
	got := summary.Merge(&summary.Structured{Schema: summary.Schema, Facts: stated}).Facts
	if len(got) > 300 || got[0].From.N != 1 || got[len(got)-1].From.N != 11 {
		t.Errorf("%d are carried, from %+v to %+v", len(got), got[0], got[len(got)-1])
	}
	for n := 3; n < 9; n += 2 {
		if i := slices.IndexFunc(got, func(f summary.Fact) bool { return f.From.N == n }); i < 0 || got[i].Text != fmt.Sprintf("You must file form F0 of part %d.", n) {
			t.Errorf("of message %d: first %d", n, i)
		}
	}
}
