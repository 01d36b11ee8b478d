package extract

import (
	"regexp"
	"slices"

	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/tool"
)

// checkbox is a line of a task list in Markdown: its mark and its text.
var checkbox = regexp.MustCompile(`(?m)^[ \t]*(?:[-*+]|\d+[.)])[ \t]+\[([ xX])\][ \t]+(.*\S)`)

// mostSteps is how many steps of one file are kept: the next ones.
const mostSteps = 100

// checklists are the task lists that the agent keeps in files, by file.
type checklists struct {
	byFile map[string]*checklist
	order  []string
	old    []summary.OpenItem // those of an earlier summary
}

// checklist is the task list of one file, in its order.
type checklist struct {
	steps  []checkStep
	double map[string]bool // texts that stood in two places: which of them is ticked cannot be told
	worked bool            // a step was ticked: it is a plan at work, not a form
}

// checkStep is a line of a task list, and where it was last written.
type checkStep struct {
	text string
	done bool
	from summary.Source
}

// newChecklists starts from the steps that an earlier summary tells of.
func newChecklists(old []summary.OpenItem) checklists {
	c := checklists{byFile: map[string]*checklist{}}
	for _, o := range old {
		if o.File != "" {
			c.old = append(c.old, o)
			l := c.of(o.File)
			l.worked = o.Priority != summary.Low
			l.steps = append(l.steps, checkStep{text: o.Text, from: o.From})
		}
	}
	return c
}

func (c *checklists) of(file string) *checklist {
	l := c.byFile[file]
	if l == nil {
		l = &checklist{double: map[string]bool{}}
		c.byFile[file] = l
		c.order = append(c.order, file)
	}
	return l
}

// read takes up what a call that succeeded wrote into the one file that it changed.
func (c *checklists) read(e *tool.Reading, changed []string, at summary.Source) {
	if len(changed) != 1 {
		return
	}
	var gone, now []checkStep
	edit := e.Class != tool.Write && e.Command == ""
	for _, t := range e.Texts() {
		if t.Gone {
			gone, edit = append(gone, steps(t.Text, at)...), true
		} else {
			now = append(now, steps(t.Text, at)...)
		}
	}
	if len(gone) == 0 && len(now) == 0 && (edit || c.byFile[changed[0]] == nil) {
		return
	}
	l := c.of(changed[0])
	if !edit {
		gone = slices.Clone(l.steps)
	}
	l.change(gone, now)
}

// steps reads the task list in a text.
func steps(text string, at summary.Source) (all []checkStep) {
	for _, m := range checkbox.FindAllStringSubmatch(text, -1) {
		all = append(all, checkStep{text: oneline.Clip(oneline.Of(m[2]), maxItem), done: m[1] != " ", from: at})
	}
	return all
}

// change puts steps in the place of those that go.
func (l *checklist) change(gone, now []checkStep) {
	for _, g := range gone {
		ticked := func(s checkStep) bool { return s.done && !g.done && s.text == g.text }
		l.worked = l.worked || slices.ContainsFunc(now, ticked)
	}
	place := len(l.steps)
	for _, g := range gone {
		if i := l.index(g.text); i >= 0 {
			l.steps = slices.Delete(l.steps, i, i+1)
			place = min(place, i)
		}
	}
	for i, s := range now {
		l.double[s.text] = l.double[s.text] || l.index(s.text) >= 0 || slices.ContainsFunc(now[:i], func(x checkStep) bool { return x.text == s.text })
	}
	l.steps = slices.Insert(l.steps, min(place, len(l.steps)), now...)
	l.steps = slices.DeleteFunc(l.steps, func(s checkStep) bool { return l.double[s.text] })
}

func (l *checklist) index(text string) int {
	return slices.IndexFunc(l.steps, func(s checkStep) bool { return s.text == text })
}

// write hands over the steps to be done of each list, and which of the old ones are no longer.
func (c *checklists) write(out *summary.Structured, stands func(file string) bool) {
	for _, file := range c.order {
		l, n := c.byFile[file], 0
		priority := summary.Low
		if l.worked {
			priority = summary.Medium
		}
		for _, s := range l.steps {
			if stands(file) && !s.done && n < mostSteps {
				n++
				out.Open = append(out.Open, summary.OpenItem{Text: s.text, File: file, Priority: priority, Status: summary.Pending, From: s.from})
			}
		}
	}
	for _, o := range c.old {
		told := func(x summary.OpenItem) bool { return x.Text == o.Text }
		if !slices.ContainsFunc(out.Open, told) {
			o.Status = summary.Done
			out.Open = append(out.Open, o)
		}
	}
}
