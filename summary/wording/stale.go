package wording

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/ref"
	"github.com/seed-3db51b0e/precis/summary"
)

// beforeChange names the file that was changed last after a run of tests in message n, and says how many
// were, "" for none: not one that is again as it was then, or may be, as it was put back both before and
// after.
func beforeChange(all []summary.File, n int) string {
	since := changed(all, func(f *summary.File) bool {
		return f.From.N <= n || f.StoodAt(n) || isAsItWas(f) && slices.ContainsFunc(f.Restores, func(r summary.Restore) bool { return r.In.N <= n })
	})
	switch len(since) {
	case 0:
		return ""
	case 1:
		return ", before " + oneline.Of(since[0].Path) + " changed" + numbered(since[0].From)
	}
	return ", before " + Count(len(since), "file") + " changed, last " + oneline.Of(since[0].Path) + numbered(since[0].From)
}

// isAsItWas reports whether a file was put back as it had been: what ran before that may have run on
// what it is again.
func isAsItWas(f *summary.File) bool {
	return f.State == summary.FileRestored || f.State == summary.FileStashed
}

// changed returns the files that were changed and do not stand, that which was last first. What the
// agent created to try something, and did not change since, tells nothing of what ran, nor does
// documentation.
func changed(all []summary.File, stands func(*summary.File) bool) (list []*summary.File) {
	for i := range all {
		f := &all[i]
		tells := f.State != summary.FileRead && f.State != summary.FileGone && (f.State != summary.FileCreated || f.Reworked())
		if tells && !isDocumentation(f.Path) && !stands(f) {
			list = append(list, f)
		}
	}
	slices.SortStableFunc(list, func(a, b *summary.File) int { return cmp.Compare(b.From.N, a.From.N) })
	return list
}

// isDocumentation reports whether a file is for people to read, and not one that tests may read.
func isDocumentation(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".md", ".markdown", ".rst", ".adoc":
	default:
		return false
	}
	return !slices.ContainsFunc(strings.Split(name, "/"), func(folder string) bool {
		return strings.HasPrefix(folder, "test") || folder == "fixtures"
	})
}

// aged collects the runs that are older than changes of files, and are no tests.
type aged struct {
	files []*summary.File // that were changed, or restored after a change, the last first
	runs  []int           // the messages of the runs before the last of the files
	worth float64         // the highest of them
}

// unchanged reports whether a file was put back, and no change of it is known that this took back.
func unchanged(f *summary.File) bool {
	return isAsItWas(f) && (f.Undone == nil || f.Undone.Call.N == 0)
}

// ran takes up a run in message n.
func (a *aged) ran(n int, worth float64) {
	if len(a.files) == 0 || a.files[0].From.N <= n {
		return
	}
	a.runs = append(a.runs, n)
	a.worth = max(a.worth, worth)
}

// ages reports whether one of the runs, the oldest first, is older than what was last done to a file. Of
// a file that was put back, those before its changes are not: it is again what they ran on.
func (a *aged) ages(f *summary.File) bool {
	first := 0
	if isAsItWas(f) {
		first = f.First.N
	}
	i, _ := slices.BinarySearch(a.runs, first)
	return i < len(a.runs) && a.runs[i] < f.From.N
}

// lines tells once of all such runs: of the last change, and of that of another file before it.
func (a *aged) lines() []line {
	slices.Sort(a.runs)
	old := slices.DeleteFunc(slices.Clone(a.files), func(f *summary.File) bool { return !a.ages(f) })
	if len(old) == 0 {
		return nil
	}
	last := old[0]
	text := "- what ran before " + ref.Message(last.From.N).String() + " ran before " + oneline.Of(last.Path) + " " + wasDone(last)
	if len(old) > 1 && old[1].From.N < last.From.N {
		did := wasDone(old[1])
		if did == hasChanged && did == wasDone(last) {
			did = "did"
		}
		text += ", what ran before " + ref.Message(old[1].From.N).String() + " before " + oneline.Of(old[1].Path) + " " + did
	}
	return []line{{section: commands, rank: rankCommand, worth: a.worth - .5, text: text}} // beside the one of them that goes last
}

// hasChanged says what became of a file that does not stand as it was.
const hasChanged = "changed"

// wasDone says what was last done to a file.
func wasDone(f *summary.File) string {
	if isAsItWas(f) {
		return "was " + string(f.State)
	}
	return hasChanged
}
