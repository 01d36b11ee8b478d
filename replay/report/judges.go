package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/internal/term"
	"github.com/seed-3db51b0e/precis/replay"
	"github.com/seed-3db51b0e/precis/replay/judge"
)

// meaning names in words the whole that a judge's share is of.
var meaning = []struct{ judge, head, words string }{
	{"needs", "needs", "values that steps needed, of all ranges and speakers, in the prompt"},
	{"reuse", "reuse", "text that next actions copy, in the prompt whole"},
	{"reuse_any", "any", "in pieces of 16 characters"},
	{"bits", "bits", "what the history tells of next actions, by a model that compresses: 100 is the whole history, 0 system prompt, task and two messages"},
	{"truth", "true", "statements of the state that the messages bear out"},
	{"redo", "redo", "completed side effects that the prompt still shows"},
	{"rules", "rules", "the users' sentences with a must or a never, word for word"},
	{"unforged", "own", "statements of what users want that are not a tool's word"},
}

// table is a table of words, its first line the head.
type table struct {
	Title, Lead string
	Lines       [][]string
}

// judgeTables hold the results of the judges for the policies of a table.
func judgeTables(rows []replay.Row, every int) (all []table) {
	for _, t := range []table{askedTable(rows, every), truthTable(rows), spokenTable(rows), wearTable(rows)} {
		if len(t.Lines) > 1 {
			all = append(all, t)
		}
	}
	return all
}

// judgesText is the same for a terminal.
func judgesText(p term.Page, rows []replay.Row, every int) string {
	var b strings.Builder
	for _, t := range judgeTables(rows, every) {
		g := grid()
		for _, l := range t.Lines {
			g.Add(l...)
		}
		b.WriteString(p.Wrap(term.Faint(t.Lead), "  "))
		b.WriteString(p.Table(g))
	}
	return b.String() + "\n"
}

// askedTable has a line for each policy, and for each control at its size.
func askedTable(rows []replay.Row, every int) table {
	t := table{Title: "What each judge says"}
	if rows[0].Asked == 0 {
		return t
	}
	head := []string{"policy"}
	var words []string
	for _, m := range meaning {
		if judgedBy(rows, m.judge) {
			head = append(head, m.head)
			words = append(words, m.head+": "+m.words)
		}
	}
	t.Lines = append(t.Lines, head)
	for _, r := range rows {
		t.Lines = append(t.Lines, judgeLine(r.Policy, r.Judges, rows))
		for _, c := range r.Controls {
			t.Lines = append(t.Lines, judgeLine("· "+c.Name, c.Judges, rows))
		}
	}
	t.Lead = fmt.Sprintf("judges, %%, asked at %s, one of %d (needs: at every active step). %s", term.Count(rows[0].Asked, "step"), every, strings.Join(words, "; "))
	if slices.ContainsFunc(rows, func(r replay.Row) bool { return len(r.Controls) > 0 }) {
		t.Lead += ". With a dot, below a policy: plain prompts of as many tokens as its own at each of these steps"
	}
	return t
}

// judgedBy reports whether some policy or control of a table has a judge's word.
func judgedBy(rows []replay.Row, name string) bool {
	has := func(js []replay.Judgement) bool {
		return slices.ContainsFunc(js, func(j replay.Judgement) bool { return j.Judge == name })
	}
	return slices.ContainsFunc(rows, func(r replay.Row) bool {
		return has(r.Judges) || slices.ContainsFunc(r.Controls, func(c replay.Control) bool { return has(c.Judges) })
	})
}

// judgeLine is a line of shares, in the order of meaning.
func judgeLine(name string, js []replay.Judgement, rows []replay.Row) []string {
	cells := []string{name}
	for _, m := range meaning {
		if judgedBy(rows, m.judge) {
			cells = append(cells, shareOf(js, m.judge))
		}
	}
	return cells
}

// shareOf is a judge's share, or a dash.
func shareOf(js []replay.Judgement, name string) string {
	for _, j := range js {
		if j.Judge == name {
			return j.Percent.String()
		}
	}
	return "–"
}

// truthTable counts the true statements of each kind.
func truthTable(rows []replay.Row) table {
	t := table{
		"Is the state true?",
		"true statements of the state, % of how many: outcomes of commands; errors called open; open steps of plans; the latest request; what was done to files; superseded: quoted lines of files that nothing changed since",
		[][]string{append([]string{"policy"}, judge.Kinds...)},
	}
	for _, r := range rows {
		cells, said := []string{r.Policy}, false
		for _, k := range judge.Kinds {
			cell := "–"
			if i := slices.IndexFunc(r.Judges, func(j replay.Judgement) bool { return j.Judge == k }); i >= 0 {
				cell, said = fmt.Sprintf("%s of %s", r.Judges[i].Percent, term.Comma(r.Judges[i].Of)), true
			}
			cells = append(cells, cell)
		}
		if said {
			t.Lines = append(t.Lines, cells)
		}
	}
	return t
}

// spokenTable is recall by who said a value first and how far back it was said last.
func spokenTable(rows []replay.Row) table {
	t := table{
		Title: "Who said it, and how long ago",
		Lead:  "needs of all ranges that stood in the prompt, %, by who said the value first and how long ago it was said last, in budgets; first how many there were",
	}
	var speakers []string
	for _, r := range rows {
		for _, s := range r.Spoken {
			if !slices.Contains(speakers, s.By) {
				speakers = append(speakers, s.By)
			}
		}
	}
	head := []string{"policy", "said first by"}
	for _, far := range judge.Agos {
		head = append(head, string(far))
	}
	t.Lines = [][]string{head}
	for _, by := range speakers {
		t.Lines = append(t.Lines, spokenLine("needs", by, rows[0].Spoken, func(s replay.Spoken) string { return term.Comma(s.Needs) }))
	}
	for _, r := range rows {
		for _, by := range speakers {
			t.Lines = append(t.Lines, spokenLine(r.Policy, by, r.Spoken, func(s replay.Spoken) string { return s.Literal.String() }))
		}
	}
	return t
}

func spokenLine(name, by string, all []replay.Spoken, say func(replay.Spoken) string) []string {
	cells := []string{name, by}
	for _, far := range judge.Agos {
		i := slices.IndexFunc(all, func(s replay.Spoken) bool { return s.By == by && s.Class == string(far) })
		if i < 0 {
			cells = append(cells, "–")
			continue
		}
		cells = append(cells, say(all[i]))
	}
	return cells
}

// wearTable shows how compactions in a row wear.
func wearTable(rows []replay.Row) table {
	t := table{
		"Wear",
		"wear: freed, the share of the prompt that the n-th compactions of a run freed, %; kept, the strict long-range needs that stood in the prompt, %, of those whose value was last said n compactions before",
		[][]string{{"policy", "compactions", "times", "freed", "needs", "kept"}},
	}
	for _, r := range rows {
		for _, w := range r.Wear {
			if len(r.Wear) > 1 {
				t.Lines = append(t.Lines, []string{r.Policy, spanOf(w), term.Comma(w.Times), w.Freed.String(), term.Comma(w.Needs), w.Kept.String()})
			}
		}
	}
	return t
}

// spanOf names the compactions of a line of wear.
func spanOf(w replay.Worn) string {
	switch {
	case w.From == 0:
		return "0"
	case w.To == 0:
		return fmt.Sprintf("%d+", w.From)
	}
	return fmt.Sprintf("%d–%d", w.From, w.To)
}
