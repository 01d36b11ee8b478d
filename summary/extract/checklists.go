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
const mostSteps = maxOpen / 2

// checklists are the task lists that the agent keeps in files, by file.
type checklists struct {
	byFile map[string]*checklist
	order  []string
	old    []summary.OpenItem // those of an earlier summary
}

// checklist is the task list of one file, in its order.
type checklist struct {
	steps  []checkStep
	worked bool // a step was ticked: it is a plan at work, not a form
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
			l.worked, l.steps = true, append(l.steps, checkStep{text: o.Text, from: o.From})
		}
	}
	return c
}

func (c *checklists) of(file string) *checklist {
	l := c.byFile[file]
	if l == nil {
		l = &checklist{}
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
		gone = l.steps
	}
	l.change(gone, now)
}

// steps reads the task list in a text, but for steps whose words stand in it twice: which of
// them is ticked later cannot be told.
func steps(text string, at summary.Source) (all []checkStep) {
	times := map[string]int{}
	for _, m := range checkbox.FindAllStringSubmatch(text, -1) {
		s := checkStep{text: oneline.Clip(oneline.Of(m[2]), maxItem), done: m[1] != " ", from: at}
		times[s.text]++
		all = append(all, s)
	}
	return slices.DeleteFunc(all, func(s checkStep) bool { return times[s.text] > 1 })
}

// change puts steps in the place of those that go.
func (l *checklist) change(gone, now []checkStep) {
	place := len(l.steps)
	for _, g := range gone {
		ticked := func(s checkStep) bool { return s.done && !g.done && s.text == g.text }
		l.worked = l.worked || slices.ContainsFunc(now, ticked)
		if i := l.index(g.text); i >= 0 {
			place = min(place, i)
		}
	}
	for _, s := range slices.Concat(gone, now) {
		if i := l.index(s.text); i >= 0 {
			l.steps = slices.Delete(l.steps, i, i+1)
		}
	}
	l.steps = slices.Insert(l.steps, min(place, len(l.steps)), now...)
}

func (l *checklist) index(text string) int {
	return slices.IndexFunc(l.steps, func(s checkStep) bool { return s.text == text })
}

// write hands over the next steps of the lists at work, and which of the old ones are no longer
// to be done.
func (c *checklists) write(out *summary.Structured, stands func(file string) bool) {
	for _, file := range c.order {
		l, n := c.byFile[file], 0
		for _, s := range l.steps {
			if l.worked && stands(file) && !s.done && n < mostSteps {
				n++
				out.Open = append(out.Open, summary.OpenItem{Text: s.text, File: file, Priority: summary.Medium, Status: summary.Pending, From: s.from})
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
