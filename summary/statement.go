package summary

import (
	"cmp"
	"slices"
)

// statement is a fact or a decision.
type statement struct {
	fact     *Fact
	decision *Decision
}

// said is the text and the message's number.
func (s statement) said() (string, int) {
	if s.fact != nil {
		return s.fact.Text, s.fact.From.N
	}
	return s.decision.Text, s.decision.From.N
}

// byUser: a user said it. What the agent says supersedes its own words only.
func (s statement) byUser() bool { return s.fact != nil && s.fact.Kind != Finding }

func (s statement) pinned() bool { return s.fact != nil && s.fact.Pinned }

// pin keeps a mark of the same statement made again.
func (s statement) pin(again statement) {
	if s.fact != nil && again.pinned() {
		s.fact.Pinned = true
	}
}

// textKey is what makes two statements the same.
type textKey struct {
	fact      bool
	who, text string
}

func keyOf(s statement) textKey {
	if s.fact != nil {
		return textKey{true, s.fact.Who, foldText(s.fact.Text)}
	}
	return textKey{text: foldText(s.decision.Text)}
}

// statements are the facts and decisions of s in the order they were made.
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
