package summary

import (
	"path"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/summary/contradict"
	"github.com/seed-3db51b0e/precis/tool"
)

// dropOvertaken drops the findings of the agent that later work may have made untrue: after a
// file was changed, a command with consequences run or something ordered, what was found
// before is not known to stand. A finding that gives something a value stands until a file
// that it names is changed, and one that tells of a fault until anything is. So does what the
// agent said was left to do because of a fault.
func dropOvertaken(s *Structured) {
	changed := lastChange(s)
	var files []Mention // the names of changed files, and where they were changed last
	for i := range s.Files {
		x := &s.Files[i]
		if x.State == FileRead {
			continue
		}
		base := path.Base(x.Path)
		files = append(files, Mention{Value: bare(base), From: x.From})
		if stem := strings.TrimSuffix(base, path.Ext(base)); strings.ContainsAny(stem, "-_") {
			files = append(files, Mention{Value: bare(stem), From: x.From})
		}
	}
	s.Open = slices.DeleteFunc(s.Open, func(o OpenItem) bool {
		return o.LeftByAgent() && o.From.N <= changed && isFault(o.Text)
	})
	s.Facts = slices.DeleteFunc(s.Facts, func(f Fact) bool {
		if f.Kind != Finding || f.Pinned || f.From.N > changed {
			return false
		}
		return contradict.Substance(f.Text) < 1 || isFault(f.Text) || strings.ContainsAny(f.Text, "`=") || changedSince(f, files)
	})
}

// mostUndone is how many messages before work was taken back the decisions are about it.
const mostUndone = 20

// doubtUndone marks the decisions whose work the agent took back.
func doubtUndone(s *Structured) {
	for i := range s.Files {
		u := s.Files[i].Undone
		if u == nil {
			continue
		}
		for n := range s.Decisions {
			if at := s.Decisions[n].From.N; at > u.After.N && at >= u.Call.N-mostUndone && at < u.Call.N {
				s.Decisions[n].Doubted = true
			}
		}
	}
}

// Deletions returns the last message in which each file was deleted that is gone or was made anew, by the
// file's name without its folder.
func Deletions(files []File) map[string]int {
	gone := map[string]int{}
	for i := range files {
		switch x := &files[i]; {
		case x.State == FileDeleted:
			gone[path.Base(x.Path)] = x.From.N
		case x.Anew:
			gone[path.Base(x.Path)] = x.Made.N
		}
	}
	return gone
}

// DeletedSince returns the last message in which a file was deleted that the decision names, of what
// Deletions returns; 0 for none, and where the decision may have said so.
func (d *Decision) DeletedSince(gone map[string]int) (last int) {
	if len(gone) == 0 {
		return 0
	}
	ends := -mostBetween
	for n, w := range strings.Fields(d.Text) {
		w = strings.Trim(w, "`*'\"(),.:;!?")
		if saysAny(w, ending) {
			ends = n
		}
		if at := gone[path.Base(w)]; n >= ends+mostBetween && path.Ext(w) != "" && at > d.From.N {
			last = max(last, at)
		}
	}
	return last
}

// mostBetween is how many words stand between one that says that a file is to go, of ending, and its name.
const mostBetween = 4

var ending = []string{"delet", "remov", "drop", "replac", "renam", "merg"}

// doubtCauses marks what was given as the cause of a fault where a newer message gives another that
// names the same, and what was to cure it where a newer one gives a cause or a cure.
func doubtCauses(s *Structured) {
	causes, cures := map[string]int{}, map[string]int{} // the newest message that gives one, by what it names
	for i := len(s.Decisions) - 1; i >= 0; i-- {
		d := &s.Decisions[i]
		cause, cure := saysAny(d.Text, causing), saysAny(d.Text, curing)
		if d.Doubted || !cause && !cure || saysAny(d.Text, adding) {
			continue
		}
		for n, name := range strings.Split(d.Text, "`") {
			if n%2 == 0 || name == "" { // it is not quoted
				continue
			}
			d.Doubted = d.Doubted || causes[name] > d.From.N || !cause && cures[name] > d.From.N
			if cause {
				causes[name] = max(causes[name], d.From.N)
			} else {
				cures[name] = max(cures[name], d.From.N)
			}
		}
	}
}

// causing are words of a statement that gives the cause of a fault, curing of one that says how to
// mend it, adding of one that adds to what stands.
var (
	causing = []string{"root cause", "the cause is", "the cause was", "culprit", "the problem is", "the problem was", "the issue is", "the issue was", "the real issue", "the real problem", "key insight"}
	curing  = []string{"the fix is", "the solution is"}
	adding  = []string{" also "}
)

func saysAny(text string, words []string) bool {
	low := strings.ToLower(text)
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(low, w) })
}

// lastChange returns the number of the newest message that changed something.
func lastChange(s *Structured) (last int) {
	for i := range s.Files {
		if s.Files[i].State != FileRead {
			last = max(last, s.Files[i].From.N)
		}
	}
	for i := range s.Effects {
		last = max(last, s.Effects[i].From.N)
	}
	for i := range s.Outcomes {
		if o := &s.Outcomes[i]; o.Outcome != "failure" && tool.ActsByName(o.Tool) {
			last = max(last, o.From.N)
		}
	}
	return last
}

// faults are words of a statement that something is wrong.
var faults = []string{"error", "exception", "fail", "wrong", "missing", "broken", "issue", "problem", "bug", "unused", "crash", " still ", " line ", " lines ", " test ", " tests ", " script "}

func isFault(text string) bool { return saysAny(" "+text+" ", faults) }

// changedSince reports whether one of the changed files that a statement names, by its name or
// as the thing that is in it, was changed after it.
func changedSince(f Fact, files []Mention) bool {
	said := bare(f.Text)
	return slices.ContainsFunc(files, func(x Mention) bool {
		return x.From.N > f.From.N && len(x.Value) > 3 && strings.Contains(said, x.Value)
	})
}

// bare returns a text in lower case without what parts the words of a name.
func bare(s string) string {
	return strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(s))
}
