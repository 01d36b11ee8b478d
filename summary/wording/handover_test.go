package wording_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/summary/internal/testspan"
	"github.com/seed-3db51b0e/precis/summary/wording"
)

// SPEC: G4. Without a model's narrative the structure is told; with one, it
// stands, with the constraints it does not repeat.
func TestHandoverText(t *testing.T) {
	golden(t, "handover/full.txt", wording.Handover(full(), 0, nil))
	golden(t, "handover/tight.txt", wording.Handover(full(), 90, chars))
	told := full()
	told.Narrative = "\nThe importer failed on row 9.\n\nI fixed the parser. As asked, I will never delete production data!\n"
	golden(t, "handover/narrative.txt", wording.Handover(told, 0, nil))
	for _, s := range []*summary.Structured{nil, {}, {Count: 3}} {
		if got := wording.Handover(s, 0, nil); got != "" {
			t.Errorf("%+v: %q", s, got)
		}
	}
}

// SPEC: G4, V5. It fits at every cap, cuts no rune, and gives a pinned
// constraint its place beside a long narrative.
func TestHandoverFits(t *testing.T) {
	long := full()
	long.Narrative = strings.Repeat("Die Prüfung der Größe schlug fehl. ", 200)
	for name, count := range counters {
		for _, s := range []*summary.Structured{full(), long, crowd(60)} {
			for limit := 1; limit < 900; limit += 1 + limit/20 {
				text := wording.Handover(s, limit, count)
				if text != wording.Handover(s, limit, count) {
					t.Fatal("not deterministic")
				}
				if count(text) > limit {
					t.Fatalf("%s, cap %d: %d tokens", name, limit, count(text))
				}
				if !utf8.ValidString(text) {
					t.Fatalf("%s, cap %d: a rune is cut in %q", name, limit, text)
				}
				if name == "chars" && s == long && limit > 60 && (!strings.Contains(text, "The user requires: Never delete production data.") || !strings.HasPrefix(text, "Die Prüfung")) {
					t.Fatalf("cap %d: the pinned is lost in %q", limit, text)
				}
			}
		}
	}
}

// SPEC: G4, V10. The placeholder is one line with the number and the topics; it
// is bounded, whatever it is about.
func TestPlaceholder(t *testing.T) {
	for _, c := range []struct {
		about []string
		want  string
	}{
		{nil, "[Context truncated. Earlier conversation contained 14 messages about: …]"},
		{[]string{" ", ""}, "[Context truncated. Earlier conversation contained 14 messages about: …]"},
		{[]string{"Help me refactor", "src/a.go"}, "[Context truncated. Earlier conversation contained 14 messages about: Help me refactor; src/a.go]"},
		{[]string{"one\n\n[Context truncated]\r\n## x\u2028y", "app/[id].tsx"}, "[Context truncated. Earlier conversation contained 14 messages about: one [Context truncated] ## x y; app/[id].tsx]"},
	} {
		if diff := cmp.Diff(c.want, wording.Placeholder(14, c.about)); diff != "" {
			t.Error(diff)
		}
	}
	var many []string
	for i := range 500 {
		many = append(many, fmt.Sprint(i, strings.Repeat("äöü ", 300)))
	}
	if got := wording.Placeholder(1<<30, many); len(got) > 800 || !utf8.ValidString(got) {
		t.Errorf("%d bytes: %q", len(got), got)
	}
}

func call(name, args string) message.Message {
	return message.Message{Role: message.Assistant, Parts: []message.Part{{Kind: message.Call, CallID: "c" + args, Name: name, Args: args}}}
}

// SPEC: G4. Topics are how users' messages begin, the first and the last, and
// the files named most: the design's example.
func TestTopics(t *testing.T) {
	th, span := testspan.Of(t, []message.Message{
		message.TextOf(message.System, "You are helpful with src/system.go."),
		message.TextOf(message.User, "<reminder>be brief</reminder>\nHelp me refactor\nall of it"),
		call("Read", `{"path":"src/a.go"}`), call("Read", `{"path":"src/b.go"}`), call("Edit", `{"path":"src/b.go","old":"`+strings.Repeat("x", 500)+` src/late.go"}`),
		message.TextOf(message.User, "ok"),
		message.TextOf(message.User, "Now fix the bug"),
		message.TextOf(message.User, "now fix the bug."),
		message.TextOf(message.User, "Also add tests"),
	})
	want := []string{"Help me refactor", "Now fix the bug", "Also add tests", "src/b.go", "src/a.go"}
	if diff := cmp.Diff(want, wording.Topics(th, span)); diff != "" {
		t.Error(diff)
	}
	span.IDs = append(span.IDs[7:8:8], "gone")
	if diff := cmp.Diff([]string{"now fix the bug."}, wording.Topics(th, span)); diff != "" {
		t.Error(diff)
	}
	var ms []message.Message
	for i := range 40 {
		ms = append(ms, message.TextOf(message.User, fmt.Sprintf("Task number %d", i)))
	}
	th, span = testspan.Of(t, ms)
	want = []string{"Task number 0", "Task number 35", "Task number 36", "Task number 37", "Task number 38", "Task number 39"}
	if diff := cmp.Diff(want, wording.Topics(th, span)); diff != "" {
		t.Error(diff)
	}
}

// SPEC: G4, V10. Any message gives topics of one line; any structure a handover
// whose lines are all its own.
func FuzzHandover(f *testing.F) {
	for _, s := range []string{"a b\nThe user requires: x", "\xff\xfe \x00", "é" + strings.Repeat("é", 300), "<x> y", "a/b.go c/d.go", ""} {
		f.Add(s, 40)
	}
	f.Fuzz(func(t *testing.T, x string, limit int) {
		th, span := testspan.Of(t, []message.Message{message.TextOf(message.User, x), call("Read", x)})
		topics := wording.Topics(th, span)
		if got := wording.Placeholder(2, topics); strings.ContainsAny(got, "\n\r\x00") || !utf8.ValidString(got) || len(got) > 800 {
			t.Errorf("placeholder %q", got)
		}
		from := at(3)
		s := &summary.Structured{
			Schema: summary.Schema, Task: &summary.Note{Text: x, From: from}, Facts: []summary.Fact{{Text: x, Who: x, From: from}}, Decisions: []summary.Decision{{Text: x, Rationale: x}},
			Files: []summary.File{{Path: x, State: summary.FileCreated, About: x}}, Commands: []summary.Command{{Line: x, Outcome: x}}, Errors: []summary.Failure{{Text: x}, {Text: x, Fix: x, Fixed: from}},
			Plan: []summary.Step{{Text: x}}, Open: []summary.OpenItem{{Text: x}},
		}
		if got := strings.Count(wording.Handover(s, 0, nil), "\n"); got > 9 {
			t.Errorf("%d lines", got)
		}
		s.Narrative = x
		if got := wording.Handover(s, max(limit, 1), chars); chars(got) > max(limit, 1) {
			t.Errorf("over %d: %q", limit, got)
		}
		if _, err := json.Marshal(topics); err != nil {
			t.Error(err)
		}
	})
}
