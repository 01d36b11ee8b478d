// Package render turns a log and a plan into the messages of a prompt.
//
// Use: Prompt(thread, plan, ephemeral). Law: a pure function; it never reads a
// record's fields for people (Reason, Saves, Strategy, Tokens, Meta), and content
// never acts as a marker. Promise: messages no record touches come out unedited,
// with their raw bytes; the same log and plan give the same messages on any machine.
package render

import (
	"fmt"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/thread"
)

// Origin names where a prompt message comes from.
type Origin struct {
	// First is the position of the (first) log entry it stands for, -1 for
	// ephemeral content.
	First int
	// Record is the record that put it there in place of the log's message, nil
	// for a message that is whole or edited in parts only.
	Record *plan.Record
}

// Result is a rendered prompt: messages and, for each, its origin.
type Result struct {
	Messages []message.Message
	Origins  []Origin
}

// Prompt renders. A nil plan includes everything. Ephemeral messages
// go at the very end and are never logged.
func Prompt(t *thread.Thread, p *plan.Plan, ephemeral []message.Message) Result {
	r, room := renderer{t: t, p: p}, t.Len()+len(ephemeral)
	if p != nil {
		r.style, r.over = StyleOf(p.Style), p.Over(t)
		for i := range p.Records {
			room -= p.Records[i].Span.Count() - 1
		}
	}
	r.out.Messages = make([]message.Message, 0, max(room, 0))
	r.out.Origins = make([]Origin, 0, max(room, 0))
	for _, u := range t.Units() {
		r.unit(u)
	}
	for _, m := range ephemeral {
		r.emit(m, -1, nil)
	}
	return r.out
}

type renderer struct {
	t       *thread.Thread
	p       *plan.Plan
	over    []*plan.Record // see plan.Plan.Over; nil without a plan
	style   Style
	pending []pendingAnswer
	out     Result
}

func (r *renderer) emit(m message.Message, first int, rec *plan.Record) {
	r.out.Messages = append(r.out.Messages, m)
	r.out.Origins = append(r.out.Origins, Origin{first, rec})
}

// pendingAnswer is an answer that waits for the end of its run of assistant messages.
type pendingAnswer struct {
	m     message.Message
	first int
	rec   *plan.Record
}

// unit renders a unit. An answer stands right after the message of its call,
// where it stays however the thread grows. Only where an earlier call of the
// same run is answered after the run, which then is one turn on the wire, the
// answer waits for the run's end: results follow the whole turn.
func (r *renderer) unit(u thread.Unit) {
	if r.coveredBefore(u) {
		return
	}
	from, last := r.assistantRun(u)
	for i := u.Start; i < u.End; i++ {
		r.entry(i)
		if i < from || i >= last {
			r.flush()
		}
	}
	r.flush()
}

// coveredBefore reports whether the whole unit is covered by a record whose one
// message stands before it.
func (r *renderer) coveredBefore(u thread.Unit) bool {
	if r.over == nil || u.Start == 0 {
		return false
	}
	rec := r.over[u.Start-1]
	if rec == nil || !rec.Action.Together() {
		return false
	}
	for i := u.Start; i < u.End; i++ {
		if r.over[i] != rec {
			return false
		}
	}
	return true
}

// assistantRun finds the first message of a unit with a call that a later message
// answers, and the last of the assistant messages that the unit begins with.
func (r *renderer) assistantRun(u thread.Unit) (from, last int) {
	from, last = u.End, u.Start
	for i := u.Start; i < u.End; i++ {
		e := r.t.At(i)
		if e.Message.Role != message.Assistant {
			break
		}
		last = i
		for n := range e.Message.Parts {
			if e.Message.Parts[n].Kind == message.Call && !r.answeredByRepair(e.ID, n+1) {
				from = min(from, i)
			}
		}
	}
	return from, last
}

// answeredByRepair reports whether a repair answers the call.
func (r *renderer) answeredByRepair(id thread.ID, n int) bool {
	if r.p == nil {
		return false
	}
	rec := r.p.Part(id, n)
	return rec != nil && rec.Answer != ""
}

func (r *renderer) flush() {
	for _, o := range r.pending {
		r.emit(o.m, o.first, o.rec)
	}
	r.pending = nil
}

func (r *renderer) entry(i int) {
	e := r.t.At(i)
	if e.Message.Meta {
		return
	}
	if r.p == nil {
		r.emit(e.Message, i, nil)
		return
	}
	if rec := r.over[i]; rec != nil {
		r.whole(i, e, rec)
		return
	}
	m := e.Message
	if r.p.Edits(e.ID) {
		m = r.edited(e)
	}
	if r.p.NoThinking.Holds(i) {
		m = withoutThinking(m)
	}
	if len(m.Parts) == 0 && len(e.Message.Parts) > 0 {
		return
	}
	r.emit(m, i, nil)
	r.queueAnswers(i, e)
}

func (r *renderer) whole(i int, e *thread.Entry, rec *plan.Record) {
	for _, m := range One(e, rec, r.style) {
		r.emit(m, i, rec)
	}
}

// One renders an entry under a record that covers all of it: nothing when the
// record drops it or its synthetic message stands elsewhere.
func One(e *thread.Entry, rec *plan.Record, s Style) []message.Message {
	switch rec.Action {
	case plan.Summarize, plan.Externalize: // together
		if e.ID == rec.Span.Start() {
			return s.Synthetic(rec)
		}
	case plan.Clear:
		return []message.Message{cleared(e.Message, rec)}
	case plan.Replace:
		return []message.Message{replaced(e.Message, rec)}
	}
	return nil
}

// edited applies the part records of one message.
func (r *renderer) edited(e *thread.Entry) message.Message {
	m := e.Message
	m.Edited = true
	m.Parts = make([]message.Part, 0, len(e.Message.Parts))
	for n := range e.Message.Parts {
		p := e.Message.Parts[n]
		rec := r.p.Part(e.ID, n+1)
		switch {
		case rec == nil:
			m.Parts = append(m.Parts, p)
		case rec.Action == plan.Drop:
		default:
			m.Parts = append(m.Parts, Part(p, rec, r.style))
		}
	}
	if allText(m.Parts) && m.Role == message.Tool {
		m.Role = message.User
		m.Raw, m.Dialect = nil, ""
	}
	return m
}

func allText(ps []message.Part) bool {
	for i := range ps {
		if ps[i].Kind != message.Text {
			return false
		}
	}
	return len(ps) > 0
}

// Part renders one part under its record. A result keeps its call id and changes its
// content; a call keeps its id and name and changes its arguments.
func Part(p message.Part, rec *plan.Record, s Style) message.Part {
	if rec.CallID != "" {
		p.CallID, p.Edited = rec.CallID, true
	}
	if rec.Kind == plan.Repaired && rec.Orphan {
		return message.Part{Kind: message.Text, Text: fmt.Sprintf("[tool result without its call, id %q]\n%s", p.CallID, p.Body()), Edited: true}
	}
	if rec.Kind == plan.Repaired {
		return p
	}
	text := s.text(rec)
	p.Edited = true
	switch {
	case rec.Orphan || p.Kind == message.Media || p.Kind == message.Opaque || p.Kind == message.Fixed:
		return message.Part{Kind: message.Text, Text: text, Edited: true}
	case p.Kind == message.Call:
		p.Args = text
	case p.Kind == message.Result:
		p.Parts = []message.Part{{Kind: message.Text, Text: text}}
	default:
		p.Text = text
	}
	return p
}

func (s Style) text(rec *plan.Record) string {
	switch rec.Action {
	case plan.Clear:
		return clearedText(rec)
	case plan.Externalize:
		return s.Pointer(rec)
	}
	return rec.Text
}

// queueAnswers queues the results that repairs give to unanswered calls of entry i.
func (r *renderer) queueAnswers(i int, e *thread.Entry) {
	if !r.p.Edits(e.ID) {
		return
	}
	for n := range e.Message.Parts {
		rec := r.p.Part(e.ID, n+1)
		if rec == nil || rec.Answer == "" {
			continue
		}
		r.pending = append(r.pending, pendingAnswer{Answer(Part(e.Message.Parts[n], rec, r.style), rec), i, rec})
	}
}

// Answer is the result message that a repair gives to an unanswered call.
func Answer(call message.Part, rec *plan.Record) message.Message {
	return message.Message{Role: message.Tool, Edited: true, Parts: []message.Part{{
		Kind: message.Result, CallID: call.CallID, Name: call.Name,
		Parts: []message.Part{{Kind: message.Text, Text: rec.Answer}},
	}}}
}

func withoutThinking(m message.Message) message.Message {
	if !m.Has(message.Thinking) {
		return m
	}
	kept := make([]message.Part, 0, len(m.Parts))
	for _, p := range m.Parts {
		if p.Kind != message.Thinking {
			kept = append(kept, p)
		}
	}
	m.Parts, m.Edited = kept, true
	return m
}

// cleared empties a whole message: its results, or all of its content when it
// has none. Calls keep their ids so that rounds stay paired.
func cleared(m message.Message, rec *plan.Record) message.Message {
	m.Edited = true
	if rs := m.Results(); len(rs) > 0 {
		ps := append([]message.Part(nil), m.Parts...)
		for _, n := range rs {
			ps[n].Parts = []message.Part{{Kind: message.Text, Text: clearedText(rec)}}
			ps[n].Edited = true
		}
		m.Parts = ps
		return m
	}
	return replacedText(m, clearedText(rec))
}

func replaced(m message.Message, rec *plan.Record) message.Message {
	m.Edited = true
	return replacedText(m, rec.Text)
}

// replacedText puts one text in place of everything but calls and results.
func replacedText(m message.Message, text string) message.Message {
	ps := []message.Part{{Kind: message.Text, Text: text, Edited: true}}
	for _, p := range m.Parts {
		if p.Kind == message.Call || p.Kind == message.Result {
			ps = append(ps, p)
		}
	}
	m.Parts = ps
	return m
}
