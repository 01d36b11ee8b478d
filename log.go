package precis

import (
	"context"
	"fmt"

	"github.com/seed-3db51b0e/precis/internal/engine/history"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/store"
)

// View renders a history under the plan in force and changes nothing: it logs, plans
// and repairs nothing, and messages that the log does not have yet stand as they are.
// Where there is no plan, the turn has in.Messages and nothing else. Of the input it
// reads Thread and Messages, and of the turn it counts nothing.
func (e *Engine) View(ctx context.Context, in Input) (*Turn, error) {
	k := e.key(in.Thread)
	v, err := e.history.View(ctx, k, in.Messages)
	if err != nil {
		return nil, fmt.Errorf("view thread %s: %w", in.Thread, err)
	}
	return &Turn{Key: k, Thread: v.Thread, Plan: v.Plan, Messages: v.Messages, Origins: v.Origins}, nil
}

// RecordReply keeps the answer to a turn as it came: codec.Reply.Messages. The turn of a
// SafeCompact that failed has no thread to keep it for; nothing happens then.
func (e *Engine) RecordReply(ctx context.Context, t *Turn, reply []message.Message) error {
	if len(reply) == 0 || t.Thread == nil {
		return nil
	}
	return e.history.RecordReply(ctx, t.Key, t.user, t.Thread.Tip(), reply)
}

// LastReply returns the last answer to a thread, nil if there is none or the client
// has sent something after the message it answers: then that is in the log.
func LastReply(ctx context.Context, s store.Store, k store.Key) ([]message.Message, error) {
	return history.LastReply(ctx, s, k)
}
