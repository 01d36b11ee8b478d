package extract

import (
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/summary"
)

// denial is what the agent said of a run: that something is not so.
type denial struct {
	run   *summary.Command
	said  *summary.Note
	words []string // by which a later sentence names it, without the verb
}

// mostDenials is how many denials with one verb, the newest, a later sentence is held against.
const mostDenials = 8

// denied remembers what the agent said of a run where it denies something.
func (l *runs) denied(c *summary.Command) {
	if c.Said == nil {
		return
	}
	for _, verb := range verbsBehind(lowered(c.Said.Text), disputing) {
		words := slices.DeleteFunc(namesIn(c.Said.Text), func(x string) bool { return x == verb })
		l.denials[verb] = append(lastOf(l.denials[verb], mostDenials-1), denial{c, c.Said, words})
	}
}

// deniedBefore takes up what an earlier summary tells so.
func (l *runs) deniedBefore(old *summary.Structured) {
	for i := range old.Commands {
		l.denied(l.before(&old.Commands[i]))
	}
}

// corrected takes back what the agent said of a run where a lowered sentence says that what it denied
// there is so.
func (l *runs) corrected(low string) {
	if len(l.denials) == 0 || startsAny(low, supposing) {
		return
	}
	for _, verb := range verbsBehind(low, affirming) {
		l.denials[verb] = slices.DeleteFunc(l.denials[verb], func(d denial) bool {
			if d.run.Said != d.said || !slices.ContainsFunc(d.words, func(x string) bool { return strings.Contains(low, " "+x+" ") }) {
				return false
			}
			d.run.Said = nil
			l.keep(d.run)
			return true
		})
	}
}

// leastVerb is how many bytes a verb has that tells what is denied: shorter ones are said of anything.
const leastVerb = 4

// verbsBehind returns the words of some length that stand behind some phrases in a lowered text.
func verbsBehind(low string, leads []string) (verbs []string) {
	for _, lead := range leads {
		if _, rest, ok := strings.Cut(low, lead); ok {
			if verb, _, _ := strings.Cut(rest, " "); len(verb) >= leastVerb {
				verbs = append(verbs, verb)
			}
		}
	}
	return verbs
}
