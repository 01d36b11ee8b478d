package extract

import (
	"path"
	"strings"

	"github.com/seed-3db51b0e/precis/identifier"
	"github.com/seed-3db51b0e/precis/summary"
)

// spoken is what somebody said, "" for nothing, and where it stands.
type spoken struct {
	text string
	from summary.Source
}

// note returns the sentence for a summary, nil for none.
func (s spoken) note() *summary.Note {
	if s.text == "" {
		return nil
	}
	return &summary.Note{Text: itemText(s.text), From: s.from}
}

// told is what the agent said in a message.
type told struct {
	spoken
	asked  bool // for the regret
	strong bool // it is that what was done is to be undone, or fails
	wrong  *summary.Note
	before *told // what it said before, nil for nothing
}

// regretOf returns the regret of a message about what was done to a file in another, or that of the message
// before it where that says that it is to be undone, or fails, and names no other file.
func (t *told) regretOf(name string, done int) *summary.Note {
	if w := t.regret(); w != nil || t == nil || t.before == nil || t.before.from.N <= done {
		return w
	}
	if w := t.before.regret(); t.before.strong && t.before.mayMean(name) {
		return w
	}
	return nil
}

// mayMean reports whether a text may speak of a file: it names it, or no file at all.
func (s *spoken) mayMean(name string) bool {
	if strings.Contains(s.text, path.Base(name)) {
		return true
	}
	named := false
	identifier.Scan(s.text, func(k identifier.Kind, _, _ int) { named = named || k == identifier.File || k == identifier.Path })
	return !named
}

// regret returns the sentence that finds something wrong with what was done, nil for none:
// the first that says that it is to be undone, or fails, before any other.
func (t *told) regret() *summary.Note {
	if t == nil {
		return nil
	}
	if t.asked {
		return t.wrong
	}
	t.asked = true
	all := statementsOf(t.text)
	for i := range all {
		x := &all[i]
		if text, ok := strings.CutPrefix(x.text, "That means "); ok {
			x.text, x.low = text, lowered(text)
			x.in = triggersIn(x.low)
		}
		low := x.low
		if t.strong || !explains(x.text, low) || saysAny(low, defending) {
			continue
		}
		if t.strong = saysAny(low, undoing); t.strong || t.wrong == nil && saysAny(low, regrets) {
			t.wrong = spoken{all.quote(i), t.from}.note()
		}
	}
	return t.wrong
}
