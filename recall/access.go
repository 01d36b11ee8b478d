package recall

import (
	"errors"
	"fmt"
	"slices"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/thread"
)

// For is the reader as a requester may see it: the content of an
// artifact that Artifact.Allowed refuses is artifact.ErrDenied, and where the
// log holds it, a line in brackets stands in its place. Where nothing is refused
// it is r itself. To a requester of another tenant all of it is ErrDenied.
func (r *Reader) For(who artifact.Requester) (*Reader, error) {
	if who.Tenant != r.key.Tenant {
		return nil, fmt.Errorf("read thread as %q: %w: it belongs to another tenant", who.ID, artifact.ErrDenied)
	}
	earlier := make([]*Reader, len(r.earlier))
	for i, e := range r.earlier {
		var err error
		if earlier[i], err = e.For(who); err != nil {
			return nil, err
		}
	}
	isRefused := slices.ContainsFunc(r.Artifacts, func(a artifact.Artifact) bool { return a.Allowed(who) != nil })
	if !isRefused && slices.Equal(earlier, r.earlier) {
		return r, nil
	}
	v := &Reader{Thread: r.Thread, Plan: r.Plan, Artifacts: r.Artifacts, store: r.store, key: r.key, now: r.now, partial: r.partial, label: r.label, earlier: earlier}
	if !isRefused {
		v.Index = r.Index
		return v, nil
	}
	v.who = &who // without an index of meaning, which knows the texts as they are
	var err error
	if v.Thread, err = v.withheldFrom(r.Thread); err != nil {
		return nil, fmt.Errorf("read thread as %q: %w", who.ID, err)
	}
	return v, nil
}

// withheldFrom returns a thread without what this view does not show.
func (r *Reader) withheldFrom(t *thread.Thread) (*thread.Thread, error) {
	entries := make([]thread.Entry, t.Len())
	for i := range entries {
		entries[i] = *t.At(i)
		m := &entries[i].Message
		m.Parts = slices.Clone(m.Parts)
		for n := range m.Parts {
			if err := r.refused(entries[i].ID, n+1); err != nil {
				m.Parts[n], m.Raw = withheld(m.Parts[n], err), nil
			}
		}
	}
	return thread.New(entries)
}

// refused is why this view does not show a part of an entry, nil if it does.
func (r *Reader) refused(id thread.ID, part int) error {
	if r.who == nil {
		return nil
	}
	for _, n := range r.takenFrom(id) {
		if a := &r.Artifacts[n]; a.Part == 0 || a.Part == part {
			if err := a.Allowed(*r.who); err != nil {
				return err
			}
		}
	}
	return nil
}

// denied is why this view shows nothing of a place, nil if it shows something.
func (r *Reader) denied(p Place) error {
	switch {
	case r.who == nil:
		return nil
	case p.Artifact != nil:
		return p.Artifact.Allowed(*r.who)
	case p.Part > 0:
		return r.refused(r.Thread.At(p.Index).ID, p.Part)
	}
	e := r.Thread.At(p.Index)
	if p.Record == nil && len(e.Message.Parts) == 1 {
		return r.refused(e.ID, 1)
	}
	return nil
}

// withheld returns what stands for a part that is not shown. Calls and results keep
// their ids and names, so that rounds stay whole.
func withheld(p message.Part, why error) message.Part {
	text := "[withheld: it belongs to another tenant]"
	var denied *artifact.AccessError
	if errors.As(why, &denied) && denied.Missing != "" {
		text = "[withheld: reading it takes the permission " + denied.Missing + "]"
	}
	out := message.Part{Kind: p.Kind, CallID: p.CallID, Name: p.Name, Failed: p.Failed}
	switch p.Kind {
	case message.Call:
		out.Args = text
	case message.Result:
		out.Parts = []message.Part{{Kind: message.Text, Text: text}}
	default:
		out.Kind, out.Text = message.Text, text
	}
	return out
}
