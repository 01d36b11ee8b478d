package inspect_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/inspect"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/render"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

// SPEC: B13
// The prompt of every step is the one that log and plan give, and each side of the
// page names its counterpart on the other.
func TestPromptOfEveryStep(t *testing.T) {
	s := shown()
	c := served(t, s, inspect.Options{})
	entries, err := s.Load(t.Context(), store.Key{Thread: "t"})
	if err != nil {
		t.Fatal(err)
	}
	all, err := thread.New(entries)
	if err != nil {
		t.Fatal(err)
	}
	var line inspect.Timeline
	c.get("threads/t/timeline", &line)
	for step := 1; step <= line.Steps; step += 7 {
		at := "?step=" + strconv.Itoa(step)
		var p inspect.PromptPage
		c.get("threads/t/prompt"+at, &p)
		var log inspect.Messages
		c.get("threads/t/messages"+at, &log)
		var of *plan.Plan
		if p.Version > 0 {
			if of, err = s.PlanAt(t.Context(), store.Key{Thread: "t"}, p.Version); err != nil {
				t.Fatal(err)
			}
		}
		part, err := all.Prefix(p.Messages)
		if err != nil {
			t.Fatal(err)
		}
		want := render.Prompt(part, of, nil)
		if len(want.Messages) != p.Total {
			t.Fatalf("step %d has %d rows, want %d", step, p.Total, len(want.Messages))
		}
		sum := p.System
		for i, r := range p.Rows {
			sum += r.Tokens
			if o := want.Origins[i]; r.First != o.First+1 || (o.Record != nil && r.Record != o.Record.ID) {
				t.Errorf("step %d row %d stands for #%d by %q, want #%d", step, i+1, r.First, r.Record, o.First+1)
			}
		}
		if sum != p.Tokens || p.Tokens != line.Columns[step-1].Tokens {
			t.Errorf("step %d: rows make %d tokens, the page says %d, the timeline %d", step, sum, p.Tokens, line.Columns[step-1].Tokens)
		}
		for _, m := range log.Messages {
			if m.Row == 0 {
				if m.State == inspect.Whole {
					t.Errorf("step %d: #%d is whole and nowhere in the prompt", step, m.Number)
				}
				continue
			}
			if r := p.Rows[m.Row-1]; r.First > m.Number || r.Last < m.Number {
				t.Errorf("step %d: #%d points at row %d, which stands for #%d to #%d", step, m.Number, m.Row, r.First, r.Last)
			}
		}
	}
}

// A step that compacts says what left and why; one that does not only adds.
func TestPromptDiffToTheStepBefore(t *testing.T) {
	c := served(t, shown(), inspect.Options{})
	var line inspect.Timeline
	c.get("threads/t/timeline", &line)
	for i, col := range line.Columns[1:] {
		var p inspect.PromptPage
		c.get("threads/t/prompt?step="+strconv.Itoa(i+2), &p)
		if len(col.Commits) == 0 {
			if p.Left != 0 {
				t.Errorf("step %d lost %d messages without a plan", i+2, p.Left)
			}
			continue
		}
		if p.Left == 0 || len(p.Gone) == 0 || p.Gone[0].Reason == "" {
			t.Errorf("step %d made plan %v and says of nothing why it left", i+2, col.Commits)
		}
	}
}

// A message that left says which record took it out, why, and what its return costs.
func TestMessageSaysWhyItIsGone(t *testing.T) {
	s := shown()
	c := served(t, s, inspect.Options{})
	var log inspect.Messages
	c.get("threads/t/messages", &log)
	before := current(t, s, "t")
	seen := 0
	for _, m := range log.Messages {
		if m.State != inspect.Summarized || seen > 3 {
			continue
		}
		seen++
		var one inspect.Message
		c.get("threads/t/messages/"+strconv.Itoa(m.Number), &one)
		if len(one.Life) == 0 {
			t.Fatalf("#%d has no life", m.Number)
		}
		last := one.Life[len(one.Life)-1]
		if last.Record == "" || last.Reason == "" || last.Strategy == "" {
			t.Errorf("#%d is gone without a reason: %+v", m.Number, last)
		}
		if one.Return == nil || one.Return.Back == 0 || one.Return.After <= one.Return.Before || one.Return.USD == nil || one.Return.Rewritten == 0 {
			t.Errorf("#%d says nothing of what its return costs: %+v", m.Number, one.Return)
		}
		var text inspect.Text
		c.get("threads/t/messages/"+strconv.Itoa(m.Number)+"/text", &text)
		if text.Bytes == 0 || !strings.HasPrefix(text.Text, one.Text[:min(len(one.Text), 20)]) {
			t.Errorf("#%d has the text %q", m.Number, text.Text)
		}
	}
	if seen == 0 {
		t.Fatal("nothing was summarized")
	}
	if after := current(t, s, "t"); after != before {
		t.Errorf("looking at costs made plan %d", after)
	}
}
