package strategy

import (
	"cmp"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/tool"
)

// mostEdited is of how many files the last edits stand.
const mostEdited = 3

// standingEdits returns the calls that changed the newest of the edited files as they are now,
// each with those that wrote the scripts which it ran, the newest file first.
func standingEdits(t *thread.Thread, files []summary.File) (calls []thread.Place) {
	edited := slices.DeleteFunc(slices.Clone(files), func(f summary.File) bool { return f.State != summary.FileEdited })
	slices.SortStableFunc(edited, func(a, b summary.File) int { return cmp.Compare(b.From.N, a.From.N) })
	for _, f := range edited[:min(len(edited), mostEdited)] {
		for _, call := range callsTo(t, f.From.N-1) {
			did := tool.Parse(*t.Part(call), nil)
			scripts := ranOf(did, files, f.From.N)
			if len(scripts) == 0 && !changed(did, f.Path) {
				continue
			}
			calls = append(calls, call)
			for _, script := range scripts {
				for _, wrote := range callsTo(t, script.Made.N-1) {
					if changed(tool.Parse(*t.Part(wrote), nil), script.Path) {
						calls = append(calls, wrote)
					}
				}
			}
		}
	}
	return calls
}

// changed reports whether a call names a file that it changes.
func changed(did *tool.Reading, name string) bool {
	return slices.ContainsFunc(did.Touched, func(x tool.Touch) bool { return x.Access != tool.Reads && tool.SameFile(x.Path, name) })
}

// ranOf returns the files of the agent's, written up to the message of a number, that a call
// runs.
func ranOf(did *tool.Reading, files []summary.File, n int) (scripts []summary.File) {
	words := strings.Fields(did.Action())
	for _, f := range files {
		if f.Made.N > 0 && f.Made.N <= n && slices.ContainsFunc(words, func(w string) bool { return tool.SameFile(w, f.Path) }) {
			scripts = append(scripts, f)
		}
	}
	return scripts
}
