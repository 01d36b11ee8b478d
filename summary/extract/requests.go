package extract

import (
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/tool"
)

// request adds what a user asked. A message that takes the one before it back ends that.
func (r *reader) request(text string, at summary.Source) {
	if n := len(r.out.Requests); n > 0 && r.out.Requests[n-1].From == at {
		x := &r.out.Requests[n-1]
		x.Text = oneline.ClipMiddle(joined(x.Text, ask(text, maxRequestText)), maxRequestText)
		return
	}
	if n := len(r.out.Requests); n > 0 && (withdraws(text) || r.replaces(&r.out.Requests[n-1], text)) {
		r.out.Requests[n-1].Status, r.out.Requests[n-1].Ended = summary.Withdrawn, at
	}
	amid := r.amidWork(at)
	r.leaves(at)
	r.worked = summary.Source{}
	clear(r.acts)
	r.out.Requests = push(r.out.Requests, summary.Request{Text: ask(text, maxRequestText), Status: summary.Pending, Amid: amid, From: at}, summary.MaxRequests)
}

// joined returns what two parts of a message ask, without the one that is all pasted.
func joined(a, b string) string {
	switch {
	case strings.HasPrefix(a, pastedText):
		return b
	case strings.HasPrefix(b, pastedText):
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

// urge notes a message of the user's that only agrees or urges on: what the agent does next is still
// for the last request. What it only says to it, where it had answered, is no other answer.
func (r *reader) urge(at summary.Source) {
	n := len(r.out.Requests)
	if n == 0 || r.out.Requests[n-1].Status != summary.Done || r.waits() {
		return
	}
	if r.urged || r.out.Requests[n-1].Then.N == 0 {
		r.leaves(at)
		r.urged = true
	}
}

// urgedBefore reports whether nothing but such a message stands where the user spoke again.
func (r *reader) urgedBefore(x *summary.Request) bool {
	if x.Status != summary.Done || x.Then.N == 0 || x.Then.N > r.t.Len() {
		return false
	}
	said := false
	for _, p := range r.t.At(x.Then.N - 1).Message.Parts {
		if p.Kind != message.Text || thread.Note(p) {
			continue
		}
		if said = true; !Agrees(p.Text) {
			return false
		}
	}
	return said
}

// resumes takes up the last request again at a call of the agent's that the user urged it to.
func (r *reader) resumes() {
	if r.urged {
		r.out.Requests[len(r.out.Requests)-1].Then, r.urged = summary.Source{}, false
	}
}

// atWork reports whether the agent is at work on the last request.
func (r *reader) atWork() bool {
	n := len(r.out.Requests)
	return n > 0 && r.out.Requests[n-1].Status == summary.Doing && r.out.Requests[n-1].Then.N == 0
}

// amidWork reports whether the message before one is a call of the agent's or the result of one.
func (r *reader) amidWork(at summary.Source) bool {
	if at.N < 2 || r.agents {
		return false
	}
	return slices.ContainsFunc(r.t.At(at.N-2).Message.Parts, func(p message.Part) bool { return p.Kind == message.Call || p.Kind == message.Result })
}

// leaves marks the last request as one behind which the user spoke of something else.
func (r *reader) leaves(at summary.Source) {
	n := len(r.out.Requests)
	if n == 0 || r.out.Requests[n-1].Then.N > 0 && !r.urged || r.out.Requests[n-1].From == at || r.agents {
		return
	}
	x := &r.out.Requests[n-1]
	r.urged = false
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

// replaces reports whether a message asks to have something else done in the place of a request: another
// thing that is done to orders, with the same order or where the agent had asked back and done nothing yet.
func (r *reader) replaces(x *summary.Request, text string) bool {
	low := lowered(text)
	if len(text) >= maxReplacing || !saysAny(low, inPlace) || saysAny(low, alsoSaid) || r.acted.N > x.From.N {
		return false
	}
	was, now := handling(lowered(x.Text)), handling(low)
	if len(was) != 1 || len(now) != 1 || was[0] == now[0] {
		return false
	}
	return sharesNumber(x.Text, text) || r.waits() && !strings.Contains(text, "#")
}

// maxReplacing is how many bytes such a message has.
const maxReplacing = 240

// handling returns what a lowered text asks to be done to orders, each once.
func handling(low string) (kinds []int) {
	for i, list := range orderHandling {
		if saysAny(low, list) {
			kinds = append(kinds, i)
		}
	}
	return kinds
}

// sharesNumber reports whether two texts hold the same word with digits that names something.
func sharesNumber(a, b string) bool {
	for w := range strings.FieldsSeq(a) {
		if w = bareWord(w); len(w) >= leastNumber && strings.ContainsAny(w, "0123456789") && slices.ContainsFunc(strings.Fields(b), func(x string) bool { return bareWord(x) == w }) {
			return true
		}
	}
	return false
}

// leastNumber is how many bytes such a word has.
const leastNumber = 4

// takesBack reports whether a statement takes back what the one before it says: "no wait, use B".
func takesBack(text string) bool {
	low := lowered(strings.ToLower(text))
	if saysAny(low, alsoSaid) || strings.HasSuffix(text, "?") {
		return false
	}
	head, _, _ := strings.Cut(text, ": ")
	head, _, ok := strings.Cut(head, ", ")
	return startsAny(low, rethinks) || ok && startsAny(lowered(head), rethinksApart) && words(head) <= maxApart
}

// maxApart is how many words stand before the comma behind which such a statement goes on.
const maxApart = 3

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

// isLabelled reports whether a statement is told as one of several things to do: "Item 4: …".
func isLabelled(text string) bool {
	label, rest, ok := strings.Cut(text, ": ")
	if !ok || words(label) > maxLabelWords || startsAny(lowered(rest), settings) {
		return false
	}
	return saysOf(label, labels, nil)
}

// maxLabelWords is how many words such a label has.
const maxLabelWords = 7

// asksForList reports whether a line asks to be told what is listed under it: "Then please send:".
func asksForList(low string) bool { return saysOf(low, tellVerbs, nil) }

// answered forgets what the user asked: the agent has reacted.
func (r *reader) answered() { r.ask = r.ask[:0] }

// replied marks the last request as answered by a text of the agent; a call after it, which
// has none, shows that the agent is still at work.
func (r *reader) replied(at summary.Source, text string) {
	n := len(r.out.Requests)
	if n == 0 || r.out.Requests[n-1].Status == summary.Withdrawn || r.out.Requests[n-1].Then.N > 0 {
		return
	}
	x := &r.out.Requests[n-1]
	switch {
	case r.agents: // which of them answers is not known
		x.Status = summary.Doing
	case strings.TrimSpace(text) != "":
		x.Status, x.Ended, x.Failed, x.Asks = summary.Done, at, r.lastFailed(), asksBack(text)
		if x.Amid && at.N == x.From.N+1 {
			x.Reply = at
		}
	default:
		x.Status, x.Ended, x.Failed, x.Asks = summary.Doing, summary.Source{}, summary.Source{}, false
	}
}

// came notes how a call ended.
func (r *reader) came(name string, outcome tool.Outcome, round int, at summary.Source) {
	switch {
	case outcome == "":
		return
	case outcome == tool.Failure:
		r.failed = failed{round, at}
		if tool.ActsByName(name) {
			r.acts[name] = at
		}
	case round > r.failed.round:
		r.failed = failed{}
	}
	if outcome != tool.Failure {
		delete(r.acts, name)
		if tool.ActsByName(name) {
			r.acted = at
		}
	}
}

// lastFailed returns where a call failed that the agent's answer comes after: one of its last,
// or one that was to change something and did not since.
func (r *reader) lastFailed() summary.Source {
	last := r.failed.at
	for _, at := range r.acts {
		if at.N > last.N {
			last = at
		}
	}
	return last
}
