package wording_test

import (
	"fmt"
	"time"

	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/thread"
)

var noon = time.Date(2026, 2, 28, 12, 0, 0, 0, time.UTC)

// archive is n batches of size messages each, an hour apart; timed false has no
// times.
func archive(n, size int, timed bool) summary.Archive {
	a := summary.Archive{Schema: summary.ArchiveSchema}
	for i := range n {
		b := summary.Batch{From: at(i*size + 1), To: at((i + 1) * size), Count: size, Text: fmt.Sprintf("Part %d was done.", i+1)}
		if timed {
			b.Start, b.End = noon.Add(time.Duration(i)*time.Hour), noon.Add(time.Duration(i)*time.Hour+40*time.Minute)
		}
		a.Batches = append(a.Batches, b)
	}
	return a
}

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
