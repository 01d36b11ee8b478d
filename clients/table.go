package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/seed-3db51b0e/precis/clients/provider"
)

// Each table of a page stands between two lines with its name.
const (
	tableBegin = "<!-- %s: begin -->"
	tableEnd   = "<!-- %s: end -->"
)

// head is the first row of a table, with the line below it.
func head(cells ...string) string {
	return "| " + strings.Join(cells, " | ") + " |\n|" + strings.Repeat("---|", len(cells))
}

var (
	taskHead = head("client", "version", "API", "requests", "plans", "prefix breaks", "largest request of budget, tokens", "answers",
		"after its own compaction", "proxy killed", "look-ups", "cache markers", "run on", "result")
	refusedHead = head("client", "version", "API", "429 with Retry-After", "529 or 503", "400, over the window", "413", "plans", "answer", "run on", "result")
)

// today is the date of a run.
func today() string { return time.Now().Format(time.DateOnly) }

// cells joins the cells of a row. One that did not run says why in the last of n.
func cells(skipped string, faults []string, n int, values ...string) string {
	result := "passed"
	switch {
	case skipped != "":
		for len(values) < n-1 {
			values = append(values, "–")
		}
		values, result = values[:n-1], "skipped: "+skipped
	case len(faults) > 0:
		result = "FAILED: " + strings.Join(faults, "; ")
	}
	return "| " + strings.ReplaceAll(strings.Join(append(values, result), " | "), "\n", " ") + " |"
}

// line is the row as the table has it.
func (r row) line() string {
	if r.Skipped != "" {
		return cells(r.Skipped, nil, 14, r.Client, r.Version, r.API)
	}
	return cells("", r.Faults, 14, r.Client, r.Version, r.API, fmt.Sprint(r.Requests), fmt.Sprint(r.Plans), fmt.Sprint(r.Breaks), fmt.Sprintf("%d of %s", r.Largest, r.Budget),
		strings.Join(r.Facts, ", "), orNone(r.Compaction), orNone(r.Killed), fmt.Sprint(r.LookUps), orNone(r.Marks.String()), today())
}

// line is the row as the table has it.
func (r refusedRow) line() string {
	if r.Skipped != "" {
		return cells(r.Skipped, nil, 11, r.Client, r.Version, r.API)
	}
	return cells("", r.Faults, 11, r.Client, r.Version, r.API, orNone(r.Came[provider.RateLimit]), orNone(r.Came[provider.Overloaded]),
		orNone(r.Came[provider.Window]), orNone(r.Came[provider.Size]), fmt.Sprint(r.Plans), orNone(r.Answer), today())
}

func orNone(s string) string {
	if s == "" {
		return "–"
	}
	return s
}

// rewrite puts the rows of clients into a table of a page; those of clients that did not
// run stay.
func rewrite(page, name, head string, lines map[string]string) (string, error) {
	begin, end := fmt.Sprintf(tableBegin, name), fmt.Sprintf(tableEnd, name)
	before, rest, ok := strings.Cut(page, begin)
	old, behind, ends := strings.Cut(rest, end)
	if !ok || !ends {
		return "", fmt.Errorf("it has no lines %q and %q", begin, end)
	}
	var t strings.Builder
	t.WriteString(before + begin + "\n" + head + "\n")
	for _, c := range all() {
		line := lines[c.name]
		for was := range strings.Lines(old) {
			if line == "" && strings.HasPrefix(was, "| "+c.name+" |") {
				line = strings.TrimSpace(was)
			}
		}
		if line != "" {
			t.WriteString(line + "\n")
		}
	}
	return t.String() + end + behind, nil
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
