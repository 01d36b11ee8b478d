package extract

import (
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/tool"
)

// dropStep forgets the newest decision where it only says that the agent makes a call that looks, which
// follows it: "Let's use find_file to see where it is".
func (l *decisions) dropStep(p *message.Part, at summary.Source) {
	if c := tool.ClassOf(p.Name); c == tool.Shell || c == tool.Edit || c == tool.Write || tool.ActsByName(p.Name) {
		return
	}
	if n := len(l.all); n > 0 && l.all[n-1].From.N >= at.N-1 && isStepOf(l.all[n-1].Text, p) {
		l.all = l.all[:n-1]
	}
}

// isStepOf reports whether a text says, beside what was seen, only that a call is made: its last sentence
// names the tool, or is short and names figures that all stand in the arguments.
func isStepOf(text string, p *message.Part) bool {
	last := ""
	for text != "" {
		end := sentenceEnd(text)
		last, text = text[:end], strings.TrimSpace(text[end:])
	}
	low := lowered(last)
	if !startsAny(low, stepOpenings) || triggersIn(low)&(decision|choice|rationale) != 0 {
		return false
	}
	if saysUse(low, p.Name) {
		return true
	}
	figures := slices.DeleteFunc(strings.Fields(low), func(w string) bool { return !strings.ContainsAny(w, "0123456789") })
	foreign := func(w string) bool { return !strings.Contains(strings.ToLower(p.Args), w) }
	return len(figures) > 0 && words(last) <= maxStepWords && !slices.ContainsFunc(figures, foreign)
}

// maxStepWords is how many words a sentence has that announces a call and does not name its tool.
const maxStepWords = 10

// followed notes of what the agent said was needed, right before a call, that the call changed files.
func (l *decisions) followed(call, at summary.Source) {
	for n := len(l.all) - 1; n >= 0 && l.all[n].From.N >= call.N-1; n-- {
		if d := &l.all[n]; d.Next.N == 0 && d.From.N <= call.N && saysAny(lowered(d.Text), needs) {
			d.Next = at
		}
	}
}
