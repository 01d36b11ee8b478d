package extract

import (
	"strings"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/summary/internal/reach"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/tool"
)

// reader reads messages in order and collects.
type reader struct {
	t         *thread.Thread
	out       *summary.Structured
	requests  requests
	decisions decisions
	findings  []summary.Fact // of the agent
	open      thread.Calls
	written   written
	told      *told // the agent's last, nil for none
	agents    bool  // it is a talk of several agents: see agentsTalk
	in        tongue
	work      *work
	ids       *identifiers
	planned   []summary.Step // of an earlier summary
}

// newReader starts from an earlier summary; left are the messages to read.
func newReader(t *thread.Thread, old *summary.Structured, left reach.Reach) *reader {
	end := 0 // what comes later is not known when it is read
	for _, x := range left {
		end = max(end, x.To)
	}
	agents := agentsTalk(t, end)
	return &reader{
		t: t, agents: agents, out: &summary.Structured{Schema: summary.Schema},
		requests: newRequests(t, old, agents), decisions: newDecisions(old.Decisions),
		work: newWork(old, lastWith(t, 0, old.To.N, isActive).N), ids: newIdentifiers(t, old, left.Len()),
		planned: old.Plan,
	}
}

// isActive reports whether the agent calls in a message, or somebody speaks.
func isActive(m *message.Message) bool {
	w := thread.WordsOf(m)
	for i := range m.Parts {
		if m.Parts[i].Kind == message.Call || strings.TrimSpace(w.Said(i)) != "" {
			return true
		}
	}
	return false
}

// lastWith returns where the last such message stands among those after one and up to another, the
// zero Source for none.
func lastWith(t *thread.Thread, after, to int, is func(*message.Message) bool) summary.Source {
	for n := min(to, t.Len()); n > after; n-- {
		if is(&t.At(n - 1).Message) {
			return summary.Source{ID: t.At(n - 1).ID, N: n}
		}
	}
	return summary.Source{}
}

// message reads the i-th message of the thread.
func (r *reader) message(i int) {
	m := &r.t.At(i).Message
	at := summary.Source{ID: r.t.At(i).ID, N: i + 1}
	r.written.follow(r.t, r.out.To.N, m, at)
	r.out.Count++
	if r.out.Count == 1 {
		r.out.From = at
	}
	r.out.To = at
	if m.Meta || m.Role == message.System {
		return
	}
	for j := range m.Parts {
		r.part(m, thread.Place{Index: i, Part: j + 1}, at)
	}
}

// overhear takes from the newest message of a user in a stretch that is not summarized which look-ups
// its words are about.
func (r *reader) overhear(from, to int) {
	for i := to - 1; i >= from; i-- {
		m := &r.t.At(i).Message
		if !thread.Speaks(*m) {
			continue
		}
		w := thread.WordsOf(m)
		for n := range m.Parts {
			if said := w.Said(n); said != "" {
				r.work.outcomes.lookups.heard(said, i+1)
			}
		}
		return
	}
}

// part reads a part of a message.
func (r *reader) part(m *message.Message, place thread.Place, at summary.Source) {
	switch p := r.t.Part(place); p.Kind {
	case message.Text:
		if m.Role == message.User {
			r.fromUser(m, place.Part-1, at)
			return
		}
		if m.Role == message.Assistant {
			r.fromAgent(m, p, at)
			return
		}
		r.in.hear(p.Text)
	case message.Call:
		r.open.Called(p.CallID, place)
		r.called(p, at)
	case message.Result:
		r.came(p, at)
	}
}

// fromAgent reads a text of the agent's.
func (r *reader) fromAgent(m *message.Message, p *message.Part, at summary.Source) {
	said, calls := p.Text, []message.Part(nil)
	if !m.Has(message.Call) {
		said, calls = tool.WrittenCalls(p.Text)
	}
	r.in.hear(said)
	text := prose(said)
	r.assistant(text, at)
	r.requests.replied(at, text)
	r.work.outcomes.lookups.noteMentions(text, at.N, true)
	r.ids.read(said, at, fromAssistant)
	for i := range calls {
		r.called(&calls[i], at)
	}
	r.written.calls = append(r.written.calls, calls...)
}

// called reads a call.
func (r *reader) called(p *message.Part, at summary.Source) {
	r.work.seen()
	r.requests.answered()
	r.requests.resumes()
	r.requests.replied(at, "")
	r.plan(p, at)
	r.decisions.dropStep(p, at)
	if tool.ActsByName(p.Name) {
		r.work.outcomes.lookups.noteMentions(p.Args, at.N, false)
	} else {
		r.work.outcomes.lookups.noteUse(p.Args, at.N)
	}
	r.ids.readArgs(p.Args, at)
}

// came reads a result, with the call that it is of.
func (r *reader) came(p *message.Part, at summary.Source) {
	call, made := message.Part{CallID: p.CallID, Name: p.Name}, summary.Source{}
	if place, ok := r.open.Answered(p.CallID); ok {
		call, made = *r.t.Part(place), summary.Source{ID: r.t.At(place.Index).ID, N: place.Index + 1}
	}
	r.ended(call, made, p, at)
}

// ended reads a result of a call that a message made, the zero Source where that is not known.
func (r *reader) ended(call message.Part, made summary.Source, p *message.Part, at summary.Source) {
	by := cause{call: at}
	if made.N > 0 {
		by.call = made
		if t := r.told; t != nil && (t.from.N == made.N-1 || t.from.N == made.N) { // in the message of the call, or the one before
			by.said = t
		}
	}
	outcome := r.work.result(call, p, at, by)
	r.requests.calls.came(call.Name, outcome, by.call.N, at)
	if outcome == tool.Success && r.work.edited == by.call {
		r.decisions.followed(by.call, at)
	}
	r.ids.read(p.Body(), at, fromResult)
}

// fromUser reads a text in the user's role: only what the user says in it is the user's.
func (r *reader) fromUser(m *message.Message, i int, at summary.Source) {
	w := thread.WordsOf(m)
	said, text, from := w.Said(i), m.Parts[i].Text, fromUser
	if w.Handed(i) {
		call, result, own := r.written.ended(w, i)
		if result != nil {
			r.ended(call, r.written.from, result, at)
		}
		text, from = own, fromResult
	}
	r.in.hear(said)
	r.work.outcomes.lookups.heard(said, at.N)
	if !w.Note(i) && !(r.agents && isAgent(m.Name)) {
		r.requests.heard(said)
		r.work.seen()
		r.user(m.Name, said, at)
	}
	r.ids.read(withoutEnvironment(text), at, from)
}

// leaveOpen adds what a text says is still to be done, or was.
func (r *reader) leaveOpen(text string, priority summary.Priority, status summary.Status, at summary.Source) {
	r.out.Open = push(r.out.Open, summary.OpenItem{Text: itemText(text), Priority: priority, Status: status, From: at}, maxOpenItems)
}

// finish hands over what was collected.
func (r *reader) finish() *summary.Structured {
	r.out.Open = append(r.out.Open, r.requests.unanswered(r.out.Task)...)
	r.work.write(r.out)
	r.out.Facts = append(lastOf(r.out.Facts, maxFacts), lastOf(r.findings, maxFindings)...)
	r.out.Requests = r.requests.written()
	r.out.Decisions = r.decisions.written()
	r.out.Open = lastOf(r.out.Open, maxOpenItems)
	r.work.lists.write(r.out, &r.work.files)
	r.out.Ledger = r.ids.best(maxLedger)
	return r.out
}

// What one reading may collect of a kind; beyond it the newest are kept.
const (
	maxFacts     = 2000
	maxFindings  = 500
	maxDecisions = 1000
	maxOpenItems = 100
	maxLedger    = 300
)

// push adds to a list of which the last most are kept: the rest may go before.
func push[T any](list []T, x T, most int) []T {
	if len(list) >= 2*most {
		list = list[:copy(list, list[len(list)-most:])]
	}
	return append(list, x)
}

func lastOf[T any](list []T, n int) []T { return list[max(0, len(list)-n):] }
