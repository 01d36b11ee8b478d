package strategy

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/thread"
)

// mostEdited is of how many files the last edits stand.
const mostEdited = 3

// editCalls returns the positions of the messages with the calls that changed the newest of
// the edited files as they are now, and of those that wrote the scripts which these calls ran.
func editCalls(t *thread.Thread, files []summary.File) (at []int32) {
	edited := slices.DeleteFunc(slices.Clone(files), func(f summary.File) bool { return f.State != summary.FileEdited })
	slices.SortStableFunc(edited, func(a, b summary.File) int { return cmp.Compare(b.From.N, a.From.N) })
	for _, f := range edited[:min(len(edited), mostEdited)] {
		for _, call := range callsTo(t, f.From.N-1) {
			at = append(at, int32(call.Index))
			for _, script := range files {
				if script.Made.N == 0 || script.Made.N > f.From.N || !strings.Contains(t.Part(call).Args, path.Base(script.Path)) {
					continue
				}
				for _, wrote := range callsTo(t, script.Made.N-1) {
					at = append(at, int32(wrote.Index))
				}
			}
		}
	}
	return at
}

// callsTo returns the calls that the message at a position has the results of.
func callsTo(t *thread.Thread, at int) (calls []thread.Place) {
	if at < 0 || at >= t.Len() {
		return nil
	}
	for _, p := range t.Pairs(t.UnitOf(at)) {
		if p.Result.Index == at && p.Complete() {
			calls = append(calls, p.Call)
		}
	}
	return calls
}
