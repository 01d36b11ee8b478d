package recall_test

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/recall"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/thread"
)

// spoken is a reader of a thread of user messages.
func spoken(t *testing.T, texts ...string) *recall.Reader {
	t.Helper()
	var ms []message.Message
	for _, text := range texts {
		ms = append(ms, message.TextOf(message.User, text))
	}
	s := memory.New()
	if _, err := s.Append(ctx, key, store.Batch{Entries: thread.Extend("", ms), Source: "test", Now: now}); err != nil {
		t.Fatal(err)
	}
	r, err := recall.Open(ctx, s, key, now)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// ending is a context that ends when it has been asked so many times.
type ending struct {
	context.Context
	left int
}

// Err implements context.Context.
func (c *ending) Err() error {
	if c.left == 0 {
		return context.DeadlineExceeded
	}
	c.left--
	return nil
}

// A deadline holds inside a line, however long that is: the context is asked many times in it.
func TestDeadlineInsideLine(t *testing.T) {
	r := spoken(t, strings.Repeat("ab", 1<<19))
	_, err := r.Grep(&ending{ctx, 10}, recall.Query{Pattern: regexp.MustCompile("(.*a){90}!")})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

// What matches does not depend on how a line is read.
func TestLongLines(t *testing.T) {
	long := strings.Repeat("é nothing here, \xff ", 40_000) + "needle 77" + strings.Repeat(" more", 1000)
	r := spoken(t, "first\n"+long+"\nlast")
	for _, text := range []string{`needle \d+`, `(?i)NEEDLE`, `\bneedle\b`, `^é.*7 more`, `more$`, `[^x]needle`} {
		pattern := regexp.MustCompile(text)
		got, err := r.Grep(ctx, recall.Query{Pattern: pattern, Width: 60})
		if err != nil || got.Total != 1 || got.Hits[0].Line != 2 {
			t.Errorf("%s: %v %+v", text, err, got)
			continue
		}
		whole, err := r.Grep(ctx, recall.Query{Pattern: pattern, Width: -1})
		if err != nil || whole.Hits[0].Text != long || pattern.FindStringIndex(long) == nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := r.Grep(ctx, recall.Query{Pattern: regexp.MustCompile(`needle \d+ x`)}); !errors.Is(err, recall.ErrMiss) {
		t.Error(err)
	}
}

// A model's look-ups cost a bounded amount of work, each and together, and it is told
// what else it can do.
func TestWorkOfLookUpsIsBounded(t *testing.T) {
	line := strings.Repeat("ab", 1<<20)
	r := spoken(t, line, "short words")
	grep := func(a recall.ToolHandler, query string) string {
		args, err := json.Marshal(map[string]any{"query": query, "regexp": true})
		if err != nil {
			t.Fatal(err)
		}
		a.Who = ann
		text, _ := a.Answer(ctx, r, "precis_grep", args)
		return text
	}
	if text := grep(recall.ToolHandler{}, "(.*a){90}!"); !strings.HasPrefix(text, "stopped: ") || !strings.Contains(text, "without regexp") {
		t.Errorf("%.200s", text)
	}
	if text := grep(recall.ToolHandler{}, "((a{50}){19}|(b{50}){19}|(c{50}){19})"); !strings.HasPrefix(text, "bad_argument: ") {
		t.Errorf("%.200s", text)
	}
	together := recall.ToolHandler{Work: recall.NewWork()}
	if text := grep(together, "short w.rds"); !strings.Contains(text, "short words") {
		t.Errorf("%.200s", text)
	}
	n := 1
	for strings.Contains(grep(together, "short w.rds"), "short words") {
		n++
		if n > 100 {
			t.Fatal("look-ups that share their work have no bound")
		}
	}
	if n < 5 {
		t.Errorf("only %d simple searches of 2 MB", n)
	}
}
