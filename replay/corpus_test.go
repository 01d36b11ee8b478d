package replay

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/openai"
	"github.com/seed-3db51b0e/precis/internal/testsessions"
	"github.com/seed-3db51b0e/precis/message"
)

// row40 is a row of a run of n rounds.
func row40(id, source string, rounds int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"id":%q,"source":%q,"messages":[{"role":"system","content":"You keep shop."},{"role":"user","content":"Count the shelves."}`, id, source)
	for i := range rounds {
		fmt.Fprintf(&b, `,{"role":"assistant","content":null,"tool_calls":[{"id":"call_%d","type":"function","function":{"name":"look","arguments":"{\"shelf\":\"item-%04d-x\"}"}}]}`, i, max(0, i-9))
		fmt.Fprintf(&b, `,{"role":"tool","tool_call_id":"call_%d","content":"on shelf item-%04d-x: %s"}`, i, i, strings.Repeat(fmt.Sprintf("box %d full; ", i), 20))
	}
	return b.String() + "]}"
}

// folder writes files; a name that ends in .gz is packed.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		data := []byte(text)
		if strings.HasSuffix(name, ".gz") {
			var b bytes.Buffer
			z := gzip.NewWriter(&b)
			_, err := z.Write(data)
			if err := errors.Join(err, z.Close()); err != nil {
				t.Fatal(err)
			}
			data = b.Bytes()
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// SPEC: B1, B10. All kinds of recordings, plain and packed, and folders of
// them; what holds no run is named.
func TestCorpus(t *testing.T) {
	session := testsessions.ClaudeCode(testsessions.Session(3, testsessions.Options{Messages: 60}).Messages)
	dir := folder(t, map[string]string{
		"a.jsonl.gz": row40("one", "x", 3) + "\n" + row40("two", "y", 2) + "\n",
		"b.jsonl":    row40("one", "x", 1) + "\n\n" + row40("three", "x", 1) + "\n",
		"c.jsonl":    string(session),
		"d.json":     `{"model":"gpt-5.2","messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"yes"}]}`,
		"e.json":     `{"name":"no conversation"}`,
		"f.txt":      "not looked at",
	})
	c := Corpus{Paths: []string{dir}, Parse: openai.ParseMessage, Limit: 2}
	refs, skipped, err := c.Scan()
	if err != nil {
		t.Fatal(err)
	}
	if len(skipped) != 1 || filepath.Base(skipped[0]) != "e.json" {
		t.Errorf("skipped %v", skipped)
	}
	var got []string
	for r, err := range c.Runs(refs) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%s %s %v %v", r.ID, r.Source, len(r.Messages) > 1, r.Ref.session))
	}
	id := refs[3].id
	want := []string{"one x true false", "two y true false", "one#2 x true false", id + " claude-code true true", "d openai true false"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, path := range []string{filepath.Join(dir, "e.json"), filepath.Join(dir, "f.txt")} {
		if _, _, err := (Corpus{Paths: []string{path}}).Scan(); !errors.Is(err, ErrNoRuns) {
			t.Errorf("%s: %v", path, err)
		}
	}
	torn := folder(t, map[string]string{"t.jsonl": row40("one", "x", 1) + "\n{\"id\":\"empty\",\"messages\":[]}\n" + row40("two", "x", 1)[:80] + "\n"})
	if _, _, err := (Corpus{Paths: []string{torn}}).Scan(); err == nil || !strings.Contains(err.Error(), "row 3 is not JSON") {
		t.Errorf("a torn row: %v", err)
	}
	if _, _, err := (Corpus{Paths: []string{filepath.Join(dir, "none")}}).Scan(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

// A session file's reply that stands in several records is one step.
func TestSessionSteps(t *testing.T) {
	ms := script(t, "user: a\nassistant: I look\ncall a f {}\nresult a x\nassistant: done\n")
	at := func(session bool) (steps []int) {
		for _, s := range NewIndex(Run{Messages: ms, Ref: Ref{session: session}}, hundred).steps {
			steps = append(steps, s.at)
		}
		return steps
	}
	if got := fmt.Sprint(at(true), at(false)); got != "[1 4] [1 2 4]" {
		t.Errorf("steps %s", got)
	}
}

// shopRuns are rows as runs, and a judge that encodes.
func shopRuns(t *testing.T, n int) ([]Run, Judge) {
	t.Helper()
	dir := folder(t, map[string]string{"r.jsonl": func() string {
		var b strings.Builder
		for i := range n {
			b.WriteString(row40(fmt.Sprintf("run-%d", n-i), "own", 20+i) + "\n")
		}
		return b.String()
	}()})
	c := Corpus{Paths: []string{dir}, Parse: openai.ParseMessage}
	refs, _, err := c.Scan()
	if err != nil {
		t.Fatal(err)
	}
	var runs []Run
	for r, err := range c.Runs(refs) {
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, r)
	}
	encode := func(r Run, ms []message.Message) ([]byte, error) {
		return openai.Codec{}.Encode(&codec.Request{Model: "m", System: r.System}, ms)
	}
	return runs, Judge{Count: chars4, Encode: encode, Dialect: openai.Name}
}

// SPEC: B10, V3, V5. Every prompt of every step stands in the dump, by id and
// step, the same bytes whatever the workers; nothing else stays behind. Every
// prompt of every baseline is valid.
func TestDump(t *testing.T) {
	runs, judge := shopRuns(t, 4)
	var first map[string]string
	for _, workers := range []int{1, 4} {
		dir := t.TempDir()
		d, err := NewDump(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range compare(t, Options{Judge: judge, Policies: Baselines, Budgets: []int{600}, Dump: d, Workers: workers}, runs...) {
			if r.Invalid != 0 || r.Runs != 4 {
				t.Errorf("%s: %v %% invalid: %s", r.Policy, r.Invalid, r.Fault)
			}
		}
		files, err := d.Finish()
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for _, f := range files {
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			got[filepath.Base(f)] = string(b)
		}
		if left, _ := os.ReadDir(dir); len(left) != len(files) || len(files) != len(Baselines) {
			t.Errorf("%d files, %d written, %d policies", len(left), len(files), len(Baselines))
		}
		if first == nil {
			first = got
		}
		if diff := cmp.Diff(first, got); diff != "" {
			t.Errorf("%d workers: %s", workers, diff)
		}
	}
	wantOrder(t, first["none-600.jsonl"])
}

func wantOrder(t *testing.T, dump string) {
	t.Helper()
	var at []string
	for d := json.NewDecoder(strings.NewReader(dump)); d.More(); {
		var l line
		var body struct{ Messages []json.RawMessage }
		if err := errors.Join(d.Decode(&l), json.Unmarshal(l.Request, &body)); err != nil {
			t.Fatal(err)
		}
		if len(body.Messages) != l.Step || l.Tokens == 0 {
			t.Errorf("%s step %d: %d messages, %d tokens", l.ID, l.Step, len(body.Messages), l.Tokens)
		}
		at = append(at, fmt.Sprintf("%s %03d", l.ID, l.Step))
	}
	if !slices.IsSorted(at) || len(at) != 20+21+22+23 {
		t.Errorf("%d steps, sorted %v", len(at), slices.IsSorted(at))
	}
}

// SPEC: B10. What was finished is not run again while run, policy, budget and
// stamp are the same, also after a line was cut short; the rows are the same.
func TestState(t *testing.T) {
	runs, judge := shopRuns(t, 3)
	path := filepath.Join(t.TempDir(), "state.jsonl")
	started := 0
	counting := Policy{Name: "counting", Start: func(ctx context.Context, s Setup) (Step, func() error, error) {
		started++
		return window.Start(ctx, s)
	}}
	var first string
	for _, c := range []struct {
		what  string
		stamp string
		tear  bool
		runs  int
	}{{"new", "1", false, 3}, {"again", "1", false, 0}, {"torn", "1", true, 1}, {"another stamp", "2", false, 3}, {"the first", "1", false, 0}} {
		if c.tear {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, data[:len(data)-20], 0o600); err != nil {
				t.Fatal(err)
			}
		}
		s, err := OpenState(path, c.stamp)
		if err != nil {
			t.Fatal(err)
		}
		started = 0
		rows := table(compare(t, Options{Judge: judge, Policies: []Policy{counting}, Budgets: []int{1 << 20, 600}, State: s}, runs...))
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if first == "" {
			first = rows
		}
		if rows != first || started != c.runs {
			t.Errorf("%s: %d runs, want %d; rows the same: %v", c.what, started, c.runs, rows == first)
		}
	}
}

// A run whose reading fails ends the comparison with its error.
func TestCompareFails(t *testing.T) {
	broken := errors.New("broken")
	_, err := Compare(context.Background(), func(yield func(Run, error) bool) { yield(Run{}, broken) }, Options{})
	if !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
}

// The pitfalls are those of what was asked.
func TestPitfalls(t *testing.T) {
	runs, judge := shopRuns(t, 3)
	c, err := Compare(context.Background(), each(runs...), Options{Judge: judge, Policies: []Policy{mask10, oraclePolicy}, Budgets: []int{600}})
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Join(c.Pitfalls(judge), "\n")
	for _, want := range []string{"stands in for success", "--common", "only 3 runs", "one source (own)", "Over the budget at some steps: mask10.", "sees the future", "a regime for tests"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not among\n%s", want, all)
		}
	}
	said := Row{Policy: "balanced", Active: 50, Over: 4, Outcomes: map[string]int{"impossible": 2}}
	more := Row{Policy: "ladder", Active: 50, Over: 6, Outcomes: map[string]int{"impossible": 2}}
	told := strings.Join((&Comparison{Rows: []Row{said, more}}).Pitfalls(judge), "\n")
	if !strings.Contains(told, "balanced says so") || !strings.Contains(told, "at some steps: ladder.") {
		t.Errorf("impossible steps: %s", told)
	}
	for _, no := range []string{"ledger", "refused", "case study", "expire"} {
		if strings.Contains(all, no) {
			t.Errorf("%q is among\n%s", no, all)
		}
	}
}
