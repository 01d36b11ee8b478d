// Package recall reads back what a prompt leaves out: any message, part,
// record or artifact of a thread, by the ids that pointers and reports name.
//
// Use: Open a thread, then Read, Grep, Search, Describe, List. Law: a reference
// means something only within its thread and tenant, and nothing here changes what
// is stored. Promise: what Read returns is what was logged, byte for byte, but for
// pictures in results, which are named. Every answer is bounded and says how to get
// the rest. What is not there is ErrMiss, with the reason.
package recall

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

var (
	// ErrMiss is wrapped when a reference names nothing, or more than one
	// thing, in this thread; the text says which.
	ErrMiss = errors.New("not in this thread")
	// ErrOutside is wrapped beside ErrMiss where a reference names something, and what is
	// asked of it is not in it: lines that it does not have, a pattern that no line matches.
	ErrOutside = errors.New("outside of it")
	// ErrExpired is wrapped when an artifact's time is over.
	ErrExpired = errors.New("expired")
	// ErrSealed is wrapped when an artifact's content is encrypted and was not
	// opened by the store.
	ErrSealed = errors.New("sealed")
)

// Reader answers questions about one thread as it was when it was opened. Safe
// for concurrent use.
type Reader struct {
	Thread    *thread.Thread
	Plan      *plan.Plan          // in force, nil if there is none
	Artifacts []artifact.Artifact // of the thread, without content
	// Index adds nearness of meaning to Search; nil leaves it to words. Set it
	// before the first Search.
	Index Index
	indexes
	store store.Store
	key   store.Key
	now   time.Time
	who   *artifact.Requester // whose view this is, nil if it shows everything
	// partial is set where the store's thread may hold more than Thread: see OpenView.
	partial bool
	// earlier are the threads that this one goes on from, the nearest first, and label
	// stands before their references.
	earlier []*Reader
	label   string
}

// indexes are made when somebody first asks.
type indexes struct {
	words bm25
	moves moves
}

// moves holds which artifacts were taken from an entry.
type moves struct {
	once sync.Once
	from map[thread.ID][]int
}

// takenFrom returns the positions in Artifacts of those that were taken from an entry.
func (r *Reader) takenFrom(id thread.ID) []int {
	r.moves.once.Do(func() {
		r.moves.from = map[thread.ID][]int{}
		for n := range r.Artifacts {
			source := r.Artifacts[n].Source
			r.moves.from[source] = append(r.moves.from[source], n)
		}
	})
	return r.moves.from[id]
}

// Open loads a thread, with those that it goes on from. The time decides which
// artifacts have expired. It returns store.ErrNotFound for an unknown thread.
func Open(ctx context.Context, s store.Store, k store.Key, now time.Time) (*Reader, error) {
	entries, err := s.Load(ctx, k)
	if err != nil {
		return nil, fmt.Errorf("open thread %s: %w", k.Thread, err)
	}
	t, err := thread.New(entries)
	if err != nil {
		return nil, fmt.Errorf("open thread %s: %w", k.Thread, err)
	}
	p, err := s.Plan(ctx, k)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, fmt.Errorf("read plan of %s: %w", k.Thread, err)
	}
	r := &Reader{Thread: t, Plan: p, store: s, key: k, now: now}
	if r.Artifacts, err = s.ArtifactList(ctx, k); err != nil {
		return nil, fmt.Errorf("list artifacts of %s: %w", k.Thread, err)
	}
	before, err := store.Earlier(ctx, s, k)
	if err == nil {
		err = r.open(ctx, before)
	}
	return r, err
}

// View is a thread as one request has it: its messages, the plan that its prompt
// was made with, nil for none, and the threads that it goes on from, the nearest first.
type View struct {
	Thread  *thread.Thread
	Plan    *plan.Plan
	Earlier []store.Origin
}

// OpenView opens what a request's own history shows of a thread, and nothing that
// others added to the thread since: whoever asks learns only what they sent. The store
// is asked for artifacts and older plans.
func OpenView(ctx context.Context, s store.Store, k store.Key, now time.Time, v View) (*Reader, error) {
	list, err := s.ArtifactList(ctx, k)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, fmt.Errorf("list artifacts of %s: %w", k.Thread, err)
	}
	r := &Reader{Thread: v.Thread, Plan: v.Plan, store: s, key: k, now: now, partial: true}
	for _, a := range list {
		if _, seen := v.Thread.Find(a.Source); seen {
			r.Artifacts = append(r.Artifacts, a)
		}
	}
	return r, r.open(ctx, v.Earlier)
}

// shows reports whether a plan was made from no more than this thread.
func (r *Reader) shows(p *plan.Plan) bool {
	if !r.partial {
		return true
	}
	_, ok := r.Thread.Find(p.Base)
	return ok
}

// content is the content of an artifact, as text. A store that opens what it
// sealed hands it over without a key id.
func (r *Reader) content(ctx context.Context, a artifact.Artifact) (string, error) {
	if a.Expired(r.now) {
		return "", fmt.Errorf("read artifact %s: %w on %s", a.ID, ErrExpired, a.Created.Add(a.TTL).Format(time.DateTime))
	}
	if r.who != nil {
		if err := a.Allowed(*r.who); err != nil {
			return "", err
		}
	}
	full, err := r.store.Artifact(ctx, r.key, a.ID)
	if err != nil {
		return "", fmt.Errorf("read artifact %s: %w", a.ID, err)
	}
	if full.KeyID != "" {
		return "", fmt.Errorf("read artifact %s: %w with key %s", a.ID, ErrSealed, full.KeyID)
	}
	return r.readable(a, string(full.Content)), nil
}

// readable is the content of an artifact as its result is read, where it is the JSON of one
// that the log holds.
func (r *Reader) readable(a artifact.Artifact, content string) string {
	i, ok := r.Thread.Find(a.Source)
	if !ok || a.Part <= 0 || a.Part > len(r.Thread.At(i).Message.Parts) {
		return content
	}
	if p := r.Thread.At(i).Message.Parts[a.Part-1]; p.Kind == message.Result && mixed(p) && string(p.Raw) == content {
		return Text(p)
	}
	return content
}

// Text is the readable text of one part: what the model read or wrote. A result with
// pictures is its text, with a line in brackets for each of them. Media of a message and
// parts nothing is known about are their provider's JSON.
func Text(p message.Part) string {
	switch {
	case p.Kind == message.Media && p.URL != "" && len(p.Raw) == 0:
		return p.URL
	case p.Kind == message.Media, p.Kind == message.Opaque, p.Kind == message.Fixed:
		return string(p.Raw)
	case p.Kind == message.Result && mixed(p):
		return below(p.Parts)
	}
	return p.Body()
}

// below is the text of a result's parts, one below the other.
func below(parts []message.Part) string {
	var b strings.Builder
	for _, p := range parts {
		if b.Len() > 0 && !strings.HasSuffix(b.String(), "\n") {
			b.WriteByte('\n')
		}
		if p.Kind == message.Media {
			b.WriteString(Named(p))
			continue
		}
		b.WriteString(Text(p))
	}
	return b.String()
}

// Named says what a picture or a file is, where its bytes would say nothing to a reader.
func Named(media message.Part) string {
	return "[" + cmp.Or(media.MediaType, "picture or file") + "]"
}

// mixed reports whether a result holds more than text.
func mixed(p message.Part) bool {
	for i := range p.Parts {
		if p.Parts[i].Kind != message.Text {
			return true
		}
	}
	return false
}

// RoleOf is who speaks in a message as people see it: one that holds results is
// a tool's, whatever role its provider gives it.
func RoleOf(m message.Message) message.Role {
	if m.Has(message.Result) {
		return message.Tool
	}
	return m.Role
}

// Tools maps the id of each tool call to its tool: results seldom name it.
func Tools(t *thread.Thread) map[string]string {
	names := map[string]string{}
	for i := range t.Len() {
		for _, p := range t.At(i).Message.Parts {
			if p.Kind == message.Call {
				names[p.CallID] = p.Name
			}
		}
	}
	return names
}

// State reports what stands in the prompt for a part of a message, or for the
// whole of it (part 0): "whole", "edited" when some parts are replaced, or what
// the record does ("summarize", "preview", "clear", …).
func State(p *plan.Plan, id thread.ID, part int) string {
	if p == nil || !p.Touches(id) {
		return "whole"
	}
	if rec := p.Whole(id); rec != nil {
		return Act(rec)
	}
	if part == 0 {
		return "edited"
	}
	if rec := p.Part(id, part); rec != nil {
		return Act(rec)
	}
	return "whole"
}

// Act names what a record does: the kind of replacement, else the action.
func Act(rec *plan.Record) string {
	if rec.Action == plan.Replace {
		return string(rec.Kind)
	}
	return string(rec.Action)
}
