package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/thread"
)

// Origin is a thread that another one goes on from, as far as it was then: its client
// compacted the conversation itself, and began again with a summary.
type Origin struct {
	Thread string
	Tip    thread.ID
}

// A link lies before the replies to a thread, as a note: the letters, the thread that it
// goes on from, and where that ended.
const linked = "continues\n"

// Link notes that a new thread goes on from another.
func Link(ctx context.Context, s Log, k Key, of Origin, now time.Time) error {
	m := message.TextOf(message.System, linked+string(of.Tip)+"\n"+of.Thread)
	m.Meta = true
	_, err := s.Append(ctx, k.Answers(), Batch{Entries: thread.Extend("", []message.Message{m}), Source: "answers", Now: now})
	if errors.Is(err, ErrStale) { // it has replies: another process was first
		return nil
	}
	if err != nil {
		return fmt.Errorf("link %s: %w", k.Thread, err)
	}
	return nil
}

// maxEarlier is how far back conversations are followed.
const maxEarlier = 8

// Earlier returns the threads that a thread goes on from, the nearest first. A fork
// goes on from what the thread does that it was forked from.
func Earlier(ctx context.Context, s Log, k Key) (all []Origin, err error) {
	return earlier(k, func(k Key) (Origin, bool, error) { return origin(ctx, s, k) }, func(k Key) (string, error) {
		h, err := s.Head(ctx, k)
		if errors.Is(err, ErrNotFound) {
			return "", nil
		}
		if err != nil {
			return "", fmt.Errorf("read head of %s: %w", k.Thread, err)
		}
		return h.Parent, nil
	})
}

// earlier follows links and forks.
func earlier(k Key, link func(Key) (Origin, bool, error), parent func(Key) (string, error)) (all []Origin, err error) {
	for range 4 * maxEarlier {
		of, ok, err := link(k)
		if err != nil || len(all) == maxEarlier {
			return all, err
		}
		if ok {
			all = append(all, of)
			k.Thread = of.Thread
			continue
		}
		if k.Thread, err = parent(k); err != nil || k.Thread == "" {
			return all, err
		}
	}
	return all, nil
}

// Later returns those of a tenant's threads, which heads lists, that go on from one of
// some: for each of them Earlier holds one. It reads each thread's link once.
func Later(ctx context.Context, s Log, heads []Head, from map[string]bool) (later []Key, err error) {
	type found struct {
		of Origin
		ok bool
	}
	links, parents := map[string]found{}, map[string]string{}
	for i := range heads {
		parents[heads[i].Key.Thread] = heads[i].Parent
	}
	link := func(k Key) (Origin, bool, error) {
		x, known := links[k.Thread]
		if !known {
			if x.of, x.ok, err = origin(ctx, s, k); err != nil {
				return x.of, false, err
			}
			links[k.Thread] = x
		}
		return x.of, x.ok, nil
	}
	parent := func(k Key) (string, error) { return parents[k.Thread], nil }
	for i := range heads {
		before, err := earlier(heads[i].Key, link, parent)
		if err != nil {
			return later, err
		}
		if slices.ContainsFunc(before, func(of Origin) bool { return from[of.Thread] }) {
			later = append(later, heads[i].Key)
		}
	}
	return later, nil
}

// origin reads the link of one thread.
func origin(ctx context.Context, s Log, k Key) (Origin, bool, error) {
	es, err := LoadRange(ctx, s, k.Answers(), 0, 1)
	if errors.Is(err, ErrNotFound) || err == nil && len(es) == 0 {
		return Origin{}, false, nil
	}
	if err != nil {
		return Origin{}, false, fmt.Errorf("load answers of %s: %w", k.Thread, err)
	}
	m := es[0].Message
	if !m.Meta || len(m.Parts) == 0 {
		return Origin{}, false, nil
	}
	rest, ok := strings.CutPrefix(m.Parts[0].Text, linked)
	if !ok {
		return Origin{}, false, nil
	}
	tip, name, _ := strings.Cut(rest, "\n")
	return Origin{name, thread.ID(tip)}, name != "", nil
}
