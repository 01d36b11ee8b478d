package inspect_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis/inspect"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/thread"
)

// summarized is a conversation of six rounds with two plans: the second summary leaves the first one's
// excerpt and adds one.
func summarized(t *testing.T) store.Store {
	t.Helper()
	s, k := memory.New(), store.Key{Thread: "t"}
	var ms []message.Message
	for i := range 6 {
		ms = append(ms, message.TextOf(message.User, fmt.Sprint("question ", i)), message.TextOf(message.Assistant, fmt.Sprint("answer ", i)))
	}
	es := thread.Extend("", ms)
	for i := range es {
		es[i].Tokens = 40
	}
	excerpts := []string{"Lines of the log:\n" + strings.Repeat("#1 user: question 0\n", 20), "Lines of the log:\n#5 user: question 2"}
	var tip thread.ID
	for v := 1; v <= 2; v++ {
		n := 4 * v
		if _, err := s.Append(t.Context(), k, store.Batch{Tip: tip, Entries: es[n-4 : n], Now: time.Unix(int64(v), 0)}); err != nil {
			t.Fatal(err)
		}
		tip = es[n-1].ID
		th, err := thread.New(es[:n])
		if err != nil {
			t.Fatal(err)
		}
		r := plan.Record{Action: plan.Summarize, Text: fmt.Sprintf("[Summary v1.1] of version %d", v), Excerpts: excerpts[:v], Tokens: 100 + 50*v, Span: plan.Span{}}
		for _, e := range es[:n-2] {
			r.Span.IDs = append(r.Span.IDs, e.ID)
		}
		p, err := plan.Build(plan.Plan{Thread: "t", Version: v, Base: tip, ThreadVersion: n, CreatedAt: time.Unix(int64(v), 0), Records: []plan.Record{r}}, th)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Commit(t.Context(), k, p, nil); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// Each message of a summary has its share of the tokens, and an excerpt that stands as it stood is not
// told to be changed.
//
// SPEC: B13
func TestRowsOfExcerpts(t *testing.T) {
	c := served(t, summarized(t), inspect.Options{})
	var line inspect.Timeline
	c.get("threads/t/timeline", &line)
	var p inspect.PromptPage
	c.get(fmt.Sprint("threads/t/prompt?step=", line.Steps), &p)
	if len(p.Rows) < 3 || p.Version != 2 {
		t.Fatalf("version %d in %d rows", p.Version, len(p.Rows))
	}
	sum := 0
	for _, r := range p.Rows[:3] {
		sum += r.Tokens
		if r.Record == "" || r.Record != p.Rows[0].Record || r.First != 1 || r.Last != 6 || r.Tokens <= 0 {
			t.Errorf("row %+v", r)
		}
	}
	if sum != 200 || p.Rows[0].Tokens < 100 {
		t.Errorf("%d tokens of 200, %d in the first excerpt", sum, p.Rows[0].Tokens)
	}
	for i, changed := range []bool{false, true, true} {
		if got := p.Rows[i].Change != ""; got != changed {
			t.Errorf("row %d is %q", i+1, p.Rows[i].Change)
		}
	}
	for _, g := range p.Gone {
		if strings.HasPrefix(g.Text, "[Précis] Lines") {
			t.Errorf("%q is told to be gone", g.Text)
		}
	}
}
