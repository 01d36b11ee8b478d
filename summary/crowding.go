package summary

import (
	"cmp"
	"slices"
)

// apiece is how many facts of a kind one message has before they crowd.
const apiece = 8

// Crowding returns of each fact how often its message had its share of such facts before it: 0 for the
// first of a message, and for findings. Where not all have room, those of a higher number go first, so that no
// message takes the room of what other messages say.
func Crowding(facts []Fact) []int {
	crowding := earlier(facts)
	for i := range crowding {
		crowding[i] /= apiece
	}
	return crowding
}

// earlier returns of each fact how many of its kind its message has before it, 0 for findings.
func earlier(facts []Fact) []int {
	type share struct {
		message int
		kind    FactKind
	}
	said, before := map[share]int{}, make([]int, len(facts))
	for i := range facts {
		f := &facts[i]
		if f.From.N == 0 || f.Kind == Finding {
			continue
		}
		of := share{f.From.N, f.Kind}
		before[i] = said[of]
		said[of]++
	}
	return before
}

// withoutLeast drops as many facts of a kind as are to go, but for pins: those behind the most others of their message
// first, then the oldest.
func withoutLeast(facts []Fact, kind FactKind, many int) []Fact {
	if many <= 0 {
		return facts
	}
	var at []int
	for i := range facts {
		if facts[i].Kind == kind && !facts[i].Pinned {
			at = append(at, i)
		}
	}
	before := earlier(facts)
	slices.SortStableFunc(at, func(a, b int) int { return cmp.Compare(before[b], before[a]) })
	gone := make([]bool, len(facts))
	for _, i := range at[:min(many, len(at))] {
		gone[i] = true
	}
	kept := make([]Fact, 0, len(facts))
	for i := range facts {
		if !gone[i] {
			kept = append(kept, facts[i])
		}
	}
	return kept
}
