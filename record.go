package precis

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

// What a model answers is no part of the log before the client sends it back: the
// client may send it back in other words, ask again, or not at all. Until then it
// lies beside the log, in a line of all the answers of a thread as they came
// (SPEC V1), each behind a note that says which entry it answers.

// noteOf is the note before an answer.
func noteOf(after thread.ID) message.Message {
	m := message.TextOf(message.System, string(after))
	m.Meta = true
	return m
}

// RecordReply keeps the answer to a turn as it came: codec.Reply.Messages. The turn of a
// SafeCompact that failed has no thread to keep it for; nothing happens then.
func (e *Engine) RecordReply(ctx context.Context, t *Turn, reply []message.Message) error {
	if len(reply) == 0 || t.Thread == nil {
		return nil
	}
	k, said := t.Key.Answers(), append([]message.Message{noteOf(t.Thread.Tip())}, lasting(reply)...)
	for range races {
		h, err := e.store.Head(ctx, k)
		if err == nil || errors.Is(err, store.ErrNotFound) {
			b := store.Batch{Tip: h.Tip, Entries: thread.Extend(h.Tip, said), Source: "answers", Now: e.now()}
			_, err = e.store.Append(ctx, k, b)
		}
		if err == nil {
			return nil
		}
		if !errors.Is(err, store.ErrStale) {
			return fmt.Errorf("record answer in %s: %w", k.Thread, err)
		}
	}
	return fmt.Errorf("record answer in %s: %w", k.Thread, store.ErrStale)
}

// LastReply returns the last answer to a thread, nil if there is none or the client
// has sent something after the message it answers: then that is in the log.
func LastReply(ctx context.Context, s store.Store, k store.Key) ([]message.Message, error) {
	h, err := s.Head(ctx, k)
	if err != nil {
		return nil, fmt.Errorf("read head of %s: %w", k.Thread, err)
	}
	es, err := s.Load(ctx, k.Answers())
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("load answers of %s: %w", k.Thread, err)
	}
	last := len(es) - 1
	for last > 0 && !es[last].Message.Meta {
		last--
	}
	if es[last].Message.Parts[0].Text != string(h.Tip) {
		return nil, nil
	}
	var ms []message.Message
	for _, e := range es[last+1:] {
		ms = append(ms, e.Message)
	}
	return ms, nil
}

// eraseAnswers removes the answer that an erased message was the echo of, and
// whatever says the same, of the thread and of those it was forked from.
func (e *Engine) eraseAnswers(ctx context.Context, k store.Key, id thread.ID, why artifact.Tombstone) error {
	es, err := e.store.Load(ctx, k)
	if err != nil {
		return fmt.Errorf("load thread: %w", err)
	}
	i := slices.IndexFunc(es, func(x thread.Entry) bool { return x.ID == id })
	for i >= 0 && k.Thread != "" {
		h, err := e.store.Head(ctx, k)
		if err != nil {
			return fmt.Errorf("read head: %w", err)
		}
		if err := e.eraseAnswer(ctx, k.Answers(), answeredBy(es, i), es[i].Digest, why); err != nil {
			return err
		}
		k.Thread = h.Parent
	}
	return nil
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

// eraseAnswer erases, of a line of answers, those to an entry and every message
// that has a digest.
func (e *Engine) eraseAnswer(ctx context.Context, k store.Key, to thread.ID, d message.Digest, why artifact.Tombstone) error {
	es, err := e.store.Load(ctx, k)
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
			asked = to != "" && x.Message.Parts[0].Text == string(to)
			continue
		}
		if (asked || x.Digest == d) && !x.Erased {
			if err := e.store.EraseEntry(ctx, k, x.ID, why); err != nil {
				return fmt.Errorf("erase answer: %w", err)
			}
		}
	}
	return nil
}
