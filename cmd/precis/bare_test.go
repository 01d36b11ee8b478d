package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/thread"
)

// A summary that has no room for anything under its head is told of, and no other is.
func TestBareSummary(t *testing.T) {
	type said struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	ms := []said{{"system", strings.Repeat("A rule of the shop that is always to be kept. ", 130)}, {"user", "Hello."}}
	for i := range 12 {
		ms = append(ms, said{"assistant", fmt.Sprintf("Your order ord_%d is on its way with carrier C-%d. %s", 4000+i, i, strings.Repeat("It takes a while. ", 20))},
			said{"user", fmt.Sprintf("Do not change the address of ord_%d before Friday, and what of ord_%d?", 4000+i, 5000+i)})
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "chat.json")
	body, err := json.Marshal(map[string]any{"model": "gpt-4o", "messages": append(ms, said{"user", "Thank you."})})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, body, 0o600); err != nil {
		t.Fatal(err)
	}
	seen := map[bool]int{}
	for budget := 1450; budget < 2600; budget += 50 {
		var o, e bytes.Buffer
		if code := run(t.Context(), []string{"compact", file, "--budget", fmt.Sprint(budget), "--db", filepath.Join(dir, fmt.Sprint(budget))}, strings.NewReader(""), &o, &e); code == exitImpossible {
			continue
		} else if code != exitOK {
			t.Fatalf("exit code %d: %s", code, &e)
		}
		bare := strings.Contains(o.String(), `where an item stands in the log"`)
		seen[bare]++
		if told := strings.Contains(strings.Join(strings.Fields(e.String()), " "), "has no room for what they hold: system prompt, tools and framing take 1,5"); told != bare {
			t.Errorf("budget %d: bare is %t, told %t: %s\n%s", budget, bare, told, &e, &o)
		}
	}
	if seen[true] == 0 || seen[false] == 0 {
		t.Errorf("both kinds should be seen: %v", seen)
	}
}

// Lines of the log say what its messages hold, whatever stands in the text below them.
func TestBareBelowExcerpts(t *testing.T) {
	r := plan.Record{
		Action: plan.Summarize, Text: "[Summary v1.1]", Span: plan.Span{IDs: []thread.ID{"a", "b"}},
	}
	var err error
	if r.Summary, err = json.Marshal(summary.Structured{Schema: summary.Schema, Count: 2, Facts: []summary.Fact{{Kind: summary.Plain, Text: "It is raining."}}}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		excerpts []string
		bare     int
	}{{nil, 2}, {[]string{"Lines of the log, as they stood:\n#1 user: it is raining"}, 0}} {
		r.Excerpts = c.excerpts
		of := compaction{outcome: outcome{turn: &precis.Turn{Plan: &plan.Plan{Records: []plan.Record{r}}}}}
		if n := of.emptySummaries(); n != c.bare {
			t.Errorf("%d excerpts: %d messages are under a bare summary", len(c.excerpts), n)
		}
	}
}
