package summary

import (
	"cmp"
	"slices"

	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/summary/contradict"
)

// statement is a fact or a decision; one of the two is set.
type statement struct {
	fact     *Fact
	decision *Decision
}

// said returns the text and the message's number.
func (s statement) said() (string, int) {
	if s.fact != nil {
		return s.fact.Text, s.fact.From.N
	}
	return s.decision.Text, s.decision.From.N
}

// byUser reports whether a user said it. What the agent says supersedes its own
// words only.
func (s statement) byUser() bool { return s.fact != nil && s.fact.Kind != Finding }

func (s statement) pinned() bool { return s.fact != nil && s.fact.Pinned }

func (s statement) doubted() bool { return s.decision != nil && s.decision.Doubted }

// again keeps what is new of the same statement made again: a pin stays, and a decision is
// the newer one.
func (s statement) again(newer statement) {
	if s.fact != nil && newer.pinned() {
		s.fact.Pinned = true
	}
	if s.decision != nil {
		*s.decision = *newer.decision
	}
}

// textKey is equal for two statements that say the same.
type textKey struct {
	fact      bool
	who, text string
}

func keyOf(s statement) textKey {
	if s.fact != nil {
		return textKey{true, s.fact.Who, oneline.Fold(s.fact.Text)}
	}
	return textKey{text: oneline.Fold(s.decision.Text)}
}

// statements returns the facts and decisions of s in the order they were made.
func statements(s *Structured) []statement {
	facts, decisions := slices.Clone(s.Facts), slices.Clone(s.Decisions)
	its := make([]statement, 0, len(facts)+len(decisions))
	for i := range facts {
		its = append(its, statement{fact: &facts[i]})
	}
	for i := range decisions {
		its = append(its, statement{decision: &decisions[i]})
	}
	slices.SortStableFunc(its, func(a, b statement) int {
		_, n := a.said()
		_, m := b.said()
		return cmp.Compare(n, m)
	})
	return its
}

// statementSet holds the statements that stand, and what each was taken from.
type statementSet struct {
	contradict.Statements
	items  []statement
	byText map[textKey]int // position
}

// state adds one statement unless the same already stands. It supersedes none from
// position until on; a decision that the agent doubts supersedes none at all.
func (b *statementSet) state(it statement, until int) {
	key := keyOf(it)
	if at, ok := b.byText[key]; ok && b.Stands(at) {
		b.items[at].again(it)
		return
	}
	parsed := contradict.Parse(it.said())
	if until > 0 && !parsed.Adds() && !it.doubted() {
		b.Supersede(parsed, func(at int) bool {
			return at < until && !b.items[at].pinned() && (it.byUser() || !b.items[at].byUser())
		})
	}
	if b.byText == nil {
		b.byText = map[textKey]int{}
	}
	b.byText[key] = b.Add(parsed)
	b.items = append(b.items, it)
}

// standing returns what is left, in the order it was said.
func (b *statementSet) standing() (fs []Fact, ds []Decision) {
	for at, it := range b.items {
		switch {
		case !b.Stands(at):
		case it.fact != nil:
			fs = append(fs, *it.fact)
		default:
			ds = append(ds, *it.decision)
		}
	}
	slices.SortStableFunc(ds, func(a, b Decision) int { return cmp.Compare(a.From.N, b.From.N) }) // some were made again
	return fs, ds
}

// carryStatements adds facts and decisions in the order they were made. A fact
// supersedes all of them, a decision or finding only its like. Statements of an earlier
// summary were held against each other when it was merged.
func (s *Structured) carryStatements(next *Structured, b *statementSet, newest bool) {
	until := b.Len() // what a statement may supersede
	its := statements(next)
	b.Grow(len(its))
	for _, it := range its {
		if newest {
			until = b.Len()
		}
		b.state(it, until)
	}
	s.Facts, s.Decisions = b.standing()
}
