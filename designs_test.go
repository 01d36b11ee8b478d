package precis_test

import (
	"cmp"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/render"
)

// designs are the presets in the order of the page.
var designs = []string{"balanced", "ladder", "session", "timeline", "truncate", "clip"}

// The numbers in docs/designs.md are those of the code; -rewrite puts them there.
//
// SPEC: L20
func TestDesignsPage(t *testing.T) {
	if len(designs) != len(policy.Names()) {
		t.Errorf("the page has %v, there are %v", designs, policy.Names())
	}
	const file = "docs/designs.md"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	page := string(data)
	for mark, want := range map[string]string{"own": numbers(t, 0), "32k": numbers(t, 32_000), "rungs": rungs(t)} {
		begin, end := "<!-- "+mark+" -->\n", "<!-- /"+mark+" -->"
		before, rest, ok1 := strings.Cut(page, begin)
		have, after, ok2 := strings.Cut(rest, end)
		if !ok1 || !ok2 {
			t.Fatalf("%s has no place for %q", file, mark)
		}
		if *rewrite {
			page = before + begin + want + end + after
		} else if have != want {
			t.Errorf("%s, %s: write it anew with -rewrite:\n%s", file, mark, want)
		}
	}
	if *rewrite {
		if err := os.WriteFile(file, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// The page tells of each field of a policy that has another name in a file than in Go, but for its unit.
//
// SPEC: L20
func TestDesignsPageTellsNames(t *testing.T) {
	page, err := os.ReadFile("docs/designs.md")
	if err != nil {
		t.Fatal(err)
	}
	unit := regexp.MustCompile(`_(tokens|seconds|rounds|turns|messages|share)$`)
	capital := regexp.MustCompile(`\B[A-Z]`)
	for _, of := range []any{policy.Policy{}, policy.Rung{}, policy.Reserves{}} {
		for f := range reflect.TypeOf(of).Fields() {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			own := strings.ToLower(capital.ReplaceAllString(f.Name, "_$0"))
			row := fmt.Sprintf("| `%s` | `%s` |", name, f.Name)
			if told := strings.Contains(string(page), row); told == (unit.ReplaceAllString(name, "") == unit.ReplaceAllString(own, "")) {
				t.Errorf("%s: is told: %v", row, told)
			}
		}
	}
}

// numbers is the table of what the presets do at a budget, 0 for each its own.
func numbers(t *testing.T, budget int) string {
	t.Helper()
	rows := []struct {
		name string
		of   func(policy.Effective) string
	}{
		{"budget", func(e policy.Effective) string { return thousands(e.Budget) }},
		{"compacts", func(e policy.Effective) string {
			if e.Inclusive {
				return "from " + thousands(e.Trigger)
			}
			return "above " + thousands(e.Trigger)
		}},
		{"down to, if it can", func(e policy.Effective) string { return thousands(e.Target) }},
		{"off first: system, reply, safety", func(e policy.Effective) string {
			return fmt.Sprintf("%s, %s, %s", thousands(e.Reserves.System), thousands(e.Reserves.Output), thousands(e.Reserves.Safety))
		}},
		{"kept free", func(e policy.Effective) string { return thousands(e.Safety) }},
		{"for what comes back", func(e policy.Effective) string { return thousands(e.Reserve) }},
		{"recent, kept", func(e policy.Effective) string { return thousands(e.Recent) }},
		{"recent turns, kept", func(e policy.Effective) string { return thousands(e.RecentTurns) }},
		{"a summary, at most", func(e policy.Effective) string { return thousands(e.Summary) }},
	}
	var es []policy.Effective
	for _, name := range designs {
		es = append(es, policyOf(t, name).At(budget, 0))
	}
	b := head("tokens", designs)
	for _, r := range rows {
		cells := make([]string, len(es))
		for i, e := range es {
			cells[i] = r.of(e)
		}
		b += "| " + r.name + " | " + strings.Join(cells, " | ") + " |\n"
	}
	return b
}

// rungs is the table of what the presets run, and how they speak.
func rungs(t *testing.T) string {
	t.Helper()
	b := head("preset", []string{"its ladder, in order", "first message", "summaries speak as", "reads back with"})
	for _, name := range designs {
		p := policyOf(t, name)
		var all []string
		for _, r := range p.At(0, 0).Rungs {
			all = append(all, rungText(r))
		}
		first := map[bool]string{true: "kept", false: "like any"}[p.PinFirst]
		b += fmt.Sprintf("| %s | %s | %s | %s | `%s` |\n", name, strings.Join(all, "; "), first, render.StyleOf(p.Style).Role, p.Recall)
	}
	return b
}

// rungText is a rung with the numbers it has.
func rungText(r policy.Rung) string {
	text := "**" + r.Strategy + "**"
	for _, n := range []struct {
		name string
		n    int
	}{
		{"above", r.Above},
		{"to", r.To},
		{"keep", r.Keep},
		{"keep turns", r.KeepTurns},
		{"intact", r.KeepIntact},
		{"tokens", r.Tokens},
		{"turn tokens", r.TurnTokens},
		{"chunk", r.Chunk},
		{"first", r.First},
		{"last", r.Last},
	} {
		if n.n > 0 {
			text += " " + n.name + " " + thousands(n.n)
		}
	}
	if r.KeepShare > 0 {
		text += fmt.Sprintf(" keep %g", r.KeepShare)
	}
	for _, f := range []struct {
		name string
		is   bool
	}{{"recent too", r.Recent}, {"fill", r.Fill}, {"cold only", r.Cold}, {"or a placeholder", r.Truncate}} {
		if f.is {
			text += ", " + f.name
		}
	}
	return text
}

func head(first string, rest []string) string {
	return "| " + first + " | " + strings.Join(rest, " | ") + " |\n" + strings.Repeat("|---", len(rest)+1) + "|\n"
}

// thousands writes a number with commas, 0 as a dash.
func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return cmp.Or(strings.TrimPrefix(s, "0"), "–")
}
