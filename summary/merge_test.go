package summary_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/seed-3db51b0e/precis/summary"
)

// Of artifacts the newest are carried, each once, and merging them is linear: it takes about twice the
// bytes for twice as many.
func TestMergeOfArtifacts(t *testing.T) {
	kept := func(id string, n int) summary.Artifact { return summary.Artifact{ID: id, From: at(n)} }
	one := &summary.Structured{Schema: summary.Schema, Artifacts: []summary.Artifact{kept("a", 1), kept("b", 2)}}
	two := &summary.Structured{Schema: summary.Schema, Artifacts: []summary.Artifact{kept("c", 3), kept("a", 4)}}
	got := ""
	for _, a := range summary.Merge(one, two).Artifacts {
		got += fmt.Sprint(a.ID, a.From.N, " ")
	}
	if got != "b2 c3 a4 " {
		t.Errorf("merged to %s", got)
	}
	effort := func(n int) (bytes float64, count int) {
		s := &summary.Structured{Schema: summary.Schema}
		for i := range n {
			s.Artifacts = append(s.Artifacts, kept(fmt.Sprint(i), i+1))
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		m := summary.Merge(s)
		runtime.ReadMemStats(&after)
		return float64(after.TotalAlloc - before.TotalAlloc), len(m.Artifacts)
	}
	small, _ := effort(2_000)
	large, count := effort(4_000)
	if r := large / small; r > 2.6 || count > 200 {
		t.Errorf("twice the artifacts took %.1f times the bytes; %d were kept", r, count)
	}
}

// SPEC: B18. An error is not told as resolved by a file that was made and deleted, or moved away.
func TestFilesThatAreGoneResolveNothing(t *testing.T) {
	for state, want := range map[summary.FileState]string{summary.FileEdited: "edited src/tmp.py", summary.FileGone: ""} {
		s := &summary.Structured{
			Schema: summary.Schema,
			Errors: []summary.Failure{{Text: "KeyError in src/tmp.py", Command: "make", From: at(1)}},
			Files:  []summary.File{{Path: "src/tmp.py", State: state, From: at(2)}},
		}
		if got := summary.Merge(s).Errors[0].Fix; got != want {
			t.Errorf("%s: resolved by %q, want %q", state, got, want)
		}
	}
}
