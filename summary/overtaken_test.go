package summary_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-3db51b0e/precis/summary"
)

// What the agent found stands until something is changed; what gives a value to something,
// until a file is that it names. What a user said stands.
//
// SPEC: L6
func TestFindingsEndWithWhatTheyTellOf(t *testing.T) {
	facts := []summary.Fact{
		{Kind: summary.Plain, Text: "The staging host is db7.internal.", From: at(2)},
		{Kind: summary.Finding, Text: "The upload limit is 64 MB.", From: at(3)},
		{Kind: summary.Finding, Text: "The AgentSession class is now 885 lines.", From: at(4)},
		{Kind: summary.Finding, Text: "The retry limit is 3 but the test is missing.", From: at(5)},
		{Kind: summary.Finding, Text: "The loader lives in load.go and calls read_all.", From: at(6)},
		{Kind: summary.Finding, Text: "The exporter calls write_all twice.", From: at(30)},
	}
	for name, c := range map[string]struct {
		then summary.Structured
		want []int // of the facts
	}{
		"nothing":             {summary.Structured{Files: []summary.File{{Path: "src/agent-session.ts", State: summary.FileRead, From: at(20)}}}, []int{0, 1, 2, 3, 4, 5}},
		"a file it names":     {summary.Structured{Files: []summary.File{{Path: "src/agent-session.ts", State: summary.FileEdited, From: at(20)}}}, []int{0, 1, 5}},
		"another file":        {summary.Structured{Files: []summary.File{{Path: "other.ts", State: summary.FileCreated, From: at(20)}}}, []int{0, 1, 2, 5}},
		"a commit":            {summary.Structured{Effects: []summary.Effect{{Note: summary.Note{Text: "git commit -am x", From: at(20)}}}}, []int{0, 1, 2, 5}},
		"an order":            {summary.Structured{Outcomes: []summary.ToolOutcome{{Tool: "book_flight", Outcome: "success", From: at(20)}}}, []int{0, 1, 2, 5}},
		"an order that fails": {summary.Structured{Outcomes: []summary.ToolOutcome{{Tool: "book_flight", Outcome: "failure", From: at(20)}}}, []int{0, 1, 2, 3, 4, 5}},
	} {
		t.Run(name, func(t *testing.T) {
			now := c.then
			now.Schema, now.From, now.To, now.Count = summary.Schema, at(1), at(40), 40
			got := summary.Merge(&summary.Structured{Schema: summary.Schema, From: at(1), To: at(30), Count: 30, Facts: facts}, &now)
			var want []summary.Fact
			for _, i := range c.want {
				want = append(want, facts[i])
			}
			if diff := cmp.Diff(want, got.Facts); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A decision that the agent doubts supersedes none. Said again, it is as doubtful as it was
// the last time; where there are too many, the doubtful go first.
//
// SPEC: B18
func TestDoubtedDecisionsSupersedeNone(t *testing.T) {
	decide := func(n int, text string, doubted bool) summary.Decision {
		return summary.Decision{Text: text, Doubted: doubted, From: at(n)}
	}
	const limit, other = "The retry limit is 3 attempts.", "The retry limit is 5 attempts."
	for name, c := range map[string]struct{ had, now, want []summary.Decision }{
		"doubted against firm": {[]summary.Decision{decide(2, limit, false)}, []summary.Decision{decide(4, other, true)}, []summary.Decision{decide(2, limit, false), decide(4, other, true)}},
		"firm against firm":    {[]summary.Decision{decide(2, limit, false)}, []summary.Decision{decide(4, other, false)}, []summary.Decision{decide(4, other, false)}},
		"doubted, then firm":   {[]summary.Decision{decide(2, limit, true)}, []summary.Decision{decide(4, limit, false)}, []summary.Decision{decide(4, limit, false)}},
		"firm, then doubted":   {[]summary.Decision{decide(2, limit, false)}, []summary.Decision{decide(4, limit, true)}, []summary.Decision{decide(4, limit, true)}},
	} {
		t.Run(name, func(t *testing.T) {
			got := summary.Merge(
				&summary.Structured{Schema: summary.Schema, From: at(1), To: at(3), Count: 3, Decisions: c.had},
				&summary.Structured{Schema: summary.Schema, From: at(4), To: at(6), Count: 3, Decisions: c.now})
			if diff := cmp.Diff(c.want, got.Decisions); diff != "" {
				t.Error(diff)
			}
		})
	}
	var many []summary.Decision
	for i := range 200 {
		many = append(many, decide(i+1, fmt.Sprintf("Table t%d keeps its key.", i), i%2 == 0))
	}
	got := summary.Merge(nil, &summary.Structured{Schema: summary.Schema, From: at(1), To: at(300), Count: 300, Decisions: many}).Decisions
	firm := 0
	for _, d := range got {
		if !d.Doubted {
			firm++
		}
	}
	if firm != 100 || len(got) == 200 {
		t.Errorf("%d decisions, %d of them firm, of 100", len(got), firm)
	}
}

// Of a decision it is known whether a file that it names was deleted since, and perhaps made anew.
//
// SPEC: B18
func TestDecisionsWhoseFilesAreGone(t *testing.T) {
	const decision = "The approach is to create `src/modes/viewer-mode.ts` from the old one, and to delete the old `src/old.ts`."
	for name, c := range map[string]struct {
		file summary.File
		gone int
	}{
		"deleted":           {summary.File{Path: "src/modes/viewer-mode.ts", State: summary.FileDeleted, From: at(20)}, 20},
		"made anew":         {summary.File{Path: "/srv/src/modes/viewer-mode.ts", State: summary.FileCreated, Anew: true, Made: at(20), From: at(21)}, 20},
		"to be deleted":     {summary.File{Path: "src/old.ts", State: summary.FileDeleted, From: at(20)}, 0},
		"deleted before":    {summary.File{Path: "src/modes/viewer-mode.ts", State: summary.FileDeleted, From: at(2)}, 0},
		"made once":         {summary.File{Path: "src/modes/viewer-mode.ts", State: summary.FileCreated, Made: at(20), From: at(20)}, 0},
		"another of a kind": {summary.File{Path: "src/old-viewer-mode.ts", State: summary.FileDeleted, From: at(20)}, 0},
	} {
		s := &summary.Structured{Schema: summary.Schema, From: at(1), To: at(40), Count: 40, Files: []summary.File{c.file}, Decisions: []summary.Decision{{Text: decision, From: at(5)}}}
		made := summary.Merge(nil, s)
		if got := made.Decisions[0].DeletedSince(summary.Deletions(made.Files)); got != c.gone {
			t.Errorf("%s: %d", name, got)
		}
	}
}

// Of commands with consequences that begin alike, the older go first where there are too many.
//
// SPEC: B18
func TestEffectsOfOneKindGoFirst(t *testing.T) {
	head := "git add -A && git commit -m " + strings.Repeat("work on the same thing ", 3)
	var effects []summary.Effect
	for i := range 100 {
		text := fmt.Sprintf("mkdir -p out/%d", i)
		if i%2 == 0 {
			text = fmt.Sprint(head, i)
		}
		effects = append(effects, summary.Effect{Note: summary.Note{Text: text, From: at(i + 1)}})
	}
	got := summary.Merge(nil, &summary.Structured{Schema: summary.Schema, From: at(1), To: at(100), Count: 100, Effects: effects}).Effects
	for i := range effects {
		if i%2 == 0 {
			effects[i].Text, effects[i].Commit = "git add -A && git commit…", fmt.Sprintf("[main 3f2a9%02x] part %d", i, i)
		}
	}
	if again := (&summary.Structured{Effects: effects}).EffectsAgain(); slices.Contains(again, true) {
		t.Errorf("commits that git named otherwise count as alike: %v", again)
	}
	folders := 0
	for _, x := range got {
		if strings.HasPrefix(x.Text, "mkdir") {
			folders++
		}
	}
	if folders != 50 || len(got) != 80 || got[len(got)-2].Text != fmt.Sprint(head, 98) {
		t.Errorf("%d of 50 folders among %d effects, the last of %v", folders, len(got), got[len(got)-2:])
	}
}

// What the agent gave as the cause or the cure of a fault stands until a newer message gives another
// of the same name, and does not take the place of it; other decisions stand beside it.
//
// SPEC: B18
func TestCausesEndWithNewerOnes(t *testing.T) {
	const first, other, choice = "The root cause is that `read_all` keeps the lock.", "The fix is to close `Writer` twice.", "I'll use a queue in `read_all` instead of a table."
	for name, c := range map[string]struct {
		then    string
		doubted []bool // of the three above
	}{
		"of the same name":    {"The real issue is in `load()`: it calls `read_all` without a path.", []bool{true, false, false}},
		"of another":          {"The root cause is that `merge` is slow.", []bool{false, false, false}},
		"a cure of the cause": {"The fix is to unlock `read_all` first.", []bool{false, false, false}},
		"another cure":        {"The solution is to flush `Writer` instead.", []bool{false, true, false}},
		"besides":             {"The fix is also to lock `read_all` later.", []bool{false, false, false}},
		"a choice":            {"I'll call `read_all` instead of `read_some`.", []bool{false, false, false}},
	} {
		t.Run(name, func(t *testing.T) {
			then := &summary.Structured{Schema: summary.Schema, From: at(31), To: at(40), Count: 10, Decisions: []summary.Decision{{Text: c.then, From: at(31)}}}
			old := &summary.Structured{Schema: summary.Schema, From: at(1), To: at(30), Count: 30, Decisions: []summary.Decision{
				{Text: first, From: at(3)}, {Text: other, From: at(5)}, {Text: choice, From: at(7)},
			}}
			got := map[string]bool{}
			for _, d := range summary.Merge(old, then).Decisions {
				got[d.Text] = d.Doubted
			}
			want := map[string]bool{first: c.doubted[0], other: c.doubted[1], choice: c.doubted[2], c.then: false}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
