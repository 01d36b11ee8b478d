package extract

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/tool"
)

// checklist is the task list of one file, in its order as far as that is known.
type checklist struct {
	steps  []checkStep
	double map[string]bool // texts that stood in two places: which of them is ticked cannot be told
	worked bool            // a step was ticked: it is a plan at work, not a form
	// committed: git has the file as it is.
	committed bool
}

// checkStep is a line of a task list, and the call that wrote it last.
type checkStep struct {
	text  string
	done  bool
	tried bool // by hand, perhaps: the user said since that all works; or by a call of which no result is known
	from  summary.Source
}

// makes reports whether a step says that a file or a folder is to be made that was made since, by its
// name: the last that the step has. gone says that the file was deleted again.
func (s *checkStep) makes(made *madeFiles) (is, gone bool) {
	name := s.toMake()
	x, ok := made.last[path.Base(name)]
	if !ok || name == "" || x.Made.N <= s.from.N {
		return false, false
	}
	if strings.HasSuffix("/"+x.Path, "/"+name) {
		gone = made.deleted(&x)
		return !gone, gone
	}
	return strings.HasSuffix("/"+path.Dir(x.Path), "/"+name), false
}

// toMake returns the file or the folder that a step says is to be made, "" for none.
func (s *checkStep) toMake() (name string) {
	if !startsAny(lowered(s.text), making) {
		return ""
	}
	for w := range strings.FieldsSeq(s.text) {
		if w = strings.Trim(w, "`'\"(),.:;"); strings.Contains(w, "/") || path.Ext(w) != "" {
			name = path.Clean(w)
		}
	}
	return name
}

var (
	// checkbox is a line of a task list in Markdown: its mark and its text.
	checkbox = regexp.MustCompile(`(?m)^[ \t]*(?:[-*+]|\d+[.)])[ \t]+\[([ xX])\][ \t]+(.*\S)`)
	// anyMark is such a mark wherever it stands.
	anyMark = regexp.MustCompile(`\[[ xX]\]`)
	// replacesAll is the argument of an edit that changes every place.
	replacesAll = regexp.MustCompile(`(?i)"replace_?all"\s*:\s*true`)
)

// maxCheckSteps is the most steps of a list that is followed.
const maxCheckSteps = 400

// checkSteps reads the task list in a text, but for what stands between fences.
func checkSteps(text string, at summary.Source) (all []checkStep) {
	for i, part := range strings.Split(text, "```") {
		if i%2 == 0 {
			for _, m := range checkbox.FindAllStringSubmatch(part, -1) {
				all = append(all, checkStep{text: itemText(m[2]), done: m[1] != " ", from: at})
			}
		}
	}
	return all
}

// edit takes up what a call of an editor changed, and reports whether all of it is understood.
func (l *checklist) edit(e *tool.Reading, args string, at summary.Source) bool {
	var out, in []string
	for _, t := range e.Texts() {
		switch {
		case t.Text == "append" || len(anyMark.FindAllString(t.Text, -1)) != len(checkbox.FindAllString(t.Text, -1)):
			return false
		case t.Gone:
			out = append(out, t.Text)
		case strings.Contains(t.Text, "\n") || !slices.Contains(pathsOf(e), t.Text):
			in = append(in, t.Text)
		}
	}
	if e.Class == tool.Write && len(out) == 0 {
		return l.rewrite(checkSteps(strings.Join(in, "\n"), at))
	}
	if len(out) == 0 || len(out) != len(in) || replacesAll.MatchString(args) {
		return false
	}
	for i := range out {
		if !wholeLines(out[i], in[i]) || l.touches(out[i]) || !l.change(checkSteps(out[i], at), checkSteps(in[i], at)) {
			return false
		}
	}
	return true
}

func pathsOf(e *tool.Reading) (paths []string) {
	for _, t := range e.Touched {
		paths = append(paths, t.Path)
	}
	return paths
}

// wholeLines reports whether what comes in begins and ends as what goes out does, as far as lists
// are concerned: else it may go on with a line before it or below it.
func wholeLines(out, in string) bool {
	if opensBlank(out) && !opensBlank(in) {
		return false // what is left of the last line joins the line above
	}
	first := func(text string) bool {
		line, _, _ := strings.Cut(text, "\n")
		return checkbox.MatchString(line)
	}
	last := func(text string) bool { return checkbox.MatchString(text[strings.LastIndexByte(text, '\n')+1:]) }
	if in == "" {
		return first(out) || !anyMark.MatchString(out)
	}
	return (first(out) || !first(in)) && (last(out) || !last(in)) && strings.HasSuffix(out, "\n") == strings.HasSuffix(in, "\n")
}

// opensBlank reports whether a text begins with the end of a line.
func opensBlank(text string) bool {
	line, _, broken := strings.Cut(text, "\n")
	return broken && strings.TrimSpace(line) == ""
}

// touches reports whether a text that goes takes out a part of a step: its first and its last
// line may be parts of lines.
func (l *checklist) touches(gone string) bool {
	lines := strings.Split(gone, "\n")
	for i, line := range lines {
		if part := strings.TrimSpace(line); part != "" && (i == 0 || i == len(lines)-1) && l.isPart(line, part, i == len(lines)-1) {
			return true
		}
	}
	return false
}

// isPart reports whether a line, or what it says, may be a part of a step's line. A line of a list
// is whole but where it is the last.
func (l *checklist) isPart(line, part string, last bool) bool {
	if m := checkbox.FindStringSubmatch(line); m != nil {
		step := oneline.Of(m[2])
		begins := func(s checkStep) bool { return s.text != step && strings.HasPrefix(s.text, step) }
		return last && slices.ContainsFunc(l.steps, begins)
	}
	holds := func(s checkStep) bool { return strings.Contains("- [ ] "+s.text, part) }
	return len(part) < shortPart || slices.ContainsFunc(l.steps, holds)
}

// shortPart is how many bytes may be the mark of a list.
const shortPart = 3

// rewrite puts other steps in the place of all.
func (l *checklist) rewrite(now []checkStep) bool {
	l.double = map[string]bool{}
	return l.change(slices.Clone(l.steps), now)
}

// change puts steps in the place of those that go. It reports whether that place is known.
func (l *checklist) change(gone, now []checkStep) bool {
	if len(l.steps)+len(now) > maxCheckSteps {
		return false
	}
	whole := len(gone) == len(l.steps)
	for _, g := range gone {
		ticked := func(s checkStep) bool { return s.done && !g.done && s.text == g.text }
		l.worked = l.worked || slices.ContainsFunc(now, ticked)
	}
	place := -1
	for _, g := range gone {
		if i := l.index(g.text); i >= 0 {
			l.steps = slices.Delete(l.steps, i, i+1)
			if place < 0 || i < place {
				place = i
			}
		}
	}
	for i, s := range now {
		l.double[s.text] = l.double[s.text] || l.index(s.text) >= 0 || slices.ContainsFunc(now[:i], func(x checkStep) bool { return x.text == s.text })
	}
	now = slices.DeleteFunc(slices.Clone(now), func(s checkStep) bool { return l.double[s.text] })
	l.steps = slices.DeleteFunc(l.steps, func(s checkStep) bool { return l.double[s.text] })
	if place < 0 && !whole {
		return len(now) == 0
	}
	l.steps = slices.Insert(l.steps, min(max(place, 0), len(l.steps)), now...)
	return true
}

func (l *checklist) index(text string) int {
	return slices.IndexFunc(l.steps, func(s checkStep) bool { return s.text == text })
}

// isSkipped reports whether a step says itself that nothing is to be done.
func isSkipped(text string) bool { return startsAny(lowered(text), skipped) }
