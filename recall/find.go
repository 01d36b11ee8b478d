package recall

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/internal/timeline"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/ref"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

// Place holds what a reference points at: exactly one of its forms.
type Place struct {
	// Index is the position of a message, counted from 0, and Part one of its
	// parts, counted from 1; 0 is the whole message.
	Index, Part int
	Record      *plan.Record // nil if the reference is no record's
	Version     int          // of the plan that holds Record
	// Path is the logical path that named Record: it stands for the record's summary and
	// the list of what lies behind it, not for the messages.
	Path     string
	Artifact *artifact.Artifact // nil if it is no artifact's
}

// versions states how many older plans are searched for a record.
const versions = 100

// Find resolves a reference as package ref reads it: to a message or a part, an
// entry, a record of this plan or an older one, an artifact, or a block by its logical
// path. Ids may be abbreviated if nothing else begins so.
func (r *Reader) Find(ctx context.Context, text string) (Place, error) {
	text = strings.TrimSpace(text)
	at, err := ref.Parse(text)
	if err != nil {
		return Place{}, fmt.Errorf("find %q: %w: %w", text, ErrMiss, err)
	}
	switch at.Kind {
	case ref.ToMessage:
		return r.message(text, at.N-1, at.Part)
	case ref.ToRecord:
		return r.record(ctx, text)
	case ref.ToID:
		return r.byID(text, at.ID, at.Part)
	case ref.ToSummary:
		return r.summary(ctx, text)
	}
	return r.block(text, at)
}

func (r *Reader) message(text string, i, part int) (Place, error) {
	if i < 0 || i >= r.Thread.Len() {
		return Place{}, fmt.Errorf("find %q: %w: its messages are #1 to %s", text, ErrMiss, ref.Message(r.Thread.Len()))
	}
	if n := len(r.Thread.At(i).Message.Parts); part > n {
		return Place{}, fmt.Errorf("find %q: %w: message %s has %s", text, ErrMiss, ref.Message(i+1), many(n, "part"))
	}
	return Place{Index: i, Part: part}, nil
}

// byID finds an artifact or an entry by its id or the beginning of one.
func (r *Reader) byID(text, name string, part int) (Place, error) {
	if i, ok := r.Thread.Find(thread.ID(name)); ok {
		return r.message(text, i, part)
	}
	var found []Place
	var names []string
	for i := range r.Artifacts {
		if a := &r.Artifacts[i]; part == 0 && ref.Abbreviates(name, a.ID) {
			p := Place{Artifact: a}
			if at, ok := r.Thread.Find(a.Source); ok {
				p.Index, p.Part = at, a.Part
			}
			if a.ID == name {
				return p, nil
			}
			found, names = append(found, p), append(names, a.ID)
		}
	}
	for i := range r.Thread.Len() {
		if id := string(r.Thread.At(i).ID); ref.Abbreviates(name, id) {
			found, names = append(found, Place{Index: i, Part: part}), append(names, ref.Message(i+1).String())
		}
	}
	p, err := only(text, found, names)
	if err != nil || p.Artifact != nil {
		return p, err
	}
	return r.message(text, p.Index, part)
}

func only(text string, found []Place, names []string) (Place, error) {
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return Place{}, fmt.Errorf("find %q: %w", text, ErrMiss)
	}
	return Place{}, fmt.Errorf("find %q: %w: it may be %s", text, ErrMiss, strings.Join(names[:min(len(names), 5)], ", "))
}

// block finds a call, a result or another block by its logical path.
func (r *Reader) block(text string, at ref.Ref) (Place, error) {
	if at.Kind == ref.ToBlock {
		if i := at.N - 1; i >= 0 && i < r.Thread.Len() && r.Thread.Turn(i) == at.Turn {
			return Place{Index: i}, nil
		}
		return Place{}, fmt.Errorf("find %q: %w: message %s is of another turn", text, ErrMiss, ref.Message(at.N))
	}
	kind := map[ref.Kind]message.Kind{ref.ToCall: message.Call, ref.ToResult: message.Result}[at.Kind]
	for i := range r.Thread.Len() {
		if r.Thread.Turn(i) != at.Turn {
			continue
		}
		for n, p := range r.Thread.At(i).Message.Parts {
			if p.Kind == kind && p.CallID == at.ID {
				return Place{Index: i, Part: n + 1}, nil
			}
		}
	}
	return Place{}, fmt.Errorf("find %q: %w: turn %d has no such %s", text, ErrMiss, at.Turn, kind)
}

// summary finds the record of a summary by its logical path.
func (r *Reader) summary(ctx context.Context, path string) (Place, error) {
	p, err := r.inPlans(ctx, path, func(p *plan.Plan) (found []Place, names []string) {
		for i := range p.Records {
			rec := &p.Records[i]
			if at, ok := r.Thread.Find(rec.Span.Start()); ok && len(rec.Meta) > 0 && metaOf(rec).Path == path {
				return []Place{{Index: at, Record: rec, Version: p.Version}}, []string{rec.ID}
			}
		}
		return nil, nil
	})
	p.Path = path
	return p, err
}

// metaOf is what a summary notes about what lies behind it; zero for other records.
func metaOf(rec *plan.Record) (m timeline.Meta) {
	if json.Unmarshal(rec.Meta, &m) != nil {
		return timeline.Meta{}
	}
	return m
}

func (r *Reader) record(ctx context.Context, text string) (Place, error) {
	return r.inPlans(ctx, text, func(p *plan.Plan) ([]Place, []string) { return r.records(p, text) })
}

// inPlans looks in the plan in force, then in older ones, newest first.
func (r *Reader) inPlans(ctx context.Context, text string, find func(*plan.Plan) ([]Place, []string)) (Place, error) {
	if r.Plan == nil {
		return Place{}, fmt.Errorf("find %q: %w: it has no plan", text, ErrMiss)
	}
	oldest := max(1, r.Plan.Version-versions)
	for v := r.Plan.Version; v >= oldest; v-- {
		p := r.Plan
		if v != r.Plan.Version {
			var err error
			if p, err = r.store.PlanAt(ctx, r.key, v); errors.Is(err, store.ErrNotFound) {
				continue
			} else if err != nil {
				return Place{}, fmt.Errorf("find %q: %w", text, err)
			}
			if !r.shows(p) {
				continue
			}
		}
		found, names := find(p)
		if len(found) > 0 {
			return only(text, found, names)
		}
	}
	return Place{}, fmt.Errorf("find %q: %w", text, ErrMiss)
}

// records returns those of a plan whose id begins with text and whose messages this
// thread holds.
func (r *Reader) records(p *plan.Plan, text string) (found []Place, names []string) {
	for i := range p.Records {
		rec := &p.Records[i]
		at, ok := r.Thread.Find(rec.Span.Start())
		if !ok || rec.ID != text && !ref.Abbreviates(text, rec.ID) {
			continue
		}
		here := Place{Index: at, Part: rec.Span.Part, Record: rec, Version: p.Version}
		if rec.ID == text {
			return []Place{here}, []string{rec.ID}
		}
		found, names = append(found, here), append(names, rec.ID)
	}
	return found, names
}

// Covering returns the records of the plan in force over a place: the record
// itself, the one over the whole message, or those on the part or parts.
func (r *Reader) Covering(p Place) []*plan.Record {
	if r.Plan == nil {
		return nil
	}
	if p.Record != nil {
		if rec := r.Plan.Find(p.Record.ID); rec != nil {
			return []*plan.Record{rec}
		}
		return nil
	}
	e := r.Thread.At(p.Index)
	if rec := r.Plan.Whole(e.ID); rec != nil {
		return []*plan.Record{rec}
	}
	var out []*plan.Record
	for n := range e.Message.Parts {
		if rec := r.Plan.Part(e.ID, n+1); rec != nil && (p.Part == 0 || p.Part == n+1) {
			out = append(out, rec)
		}
	}
	return out
}
