package replay

import (
	"context"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/message"
)

// Priced holds what a policy reckoned before it compacted, or did not.
type Priced struct {
	Verdict string // "" where nothing was reckoned
	Yes     bool
	// BreakEven is after how many turns the rewrite is paid back; negative for
	// never.
	BreakEven float64
}

// Judged counts how often a verdict was given, and how often it was right as the
// run went on: a yes when the prompt stood, before the next break or the end, for
// as long as paying it back took; a no when it would not have been paid back
// before the run ended.
type Judged struct{ Times, Right int }

// pending is a verdict whose rightness is open.
type pending struct {
	Priced
	at int // number of the step
}

// noteVerdict notes a verdict; steps counts those before it.
func (s *Score) noteVerdict(p Priced, steps int) {
	if p.Verdict == "" {
		return
	}
	if p.Yes {
		s.closeYes(steps)
	}
	s.open = append(s.open, pending{p, steps})
}

// closeYes judges the compaction that stood until now.
func (s *Score) closeYes(steps int) {
	for i, p := range s.open {
		if p.Yes {
			s.judge(p, p.BreakEven >= 0 && float64(steps-p.at) >= p.BreakEven)
			s.open = append(s.open[:i], s.open[i+1:]...)
			return
		}
	}
}

// judgeOpen judges what is open at the end of the run.
func (s *Score) judgeOpen() {
	s.closeYes(s.Steps)
	for _, p := range s.open {
		s.judge(p, p.BreakEven < 0 || float64(s.Steps-p.at) < p.BreakEven)
	}
	s.open = nil
}

func (s *Score) judge(p pending, right bool) {
	if s.Verdicts == nil {
		s.Verdicts = map[string]Judged{}
	}
	j := s.Verdicts[p.Verdict]
	s.Verdicts[p.Verdict] = Judged{j.Times + 1, j.Right + one(right)}
}

// Finder searches the history for what a text is about and gives positions, best
// first with their neighbours.
type Finder func(ctx context.Context, about string) []int

// sought holds what searches for a step gave: positions.
type sought struct {
	step         int // plus one
	words, named []int
}

// searchFor asks whether a search by words finds a value that left the prompt. The
// words come from the step, without its values: it knows what it is about, not
// what it is missing. It is asked again with the names that the step does know.
func (s *Score) searchFor(ctx context.Context, v *view, at int, value int32, find Finder) {
	if find == nil {
		return
	}
	if s.sought.step != at+1 {
		about := wordsOf(v.x.run.Messages[at])
		s.sought = sought{at + 1, find(ctx, about), find(ctx, about+v.known(at))}
	}
	s.Search = s.Search.and(v.saidAt(value, s.sought.words, at))
	s.Named = s.Named.and(v.saidAt(value, s.sought.named, at))
}

func (t Tally) and(met bool) Tally { return Tally{t.Asked + 1, t.Met + one(met)} }

// saidAt reports whether one of the messages before position at that are named has a value.
func (v *view) saidAt(value int32, named []int, at int) bool {
	return slices.ContainsFunc(named, func(i int) bool {
		if i < 0 || i >= at {
			return false
		}
		_, ok := v.x.facts[v.x.keys[i]].holds(value)
		return ok
	})
}

// known are the values of a step, each once, that its prompt shows or that nobody said
// before.
func (v *view) known(at int) string {
	var b strings.Builder
	seen := map[string]bool{}
	for _, t := range texts(v.x.run.Messages[at]) {
		for _, a := range tokens(t.s) {
			id, ok := v.x.ids[a.Text]
			if lost := ok && int(v.x.first[id]) < at && len(v.holders[id]) == 0; lost || seen[a.Text] {
				continue
			}
			seen[a.Text] = true
			b.WriteString(a.Text + " ")
		}
	}
	return b.String()
}

// wordsOf are the content words of a message, each once.
func wordsOf(m message.Message) string {
	var b strings.Builder
	seen := map[string]bool{}
	for _, t := range texts(m) {
		for _, w := range words(t.s, tokens(t.s)) {
			if !seen[w.text] {
				seen[w.text] = true
				b.WriteString(w.text + " ")
			}
		}
	}
	return b.String()
}
