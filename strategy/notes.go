package strategy

import (
	"cmp"
	"slices"

	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/ref"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/summary/wording"
	"github.com/seed-3db51b0e/precis/tool"
)

// Caps of what an agent declares: the tokens of all its notes in a summary, and the share
// of the summary; the bytes of one.
const (
	noteTokens = 400
	noteShare  = 5
	noteBytes  = 600
)

// notesHead stands above the notes of a summary: they are the agent's word, not the user's.
const notesHead = "\n\n## Notes of the agent, in its own words\n"

// note is what the agent declared, and the position of the message at which it did.
type note struct {
	at   int
	text string
	done bool
}

// notes are what the agent declared, in the order of the log: what the request brought, and
// calls of the tool for it.
func (d *Draft) notes() []note {
	var all []note
	for _, n := range d.Notes {
		if i, ok := d.T.Find(n.At); ok {
			all = append(all, note{i, n.Text, n.Done})
		}
	}
	for i := range d.T.Len() {
		parts := d.T.At(i).Message.Parts
		for n := range parts {
			if parts[n].Kind != message.Call {
				continue
			}
			if text, done, ok := tool.Note(parts[n].Name, parts[n].Args); ok {
				all = append(all, note{i, text, done})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b note) int { return cmp.Compare(a.at, b.at) })
	return all
}

// noted are the notes that a summary of a span quotes: those that earlier summaries in it
// hold, and those made since, the newest of them in at most limit tokens, and the text that
// quotes them, "" for none.
func (v *View) noted(span plan.Span, previous []*summary.Structured, limit int) (kept []summary.Note, text string) {
	if len(span.IDs) == 0 {
		return nil, ""
	}
	var all []summary.Note
	held := map[summary.Note]bool{}
	for _, s := range previous {
		for _, n := range s.Notes {
			held[n], all = true, append(all, n)
		}
	}
	last, _ := v.T.Find(span.End())
	for _, n := range v.notes() {
		said := summary.Note{Text: oneline.Clip(oneline.Of(n.text), noteBytes), From: summary.Source{ID: v.T.ID(n.at), N: n.at + 1}}
		if n.at <= last && said.Text != "" && !held[said] {
			held[said], all = true, append(all, said)
		}
	}
	slices.SortStableFunc(all, func(a, b summary.Note) int { return cmp.Compare(a.From.N, b.From.N) })
	room := min(noteTokens, limit/noteShare) - v.Meter.Text(notesHead)
	for n := len(all) - 1; n >= 0; n-- {
		line := noteLine(all[n])
		if room -= v.Meter.Text(line) + 1; room < 0 {
			break
		}
		kept, text = all[n:], "\n"+line+text
	}
	if text == "" {
		return nil, ""
	}
	return kept, notesHead + text[1:]
}

func noteLine(n summary.Note) string {
	return "- " + wording.AsContent(n.Text) + " (" + ref.Message(n.From.N).String() + ")"
}

// workBegins returns the position at which the work in hand begins: behind the last piece of
// work that the agent declared to be over. It is the length of the log where the agent declared none.
func (d *Draft) workBegins() int {
	all := d.notes()
	for n := len(all) - 1; n >= 0; n-- {
		if all[n].done {
			at := all[n].at + 1
			for at < d.T.Len() && d.T.At(at).Message.Has(message.Result) { // of the call that said so
				at++
			}
			return at
		}
	}
	return d.T.Len()
}

// keepWork makes what was said since the last piece of work ended recent, if all of it takes
// no more than limit tokens: a compaction then falls between two pieces of work.
func keepWork(d *Draft, z []Zone, limit int) {
	from, spent := d.workBegins(), 0
	for i := from; i < len(z); i++ {
		spent += d.Original(i)
	}
	if spent > limit {
		return
	}
	for i := from; i < len(z); i++ {
		if z[i] == Old {
			z[i] = Recent
		}
	}
}
