package extract

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/summary/internal/reach"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/tool"
)

// Summarizer is the deterministic summarizer. The zero value is ready and safe
// for concurrent use.
type Summarizer struct{}

// Name identifies the extractor and its version.
func (Summarizer) Name() string { return "extract/17" }

// Summarize reads what the span adds to the earlier summaries and merges it
// into them. An earlier summary that does not stand in the span any more is
// ignored and its messages are read again. It fails only when ctx ends.
func (Summarizer) Summarize(ctx context.Context, in summary.Input) (*summary.Structured, error) {
	reach := reach.Of(in.Thread, in.Span)
	if len(reach) > 0 && ctx.Err() != nil {
		return nil, fmt.Errorf("extract summary: %w", ctx.Err())
	}
	previous, left := standing(in.Previous, in.Thread, reach)
	old := merged(previous)
	r := newReader(in.Thread, old, left)
	for _, x := range left {
		for i := x.From; i < x.To; i++ {
			if r.out.Count%256 == 255 && ctx.Err() != nil {
				return nil, fmt.Errorf("extract summary: %w", ctx.Err())
			}
			r.message(i)
		}
	}
	fresh := r.finish()
	if fresh.Count == 0 && len(previous) > 0 {
		return old, nil
	}
	return summary.Merge(append(previous, fresh)...), nil
}

// merged returns what the earlier summaries say together.
func merged(previous []*summary.Structured) *summary.Structured {
	if len(previous) == 1 {
		return previous[0]
	}
	return summary.Merge(previous...)
}

// standing picks the earlier summaries that cover messages of the span, all of
// those they once covered, and says which entries are left.
func standing(previous []*summary.Structured, t *thread.Thread, left reach.Reach) ([]*summary.Structured, reach.Reach) {
	var out []*summary.Structured
	for _, p := range previous {
		if p == nil {
			continue
		}
		from, ok1 := t.Find(p.From.ID)
		to, ok2 := t.Find(p.To.ID)
		if !ok1 || !ok2 {
			continue
		}
		if rest, taken := left.Without(reach.Stretch{From: from, To: to + 1}); taken == p.Count {
			out, left = append(out, p), rest
		}
	}
	return out, left
}

// reader reads messages in order and collects.
type reader struct {
	t      *thread.Thread
	out    *summary.Structured
	said   []summary.Fact // findings of the agent
	open   thread.Calls
	ask    []summary.Note // user texts nobody has answered yet
	told   *told          // the agent's last, nil for none
	failed failed
	acts   map[string]summary.Source // tools that change something and failed last, and where
	worked summary.Source            // the last result of a call
	acted  summary.Source            // the last result of one that changes something and did not fail
	urged  bool                      // the last request is answered, and the user only urged on since
	agents bool                      // it is a talk of several agents: see agentsTalk
	in     tongue
	handed string // the tool whose result the message hands on as text: see handedBy
	work   *work
	ids    *identifiers
	// settled are the decisions so far, those of the earlier summary among them.
	settled settled
}

// failed is the call that failed in the newest round of calls that has a result.
type failed struct {
	round int // number of the message that made the calls
	at    summary.Source
}

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
	return &summary.Note{Text: oneline.Clip(oneline.Of(s.text), maxItemText), From: s.from}
}

func newReader(t *thread.Thread, old *summary.Structured, left reach.Reach) *reader {
	end := 0 // what comes later is not known when it is read
	for _, x := range left {
		end = max(end, x.To)
	}
	r := &reader{
		t: t, agents: agentsTalk(t, end), acts: map[string]summary.Source{}, out: &summary.Structured{Schema: summary.Schema, Requests: slices.Clone(lastOf(old.Requests, 1))},
		work: newWork(old, lastWith(t, 0, old.To.N, isActive).N), ids: newIdentifiers(t, old, left.Len()),
	}
	r.failedBefore(old)
	for i := range old.Decisions {
		r.settled.add(&old.Decisions[i])
	}
	if n := len(r.out.Requests); n > 0 {
		r.urged = r.urgedBefore(&r.out.Requests[n-1])
		r.worked = lastWith(t, r.out.Requests[n-1].From.N, old.To.N, func(p message.Part) bool { return p.Kind == message.Result })
	}
	return r
}

// isActive reports whether the agent calls in a part of a message, or somebody speaks.
func isActive(p message.Part) bool {
	return p.Kind == message.Call || p.Kind == message.Text && strings.TrimSpace(p.Text) != "" && !thread.Note(p)
}

// lastWith returns where the last message with such a part stands among those after one and up to
// another, the zero Source for none.
func lastWith(t *thread.Thread, after, to int, is func(message.Part) bool) summary.Source {
	for n := min(to, t.Len()); n > after; n-- {
		if slices.ContainsFunc(t.At(n-1).Message.Parts, is) {
			return summary.Source{ID: t.At(n - 1).ID, N: n}
		}
	}
	return summary.Source{}
}

// failedBefore takes up what had failed of the last request where an earlier summary ends.
func (r *reader) failedBefore(old *summary.Structured) {
	since := 0
	for _, x := range r.out.Requests {
		since = x.From.N
		if x.Status == summary.Doing {
			r.failed = failed{x.Failed.N, x.Failed}
		}
	}
	for i := range old.Outcomes {
		switch o := &old.Outcomes[i]; {
		case o.From.N < since || !tool.ActsByName(o.Tool):
		case o.Outcome == string(tool.Failure):
			r.acts[o.Tool] = o.From
		default:
			delete(r.acts, o.Tool)
			r.acted = o.From
		}
	}
}

func (r *reader) message(i int) {
	m := &r.t.At(i).Message
	at := summary.Source{ID: r.t.At(i).ID, N: i + 1}
	r.out.Count++
	if r.out.Count == 1 {
		r.out.From = at
	}
	r.out.To = at
	if m.Meta || m.Role == message.System {
		return
	}
	r.handed = ""
	for j := range m.Parts {
		r.part(m, thread.Place{Index: i, Part: j + 1}, at)
	}
}

func (r *reader) part(m *message.Message, place thread.Place, at summary.Source) {
	switch p := r.t.Part(place); p.Kind {
	case message.Text:
		if m.Role == message.User {
			r.fromUser(m.Name, p, at)
			return
		}
		r.in.hear(p.Text)
		if m.Role == message.Assistant {
			text := prose(p.Text)
			r.assistant(text, at)
			r.replied(at, text)
			r.work.noteMentions(text, at, true)
			r.ids.read(p.Text, at, fromAssistant)
		}
	case message.Call:
		r.work.seen()
		r.open.Called(p.CallID, place)
		r.answered()
		r.resumes()
		r.replied(at, "")
		r.plan(p, at)
		r.looked(p, at)
		if tool.ActsByName(p.Name) {
			r.work.noteMentions(p.Args, at, false)
		}
		r.ids.readArgs(p.Args, at)
	case message.Result:
		call, by := message.Part{CallID: p.CallID, Name: p.Name}, cause{call: at}
		if made, ok := r.open.Answered(p.CallID); ok {
			call, by.call = *r.t.Part(made), summary.Source{ID: r.t.At(made.Index).ID, N: made.Index + 1}
			if t := r.told; t != nil && (t.from.N == made.Index || t.from.N == made.Index+1) { // in the message of the call, or the one before
				by.said = t
			}
		}
		r.worked = at
		outcome := r.work.result(call, p, at, by)
		r.came(call.Name, outcome, by.call.N, at)
		if outcome == tool.Success && r.work.edited == by.call {
			r.changed(by.call, at)
		}
		r.ids.read(p.Body(), at, fromResult)
	}
}

// fromUser reads a text in the user's role. Behind one that hands on a tool's result, and in it,
// nothing is the user's but an answer.
func (r *reader) fromUser(who string, p *message.Part, at summary.Source) {
	if r.handed == "" {
		r.handed = handedBy(p.Text)
	}
	said, from := p.Text, fromUser
	if r.handed != "" {
		said, from = "", fromResult
		if answering[r.handed] {
			said = answerIn(p.Text)
		}
	}
	r.in.hear(said)
	r.work.noteMentions(said, at, true)
	if !thread.Note(*p) && !(r.agents && isAgent(who)) {
		if !r.atWork() || !Agrees(said) {
			r.failed = failed{}
		}
		r.work.seen()
		if said != "" || r.handed == "" {
			r.user(who, said, at)
		}
	}
	r.ids.read(p.Text, at, from)
}

// finish writes the collected items.
func (r *reader) finish() *summary.Structured {
	if r.atWork() {
		r.out.Requests[len(r.out.Requests)-1].Failed = r.failed.at
	}
	for i, a := range r.ask {
		if i < len(r.ask)-1 && (r.out.Task == nil || a.Text != r.out.Task.Text) {
			r.out.Open = append(r.out.Open, summary.OpenItem{Text: a.Text, Context: "not answered yet", Priority: summary.High, Status: summary.Pending, From: a.From})
		}
	}
	r.work.write(r.out)
	r.out.Facts = append(lastOf(r.out.Facts, maxFacts), lastOf(r.said, maxFindings)...)
	r.out.Requests = lastOf(r.out.Requests, summary.MaxRequests)
	r.out.Decisions = r.settled.without(lastOf(r.out.Decisions, maxDecisions))
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
