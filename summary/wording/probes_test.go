package wording_test

import (
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/summary/wording"
)

// SPEC: B18. The error of a program written in the command line is open while nothing ran after it: it
// tries something once. The error of any other command stays open.
func TestProbesAreTriedOnce(t *testing.T) {
	at := func(n int) summary.Source { return summary.Source{ID: "e", N: n} }
	for line, want := range map[string][2]string{
		`python -c "1/0"`: {"- open: boom", "- of a probe, not run again: boom"},
		"python a.py":     {"- open: boom", "- open: boom"},
	} {
		s := &summary.Structured{
			Schema: summary.Schema, From: at(1), To: at(9), Count: 9,
			Commands: []summary.Command{{Line: line, Error: "boom", Outcome: "failure", Times: 1, Failed: 1, From: at(5)}},
			Errors:   []summary.Failure{{Text: "boom", Command: line, From: at(5)}},
		}
		for i, said := range want {
			if text := wording.Text(s, 0, nil); !strings.Contains(text, said) {
				t.Errorf("%s, %d runs later: no %q in\n%s", line, i, said, text)
			}
			s.Commands = append(s.Commands, summary.Command{Line: "make", Outcome: "success", Times: 1, From: at(7)})
		}
	}
}
