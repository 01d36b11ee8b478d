package strategy

import "github.com/seed-3db51b0e/precis/identifier"

// presence describes how a value stands in the prompt.
type presence uint8

// The ways a value stands: bare, in a list of its like or on a line without a
// word, it tells less than in a line that says what it is.
const (
	absent presence = iota
	bare
	spoken
)

// Shares of a value's worth that a line brings: one without a word beside it,
// and one with words where the value stands bare so far.
const bareShare, againShare = .6, .8

// values holds the values that texts name, each under a number, with its worth and with how
// it stands in the prompt. A value that already stands somewhere is worth nothing a second
// time, so a choice of lines covers many values rather than one often. Not safe for
// concurrent use.
type values struct {
	relevance *Relevance       // nil: no value is worth anything
	ids       map[string]int32 // numbers, by value
	worth     []int            // by number, in the steps of Relevance.Of
	stands    []presence       // by number
}

func newValues(relevance *Relevance) *values {
	return &values{relevance: relevance, ids: map[string]int32{}}
}

// id returns the number of a value.
func (vs *values) id(value string) int32 {
	id, ok := vs.ids[value]
	if !ok {
		id = int32(len(vs.worth))
		vs.ids[value] = id
		vs.worth = append(vs.worth, vs.relevance.Of(value))
		vs.stands = append(vs.stands, absent)
	}
	return id
}

// show marks the values of a text as standing in the prompt.
func (vs *values) show(text string, how presence) {
	identifier.Scan(text, func(_ identifier.Kind, a, b int) { vs.stand(vs.id(text[a:b]), how) })
}

// stand marks the value of a number as standing in the prompt. It never tells less than before.
func (vs *values) stand(id int32, how presence) { vs.stands[id] = max(vs.stands[id], how) }

// keep marks the values of a line as standing in the prompt on it.
func (vs *values) keep(l *lineFacts) {
	how := bare
	if l.plain {
		how = spoken
	}
	for _, id := range l.values {
		vs.stand(id, how)
	}
}

// addWorth adds to a worth what the values of a line bring that do not stand as well already.
func (vs *values) addWorth(sum float64, l *lineFacts) float64 {
	for _, id := range l.values {
		switch {
		case vs.stands[id] == absent && l.plain:
			sum += float64(vs.worth[id])
		case vs.stands[id] == absent:
			sum += bareShare * float64(vs.worth[id])
		case vs.stands[id] == bare && l.plain:
			sum += againShare * float64(vs.worth[id])
		}
	}
	return sum
}
