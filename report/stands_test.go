package report

import (
	"slices"
	"testing"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/thread"
)

// A value that a prompt holds within a longer one, as behind its name or with its time, has
// not left it.
func TestWhatStillStands(t *testing.T) {
	for _, c := range []struct{ logged, prompt string }{
		{"ann.b@example.org", "user_id=ann_b_2521, email=ann.b@example.org (#7)"},
		{"mailto:ann.b@example.org", "ann.b@example.org"},
		{"2026-01-31", "created_at=2026-01-31T10:00:00"},
		{"/srv/a/b.py", "https://example.org/srv/a/b.py?x=1"},
		{"a/b.py", "+a/b.py"},
		{"./a/b.py", "a/b.py:12"},
		{"a/b.py", "./a/b.py"},
		{"example.org/x/y", "https://example.org/x/y#top"},
		{"ord_48151", "order/ord_48151"},
	} {
		if lost := of(c.logged, c.prompt); len(lost) > 0 {
			t.Errorf("%s: %+v are said to be gone from %s", c.logged, lost, c.prompt)
		}
	}
	for _, c := range []struct{ logged, prompt string }{
		{"ann.b@example.org", "joann.b@example.org"}, {"ord_4815", "ord_48151"}, {"a/b.py", "a/b.pyc"}, {"2026-01-31", "2026-01-30T10:00:00"},
	} {
		if lost := of(c.logged, c.prompt); !slices.ContainsFunc(lost, func(l Loss) bool { return l.first == c.logged }) {
			t.Errorf("%s is said to stand in %s: %+v", c.logged, c.prompt, lost)
		}
	}
}

// What was only thought has not left the prompt.
func TestThoughtsAreNotLost(t *testing.T) {
	th, _ := thread.New(thread.Extend("", []message.Message{{Role: message.Assistant, Parts: []message.Part{ // entries that were just chained
		{Kind: message.Thinking, Text: "thought_48151 and said_48152"}, {Kind: message.Text, Text: "said_48152"},
	}}}))
	lost := lost(&precis.Turn{Thread: th, Plan: &plan.Plan{Records: []plan.Record{{}}}})
	if len(lost) != 1 || lost[0].Of != 1 || lost[0].first != "said_48152" {
		t.Errorf("%+v", lost)
	}
}

func of(logged, prompt string) []Loss {
	th, _ := thread.New(thread.Extend("", []message.Message{message.TextOf(message.User, logged)})) // entries that were just chained
	return lost(&precis.Turn{
		Thread: th, Messages: []message.Message{message.TextOf(message.User, prompt)}, Plan: &plan.Plan{Records: []plan.Record{{}}},
	})
}
