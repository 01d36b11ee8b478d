package extract

import (
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/summary/contradict"
)

// settled are the decisions that later words may take back, found by what they are about.
type settled struct {
	all     []settledOne
	byStem  map[string][]int32 // positions, by the stems of what a decision is about
	revoked map[decisionKey]bool
}

// settledOne is a decision and what it is about.
type settledOne struct {
	summary.Decision
	stems  map[string]int  // of what it is about, and what each weighs
	weight int             // of all of them
	takes  map[string]bool // the stems of what it takes: "use Redis"
	cause  bool            // it says why something went wrong
}

// decisionKey tells a decision from one of the same text in another message.
type decisionKey struct {
	n    int
	text string
}

// What a stem weighs: a name is hardly shared by chance.
const (
	wordWeight = 1
	nameWeight = 2
)

// mostNamed is how many of the newest decisions with one stem are looked at.
const mostNamed = 16

// add notes a decision, by all that it is about but the words that any decision may have.
func (l *settled) add(d *summary.Decision) {
	said := decidingPart(d.Text)
	one := settledOne{Decision: *d, stems: weighed(said), takes: objectOf(lowered(said), taking), cause: saysAny(lowered(d.Text), diagnoses)}
	for w, weight := range one.stems {
		if deciders[w] {
			delete(one.stems, w)
			continue
		}
		one.weight += weight
	}
	if l.byStem == nil {
		l.byStem = map[string][]int32{}
	}
	for w := range one.stems {
		l.byStem[w] = push(l.byStem[w], int32(len(l.all)), mostNamed)
	}
	l.all = append(l.all, one)
}

// weighed returns the stems of what a text is about, and what each weighs.
func weighed(text string) map[string]int {
	s, of := contradict.Parse(text, 0), map[string]int{}
	words, names := s.Names()
	for _, w := range words {
		of[w] = wordWeight
	}
	for _, w := range names {
		of[w] = nameWeight
	}
	return of
}

// decidingPart returns the sentences of a text that decide, without their reasons, or all of it.
func decidingPart(text string) string {
	var b strings.Builder
	for rest := text; rest != ""; {
		end := sentenceEnd(rest)
		s := rest[:end]
		rest = strings.TrimSpace(rest[end:])
		if triggersIn(lowered(s))&(decision|choice|intent) == 0 {
			continue
		}
		for _, w := range rationaleTriggers {
			if head, _, ok := strings.Cut(s, w); ok && words(head) >= minDecisionWords {
				s = head
			}
		}
		b.WriteString(s + " ")
	}
	if b.Len() == 0 {
		return text
	}
	return b.String()
}

// revokeNamed revokes the decisions before message n of which some stems are more than half, in weight, and
// that may go.
func (l *settled) revokeNamed(named map[string]int, n int, may func(*settledOne) bool) {
	shared := map[int32]int{}
	for w := range named {
		for _, at := range lastOf(l.byStem[w], mostNamed) {
			shared[at] += l.all[at].stems[w]
		}
	}
	for at, weight := range shared {
		if one := &l.all[at]; one.From.N < n && weight > wordWeight && 2*weight > one.weight && may(one) {
			l.revoke(one)
		}
	}
}

// outgrows reports whether a sentence at the head of a message gives up what the agent planned before it.
func outgrows(said, low string) bool {
	return !isTentative(said, low) && (saysAny(low, outgrowing) || startsAny(low, doubting) && saysAny(low, bettering))
}

// revokeOf revokes what was decided in message n, of the newest decisions.
func (l *settled) revokeOf(n int) {
	recent := lastOf(l.all, mostNamed)
	for i := range recent {
		if recent[i].From.N == n {
			l.revoke(&recent[i])
		}
	}
}

// revoke marks a decision as taken back.
func (l *settled) revoke(one *settledOne) {
	if l.revoked == nil {
		l.revoked = map[decisionKey]bool{}
	}
	l.revoked[decisionKey{one.From.N, one.Text}] = true
}

// marked returns decisions, each marked if it was taken back, behind those of an earlier summary that were.
func (l *settled) marked(ds []summary.Decision) (all []summary.Decision) {
	if len(l.revoked) == 0 {
		return ds
	}
	own := map[decisionKey]bool{}
	for i := range ds {
		key := decisionKey{ds[i].From.N, ds[i].Text}
		own[key] = true
		ds[i].Doubted = ds[i].Doubted || l.revoked[key]
	}
	for i := range l.all {
		d := l.all[i].Decision
		if key := (decisionKey{d.From.N, d.Text}); l.revoked[key] && !own[key] && !d.Doubted {
			own[key], d.Doubted = true, true
			all = append(all, d)
		}
	}
	return append(all, ds...)
}

// overturns revokes the decisions that a sentence of the agent's says do not stand: it names what was
// decided, beside what takes its place, or the sentence before it in its message does. low is the sentence
// in small letters.
func (l *settled) overturns(before, said, low string, at summary.Source) {
	thinks := saysAny(low, rethinking) || startsAny(low, doubting) && saysAny(low, denyingNeed)
	undoes := !thinks && saysAny(low, undoingActs)
	corrects := saysAny(low, correcting) && saysAny(low, contrary) && !saysAny(low, diagnoses) && !strings.Contains(low, " but ")
	if !thinks && !undoes && !corrects || isTentative(said, low) || startsAny(low, citing) {
		return
	}
	named := weighed(withoutTaken(said))
	if (len(named) == 0 || saysAny(low, pronouns) || words(said) < fewNamed && !holdsName(named)) && !isTentative(before, lowered(before)) {
		for w, weight := range weighed(withoutTaken(before)) {
			named[w] = weight
		}
	}
	l.revokeNamed(named, at.N, func(d *settledOne) bool {
		return thinks || undoes && !saysAny(lowered(d.Text), undoingVerbs) || corrects && d.cause
	})
	if (thinks || undoes) && named[approach] > 0 {
		l.revokeApproach(at.N)
	}
}

// fewNamed is how many words a sentence without a name has that is read by itself.
const fewNamed = 7

// holdsName reports whether one of some stems is a name.
func holdsName(stems map[string]int) bool {
	for _, weight := range stems {
		if weight == nameWeight {
			return true
		}
	}
	return false
}

// isTentative reports whether a sentence asks or supposes, or takes something back for a while only.
func isTentative(said, low string) bool {
	return strings.HasSuffix(said, "?") || saysAny(low, tentative)
}

// approach is what the agent calls a decision by which it does not say what it was.
const approach = "approach"

// revokeApproach revokes the newest approach that was decided on before message n.
func (l *settled) revokeApproach(n int) {
	for i := len(l.all) - 1; i >= max(0, len(l.all)-mostNamed); i-- {
		if one := &l.all[i]; one.From.N < n && strings.Contains(lowered(one.Text), " "+approach+" ") {
			l.revoke(one)
			return
		}
	}
}

// withoutTaken returns a sentence without what it puts in the place of something.
func withoutTaken(said string) string {
	low := " " + strings.ToLower(said) + " "
	for _, p := range takingUp {
		i := strings.Index(low, p)
		if i < 0 {
			continue
		}
		from := i + len(p) - 1
		end := len(low) - 1
		if j := strings.IndexAny(low[from:end], ",;"); j >= 0 {
			end = from + j
		}
		for _, q := range clauseEnds {
			if j := strings.Index(low[from:end], q); j >= 0 {
				end = from + j
			}
		}
		said = said[:min(from-1, len(said))] + " " + said[min(end-1, len(said)):]
		low = " " + strings.ToLower(said) + " "
	}
	return said
}

// forbids revokes the decisions to take what a user's statement rules out: "no Redis", or rules out for
// what they are about.
func (l *settled) forbids(said string, at summary.Source) {
	if strings.HasSuffix(said, "?") {
		return
	}
	for _, clause := range clausesOf(said) {
		before, object, limit := objectIn(phrase(clause), ruling)
		if slices.ContainsFunc(strings.Fields(before), func(w string) bool { return stating[w] }) {
			continue // it only says so
		}
		for out := range object {
			for _, i := range lastOf(l.byStem[out], mostNamed) {
				if d := &l.all[i]; d.From.N < at.N && within(object, d.takes) && within(limit, d.stems) {
					l.revoke(d)
				}
			}
		}
	}
}

// within reports whether all of some stems are among others.
func within[T any](stems map[string]bool, others map[string]T) bool {
	for w := range stems {
		if _, ok := others[w]; !ok {
			return false
		}
	}
	return true
}

// objectOf returns the stems of what stands behind the first of some phrases that a lowered text has, nil
// for none.
func objectOf(low string, behind []string) map[string]bool {
	_, object, _ := objectIn(low, behind)
	return object
}

// objectIn returns what stands before the first of some phrases that a lowered text has, the stems of its
// object behind it, and of what limits that: "in the tests".
func objectIn(low string, behind []string) (before string, object, limit map[string]bool) {
	for _, p := range behind {
		before, rest, ok := strings.Cut(low, p)
		if !ok {
			continue
		}
		said, limits := strings.Fields(rest), []string(nil)
		if i := slices.IndexFunc(said, func(w string) bool { return objectEnds[w] }); i >= 0 {
			if limiting[said[i]] {
				limits = said[i:]
			}
			said = said[:i]
		}
		if len(said) > mostObject {
			return "", nil, nil
		}
		return before, stemsOf(said), stemsOf(limits)
	}
	return "", nil, nil
}

// stemsOf returns the stems of words.
func stemsOf(said []string) map[string]bool {
	stems := map[string]bool{}
	for w := range weighed(strings.Join(said, " ")) {
		stems[w] = true
	}
	return stems
}

// mostObject is how many words such an object has.
const mostObject = 3
