package wording_test

import (
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/summary/wording"
)

// SPEC: B18. A change of documentation makes no run old; where several files changed since, the last is
// not told as the only one.
func TestWhatMakesRunsOld(t *testing.T) {
	edited := func(path string, n int) summary.File {
		return summary.File{Path: path, State: summary.FileEdited, From: summary.Source{N: n}}
	}
	restored := func(path string, first, n int) summary.File {
		x := summary.File{Path: path, State: summary.FileRestored, First: summary.Source{N: first}, From: summary.Source{N: n}}
		x.Undone = &summary.Undoing{In: x.From, Call: summary.Source{N: n - 1}}
		return x
	}
	stashed := func(path string, first, n int) summary.File {
		x := restored(path, first, n)
		x.State = summary.FileStashed
		return x
	}
	for _, c := range []struct {
		name          string
		files         []summary.File
		want, without []string
	}{
		{
			"a page",
			[]summary.File{edited("docs/plan.md", 12)},
			[]string{"- `pytest` → 3 passed in 0.1s (#6)\n"},
			[]string{"before"},
		},
		{
			"a page, after code",
			[]summary.File{edited("src/a.py", 9), edited("README.rst", 12)},
			[]string{"3 passed in 0.1s (#6), before src/a.py changed (#9)\n", "- what ran before #9 ran before src/a.py changed\n"},
			[]string{"README.rst changed"},
		},
		{
			"a page that tests read",
			[]summary.File{edited("tests/data/page.md", 12)},
			[]string{"before tests/data/page.md changed (#12)\n"},
			nil,
		},
		{
			"two files",
			[]summary.File{edited("src/a.py", 9), edited("tests/test_a.py", 12)},
			[]string{
				"3 passed in 0.1s (#6), before 2 files changed, last tests/test_a.py (#12)\n",
				"- what ran before #12 ran before tests/test_a.py changed, what ran before #9 before src/a.py did\n",
			},
			nil,
		},
		{
			"two files, one of them before it",
			[]summary.File{edited("src/a.py", 3), edited("tests/test_a.py", 12)},
			[]string{"3 passed in 0.1s (#6), before tests/test_a.py changed (#12)\n", "- what ran before #12 ran before tests/test_a.py changed\n"},
			nil,
		},
		{
			"a file that was changed, and put back",
			[]summary.File{restored("src/a.py", 2, 12)},
			[]string{"- what ran before #12 ran before src/a.py was restored\n"},
			nil,
		},
		{
			"a file that was put back, changed again and put aside",
			[]summary.File{stashed("src/a.py", 2, 12)},
			[]string{"- what ran before #12 ran before src/a.py was stashed\n"},
			nil,
		},
		{
			"a file that was put back, and another before it",
			[]summary.File{edited("tests/test_a.py", 9), restored("src/a.py", 2, 12)},
			[]string{"- what ran before #12 ran before src/a.py was restored, what ran before #9 before tests/test_a.py changed\n"},
			nil,
		},
		{
			"a file that was put back, and another after it",
			[]summary.File{restored("src/a.py", 2, 9), edited("tests/test_a.py", 12)},
			[]string{"- what ran before #12 ran before tests/test_a.py changed, what ran before #9 before src/a.py was restored\n"},
			nil,
		},
		{
			"a file that was changed later, and put back",
			[]summary.File{edited("tests/test_a.py", 8), restored("src/a.py", 9, 12)},
			[]string{"- what ran before #8 ran before tests/test_a.py changed\n"},
			[]string{"src/a.py was"},
		},
		{
			"a file of which no change was taken back",
			[]summary.File{{Path: "src/a.py", State: summary.FileRestored, From: summary.Source{N: 12}}},
			nil,
			[]string{"what ran"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &summary.Structured{
				From: summary.Source{N: 1}, To: summary.Source{N: 20}, Files: c.files,
				Commands: []summary.Command{
					{Line: "python try.py", Tail: "the queue is full", From: summary.Source{N: 4}},
					{Line: "pytest", Tail: "3 passed in 0.1s", From: summary.Source{N: 6}},
				},
			}
			text := wording.Text(s, 0, nil) + "\n"
			for _, w := range c.want {
				if !strings.Contains(text, w) {
					t.Errorf("no %q in\n%s", w, text)
				}
			}
			for _, w := range c.without {
				if strings.Contains(text, w) {
					t.Errorf("%q stands in\n%s", w, text)
				}
			}
		})
	}
}
