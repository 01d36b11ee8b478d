package replay

import (
	"context"
	"fmt"
	"iter"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-3db51b0e/precis/message"
)

// long is a run of n rounds after errand's head, each of which mentions a value
// of its own and the value of five rounds before.
func long(t *testing.T, n int) []message.Message {
	var b strings.Builder
	b.WriteString("system: You fix things.\nuser: Start with ticket_number_zero please.\n")
	for i := range n {
		fmt.Fprintf(&b, "call c%d run {\"command\": \"show item-%04d-x\"}\n", i, max(i-5, 0))
		fmt.Fprintf(&b, "result c%d the shelf holds item-%04d-x%s\n", i, i, strings.Repeat(" and dust", 20+i%7))
	}
	return script(t, b.String())
}

// each is a corpus of runs at hand.
func each(runs ...Run) iter.Seq2[Run, error] {
	return func(yield func(Run, error) bool) {
		for _, r := range runs {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// compare is Compare on runs at hand.
func compare(t *testing.T, o Options, runs ...Run) []Row {
	t.Helper()
	c, err := Compare(context.Background(), each(runs...), o)
	if err != nil {
		t.Fatal(err)
	}
	return c.Rows
}

// table returns what a row came to, a line each.
func table(rows []Row) string {
	var b strings.Builder
	for _, r := range rows {
		fmt.Fprintf(&b, "%s %d %-19s %d runs, %d of %d active; recall", r.Source, r.Budget, r.Policy, r.Runs, r.Active, r.Steps)
		for _, n := range r.Recall {
			fmt.Fprintf(&b, " %s/%s/%s", n.Literal, n.Supported, n.Referenced)
		}
		fmt.Fprintf(&b, "; sup %s–%s; cost", r.SupportedCI[0], r.SupportedCI[1])
		for _, c := range r.Cost {
			fmt.Fprintf(&b, " %.2f", c.Ratio)
		}
		fmt.Fprintf(&b, "; tokens %.2f peak %d over %s invalid %s breaks %.1f\n", r.Tokens, r.Peak, r.Over, r.Invalid, r.Breaks)
	}
	return b.String()
}

// SPEC: V5. The same runs give the same rows whatever the number of workers.
func TestCompareIsDeterministic(t *testing.T) {
	var runs []Run
	for i := range 6 {
		runs = append(runs, Run{ID: fmt.Sprint(i), Source: "s" + fmt.Sprint(i%2), Messages: long(t, 30+i)})
	}
	o := Options{Judge: Judge{Count: chars4}, Policies: Baselines, Budgets: []int{800, 1500}}
	var first string
	for _, workers := range []int{1, 4} {
		o.Workers = workers
		got := table(compare(t, o, runs...))
		if first == "" {
			first = got
		}
		if diff := cmp.Diff(first, got); diff != "" {
			t.Errorf("%d workers: %s", workers, diff)
		}
	}
	golden(t, "testdata/table.txt", first)
}

// golden compares with a file; UPDATE=1 rewrites it.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s: %s", path, diff)
	}
}

// SPEC: V4, V3. What the baselines promise: those with a budget keep it, none
// parts a call from its result, sticky ones break rarely and masking always.
func TestBaselines(t *testing.T) {
	rows := compare(t, Options{Judge: Judge{Count: chars4}, Policies: Baselines, Budgets: []int{1000}},
		Run{ID: "a", Source: "s", Messages: long(t, 60)})
	by := map[string]Row{}
	for _, r := range rows {
		by[r.Policy] = r
		if r.Invalid != 0 {
			t.Errorf("%s: %v %% invalid", r.Policy, r.Invalid)
		}
	}
	for _, name := range []string{"window", "dropmid40", "dropmid40-ledger", "externalize-preview", "strawman", "oracle"} {
		if by[name].Over != 0 {
			t.Errorf("%s: over budget", name)
		}
	}
	if n := by["none"]; fmt.Sprint(n.Cost[0].Ratio, n.Cost[1].Ratio, n.Cost[2].Ratio) != "1 1 1" || n.Over != 100 || n.Recall[All].Literal != 100 || n.Recall[All].Supported != 100 || n.Breaks != 0 {
		t.Errorf("none: %+v", n)
	}
	if w, d := by["window"], by["dropmid40"]; w.Breaks < 3*d.Breaks {
		t.Errorf("window breaks %v times, dropmid40 %v", w.Breaks, d.Breaks)
	}
	if m := by["mask10"]; m.Breaks != 49 || m.Recall[All].Literal != 100 {
		t.Errorf("mask10 breaks %v times and finds %v %%; 60 rounds, ten results kept", m.Breaks, m.Recall[All].Literal)
	}
	if l, d := by["dropmid40-ledger"], by["dropmid40"]; l.Recall[All].Literal <= d.Recall[All].Literal {
		t.Errorf("ledger finds %v %%, dropmid40 %v %%", l.Recall[All].Literal, d.Recall[All].Literal)
	}
}

// The interval of runs that are all alike is a point, and one run has none.
func TestInterval(t *testing.T) {
	s := Score{}
	s.Recall[LongRangeStrict] = Recall{Needs: 4, Literal: 3}
	of := func(s *Score) (int, int) { return s.Recall[LongRangeStrict].Literal, s.Recall[LongRangeStrict].Needs }
	if got := interval([]Score{s, s, s}, of); got != [2]Percent{75, 75} {
		t.Errorf("alike: %v", got)
	}
	if got := interval([]Score{s}, of); got[0] == got[0] {
		t.Errorf("one run: %v", got)
	}
	zero := Score{}
	zero.Recall[LongRangeStrict] = Recall{Needs: 4}
	got := interval([]Score{s, zero, s, zero, s, zero, s, zero}, of)
	if got[0] < 0 || got[0] > 37 || got[1] < 38 || got[1] > 75 {
		t.Errorf("half and half: %v, mean is 37.5", got)
	}
}
