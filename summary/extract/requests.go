package extract

import (
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/summary"
)

// request adds what a user asked. A message that takes the one before it back ends that.
func (r *reader) request(text string, at summary.Source) {
	if n := len(r.out.Requests); n > 0 && r.out.Requests[n-1].From == at {
		x := &r.out.Requests[n-1]
		x.Text = oneline.Clip(joined(x.Text, ask(text, maxAsk)), maxAsk)
		return
	}
	if n := len(r.out.Requests); n > 0 && withdraws(text) {
		r.out.Requests[n-1].Status, r.out.Requests[n-1].Ended = summary.Withdrawn, at
	}
	r.leaves(at)
	r.worked = summary.Source{}
	clear(r.acts)
	r.out.Requests = push(r.out.Requests, summary.Request{Text: ask(text, maxAsk), Status: summary.Pending, From: at}, maxRequests)
}

// joined returns what two parts of a message ask, without the one that is all pasted.
func joined(a, b string) string {
	switch pastedText {
	case a:
		return b
	case b:
		return a
	}
	return a + " " + b
}

// takes reports whether a message that asks for nothing only states something: a rule, or what the
// agent had asked for. What states no more than how things are is about something to be done.
func (r *reader) takes(m *uttered) bool {
	return m.states && len(r.out.Requests) > 0 && (m.rules || r.waits())
}

// waits reports whether the agent's last word on the last request asks for something.
func (r *reader) waits() bool {
	n := len(r.out.Requests)
	return n > 0 && r.out.Requests[n-1].Status == summary.Done && r.out.Requests[n-1].Asks && r.out.Requests[n-1].Then.N == 0
}

// spoke notes a message of the user's that is no request: what the agent says after it answers the
// last request only where the agent had asked back.
func (r *reader) spoke(at summary.Source) {
	if !r.waits() {
		r.leaves(at)
	}
}

// leaves marks the last request as one behind which the user spoke of something else.
func (r *reader) leaves(at summary.Source) {
	n := len(r.out.Requests)
	if n == 0 || r.out.Requests[n-1].Then.N > 0 || r.out.Requests[n-1].From == at || r.agents {
		return
	}
	x := &r.out.Requests[n-1]
	if x.Then = at; x.Status == summary.Doing {
		x.Ended = r.worked
	}
}

// withdraws reports whether a message takes back what was asked before it: its first clause
// says so, and no more.
func withdraws(text string) bool {
	if len(text) >= 160 || hasValue(text) {
		return false
	}
	said := strings.Fields(strings.ReplaceAll(strings.ToLower(text), "’", "'"))
	for len(said) > 0 && politeness[bareWord(said[0])] {
		said = said[1:]
	}
	after := func(p string) (rest []string, end, ok bool) {
		words := strings.Fields(p)
		n := len(words)
		ok = len(said) >= n && slices.EqualFunc(words, said[:n], func(w, x string) bool { return w == bareWord(x) })
		return said[min(n, len(said)):], ok && bareWord(said[n-1]) != said[n-1], ok
	}
	return slices.ContainsFunc(withdrawals, func(p string) bool {
		rest, end, ok := after(p)
		return ok && (end || len(rest) == 0 || !objects[bareWord(rest[0])])
	}) || slices.ContainsFunc(retractions, func(p string) bool {
		rest, end, ok := after(p)
		return ok && (end || endsClause(rest))
	})
}

// endsClause reports whether a clause says only what was spoken of before.
func endsClause(rest []string) bool {
	for _, w := range rest {
		switch {
		case strings.Trim(w, "-–—") == "":
			return true
		case !backRefs[bareWord(w)]:
			return false
		case bareWord(w) != w:
			return true
		}
	}
	return true
}

func bareWord(w string) string { return strings.TrimRight(w, ",.!?;:") }

// withdrawals begin a message that takes back what was asked, but for one that goes on with
// an object or a condition; retractions do where nothing follows in their clause but backRefs.
// Politeness may stand before both.
var (
	withdrawals = phrases(`never mind | nevermind | forget it | scratch that | ignore my last | forget that and | cancel that and | ignore that and | undo that and | revert that and`)
	objects     = wordSet(`the if when whether unless those these my your a an`)
	retractions = phrases(`stop | forget that | cancel that | ignore that | no don't | no do not | undo that | revert that`)
	politeness  = wordSet(`actually please can could you ok okay well`)
	backRefs    = wordSet(`it this that now please for again immediately working on do doing change changes request message edit`)
)

// isLabelled reports whether a statement is told as one of several things to do: "Item 4: …".
func isLabelled(text string) bool {
	label, rest, ok := strings.Cut(text, ": ")
	if !ok || words(label) > maxLabel || startsAny(lowered(rest), settings) {
		return false
	}
	return saysOf(label, labels, nil)
}

// maxLabel is how many words such a label has.
const maxLabel = 7

// labels are words of which such a label has one.
var labels = wordSet(`item ticket next task one bug issue`)

// asksForList reports whether a line asks to be told what is listed under it: "Then please send:".
func asksForList(low string) bool { return saysOf(low, listed, nil) }

// listed are verbs of who is to tell something.
var listed = wordSet(`send tell show give list report summarize summarise provide confirm explain share answer describe`)
