package history

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

// Erased is what an erasure found.
type Erased struct {
	// Threads had the message, first the one that was asked for: none where nothing was
	// erased.
	Threads []store.Key
	// Message is what was logged, the zero entry where it could not be read.
	Message thread.Entry
	to      thread.ID // the entry that it is an answer to, "" for none
	unread  error     // why the thread could not be read
}

// beforeErasure reads what there is to know of a message before it is erased. A message that
// cannot be read is erased all the same.
func (h *History) beforeErasure(ctx context.Context, k store.Key, id thread.ID) (x Erased) {
	es, err := h.Store.Load(ctx, k)
	if err != nil {
		x.unread = fmt.Errorf("load thread: %w", err)
	}
	if i := slices.IndexFunc(es, func(e thread.Entry) bool { return e.ID == id }); i >= 0 {
		x.Message, x.to = es[i], answeredBy(es, i)
	}
	return x
}

// Erase removes what one logged message said, of a thread and of all its branches and
// parents that have it, and forgets every session. EraseCopies must follow.
func (h *History) Erase(ctx context.Context, k store.Key, id thread.ID, why artifact.Tombstone) (x Erased, err error) {
	x = h.beforeErasure(ctx, k, id)
	if err := h.Store.EraseEntry(ctx, k, id, why); err != nil {
		return x, err
	}
	defer h.Sessions.Erased()
	x.Threads = []store.Key{k}
	family, err := h.Family(ctx, k)
	for _, head := range family {
		if head.Key == k {
			continue
		}
		err := h.Store.EraseEntry(ctx, head.Key, id, why) // it may have an entry of its own with that id
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return x, fmt.Errorf("erase it in %s: %w", head.Key.Thread, err)
		}
		x.Threads = append(x.Threads, head.Key)
	}
	return x, err
}

// Family lists the threads that were forked from the same one as a thread, with that one
// and the thread itself.
func (h *History) Family(ctx context.Context, k store.Key) ([]store.Head, error) {
	heads, err := h.Store.Heads(ctx, k.Tenant)
	if err != nil {
		return nil, fmt.Errorf("list threads: %w", err)
	}
	parents := parentsOf(heads)
	root := func(name string) string {
		for parents[name] != "" {
			name = parents[name]
		}
		return name
	}
	of := root(k.Thread)
	return slices.DeleteFunc(heads, func(head store.Head) bool { return root(head.Key.Thread) != of }), nil
}

// parentsOf returns what threads were forked from, by name; "" for nothing.
func parentsOf(heads []store.Head) map[string]string {
	parents := make(map[string]string, len(heads))
	for i := range heads {
		parents[heads[i].Key.Thread] = heads[i].Parent
	}
	return parents
}

// EraseCopies removes what may quote an erased message beside the log, for the threads
// that have it: what the model looked up in them and in conversations that go on from
// them, and the reply that the message was the echo of. A branch has what the
// conversation has that it was forked from.
func (h *History) EraseCopies(ctx context.Context, x Erased, why artifact.Tombstone) error {
	heads, err := h.Store.Heads(ctx, x.Threads[0].Tenant)
	if err != nil {
		return fmt.Errorf("list threads: %w", err)
	}
	from, done := map[string]bool{}, map[store.Key]bool{}
	for _, k := range x.Threads {
		from[k.Thread] = true
	}
	lines := withParents(x.Threads, heads)
	later, err := store.Later(ctx, h.Store, heads, from)
	for _, k := range slices.Concat(lines, later) {
		if done[k] {
			continue
		}
		done[k] = true
		if e := h.eraseAll(ctx, k.Upstream(), why); e != nil && !errors.Is(e, store.ErrNotFound) {
			err = errors.Join(err, e)
		}
	}
	return errors.Join(err, h.eraseReplies(ctx, x, lines, why))
}

// withParents are threads and those that they were forked from, each once.
func withParents(of []store.Key, heads []store.Head) (all []store.Key) {
	parents, seen := parentsOf(heads), map[string]bool{}
	for _, k := range of {
		for k.Thread != "" && !seen[k.Thread] {
			seen[k.Thread] = true
			all = append(all, k)
			k.Thread = parents[k.Thread]
		}
	}
	return all
}

// eraseAll erases every entry of a thread, and adds one that says so: whoever has
// read the thread sees that it changed.
func (h *History) eraseAll(ctx context.Context, k store.Key, why artifact.Tombstone) error {
	es, err := h.Store.Load(ctx, k)
	if err != nil {
		return fmt.Errorf("load %s: %w", k.Thread, err)
	}
	var tip thread.ID
	for _, x := range es {
		if err := h.Store.EraseEntry(ctx, k, x.ID, why); err != nil {
			return fmt.Errorf("erase entry %s of %s: %w", x.ID, k.Thread, err)
		}
		tip = x.ID
	}
	m := message.TextOf(message.System, "{}")
	m.Meta = true
	_, err = h.Store.Append(ctx, k, store.Batch{Tip: tip, Entries: thread.Extend(tip, []message.Message{m}), Now: h.Now()})
	if err != nil {
		return fmt.Errorf("log erasure in %s: %w", k.Thread, err)
	}
	return nil
}

// eraseReplies removes the answer that an erased message was the echo of, and whatever
// says the same, of all the lines that may have it.
func (h *History) eraseReplies(ctx context.Context, x Erased, lines []store.Key, why artifact.Tombstone) error {
	err := x.unread
	if x.Message.ID == "" {
		return err
	}
	for _, line := range lines {
		err = errors.Join(err, h.eraseReply(ctx, line.Answers(), x.to, x.Message.Digest, why))
	}
	return err
}

// answeredBy is the entry that entry i is an answer to, "" if it is none.
func answeredBy(es []thread.Entry, i int) thread.ID {
	if es[i].Message.Role != message.Assistant {
		return ""
	}
	for i > 0 && es[i-1].Message.Role == message.Assistant {
		i--
	}
	return es[i].Parent
}

// eraseReply erases, of a line of answers, those to an entry and every message
// that has a digest.
func (h *History) eraseReply(ctx context.Context, k store.Key, to thread.ID, d message.Digest, why artifact.Tombstone) error {
	es, err := h.Store.Load(ctx, k)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("load answers: %w", err)
	}
	asked := false
	for i := range es {
		x := &es[i]
		if x.Message.Meta {
			asked = to != "" && answeredIn(&x.Message) == to
			continue
		}
		if (asked || x.Digest == d) && !x.Erased {
			if err := h.Store.EraseEntry(ctx, k, x.ID, why); err != nil {
				return fmt.Errorf("erase answer: %w", err)
			}
		}
	}
	return nil
}

// Quoting lists what goes out of plans with an erased message, of a thread and of all its
// branches and parents that have the message: the records that may quote it, each once,
// and how many versions hold any of them.
func (h *History) Quoting(ctx context.Context, k store.Key, id thread.ID) (found []plan.Record, versions int, err error) {
	family, err := h.Family(ctx, k)
	if err != nil {
		return nil, 0, err
	}
	seen := map[string]bool{}
	for _, head := range family {
		if head.PlanVersion == 0 {
			continue
		}
		t, at, err := h.holding(ctx, head.Key, id)
		if err != nil {
			return nil, 0, err
		}
		if t == nil {
			continue
		}
		for v := range head.PlanVersion {
			p, err := h.Store.PlanAt(ctx, head.Key, v+1)
			if ctx.Err() != nil {
				return nil, 0, ctx.Err()
			}
			if err != nil { // it is damaged: all of it may
				versions++
				continue
			}
			holds := false
			for _, r := range quoting(p, t, at) {
				if holds = true; !seen[r.ID] {
					seen[r.ID], found = true, append(found, r)
				}
			}
			if holds {
				versions++
			}
		}
	}
	return found, versions, nil
}

// holding returns a thread and the position of a message in it; nil where the thread has
// not got it, or has its tombstone, which nothing quotes.
func (h *History) holding(ctx context.Context, k store.Key, id thread.ID) (*thread.Thread, int, error) {
	es, err := h.Store.Load(ctx, k)
	if err != nil {
		return nil, 0, fmt.Errorf("load %s: %w", k.Thread, err)
	}
	t, err := thread.New(es)
	if err != nil {
		return nil, 0, fmt.Errorf("load %s: %w", k.Thread, err)
	}
	at, ok := t.Find(id)
	if !ok || t.At(at).Erased {
		return nil, 0, nil
	}
	return t, at, nil
}

// quoting are the records of a plan that may quote the message at a position.
func quoting(p *plan.Plan, t *thread.Thread, at int) (found []plan.Record) {
	for i := range p.Records {
		covers, later := false, false
		for _, n := range t.Positions(p.Records[i].Span.IDs) {
			covers, later = covers || n == at, later || n > at
		}
		if p.Records[i].MayQuote(covers, later) {
			found = append(found, p.Records[i])
		}
	}
	return found
}
