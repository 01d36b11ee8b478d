package summary_test

import (
	"errors"
	"testing"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/thread"
)

// What a model wrote is carried and checked as the rest is.
func TestNarrative(t *testing.T) {
	th, err := thread.New(thread.Extend("", []message.Message{
		message.TextOf(message.User, "Fix pkg/a.go"), message.TextOf(message.Assistant, "Fixed pkg/a.go in 42 lines"),
	}))
	if err != nil {
		t.Fatal(err)
	}
	at := func(n int) summary.Source { return summary.Source{ID: th.At(n - 1).ID, N: n} }
	span := plan.Span{IDs: []thread.ID{th.At(0).ID, th.At(1).ID}}
	part := func(n int, narrative, last, about string) *summary.Structured {
		return &summary.Structured{
			Schema: summary.Schema, From: at(n), To: at(n), Count: 1, Narrative: narrative,
			LastDone: &summary.Note{Text: last, From: at(n)},
			Files:    []summary.File{{Path: "pkg/a.go", State: summary.FileEdited, About: about, From: at(n)}},
		}
	}
	first, second := part(1, "One asked for pkg/a.go.", "nothing", "asked for"), part(2, "It took 42 lines.", "pkg/a.go", "")
	m := summary.Merge(first, second)
	if m.Narrative != "One asked for pkg/a.go.\n\nIt took 42 lines." || m.LastDone.Text != "pkg/a.go" || m.Files[0].About != "asked for" {
		t.Errorf("merged to %q, %+v, %+v", m.Narrative, m.LastDone, m.Files)
	}
	second.LastDone = nil
	if m := summary.Merge(first, second); m.LastDone == nil || m.LastDone == first.LastDone || m.LastDone.Text != "nothing" {
		t.Errorf("merged to %+v", m.LastDone)
	}
	if err := summary.Verify(m, th, span); err != nil {
		t.Error(err)
	}
	for section, bad := range map[string]*summary.Structured{
		"narrative":      part(2, "It took 77 lines.", "", ""),
		"last_completed": part(2, "", "pkg/b.go", ""),
		"files":          part(2, "", "", "renamed pkg/c.go"),
	} {
		var lie *summary.UnsupportedError
		if err := summary.Verify(bad, th, span); !errors.As(err, &lie) || lie.Section != section {
			t.Errorf("%s: %v", section, err)
		}
	}
}

// SPEC: S4, L6. What was completed last is carried until something newer is, as a
// copy, and names nothing that the span does not hold.
func TestLastDoneIsCarried(t *testing.T) {
	first := &summary.Structured{LastDone: &summary.Note{Text: "built 4711", From: at(1)}}
	m := summary.Merge(first, &summary.Structured{})
	if m.LastDone == first.LastDone || m.LastDone == nil || *m.LastDone != *first.LastDone {
		t.Errorf("got %+v", m.LastDone)
	}
	if m = summary.Merge(m, &summary.Structured{LastDone: &summary.Note{Text: "shipped it", From: at(2)}}); m.LastDone.Text != "shipped it" {
		t.Errorf("got %+v", m.LastDone)
	}
	th, span := conversation(t, "Build 4712.")
	first.LastDone.From = summary.Source{ID: th.At(0).ID, N: 1}
	var lie *summary.UnsupportedError
	if err := summary.Verify(first, th, span); !errors.As(err, &lie) || lie.Section != "last_completed" || lie.Value != "4711" {
		t.Errorf("got %v", err)
	}
}
