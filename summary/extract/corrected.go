package extract

import (
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/summary"
)

// denial is what the agent said of a run: that something does not do what the verb says.
type denial struct {
	run   *summary.Command
	said  *summary.Note
	words []string // of what it says, without the verb
}

// mostDenials is how many of the newest with one verb a later sentence is held against.
const mostDenials = 8

// denied remembers what the agent said of a run where it denies something.
func (w *work) denied(c *summary.Command) {
	if c.Said == nil {
		return
	}
	for _, verb := range verbsBehind(lowered(c.Said.Text), disputing) {
		words := slices.DeleteFunc(namesIn(c.Said.Text), func(x string) bool { return x == verb })
		w.denials[verb] = append(lastOf(w.denials[verb], mostDenials-1), denial{c, c.Said, words})
	}
}

// deniedBefore takes up what an earlier summary tells so.
func (w *work) deniedBefore(old *summary.Structured) {
	for _, c := range old.Commands {
		if known, ok := w.commands[c.Key()]; ok {
			w.denied(known)
			continue
		}
		c.Times, c.Failed, c.Filtered = 0, 0, 0 // they are counted already
		w.denied(&c)
	}
}

// corrected takes back what the agent said of a run where a lowered sentence says that what it denied
// there is so.
func (w *work) corrected(low string) {
	if len(w.denials) == 0 || startsAny(low, supposing) {
		return
	}
	for _, verb := range verbsBehind(low, affirming) {
		w.denials[verb] = slices.DeleteFunc(w.denials[verb], func(d denial) bool {
			if d.run.Said != d.said || !slices.ContainsFunc(d.words, func(x string) bool { return strings.Contains(low, " "+x+" ") }) {
				return false
			}
			d.run.Said = nil
			if _, ok := w.commands[d.run.Key()]; !ok {
				w.commands[d.run.Key()] = d.run
				w.lines = append(w.lines, d.run.Key())
			}
			return true
		})
	}
}

// verbsBehind returns the words that stand behind some phrases in a lowered text.
func verbsBehind(low string, leads []string) (verbs []string) {
	for _, lead := range leads {
		if _, rest, ok := strings.Cut(low, lead); ok {
			if verb, _, _ := strings.Cut(rest, " "); len(verb) > 3 {
				verbs = append(verbs, verb)
			}
		}
	}
	return verbs
}
