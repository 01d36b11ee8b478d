package wording

import (
	"strings"

	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/summary"
)

// Ranks of a handover's sentences and the share of the cap each may take first.
const (
	tellTask = iota
	tellConstraint
	tellOpen
	tellFailure
	tellChanged
	tellDecision
	tellFact
	tellDone
	tellFixed
	tellCommand
	tellFinding
	tells // their number
)

var tellShare = [tells]float64{
	tellTask: .2, tellConstraint: .4, tellOpen: .12, tellFailure: .1, tellChanged: .13, tellDecision: .15,
	tellFact: .1, tellDone: .1, tellFixed: .08, tellCommand: .08, tellFinding: .08,
}

// Handover tells what came before the kept messages, within limit tokens under
// count; limit 0 or a nil count is no cap. It is the narrative that a model wrote, and
// what the user demanded that it does not repeat; without one, the structure told in
// sentences, a line each. A nil or empty summary gives "": Placeholder stands in for
// it.
func Handover(s *summary.Structured, limit int, count func(string) int) string {
	if limit <= 0 {
		count = nil
	}
	if s == nil {
		return ""
	}
	if narrative := strings.TrimSpace(s.Narrative); narrative != "" {
		return narrated(s, narrative, limit, count)
	}
	ps := sentences(located(s))
	if len(ps) == 0 {
		return ""
	}
	head := "Earlier"
	if s.Count > 0 {
		head += ", in " + Count(s.Count, "message")
	}
	return tell(head+":", ps, limit, count)
}

// narrated returns the narrative and the constraints it does not hold verbatim.
func narrated(s *summary.Structured, narrative string, limit int, count func(string) int) string {
	folded := oneline.Fold(narrative)
	var ps []piece
	crowding := summary.Crowding(s.Facts)
	for i, x := range s.Facts {
		if (x.Pinned || binding(x) == summary.Constraint) && !strings.Contains(folded, oneline.Fold(x.Text)) {
			ps = append(ps, fact(x, crowding[i]))
		}
	}
	room := limit
	if count != nil {
		held := 0
		for i := range ps {
			held += count("\n" + ps[i].text)
		}
		room -= min(held, limit*2/5) // as much as tellShare gives them
	}
	return tell(clipTokens(narrative, room, count), ps, limit, count)
}

// tell writes the pieces that fit below head, a line each.
func tell(head string, ps []piece, limit int, count func(string) int) string {
	left := 0
	if count != nil {
		left = limit - count(head)
	}
	c := choose(ps, "\n", left, tellShare[:], count)
	text, _ := c.settle(limit, count, func() string {
		var b strings.Builder
		b.WriteString(head)
		for i := range ps {
			if c.keep[i] {
				b.WriteString("\n" + ps[i].text)
			}
		}
		return strings.TrimPrefix(b.String(), "\n")
	})
	return text
}

// teller collects sentences.
type teller struct{ ps []piece }

func (t *teller) say(rank int, lead, text string, from summary.Source) {
	if text != "" {
		t.ps = append(t.ps, row(0, rank, "", lead+": ", text, maxFact, from))
	}
}

// sentences tell the structure in the order a reader needs it: what was asked,
// what was done, where the work stands.
func sentences(s *summary.Structured) []piece {
	t := &teller{}
	if s.Task != nil && s.Task.Text != "" {
		t.ps = append(t.ps, ended(row(0, tellTask, "", "The user asked: ", s.Task.Text, maxFact, s.Task.From), taskEnd(s)))
	}
	crowding := summary.Crowding(s.Facts)
	for i, x := range s.Facts {
		if binding(x) != summary.Finding {
			t.ps = append(t.ps, fact(x, crowding[i]))
		}
	}
	t.files(s.Files)
	for _, x := range standing(s) {
		t.say(tellDecision, "Decided", decisionText(x), x.From)
	}
	t.worked(s)
	for _, x := range s.Facts {
		if binding(x) == summary.Finding {
			t.ps = append(t.ps, fact(x, 0))
		}
	}
	t.stands(s)
	return t.ps
}

func (t *teller) worked(s *summary.Structured) {
	for _, x := range s.Commands {
		t.say(tellCommand, "Ran", commandText(x), x.From)
	}
	for _, x := range s.Outcomes {
		t.say(tellCommand, "Called", outcomeText(&x), x.From)
	}
	for _, x := range s.Errors {
		if x.Fixed.N != 0 {
			t.say(tellFixed, "Earlier error", oneline.Clip(x.Text, maxError)+" → "+fixText(&x), x.From)
		}
	}
}

func (t *teller) stands(s *summary.Structured) {
	for _, x := range s.Errors {
		if x.Fixed.N == 0 && !x.Aside {
			t.say(tellFailure, "Not resolved", x.Text, x.From)
		}
	}
	if s.LastDone != nil {
		t.say(tellDone, "Last completed", s.LastDone.Text, s.LastDone.From)
	}
	for _, x := range s.Steps() {
		if x.Status != summary.Done {
			t.say(tellOpen, "Next", x.Text, x.From)
		}
	}
	for _, x := range s.OpenItems() {
		t.say(tellOpen, "Still open", x.Text, x.From)
	}
}

func fact(x summary.Fact, crowding int) piece {
	rank, lead := tellFact, "Stated"
	switch binding(x) {
	case summary.Constraint:
		rank, lead = tellConstraint, "The user requires"
	case summary.Preference:
		lead = "The user prefers"
	case summary.Finding:
		rank, lead = tellFinding, "Found"
	}
	if x.Who != "" {
		lead += " (" + oneline.Clip(oneline.Of(x.Who), shortFact) + ")"
	}
	p := row(0, rank, "", lead+": ", x.Text, maxFact, x.From)
	if x.Pinned {
		p.rank = tellConstraint
	}
	p.worth, p.crowds = worthOf(&x, crowding), crowding > 0 && !x.Pinned
	return p
}

// files name the files of each state, a few to a line.
func (t *teller) files(fs []summary.File) {
	for _, a := range actions {
		var names []string
		var last summary.Source
		for _, x := range fs {
			if x.State != a.state {
				continue
			}
			name := oneline.Clip(oneline.Of(x.Path), maxTask)
			if x.About != "" {
				name += " (" + oneline.Clip(oneline.Of(x.About), shortFact) + ")"
			}
			names, last = append(names, name), x.From
			if len(names) == perLine {
				t.group(a.state, a.action, names, last)
				names = nil
			}
		}
		t.group(a.state, a.action, names, last)
	}
}

func (t *teller) group(state summary.FileState, action string, names []string, last summary.Source) {
	if len(names) == 0 {
		return
	}
	p := piece{rank: tellChanged, from: last, worth: float64(last.N), text: action + ": " + strings.Join(names, ", ")}
	if state == summary.FileRead {
		p.rank = tellFinding
	}
	t.ps = append(t.ps, p)
}
