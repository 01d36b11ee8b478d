package extract

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/tool"
)

// planSteps finds the objects in arrays that have a text and perhaps a status, whatever the
// members that hold them are called, in the order in which they begin.
func planSteps(args string, at summary.Source) []summary.Step {
	d := tool.Decode(new(jsontext.Decoder), args)
	var list stepList
	key := ""
	for {
		t, err := d.ReadToken()
		if err != nil {
			return list.done()
		}
		switch {
		case t.Kind() == '{':
			list.begin(inArray(d), at)
		case t.Kind() == '}':
			list.end()
		case t.Kind() == '"' && tool.WasName(d):
			key = strings.ToLower(t.String())
		case t.Kind() == '"':
			list.set(key, t.String())
		}
	}
}

// stepList holds the steps read so far, and which of them each open object is.
type stepList struct {
	steps []summary.Step
	open  []int // positions in steps, notStep for an object that is none
}

const notStep = -1

// begin opens an object; one that is no element of an array is no step.
func (l *stepList) begin(element bool, at summary.Source) {
	if !element || len(l.steps) == maxPlanSteps {
		l.open = append(l.open, notStep)
		return
	}
	l.open = append(l.open, len(l.steps))
	l.steps = append(l.steps, summary.Step{Status: summary.Pending, From: at})
}

// end closes the innermost object.
func (l *stepList) end() {
	last := len(l.open) - 1
	n := l.open[last]
	l.open = l.open[:last]
	if n == len(l.steps)-1 && n != notStep && l.steps[n].Text == "" {
		l.steps = l.steps[:n]
	}
}

// set gives a member of the innermost object to its step.
func (l *stepList) set(key, text string) {
	if len(l.open) == 0 {
		return
	}
	if n := l.open[len(l.open)-1]; n != notStep {
		setStep(&l.steps[n], key, text)
	}
}

// done returns the steps whose objects were closed and that have a text.
func (l *stepList) done() (steps []summary.Step) {
	for n, s := range l.steps {
		if s.Text != "" && !slices.Contains(l.open, n) {
			steps = append(steps, s)
		}
	}
	return steps
}

// inArray reports whether the object just begun is an element of an array.
func inArray(d *jsontext.Decoder) bool {
	kind, _ := d.StackIndex(d.StackDepth() - 1)
	return kind == '['
}

func setStep(s *summary.Step, key, text string) {
	switch key {
	case "content", "step", "title", "text", "task", "subject":
		s.Text = itemText(text)
	case "description":
		if s.Text == "" {
			s.Text = itemText(text)
		}
	case "status":
		switch strings.ToLower(text) {
		case "completed", "done", "complete", "cancelled":
			s.Status = summary.Done
		case "in_progress", "doing", "active":
			s.Status = summary.Doing
		}
	}
}
