package strategy

import (
	"math"
	"strings"

	"github.com/seed-3db51b0e/precis/identifier"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/thread"
)

// Relevance estimates how likely each value of a conversation is to be needed again
// once it has gone out of sight, from how it was used so far. What the agent
// has used comes back far more often than what only stood in an output; what is
// mentioned often, or lately, more often than what was seen once, long ago. Not
// safe for concurrent use.
type Relevance struct {
	t       *thread.Thread
	skipped []bool          // see Draft.skipped
	of      map[string]*use // nil: not read yet
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
}

// NewRelevance reports what the log tells of its values, for a budget in tokens. It is read
// when first asked for, but for what an earlier summary covers out of reach.
func NewRelevance(d *Draft, budget int) *Relevance {
	return &Relevance{t: d.T, skipped: d.skipped(budget)}
}

func (h *Relevance) read() {
	h.of = map[string]*use{}
	for i := range h.t.Len() {
		if i < len(h.skipped) && h.skipped[i] {
			continue
		}
		m := &h.t.At(i).Message
		for n := range m.Parts {
			h.part(int32(i), m.Role, &m.Parts[n])
		}
	}
}

func (h *Relevance) part(i int32, role message.Role, p *message.Part) {
	text := p.Body()
	lines := int32(strings.Count(text, "\n") + 1)
	identifier.Scan(text, func(k identifier.Kind, a, b int) {
		u := h.of[text[a:b]]
		if u == nil {
			u = &use{kind: k, last: -1, lastUse: -1, lines: lines}
			h.of[text[a:b]] = u
		}
		u.mention(i, role == message.Assistant, lines)
	})
}

func (u *use) mention(i int32, agent bool, lines int32) {
	u.times++
	u.lines = min(u.lines, lines)
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
// and customer-service runs (docs/evaluation.md).
func (h *Relevance) Of(v string) int {
	if h == nil {
		return 0
	}
	if h.of == nil {
		h.read()
	}
	u := h.of[v]
	if u == nil {
		return 0
	}
	n := int32(h.t.Len())
	z := -3.9 + kindWeight[u.kind] - .2*math.Log2(float64(len(v))) +
		.18*log2(u.results) + .61*log2(u.times) + .3*log2(u.lines) - .36*log2(n-u.last)
	if u.uses > 0 {
		z += 5 + .45*log2(u.uses) - .39*log2(n-u.lastUse)
	}
	return int(math.Round(10_000 / (1 + math.Exp(-z))))
}

func log2(n int32) float64 { return math.Log2(1 + float64(n)) }
