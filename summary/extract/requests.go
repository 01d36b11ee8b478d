package extract

import (
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/thread"
)

// requests are what the user asks for, with how far the agent has come with it.
type requests struct {
	all    []summary.Request
	open   []summary.Note // user texts nobody has answered yet
	calls  calls
	urged  bool // the last request is answered, and the user only urged on since
	agents bool // several agents talk: which of them answers is not known
}

// newRequests starts from the last request of an earlier summary.
func newRequests(t *thread.Thread, old *summary.Structured, agents bool) requests {
	q := requests{all: slices.Clone(lastOf(old.Requests, 1)), agents: agents}
	x := q.last()
	q.calls = newCalls(x, old.Outcomes)
	if x != nil {
		q.urged = urgedBefore(t, x)
		q.calls.ended = lastWith(t, x.From.N, old.To.N, hasResult)
	}
	return q
}

// last returns the newest request, nil for none.
func (q *requests) last() *summary.Request {
	if len(q.all) == 0 {
		return nil
	}
	return &q.all[len(q.all)-1]
}

// add adds what a user asked. A message that takes the one before it back ends that. amid says that it came
// amid the agent's work.
func (q *requests) add(text string, amid bool, at summary.Source) {
	x := q.last()
	if x != nil && x.From == at {
		x.Text = oneline.ClipMiddle(joined(x.Text, ask(text, maxRequestText)), maxRequestText)
		return
	}
	if x != nil && (withdraws(text) || q.replaces(x, text)) {
		x.Status, x.Ended = summary.Withdrawn, at
	}
	q.leaves(at)
	q.calls.forget()
	q.all = push(q.all, summary.Request{Text: ask(text, maxRequestText), Status: summary.Pending, Amid: amid, From: at}, summary.MaxRequests)
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

// onlyStates reports whether a message that asks for nothing states something that is not to be done: a rule,
// or what the agent had asked for. What states no more than how things are is about something to be done.
func (q *requests) onlyStates(m *uttered) bool {
	return m.states && len(q.all) > 0 && (m.rules || q.waits())
}

// waits reports whether the agent's last word on the last request asks for something.
func (q *requests) waits() bool {
	x := q.last()
	return x != nil && x.Status == summary.Done && x.Asks && x.Then.N == 0
}

// heard forgets the call that failed last, unless the user only agrees to the work that the agent is at.
func (q *requests) heard(said string) {
	if !q.atWork() || !Agrees(said) {
		q.calls.failed = failed{}
	}
}

// spoke notes a message of the user's that is no request: what the agent says after it answers the
// last request only where the agent had asked back.
func (q *requests) spoke(at summary.Source) {
	if !q.waits() {
		q.leaves(at)
	}
}

// urge notes a message of the user's that only agrees or urges on: what the agent does next is still
// for the last request. What it only says to it, where it had answered, is no other answer.
func (q *requests) urge(at summary.Source) {
	x := q.last()
	if x == nil || x.Status != summary.Done || q.waits() {
		return
	}
	if q.urged || x.Then.N == 0 {
		q.leaves(at)
		q.urged = true
	}
}

// urgedBefore reports whether nothing but such a message stands where the user spoke again.
func urgedBefore(t *thread.Thread, x *summary.Request) bool {
	if x.Status != summary.Done || x.Then.N == 0 || x.Then.N > t.Len() {
		return false
	}
	m, agreed := &t.At(x.Then.N-1).Message, false
	w := thread.WordsOf(m)
	for i := range m.Parts {
		said := w.Said(i)
		if said == "" {
			continue
		}
		if agreed = true; !Agrees(said) {
			return false
		}
	}
	return agreed
}

// resumes takes up the last request again at a call of the agent's that the user urged it to.
func (q *requests) resumes() {
	if q.urged {
		q.last().Then, q.urged = summary.Source{}, false
	}
}

// atWork reports whether the agent is at work on the last request.
func (q *requests) atWork() bool {
	x := q.last()
	return x != nil && x.Status == summary.Doing && x.Then.N == 0
}

// amidWork reports whether the message before one is a call of the agent's or the result of one.
func amidWork(t *thread.Thread, at summary.Source) bool {
	if at.N < 2 {
		return false
	}
	m := &t.At(at.N - 2).Message
	return m.Has(message.Call) || hasResult(m)
}

// hasResult reports whether a message holds results, in parts of their own or as text.
func hasResult(m *message.Message) bool {
	return m.Has(message.Result) || thread.WordsOf(m).HandsOn()
}

// leaves marks the last request as one behind which the user spoke of something else.
func (q *requests) leaves(at summary.Source) {
	x := q.last()
	if x == nil || x.Then.N > 0 && !q.urged || x.From == at || q.agents {
		return
	}
	q.urged = false
	if x.Then = at; x.Status == summary.Doing {
		x.Ended = q.calls.ended
	}
}

// asked notes a task that nobody has answered yet; of one message, the last. A text that bears a name asks
// nothing.
func (q *requests) asked(task summary.Note, who string) {
	if n := len(q.open); n > 0 && q.open[n-1].From == task.From {
		q.open[n-1] = task
	} else if who == "" {
		q.open = append(q.open, task)
	}
}

// answered forgets what the user asked: the agent has reacted.
func (q *requests) answered() { q.open = q.open[:0] }

// replied marks the last request as answered by a text of the agent; a call after it, which
// has none, shows that the agent is still at work.
func (q *requests) replied(at summary.Source, text string) {
	x := q.last()
	if x == nil || x.Status == summary.Withdrawn || x.Then.N > 0 {
		return
	}
	switch {
	case q.agents:
		x.Status = summary.Doing
	case strings.TrimSpace(text) != "":
		x.Status, x.Ended, x.Failed, x.Asks = summary.Done, at, q.calls.lastFailed(), asksBack(text)
		if x.Amid && at.N == x.From.N+1 {
			x.Reply = at
		}
	default:
		x.Status, x.Ended, x.Failed, x.Asks = summary.Doing, summary.Source{}, summary.Source{}, false
	}
}

// written returns the newest requests. That of the work that the agent is at names the call that failed.
func (q *requests) written() []summary.Request {
	if q.atWork() {
		q.last().Failed = q.calls.failed.at
	}
	return lastOf(q.all, summary.MaxRequests)
}

// unanswered returns what was asked before the last text, and is not the task, as open items.
func (q *requests) unanswered(task *summary.Note) (items []summary.OpenItem) {
	for i, a := range q.open {
		if i < len(q.open)-1 && (task == nil || a.Text != task.Text) {
			items = append(items, summary.OpenItem{Text: a.Text, Context: "not answered yet", Priority: summary.High, Status: summary.Pending, From: a.From})
		}
	}
	return items
}
