package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// The table stands between these lines of a page.
const (
	tableBegin = "<!-- clients: begin -->"
	tableEnd   = "<!-- clients: end -->"
)

const tableHead = `| client | version | API | requests | plans | prefix breaks | largest request of budget, tokens | answers | after its own compaction | proxy killed | look-ups | result |
|---|---|---|---|---|---|---|---|---|---|---|---|`

// line is the row as the table has it.
func (r row) line() string {
	cells := []string{r.Client, r.Version, r.API}
	if r.Skipped != "" {
		return "| " + strings.Join(append(cells, "–", "–", "–", "–", "–", "–", "–", "–", "skipped: "+r.Skipped), " | ") + " |"
	}
	result := "passed"
	if r.failed() {
		result = "FAILED: " + strings.Join(r.Faults, "; ")
	}
	cells = append(cells, fmt.Sprint(r.Requests), fmt.Sprint(r.Plans), fmt.Sprint(r.Breaks), fmt.Sprintf("%d of %s", r.Largest, r.Budget),
		strings.Join(r.Facts, ", "), orNone(r.Compaction), orNone(r.Killed), fmt.Sprint(r.LookUps), result)
	return "| " + strings.ReplaceAll(strings.Join(cells, " | "), "\n", " ") + " |"
}

func orNone(s string) string {
	if s == "" {
		return "–"
	}
	return s
}

// rewrite puts the rows into a page, with the date.
func rewrite(o options, rows []row) error {
	b, err := os.ReadFile(o.write)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(b), tableBegin)
	_, behind, ends := strings.Cut(rest, tableEnd)
	if !ok || !ends {
		return fmt.Errorf("%s has no lines %q and %q", o.write, tableBegin, tableEnd)
	}
	var t strings.Builder
	fmt.Fprintf(&t, "%s%s\n`make clients`, %s:\n\n%s\n", before, tableBegin, time.Now().Format(time.DateOnly), tableHead)
	for _, r := range rows {
		t.WriteString(r.line() + "\n")
	}
	t.WriteString(tableEnd + behind)
	return os.WriteFile(o.write, []byte(t.String()), 0o644)
}

// plans counts the plans that the proxy's log names.
func (l *lab) plans() int {
	b, err := os.ReadFile(filepath.Join(l.dir, "serve.log"))
	if err != nil {
		return 0
	}
	seen := map[string]bool{}
	for line := range strings.Lines(string(b)) {
		var v struct {
			Thread string
			Plan   int
		}
		if json.Unmarshal([]byte(line), &v) == nil && v.Plan > 0 {
			seen[fmt.Sprint(v.Thread, " ", v.Plan)] = true
		}
	}
	return len(seen)
}

// breaks counts the requests that do not begin with the one before: with its messages,
// whatever its cache markers are.
func breaks(bodies []string) (n int) {
	var last []string
	for _, b := range bodies {
		var v map[string]any
		if json.Unmarshal([]byte(b), &v) != nil {
			continue
		}
		list, _ := v["messages"].([]any)
		if list == nil {
			list, _ = v["input"].([]any)
		}
		now := make([]string, len(list))
		for i := range list {
			now[i] = fmt.Sprint(unmarked(list[i]))
		}
		if len(last) > len(now) || !slices.Equal(last, now[:len(last)]) {
			n++
		}
		last = now
	}
	return n
}

// unmarked is a value without cache markers; text that stands alone is a list of one.
func unmarked(v any) any {
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = unmarked(v[i])
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for name, x := range v {
			if text, ok := x.(string); ok && name == "content" {
				x = []any{map[string]any{"type": "text", "text": text}}
			}
			if name != "cache_control" {
				out[name] = unmarked(x)
			}
		}
		return out
	}
	return v
}
