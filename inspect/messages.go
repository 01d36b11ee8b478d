package inspect

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/recall"
	"github.com/seed-3db51b0e/precis/store"
)

// Card is one message of the log at a step.
type Card struct {
	Number int       `json:"number"` // counted from 1
	ID     string    `json:"id"`
	Turn   int       `json:"turn"`
	Role   string    `json:"role"`
	Tool   string    `json:"tool,omitempty"`
	Tokens int       `json:"tokens"` // as logged
	Now    int       `json:"now"`    // of them, what is in the prompt
	State  State     `json:"state"`
	Record string    `json:"record,omitempty"`
	Row    int       `json:"row,omitempty"` // of the prompt that stands for it; 0: none
	Pinned bool      `json:"pinned,omitempty"`
	Held   bool      `json:"held,omitempty"`
	Erased bool      `json:"erased,omitempty"`
	Time   time.Time `json:"time,omitzero"`
	Text   string    `json:"text"`
	Bytes  int       `json:"bytes"`
}

// Messages are a part of the log as a step has it.
type Messages struct {
	Page
	Step     int    `json:"step"`
	Messages []Card `json:"messages"`
}

func messagesOf(v *view, r *http.Request) (any, error) {
	n, err := v.stepIn(r)
	if err != nil {
		return nil, err
	}
	p, err := v.prompt(r.Context(), n)
	if err != nil {
		return nil, err
	}
	from, to, err := pageOf(r, p.n, 500)
	if err != nil {
		return nil, err
	}
	out := Messages{Page: Page{from, p.n}, Step: n, Messages: make([]Card, 0, to-from)}
	calls := v.tools()
	marks := marksOf(p.plan)
	for i := from; i < to; i++ {
		out.Messages = append(out.Messages, v.card(p, marks, calls, i))
	}
	return out, nil
}

// tools maps calls to their tools; the reader of a thread is asked once.
func (v *view) tools() map[string]string {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.calls == nil {
		v.calls = recall.Tools(v.t)
	}
	return v.calls
}

// marks are the pins and holds of a plan, by message.
type marks struct{ pinned, held map[string]bool }

func marksOf(p *sketch) marks {
	m := marks{map[string]bool{}, map[string]bool{}}
	if p != nil {
		for _, x := range p.Pins {
			m.pinned[string(x.ID)] = true
		}
		for _, x := range p.Holds {
			m.held[string(x.ID)] = true
		}
	}
	return m
}

func (v *view) card(p *prompt, m marks, calls map[string]string, i int) Card {
	e, s := v.t.At(i), p.stands[i]
	c := Card{
		Number: i + 1, ID: string(e.ID), Turn: v.t.Turn(i), Role: string(role(e.Message)), Tool: toolOf(e.Message, calls),
		Tokens: e.Tokens, Now: s.tokens, State: s.state, Row: int(p.at[i]), Erased: e.Erased, Time: e.Message.Time,
		Pinned: m.pinned[string(e.ID)], Held: m.held[string(e.ID)],
		Text: oneline.Start(textOfMessage(e.Message, calls), 300), Bytes: lengthOf(e.Message),
	}
	if s.record != nil {
		c.Record = s.record.ID
	}
	if s.state == Summarized || s.state == Externalized && s.record.Span.Part == 0 {
		c.Now = 0 // what stands for it is another text
	}
	return c
}

// at is the position that a request names by its number.
func (v *view) at(r *http.Request) (int, error) {
	n, err := strconv.Atoi(r.PathValue("n"))
	if err != nil || n < 1 || n > v.t.Len() {
		return 0, fault{http.StatusNotFound, "not_found", fmt.Sprintf("this thread has the messages 1 to %d", v.t.Len())}
	}
	return n - 1, nil
}

func textOf(v *view, r *http.Request) (any, error) {
	i, err := v.at(r)
	if err != nil {
		return nil, err
	}
	return pieceOf(textOfMessage(v.t.At(i).Message, v.tools()), r)
}

// Life is the state of a message under one version of the plan.
type Life struct {
	Version  int       `json:"plan_version"`
	Created  time.Time `json:"created"`
	State    State     `json:"state"`
	Record   string    `json:"record,omitempty"`
	Strategy string    `json:"strategy,omitempty"`
	Reason   string    `json:"reason,omitempty"`
	Freed    int       `json:"freed_tokens,omitempty"` // by the whole record
	First    int       `json:"first,omitempty"`        // messages of the record
	Last     int       `json:"last,omitempty"`
}

// Reference is a message or record that points at a message.
type Reference struct {
	Kind   string `json:"kind"` // summary, call, result, record
	Number int    `json:"number,omitempty"`
	Record string `json:"record,omitempty"`
	Text   string `json:"text"`
}

// Message is a message with its life.
type Message struct {
	Card
	Life       []Life      `json:"life"`
	References []Reference `json:"references"`
	Variants   int         `json:"variants"` // other raw forms that came
	// Return is the cost of bringing it back; nil where it stands in the prompt.
	Return *Cost `json:"return,omitempty"`
}

func (a *api) message(v *view, r *http.Request) (any, error) {
	i, err := v.at(r)
	if err != nil {
		return nil, err
	}
	p, err := v.prompt(r.Context(), len(v.steps))
	if err != nil {
		return nil, err
	}
	now, err := v.whole(r.Context(), v.current())
	if err != nil {
		return nil, err
	}
	m := Message{Card: v.card(p, marksOf(p.plan), v.tools(), i), Life: v.life(i), References: v.references(i, now)}
	if vs, err := a.store.Variants(r.Context(), v.head.Key, v.t.ID(i)); err == nil {
		m.Variants = len(vs)
	}
	if m.State == Whole || m.State == Returned || r.URL.Query().Has("sim") {
		return m, nil
	}
	next, err := a.preview(r.Context(), v, func(ctx context.Context, e *precis.Engine) (*plan.Plan, error) {
		return e.ExpandMessage(ctx, v.head.Key.Thread, v.t.ID(i))
	})
	if errors.Is(err, precis.ErrNoRecord) || errors.Is(err, store.ErrErased) {
		return m, nil
	}
	if err != nil {
		return nil, err
	}
	m.Return = v.cost(sketchOf(v.t, next))
	return m, nil
}

// life lists the versions that changed what stands for a message.
func (v *view) life(i int) []Life {
	out := []Life{}
	var before *sketch
	last := Life{State: Whole}
	for _, p := range v.plans {
		if p.ThreadVersion > i {
			at := lifeIn(p, before, i)
			if at.State != last.State || at.Record != last.Record {
				out = append(out, at)
			}
			last = at
		}
		before = p
	}
	return out
}

func lifeIn(p, before *sketch, i int) Life {
	at := Life{Version: p.Version, Created: p.CreatedAt, State: Whole}
	c := p.over(i)
	if c == nil {
		if before.over(i) != nil {
			at.State = Returned
		}
		return at
	}
	at.State = stateOf(&c.Record)
	at.Record, at.Strategy, at.Reason, at.Freed = c.ID, c.Strategy, c.Reason, c.Saves
	at.First, at.Last = c.first()+1, c.last()+1
	return at
}

// span is the first and last message of a record, counted from 1.
func (v *view) span(r *plan.Record) (first, last int) {
	from, _ := v.t.Find(r.Span.Start())
	to, _ := v.t.Find(r.Span.End())
	return from + 1, to + 1
}

// references lists what points at a message: the call or result it belongs to, and the
// lines of the summary in force that came from it.
func (v *view) references(i int, p *plan.Plan) []Reference {
	out := []Reference{}
	for _, pair := range v.t.Pairs(v.t.UnitOf(i)) {
		if !pair.Complete() {
			continue
		}
		var r Reference
		switch i {
		case pair.Call.Index:
			r = Reference{Kind: "result", Number: pair.Result.Index + 1, Text: "its result"}
		case pair.Result.Index:
			r = Reference{Kind: "call", Number: pair.Call.Index + 1, Text: "the call it answers"}
		}
		if r.Number > 0 && !slices.Contains(out, r) {
			out = append(out, r)
		}
	}
	if p != nil {
		for _, line := range linesOf(p) {
			if line.From == i+1 {
				out = append(out, Reference{Kind: "summary", Record: line.Record, Text: line.Section + ": " + line.Text})
			}
		}
		names := "#" + strconv.Itoa(i+1)
		for x := range p.Records {
			if r := &p.Records[x]; mentions(r.Text, names) && r.Summary == nil {
				out = append(out, Reference{Kind: "record", Record: r.ID, Text: oneline.Start(r.Text, 160)})
			}
		}
	}
	return out
}

// mentions reports whether a text holds a message's name, and not that of a longer number.
func mentions(text, name string) bool {
	for at := 0; ; {
		i := strings.Index(text[at:], name)
		if i < 0 {
			return false
		}
		end := at + i + len(name)
		if end == len(text) || text[end] < '0' || text[end] > '9' {
			return true
		}
		at = end
	}
}
