package plan

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/seed-3db51b0e/precis/thread"
)

// Errors of Build and Parse; wrapped with the record and id they concern.
var (
	ErrUnknown   = errors.New("unknown message id")
	ErrEmptySpan = errors.New("empty span")
	ErrUnordered = errors.New("span out of order")
	ErrNoAction  = errors.New("unknown action")
)

// Build normalises p over the thread: every ref ends under one record, by
// precedence drop > externalize > summarize > clear > replace, and a
// whole-message record hides records on its parts. Where records overlap, the
// weaker one keeps what is left of its span and a warning says so. Ids the
// thread does not hold are refused. Records come out in thread order, each
// with an ID derived from what it does.
func Build(p Plan, t *thread.Thread) (*Plan, error) {
	for i := range p.Records {
		if err := check(&p.Records[i], t); err != nil {
			return nil, fmt.Errorf("build plan: record %d: %w", i, err)
		}
	}
	p.Records, p.Warnings = resolve(p.Records)
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
	p.reindex()
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
	for _, id := range r.Span.IDs {
		i, ok := t.Find(id)
		if !ok {
			return fmt.Errorf("message %s: %w", id, ErrUnknown)
		}
		if i <= last {
			return fmt.Errorf("message %s: %w", id, ErrUnordered)
		}
		last = i
	}
	if r.Span.Part > len(t.At(last).Message.Parts) {
		return fmt.Errorf("message %s part %d: %w", r.Span.IDs[0], r.Span.Part, ErrUnknown)
	}
	return nil
}

// resolve takes records strongest first and cuts from each what is taken.
func resolve(records []Record) ([]Record, []string) {
	order := slices.Clone(records)
	slices.SortStableFunc(order, func(a, b Record) int { return precedence[b.Action] - precedence[a.Action] })
	whole := map[thread.ID]Action{}
	parts := map[Ref]Action{}
	var kept []Record
	var warnings []string
	for _, r := range order {
		if r.Span.Part > 0 {
			ref := Ref{r.Span.IDs[0], r.Span.Part}
			if by, taken := covered(whole, parts, ref); taken {
				warnings = append(warnings, overlap(ref, r.Action, by))
				continue
			}
			parts[ref] = r.Action
			kept = append(kept, r)
			continue
		}
		free := make([]thread.ID, 0, len(r.Span.IDs))
		for _, id := range r.Span.IDs {
			if by, taken := whole[id]; taken {
				warnings = append(warnings, overlap(Ref{ID: id}, r.Action, by))
				continue
			}
			whole[id] = r.Action
			free = append(free, id)
		}
		if len(free) > 0 {
			r.Span.IDs = free
			kept = append(kept, r)
		}
	}
	kept = slices.DeleteFunc(kept, func(r Record) bool {
		by, taken := whole[r.Span.IDs[0]]
		if r.Span.Part > 0 && taken {
			warnings = append(warnings, overlap(Ref{r.Span.IDs[0], r.Span.Part}, r.Action, by))
		}
		return r.Span.Part > 0 && taken
	})
	return kept, warnings
}

func covered(whole map[thread.ID]Action, parts map[Ref]Action, ref Ref) (Action, bool) {
	if by, ok := whole[ref.ID]; ok {
		return by, true
	}
	by, ok := parts[ref]
	return by, ok
}

func overlap(ref Ref, lost, by Action) string {
	return fmt.Sprintf("message %s: %s gives way to %s", ref, lost, by)
}

// identity derives the record's id from what it does, not from what it tells.
func (r Record) identity() string {
	h := sha256.New()
	put := func(s string) { fmt.Fprintf(h, "%d:%s;", len(s), s) }
	put(string(r.Action))
	put(string(r.How))
	put(strconv.Itoa(r.Span.Part))
	for _, id := range r.Span.IDs {
		put(string(id))
	}
	put(strconv.FormatBool(r.Orphan))
	for _, s := range []string{r.Text, r.CallID, r.Answer, r.Tool, r.Outcome, string(r.Fields), r.Artifact, r.Hint} {
		put(s)
	}
	return "r" + hex.EncodeToString(h.Sum(nil)[:6])
}

func (p *Plan) reindex() {
	p.index = make(map[thread.ID]cover, len(p.Records))
	for i := range p.Records {
		s := &p.Records[i].Span
		for _, id := range s.IDs {
			c, ok := p.index[id]
			if !ok {
				c.whole = -1
			}
			if s.Part == 0 {
				c.whole = i
			} else {
				if c.parts == nil {
					c.parts = map[int]int{}
				}
				c.parts[s.Part] = i
			}
			p.index[id] = c
		}
	}
}

// Whole returns the record that covers the whole message, or nil.
func (p *Plan) Whole(id thread.ID) *Record {
	if c, ok := p.index[id]; ok && c.whole >= 0 {
		return &p.Records[c.whole]
	}
	return nil
}

// Part returns the record on part n (counted from 1) of a message, or nil.
func (p *Plan) Part(id thread.ID, n int) *Record {
	if c, ok := p.index[id]; ok {
		if i, ok := c.parts[n]; ok {
			return &p.Records[i]
		}
	}
	return nil
}

// Touches says whether any record covers the message or a part of it.
func (p *Plan) Touches(id thread.ID) bool {
	_, ok := p.index[id]
	return ok
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

// UnmarshalJSON restores a plan with its index.
func (p *Plan) UnmarshalJSON(b []byte) error {
	type plain Plan
	if err := json.Unmarshal(b, (*plain)(p)); err != nil {
		return fmt.Errorf("parse plan: %w", err)
	}
	p.reindex()
	return nil
}

// String is the ref's text form: the id, and "/part" for a part.
func (r Ref) String() string {
	if r.Part == 0 {
		return string(r.ID)
	}
	return fmt.Sprintf("%s/%d", r.ID, r.Part)
}
