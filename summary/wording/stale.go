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
func isAsItWas(f *summary.File) bool { return f.State == summary.FileRestored }

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
	files  []*summary.File // that were changed, the last first
	oldest int             // the message of the oldest run, 0 for none
	worth  float64         // the highest of them
}

// ran takes up a run in message n.
func (a *aged) ran(n int, worth float64) {
	if len(a.files) == 0 || a.files[0].From.N <= n {
		return
	}
	if a.oldest == 0 || n < a.oldest {
		a.oldest = n
	}
	a.worth = max(a.worth, worth)
}

// lines tells once of all such runs: of the last change, and of that of another file before it.
func (a *aged) lines() []line {
	if a.oldest == 0 {
		return nil
	}
	last := a.files[0]
	text := "- what ran before " + ref.Message(last.From.N).String() + " ran before " + oneline.Of(last.Path) + " changed"
	if len(a.files) > 1 && a.files[1].From.N > a.oldest && a.files[1].From.N < last.From.N {
		text += ", what ran before " + ref.Message(a.files[1].From.N).String() + " before " + oneline.Of(a.files[1].Path) + " did"
	}
	return []line{{section: commands, rank: rankCommand, worth: a.worth - .5, text: text}} // beside the one of them that goes last
}
