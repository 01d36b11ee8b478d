package extract

import (
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/tool"
	"github.com/seed-3db51b0e/precis/tool/testrun"
)

// believed remembers the newest run where it ended well, so that only a look can tell whether it had
// success; nil is no run.
func (w *work) believed(c *summary.Command) {
	w.newest = nil
	if c != nil && c.Outcome == string(tool.Success) && c.Error == "" && !testrun.IsVerdict(c.Tail) {
		w.newest = c
	}
}

// believedBefore takes up the newest run of an earlier summary, unless a file changed since.
func (w *work) believedBefore(old *summary.Structured) {
	newest := -1
	for i := range old.Commands {
		if newest < 0 || old.Commands[i].From.N > old.Commands[newest].From.N {
			newest = i
		}
	}
	if newest < 0 {
		return
	}
	c := old.Commands[newest]
	if slices.ContainsFunc(old.Files, func(x summary.File) bool { return x.State != summary.FileRead && x.From.N > c.From.N }) {
		return
	}
	if known, ok := w.commands[c.Key()]; ok {
		w.believed(known)
		return
	}
	c.Times, c.Failed, c.Filtered = 0, 0, 0 // they are counted already
	w.believed(&c)
}

// belied notes that the newest run did not do what it told.
func (w *work) belied(said *summary.Note) {
	c := w.newest
	if c == nil {
		return
	}
	c.Said = said
	w.denied(c)
	if _, ok := w.commands[c.Key()]; !ok {
		w.commands[c.Key()] = c
		w.lines = append(w.lines, c.Key())
	}
	w.newest = nil
}

// belies reports whether a sentence says that what was to change something did not.
func belies(s, low string) bool {
	if !strings.HasSuffix(s, ".") || words(s) < 3 {
		return false
	}
	if startsAny(low, denying) {
		return true
	}
	for _, not := range notDonePhrases {
		before, after, ok := strings.Cut(low, not)
		if ok && changers[before[strings.LastIndexByte(before, ' ')+1:]] && slices.ContainsFunc(effects, func(w string) bool { return strings.Contains(" "+after, w) }) {
			return true
		}
	}
	return false
}
