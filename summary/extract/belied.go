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
func (l *runs) believed(c *summary.Command) {
	l.newest = nil
	if c != nil && c.Outcome == string(tool.Success) && c.Error == "" && !testrun.IsVerdict(c.Tail) {
		l.newest = c
	}
}

// believedBefore takes up the newest run of an earlier summary, unless a file changed since.
func (l *runs) believedBefore(old *summary.Structured) {
	var newest *summary.Command
	for i := range old.Commands {
		if c := &old.Commands[i]; newest == nil || c.From.N > newest.From.N {
			newest = c
		}
	}
	if newest == nil {
		return
	}
	if !slices.ContainsFunc(old.Files, func(x summary.File) bool { return x.State != summary.FileRead && x.From.N > newest.From.N }) {
		l.believed(l.before(newest))
	}
}

// belied notes that the newest run did not do what it told.
func (l *runs) belied(said *summary.Note) {
	if c := l.newest; c != nil {
		c.Said = said
		l.denied(c)
		l.keep(c)
		l.newest = nil
	}
}

// belies reports whether a sentence, as low, says that what was to change something did not.
func belies(s *sentence, low string) bool {
	if !strings.HasSuffix(s.text, ".") || words(s.text) < 3 {
		return false
	}
	if startsAny(low, denying) {
		return true
	}
	if s.in&notDone == 0 {
		return false
	}
	for _, not := range notDonePhrases {
		before, after, ok := strings.Cut(low, not)
		if ok && changers[before[strings.LastIndexByte(before, ' ')+1:]] && slices.ContainsFunc(effects, func(w string) bool { return strings.Contains(" "+after, w) }) {
			return true
		}
	}
	return false
}
