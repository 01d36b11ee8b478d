package strategy

import (
	"math"
	"strings"

	"github.com/seed-3db51b0e/precis/identifier"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/tool"
)

// Relevance estimates how likely each value of a conversation is to be needed again
// once no prompt shows it, from how it was used so far. A value that the agent
// used comes back far more often than one that only stood in an output; one that is
// mentioned often, or lately, more often than one that was seen once, long ago. Not
// safe for concurrent use.
type Relevance struct {
	t       *thread.Thread
	skipped []bool             // entries that are not read: Draft.skipped
	of      map[string]*use    // nil: not read yet
	found   []identifier.Match // the values of the text at hand
}

// use holds what is known of one value.
type use struct {
	kind    identifier.Kind
	uses    int32 // messages in which the agent named it
	results int32 // messages that showed it to the agent
	times   int32 // mentions in all
	last    int32 // last message that mentions it
	lastUse int32 // last message in which the agent named it
	lines   int32 // lines of the smallest text that holds it
	// perLine is how many values share a line on average, in the text of those that hold the
	// value where they are fewest.
	perLine float64
}

// NewRelevance returns the relevance of the values of a log, for a budget in tokens. The log is read
// on the first question, without what Draft.skipped leaves out.
func NewRelevance(d *Draft, budget int) *Relevance {
	return &Relevance{t: d.T, skipped: d.skipped(budget)}
}

func (r *Relevance) read() {
	r.of = map[string]*use{}
	for i := range r.t.Len() {
		if i < len(r.skipped) && r.skipped[i] {
			continue
		}
		m := &r.t.At(i).Message
		for n := range m.Parts {
			r.part(int32(i), m.Role, &m.Parts[n])
		}
	}
}

func (r *Relevance) part(i int32, role message.Role, p *message.Part) {
	text := p.Body()
	if p.Kind == message.Result {
		text = tool.Written(text)
	}
	lines := int32(strings.Count(text, "\n") + 1)
	r.found = identifier.Append(r.found[:0], text)
	perLine := float64(len(r.found)) / float64(rows(text, lines))
	for _, f := range r.found {
		u := r.of[text[f.Start:f.End]]
		if u == nil {
			u = &use{kind: f.Kind, last: -1, lastUse: -1, lines: lines, perLine: perLine}
			r.of[text[f.Start:f.End]] = u
		}
		u.lines, u.perLine = min(u.lines, lines), min(u.perLine, perLine)
		u.mention(i, role == message.Assistant)
	}
}

// rows returns how many lines a text has. JSON often stands in one line: it counts as if each item
// had a line.
func rows(text string, lines int32) int32 {
	if !isJSON(text) {
		return lines
	}
	return max(lines, int32(strings.Count(text, ",")+1))
}

func (u *use) mention(i int32, agent bool) {
	u.times++
	switch {
	case agent && u.lastUse != i:
		u.uses++
		u.lastUse = i
	case !agent && u.last != i:
		u.results++
	}
	u.last = i
}

// kindWeight shifts the odds by kind: an identifier comes back more often than
// a path seen beside it, a bare number less.
var kindWeight = [identifier.Identifier + 1]float64{
	identifier.URL: -1, identifier.Date: -.3, identifier.Path: .2, identifier.File: .3, identifier.Number: -1.3, identifier.ID: -.3, identifier.Identifier: .9,
}

// Of is the estimated probability that the value is needed again, in steps of a
// ten-thousandth: whole numbers add up alike on every machine. It is 0 for an
// unknown value and on a nil Relevance. The weights are a logistic regression over coding
// and customer-service runs. A value that the agent never used comes back less often if many
// values share its line, as in a listing or a table.
func (r *Relevance) Of(v string) int {
	if r == nil {
		return 0
	}
	if r.of == nil {
		r.read()
	}
	u := r.of[v]
	if u == nil {
		return 0
	}
	n := int32(r.t.Len())
	z := -3.9 + kindWeight[u.kind] - .2*math.Log2(float64(len(v))) +
		.18*log2(u.results) + .61*log2(u.times) + .3*log2(u.lines) - .36*log2(n-u.last)
	if u.uses == 0 {
		z -= .5 * math.Log2((1+u.perLine)/2)
	} else {
		z += 5 + .45*log2(u.uses) - .39*log2(n-u.lastUse)
	}
	return int(math.Round(10_000 / (1 + math.Exp(-z))))
}

func log2(n int32) float64 { return math.Log2(1 + float64(n)) }
