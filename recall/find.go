package recall

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

// Place holds what a reference points at: exactly one of its forms.
type Place struct {
	// Index is the position of a message, counted from 0, and Part one of its
	// parts, counted from 1; 0 is the whole message.
	Index, Part int
	Record      *plan.Record       // nil if the reference is no record's
	Version     int                // of the plan that holds Record
	Artifact    *artifact.Artifact // nil if it is no artifact's
}

const (
	// shortest is the least length of an abbreviated id; a shorter run of
	// digits is a message number.
	shortest = 6
	// versions states how many older plans are searched for a record.
	versions = 100
)

// Find resolves a reference: "#12" or "12" is the message with that number,
// counted from 1, "#12/2" its second part; an entry id, also with "/2"; a
// record's id ("r…") of this plan or an older one; an artifact's id ("a…").
// Ids may be abbreviated to six characters or more if nothing else begins so.
func (r *Reader) Find(ctx context.Context, ref string) (Place, error) {
	ref = strings.TrimSpace(ref)
	name, part, err := split(ref)
	if err != nil {
		return Place{}, err
	}
	if n, ok := number(name); ok {
		return r.message(ref, n-1, part)
	}
	if strings.HasPrefix(name, "r") && part == 0 {
		return r.record(ctx, ref)
	}
	return r.byID(ref, name, part)
}

// split cuts the part's number from a reference.
func split(ref string) (name string, part int, err error) {
	name, after, ok := strings.Cut(ref, "/")
	if !ok {
		return name, 0, nil
	}
	part, err = strconv.Atoi(after)
	if err != nil || part < 1 {
		return "", 0, fmt.Errorf("find %q: %w: a part is a number from 1, as in #12/2", ref, ErrMiss)
	}
	return name, part, nil
}

func number(name string) (int, bool) {
	digits, marked := strings.CutPrefix(name, "#")
	if !marked && len(digits) >= shortest {
		return 0, false
	}
	n, err := strconv.Atoi(digits)
	return n, err == nil
}

func (r *Reader) message(ref string, i, part int) (Place, error) {
	if i < 0 || i >= r.Thread.Len() {
		return Place{}, fmt.Errorf("find %q: %w: its messages are #1 to #%d", ref, ErrMiss, r.Thread.Len())
	}
	if n := len(r.Thread.At(i).Message.Parts); part > n {
		return Place{}, fmt.Errorf("find %q: %w: message #%d has %d parts", ref, ErrMiss, i+1, n)
	}
	return Place{Index: i, Part: part}, nil
}

// byID finds an artifact or an entry by its id or the beginning of one.
func (r *Reader) byID(ref, name string, part int) (Place, error) {
	if i, ok := r.Thread.Find(thread.ID(name)); ok {
		return r.message(ref, i, part)
	}
	var found []Place
	var names []string
	for i := range r.Artifacts {
		if a := &r.Artifacts[i]; part == 0 && begins(a.ID, name) {
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
		if id := string(r.Thread.At(i).ID); begins(id, name) {
			found, names = append(found, Place{Index: i, Part: part}), append(names, "#"+strconv.Itoa(i+1))
		}
	}
	p, err := only(ref, found, names)
	if err != nil || p.Artifact != nil {
		return p, err
	}
	return r.message(ref, p.Index, part)
}

func begins(id, prefix string) bool {
	return len(prefix) >= shortest && strings.HasPrefix(id, prefix)
}

func only(ref string, found []Place, names []string) (Place, error) {
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return Place{}, fmt.Errorf("find %q: %w", ref, ErrMiss)
	}
	return Place{}, fmt.Errorf("find %q: %w: it may be %s", ref, ErrMiss, strings.Join(names[:min(len(names), 5)], ", "))
}

// record looks in the plan in force, then in older ones, newest first.
func (r *Reader) record(ctx context.Context, ref string) (Place, error) {
	if r.Plan == nil {
		return Place{}, fmt.Errorf("find %q: %w: it has no plan", ref, ErrMiss)
	}
	oldest := max(1, r.Plan.Version-versions)
	for v := r.Plan.Version; v >= oldest; v-- {
		p := r.Plan
		if v != r.Plan.Version {
			var err error
			if p, err = r.store.PlanAt(ctx, r.key, v); errors.Is(err, store.ErrNotFound) {
				continue
			} else if err != nil {
				return Place{}, fmt.Errorf("find %q: %w", ref, err)
			}
		}
		found, names := r.records(p, ref)
		if len(found) > 0 {
			return only(ref, found, names)
		}
	}
	return Place{}, fmt.Errorf("find %q: %w", ref, ErrMiss)
}

// records returns those of a plan whose id begins with ref and whose messages this
// thread holds.
func (r *Reader) records(p *plan.Plan, ref string) (found []Place, names []string) {
	for i := range p.Records {
		rec := &p.Records[i]
		at, ok := r.Thread.Find(rec.Span.Start())
		if !ok || rec.ID != ref && !begins(rec.ID, ref) {
			continue
		}
		here := Place{Index: at, Part: rec.Span.Part, Record: rec, Version: p.Version}
		if rec.ID == ref {
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
