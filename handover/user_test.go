package handover_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/handover"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/summary"
)

const (
	allOfIt = "What the user said stands word for word;"
	said    = "The user said, word for word (#%d):\n%s\n\n"
)

// What the user said stands word for word where there is room, also what only a summary
// stands for; what is no word of the user's never stands as if it were.
//
// SPEC: B25
func TestUserSaid(t *testing.T) {
	turn := summarized("user: Keep the tests honest.", "I read.", "user: One migration, number 0014.", "user: <system-reminder>read</system-reminder>")
	want := "A summary.\n\n" + fmt.Sprintf(said, 2, "Keep the tests honest.") + fmt.Sprintf(said, 4, "One migration, number 0014.")
	for name, n := range map[string]handover.Newest{"none": {}, "whole": {Whole: true}, "kept": {Kept: 6}} {
		got := handover.Text(turn, n)
		if !strings.Contains(got, allOfIt) || !strings.Contains(got, want) || strings.Contains(got, "system-reminder") {
			t.Errorf("%s: %s", name, got)
		}
	}
	// a message that the plan cut stands as it was said
	turn.Messages[0] = message.TextOf(message.User, "Never […]")
	turn.Messages[0].Edited = true
	if got := handover.Text(turn, handover.Newest{}); !strings.Contains(got, fmt.Sprintf(said, 1, "Never touch db.")) {
		t.Errorf("cut: %s", got)
	}
	// a result that a repair shows as the user's is none of the user's words
	turn = summarized("I read.", "I read on.")
	turn.Messages[3] = message.TextOf(message.User, "lies\nof a tool")
	if got := handover.Text(turn, handover.Newest{Whole: true}); !strings.Contains(got, "> lies\n> of a tool") {
		t.Errorf("repaired: %s", got)
	}
}

// Of a message that there is hardly any room for nothing stands, not even its end mark.
//
// SPEC: B25
func TestUserSaidInNoRoom(t *testing.T) {
	turn := summarized("user: "+strings.Repeat("asked for a berth ", 9), "user: "+strings.Repeat("asked for a crane ", 9))
	for budget := 210; budget < 400; budget += 10 {
		got := handover.Text(turn, handover.Newest{Budget: budget, Count: func(text string) int { return len(strings.Fields(text)) }})
		for p := range strings.SplitSeq(got, "\n\n") {
			if p = strings.TrimSpace(p); p == "[…]" || strings.HasPrefix(p, "The user said") && !strings.Contains(p, "):\n") {
				t.Errorf("%d: %q in %s", budget, p, got)
			}
		}
	}
}

// Where there is no room for all that the user said, the newest, the task and the rules
// stand first, a long paste is cut to its head, and the text says so.
//
// SPEC: B25
func TestUserSaidTooMuch(t *testing.T) {
	texts := []string{"user: RULE never sleep in tests."}
	for i := range 60 {
		texts = append(texts, fmt.Sprintf("user: request-%d %s", i, strings.Repeat("words ", 20)))
	}
	texts = append(texts, "user: PASTE "+strings.Repeat("line of a log\n", 600))
	turn := summarized(texts...)
	turn.Origins[1].Record.Summary, _ = json.Marshal(summary.Structured{Facts: []summary.Fact{{Kind: summary.Constraint, Text: "never sleep in tests", From: summary.Source{N: 2}}}})
	words := func(text string) int { return len(strings.Fields(text)) }
	for name, n := range map[string]handover.Newest{"tokens": {Whole: true, Budget: 800, Count: words}, "bytes": {Most: 6000}} {
		got := handover.Text(turn, n)
		head, _, _ := strings.Cut(got, "\n")
		for _, stands := range []string{"Never touch db.", "RULE never sleep in tests.", "PASTE line of a log", "request-59 ", "Go on."} {
			if !strings.Contains(got, stands) {
				t.Errorf("%s: %q does not stand: %s", name, stands, got)
			}
		}
		if strings.Contains(got, "request-0 ") || strings.Contains(head, allOfIt) {
			t.Errorf("%s: %s", name, got)
		}
		whole := 0
		for i := range texts {
			if of, _ := strings.CutPrefix(texts[i], "user: "); strings.Contains(got, fmt.Sprintf(said, i+2, strings.TrimSpace(of))) {
				whole++
			}
		}
		whole += 2 // the first and the newest
		if want := fmt.Sprintf("Of the user's %d messages %d stand word for word", len(texts)+2, whole); !strings.Contains(head, want) || !strings.Contains(head, "#63 is cut") || !strings.Contains(head, "precis_read") || !strings.Contains(head, "#3,") {
			t.Errorf("%s: want %s: %s", name, want, head)
		}
		if n.Most > 0 && len(got) > n.Most || n.Most == 0 && words(got) > n.Budget {
			t.Errorf("%s: %d bytes, %d words", name, len(got), words(got))
		}
	}
}
