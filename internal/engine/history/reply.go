package history

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-3db51b0e/precis/internal/engine/variant"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

// What a model answers is no part of the log before the client sends it back: the
// client may send it back in other words, ask again, or not at all. Until then it
// lies beside the log, in a line of all the answers of a thread as they came,
// each behind a head that says which entry it answers.

// headOf is the message before an answer to an entry.
func headOf(to thread.ID) message.Message {
	m := message.TextOf(message.System, string(to))
	m.Meta = true
	return m
}

// answeredIn is the entry that a head names.
func answeredIn(head *message.Message) thread.ID { return thread.ID(head.Parts[0].Text) }

// RecordReply keeps the reply to the message after of a thread as it came. A new
// thread of the same user that holds a long one goes on from this thread.
func (h *History) RecordReply(ctx context.Context, k store.Key, user string, after thread.ID, reply []message.Message) error {
	notes := h.Replies.Keep(k, user, after, reply)
	of := k
	k, said := k.Answers(), append([]message.Message{headOf(after)}, variant.Lasting(reply)...)
	err := store.Retry(ctx, func() error {
		head, err := h.Store.Head(ctx, k)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		_, err = h.Store.Append(ctx, k, store.Batch{Tip: head.Tip, Entries: thread.Extend(head.Tip, said), Source: "answers", Now: h.Now()})
		return err
	})
	if err != nil {
		return fmt.Errorf("record answer in %s: %w", k.Thread, err)
	}
	h.shareNotes(ctx, of, user, notes)
	return nil
}

// lastReplies returns the end of what answers are kept, from a head on or from the
// beginning; none where nothing is kept.
func lastReplies(ctx context.Context, s store.Store, k store.Key) ([]thread.Entry, error) {
	head, err := s.Head(ctx, k)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	for n := 8; err == nil; n *= 8 {
		from := max(0, head.Len-n)
		var es []thread.Entry
		es, err = store.LoadRange(ctx, s, k, from, head.Len)
		if err == nil && (from == 0 || slices.ContainsFunc(es, func(e thread.Entry) bool { return e.Message.Meta })) {
			return es, nil
		}
	}
	return nil, err
}

// LastReply returns the last answer to a thread, nil if there is none or the client
// has sent something after the message it answers: then that is in the log.
func LastReply(ctx context.Context, s store.Store, k store.Key) ([]message.Message, error) {
	h, err := s.Head(ctx, k)
	if err != nil {
		return nil, fmt.Errorf("read head of %s: %w", k.Thread, err)
	}
	es, err := lastReplies(ctx, s, k.Answers())
	if err != nil {
		return nil, fmt.Errorf("load answers of %s: %w", k.Thread, err)
	}
	if len(es) == 0 {
		return nil, nil
	}
	last := len(es) - 1
	for last > 0 && !es[last].Message.Meta {
		last--
	}
	if answeredIn(&es[last].Message) != h.Tip {
		return nil, nil
	}
	var ms []message.Message
	for _, e := range es[last+1:] {
		ms = append(ms, e.Message)
	}
	return ms, nil
}
