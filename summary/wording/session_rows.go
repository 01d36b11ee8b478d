package wording

import (
	"strings"

	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/summary"
)

// kindConstraint names, in a note, what a user demanded.
const kindConstraint = "user constraint"

// pieces returns the rows of all sections, in the order shown.
func (f *form) pieces() []piece {
	ps := f.workRows(nil)
	ps = f.decisionRows(ps)
	ps = f.stateRows(ps)
	ps = f.pendingRows(ps)
	return f.errorRows(ps)
}

// row returns a line that ends in a pointer where it is cut.
func row(part, rank int, kind, lead, text string, limit int, from summary.Source) piece {
	text = oneline.Of(text)
	p := piece{part: part, rank: rank, kind: kind, from: from, worth: float64(from.N), cut: len(text) > limit}
	p.text = lead + clipAt(text, limit, from)
	if len(text) > shortFact {
		p.short = lead + clipAt(text, shortFact, from)
	}
	return p
}

// ended adds to a row what came of what it tells.
func ended(p piece, end string) piece {
	p.text += end
	if p.short != "" {
		p.short += end
	}
	return p
}

func clipAt(text string, limit int, from summary.Source) string {
	if len(text) <= limit {
		return text
	}
	text = oneline.Clip(text, limit)
	if from.N > 0 {
		text += numbered(from)
	}
	return text
}

var actions = []struct {
	state  summary.FileState
	action string
}{{summary.FileCreated, "Created"}, {summary.FileEdited, "Modified"}, {summary.FileMoved, "Moved"}, {summary.FileRestored, "Restored"}, {summary.FileStashed, "Stashed"}, {summary.FileDeleted, "Deleted"}, {summary.FileRead, "Read"}}

func (f *form) workRows(ps []piece) []piece {
	for _, a := range actions {
		if a.state == summary.FileRead {
			ps = f.stepRows(ps)
		}
		for _, x := range f.s.Files {
			if x.State != a.state {
				continue
			}
			p := piece{part: partWork, rank: rowChanged, kind: "changed file", from: x.From, worth: float64(x.From.N)}
			if a.state == summary.FileRead {
				p.rank, p.kind, p.worth = rowRead, "read file", p.worth+1000*float64(x.Times)
			}
			about := x.About
			if about == "" && x.Times > 1 {
				about = "touched " + Count(x.Times, "time")
			}
			p.text = tableRow(oneline.Clip(oneline.Of(x.Path), maxTask), a.action, oneline.Clip(oneline.Of(about), maxStep))
			ps = append(ps, p)
		}
	}
	return ps
}

// stepRows returns the steps of the plan that are done.
func (f *form) stepRows(ps []piece) []piece {
	for _, x := range f.s.Steps() {
		if x.Status == summary.Done {
			ps = append(ps, piece{
				part: partWork, rank: rowLater, kind: "finished step", from: x.From, worth: float64(x.From.N),
				text: tableRow("Plan step", "Done", oneline.Clip(oneline.Of(x.Text), maxStep)),
			})
		}
	}
	return ps
}

func tableRow(cells ...string) string {
	var b strings.Builder
	b.WriteByte('|')
	for _, c := range cells {
		if c != "" {
			b.WriteString(" " + cell(c))
		}
		b.WriteString(" |")
	}
	return b.String()
}

// cell escapes what would end a cell: a bar, and the backslashes before one.
// Others stay, so that paths read as they are.
func cell(text string) string {
	if strings.IndexByte(text, '|') < 0 {
		return text
	}
	var b strings.Builder
	slashes := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			slashes++
		case '|':
			b.WriteString(strings.Repeat(`\`, slashes+1))
			slashes = 0
		default:
			slashes = 0
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// decisionRows begins with what users said: it binds the decisions after it.
func (f *form) decisionRows(ps []piece) []piece {
	crowding := summary.Crowding(f.s.Facts)
	for _, kind := range []summary.FactKind{summary.Constraint, summary.Preference, summary.Plain} {
		for i, x := range f.s.Facts {
			if binding(x) == kind && (f.o.TaskID == "" || x.From.ID != f.o.TaskID) {
				ps = append(ps, factRow(x, crowding[i]))
			}
		}
	}
	for _, x := range standing(f.s) {
		ps = append(ps, row(partDecisions, rowDecision, "decision", "- ", decisionText(x), maxFact, x.From))
	}
	for _, x := range f.s.Facts {
		if x.Kind == summary.Finding {
			ps = append(ps, factRow(x, 0))
		}
	}
	return ps
}

// binding returns the kind of a fact; one that is not known binds.
func binding(x summary.Fact) summary.FactKind {
	switch x.Kind {
	case summary.Preference, summary.Plain, summary.Finding:
		return x.Kind
	}
	return summary.Constraint
}

func factRow(x summary.Fact, crowding int) piece {
	rank, kind, lead := rowWish, "statement", "Stated"
	switch binding(x) {
	case summary.Constraint:
		rank, kind, lead = rowConstraint, kindConstraint, "User constraint"
	case summary.Preference:
		kind, lead = "preference", "User preference"
	case summary.Finding:
		rank, kind, lead = rowLater, "finding", "Found"
	}
	if x.Pinned {
		rank, kind = rowConstraint, kindConstraint
	}
	if x.Who != "" {
		lead += " (" + oneline.Clip(oneline.Of(x.Who), shortFact) + ")"
	}
	p := row(partDecisions, rank, kind, "- "+lead+": ", x.Text, maxFact, x.From)
	p.worth, p.crowds = worthOf(&x, crowding), crowding > 0 && !x.Pinned
	return p
}

// stateRows returns what is at work and what was done last, then what commands and
// tools came to, what can be read back, and identifiers worth their place.
func (f *form) stateRows(ps []piece) []piece {
	doing, asked := f.working()
	ps = append(ps, row(partState, rowState, "request", "- Working on: ", doing.Text, maxFact, doing.From))
	if asked.Text != "" {
		ps = append(ps, ended(row(partState, rowState, "request", "- Latest request here: ", asked.Text, maxFact, asked.From), taskEnd(f.s)))
	}
	last, line := f.lastDone()
	ps = append(ps, row(partState, rowState, "request", "- Last completed: ", last.Text, 3*shortFact, last.From))
	failed := unresolved(f.s)
	for _, x := range f.s.Commands {
		if x.Line == line && line != "" || failed[x.Key()] && x.Error != "" {
			continue // stands above, or among the errors
		}
		p := row(partState, rowCommand, "command", "- Ran ", commandText(x), maxFact, x.From)
		p.worth = commandWorth(x)
		ps = append(ps, p)
	}
	for _, x := range f.s.Outcomes {
		ps = append(ps, row(partState, rowCommand, "tool outcome", "- ", outcomeText(&x), maxFact, x.From))
	}
	for _, x := range f.s.Artifacts {
		ps = append(ps, row(partState, rowArtifact, "artifact", "- Kept apart: ", artifactText(x), maxFact, x.From))
	}
	for _, x := range f.s.Ledger {
		if x.Score >= minScore {
			p := row(partState, rowLedger, "identifier", "- Noted: ", x.Line, maxFact, x.From)
			p.worth = x.Score
			ps = append(ps, p)
		}
	}
	return ps
}

// working returns what is being done, and what was asked for last where that is
// neither the same nor the original task.
func (f *form) working() (doing, asked summary.Note) {
	for _, x := range f.s.Steps() {
		if x.Status == summary.Doing {
			doing = summary.Note{Text: x.Text, From: x.From}
		}
	}
	t := f.s.Task
	switch {
	case t == nil:
	case f.isTask(*t):
		if doing.Text == "" {
			doing = summary.Note{Text: "the original task", From: t.From}
		}
	case doing.Text == "" && taskEnd(f.s) == "":
		doing = *t
	default:
		asked = *t
	}
	if doing.Text == "" {
		doing.Text = "not stated"
	}
	return doing, asked
}

// isTask reports whether a note is the start of the original task, perhaps cut.
func (f *form) isTask(n summary.Note) bool {
	text := strings.TrimSuffix(oneline.Of(n.Text), oneline.Ellipsis)
	return n.From.ID != "" && n.From.ID == f.o.TaskID || text != "" && strings.HasPrefix(oneline.Of(f.task), text)
}

// lastDone returns what was finished last: as a model wrote it, else the newest of the
// steps done, the files changed and the commands that succeeded. line is the command
// it tells of.
func (f *form) lastDone() (last summary.Note, line string) {
	if f.s.LastDone != nil {
		return *f.s.LastDone, ""
	}
	last.Text = "not stated"
	newer := func(text string, from summary.Source) bool {
		if from.N < last.From.N || text == "" {
			return false
		}
		last = summary.Note{Text: text, From: from}
		return true
	}
	for _, x := range f.s.Files {
		if x.State != summary.FileRead && x.State != summary.FileGone {
			newer(string(x.State)+" "+x.Path, x.From)
		}
	}
	for _, x := range f.s.Steps() {
		if x.Status == summary.Done {
			newer(x.Text, x.From)
		}
	}
	for _, x := range f.s.Commands {
		if x.Outcome == "success" && x.Error == "" && newer(commandText(x), x.From) {
			line = x.Line
		}
	}
	return last, line
}

// pendingRows returns the open items, then the steps of the plan to come.
func (f *form) pendingRows(ps []piece) []piece {
	said := map[string]bool{}
	for _, x := range f.s.OpenItems() {
		if said[oneline.Fold(x.Text)] {
			continue
		}
		said[oneline.Fold(x.Text)] = true
		text := x.Text
		if x.Context != "" {
			text += " — " + oneline.Clip(oneline.Of(x.Context), maxStep)
		}
		lead, rank := "- [ ] ", rowPending
		switch x.Priority {
		case summary.High:
			lead += "(high) "
		case summary.Low:
			rank = rowLater
		}
		ps = append(ps, row(partPending, rank, "open item", lead, text, maxFact, x.From))
	}
	for i, x := range f.s.Steps() {
		if x.Status == summary.Done || x.Status == summary.Doing || said[oneline.Fold(x.Text)] {
			continue
		}
		p := row(partPending, rowPending, "open item", "- [ ] ", x.Text, maxFact, x.From)
		p.worth -= float64(i) / 1e3 // the next step first
		ps = append(ps, p)
	}
	return ps
}

// errorRows returns the errors nothing resolved, then the others.
func (f *form) errorRows(ps []piece) []piece {
	for _, open := range []bool{true, false} {
		for _, x := range f.s.Errors {
			if (x.Fixed.N == 0) != open || open && x.Aside {
				continue
			}
			text := oneline.Clip(oneline.Of(x.Text), maxError)
			if line := oneline.Clip(oneline.Of(x.Command), 120); line != "" && !strings.Contains(text, line) {
				text += " (`" + line + "`)"
			}
			p := piece{part: partErrors, rank: rowFixed, kind: "resolved error", from: x.From, worth: float64(x.From.N)}
			if open {
				p.rank, p.kind, p.text = rowFailure, "error", "- "+text+" → unresolved"
			} else {
				p.text = "- " + text + " → " + fixText(&x)
			}
			ps = append(ps, p)
		}
	}
	return ps
}
