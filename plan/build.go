package plan

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/seed-3db51b0e/precis/ref"
	"github.com/seed-3db51b0e/precis/thread"
)

// Errors of Build and Parse; wrapped with the record and id they concern.
var (
	ErrUnknown   = errors.New("unknown message id")
	ErrEmptySpan = errors.New("empty span")
	ErrUnordered = errors.New("span out of order")
	ErrNoAction  = errors.New("unknown action")
	// ErrSplitRound: the prompt would show a tool call without its result, or a
	// result without its call.
	ErrSplitRound = errors.New("tool round is split")
)

// Build normalises p over the thread: every ref ends under one record, by
// precedence drop > externalize > summarize > clear > replace, and a
// whole-message record hides records on its parts. Where records overlap, the
// weaker one keeps what is left of its span and a warning says so. Ids the
// thread does not hold are refused, and so are records that take a tool call out
// of the prompt and leave its result there, or the reverse, without a repair. A
// call or a result that is alone in the log is not the plan's doing. Records come
// out in thread order, each with an ID derived from what it does.
func Build(p Plan, t *thread.Thread) (*Plan, error) {
	built, err := Rebuild(p, t)
	if err == nil {
		err = built.splits(t)
	}
	if err != nil {
		return nil, err
	}
	return built, nil
}

// Rebuild is Build for the records of an earlier plan, over a log that went on or
// changed since: they may split a round that was not complete then. It is for
// plans that are repaired before they are rendered, as each planning does first.
func Rebuild(p Plan, t *thread.Thread) (*Plan, error) {
	for i := range p.Records {
		if err := check(&p.Records[i], t); err != nil {
			return nil, fmt.Errorf("build plan: record %d: %w", i, err)
		}
	}
	p.Records, p.Warnings = resolve(p.Records, t)
	slices.SortStableFunc(p.Records, func(a, b Record) int {
		ai, _ := t.Find(a.Span.Start())
		bi, _ := t.Find(b.Span.Start())
		return cmp.Or(cmp.Compare(ai, bi), cmp.Compare(a.Span.Part, b.Span.Part))
	})
	for i := range p.Records {
		r := &p.Records[i]
		first, _ := t.Find(r.Span.Start())
		last, _ := t.Find(r.Span.End())
		r.Span.FirstTurn, r.Span.LastTurn = t.Turn(first), t.Turn(last)
		r.ID = r.identity()
	}
	p.index = indexed(p.Records)
	return &p, nil
}

func check(r *Record, t *thread.Thread) error {
	if _, ok := precedence[r.Action]; !ok || r.Action == Include {
		return fmt.Errorf("action %q: %w", r.Action, ErrNoAction)
	}
	if len(r.Span.IDs) == 0 || r.Span.Part < 0 || (r.Span.Part > 0 && len(r.Span.IDs) != 1) {
		return ErrEmptySpan
	}
	last := -1
	for n, i := range t.Positions(r.Span.IDs) {
		if i < 0 {
			return fmt.Errorf("message %s: %w", r.Span.IDs[n], ErrUnknown)
		}
		if i <= last {
			return fmt.Errorf("message %s: %w", r.Span.IDs[n], ErrUnordered)
		}
		last = i
	}
	if r.Span.Part > len(t.At(last).Message.Parts) {
		return fmt.Errorf("message %s part %d: %w", r.Span.IDs[0], r.Span.Part, ErrUnknown)
	}
	return nil
}

// resolve takes records strongest first and cuts from each what is taken.
func resolve(records []Record, t *thread.Thread) ([]Record, []string) {
	order := slices.Clone(records)
	slices.SortStableFunc(order, func(a, b Record) int { return precedence[b.Action] - precedence[a.Action] })
	c := claimed{t: t, whole: make([]uint8, t.Len()), parts: map[Ref]Action{}}
	var kept []Record
	for _, r := range order {
		if c.claim(&r) {
			kept = append(kept, r)
		}
	}
	kept = slices.DeleteFunc(kept, func(r Record) bool {
		if r.Span.Part == 0 {
			return false
		}
		by := c.wholeTakenBy(r.Span.Start())
		if by != "" {
			c.warn(Ref{r.Span.Start(), r.Span.Part}, r.Action, by)
		}
		return by != ""
	})
	return kept, c.warnings
}

// claimed holds what records have taken so far.
type claimed struct {
	t        *thread.Thread
	whole    []uint8 // precedence by position, 0 for free
	parts    map[Ref]Action
	warnings []string
}

// claim takes what is free of a record's span. It reports whether there was anything.
func (c *claimed) claim(r *Record) bool {
	if r.Span.Part > 0 {
		return c.claimPart(r)
	}
	taken := 0
	for n, i := range c.t.Positions(r.Span.IDs) {
		if c.whole[i] != 0 {
			c.warn(Ref{ID: r.Span.IDs[n]}, r.Action, actions[c.whole[i]])
			taken++
		}
	}
	if taken > 0 {
		free := make([]thread.ID, 0, len(r.Span.IDs)-taken)
		for n, i := range c.t.Positions(r.Span.IDs) {
			if c.whole[i] == 0 {
				free = append(free, r.Span.IDs[n])
			}
		}
		r.Span.IDs = free
	}
	for _, i := range c.t.Positions(r.Span.IDs) {
		c.whole[i] = uint8(precedence[r.Action])
	}
	return len(r.Span.IDs) > 0
}

func (c *claimed) claimPart(r *Record) bool {
	ref := Ref{r.Span.IDs[0], r.Span.Part}
	if by := cmp.Or(c.wholeTakenBy(ref.ID), c.parts[ref]); by != "" {
		c.warn(ref, r.Action, by)
		return false
	}
	c.parts[ref] = r.Action
	return true
}

// wholeTakenBy returns the action that took the whole message, "" for none.
func (c *claimed) wholeTakenBy(id thread.ID) Action {
	i, _ := c.t.Find(id)
	return actions[c.whole[i]]
}

func (c *claimed) warn(ref Ref, lost, by Action) {
	c.warnings = append(c.warnings, overlapWarning(ref, lost, by))
}

func overlapWarning(ref Ref, lost, by Action) string {
	return fmt.Sprintf("message %s: %s gives way to %s", ref, lost, by)
}

// identity derives the record's id from the fields that change what is rendered.
func (r Record) identity() string {
	h := sha256.New()
	var b []byte
	put := func(s string) {
		b = strconv.AppendInt(b, int64(len(s)), 10)
		b = append(b, ':')
		b = append(b, s...)
		if b = append(b, ';'); len(b) > 4096 {
			h.Write(b)
			b = b[:0]
		}
	}
	put(string(r.Action))
	put(string(r.Kind))
	put(strconv.Itoa(r.Span.Part))
	for _, id := range r.Span.IDs {
		put(string(id))
	}
	put(strconv.FormatBool(r.Orphan))
	for _, s := range []string{r.Text, r.CallID, r.Answer, r.Tool, r.Outcome, string(r.Fields), r.Artifact, r.Hint} {
		put(s)
	}
	for _, s := range r.Excerpts {
		put(s)
	}
	h.Write(b)
	return ref.RecordID(h.Sum(nil))
}

// ActionOf is the action on a whole message: Include when nothing covers it.
func (p *Plan) ActionOf(id thread.ID) Action {
	if r := p.Whole(id); r != nil {
		return r.Action
	}
	return Include
}

// Find returns the record with an id, or nil.
func (p *Plan) Find(record string) *Record {
	for i := range p.Records {
		if p.Records[i].ID == record {
			return &p.Records[i]
		}
	}
	return nil
}

// Restore rebuilds the index of a plan read from a store. Its records must be those
// of a built plan; they are not checked again.
func Restore(p Plan) *Plan {
	p.index = indexed(p.Records)
	return &p
}

// UnmarshalJSON restores a plan with its index.
func (p *Plan) UnmarshalJSON(b []byte) error {
	type plain Plan
	if err := json.Unmarshal(b, (*plain)(p)); err != nil {
		return fmt.Errorf("parse plan: %w", err)
	}
	p.index = indexed(p.Records)
	return nil
}

// String is the ref's text form: the id, and "/part" for a part.
func (r Ref) String() string {
	return ref.ID(string(r.ID), r.Part).String()
}
