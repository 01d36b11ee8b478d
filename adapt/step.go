package adapt

import (
	"cmp"
	"context"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/event"
	"github.com/seed-3db51b0e/precis/internal/limits"
	"github.com/seed-3db51b0e/precis/internal/request"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/overflow"
	"github.com/seed-3db51b0e/precis/summary"
)

// Step is one call of a model. It belongs to one goroutine.
type Step struct {
	// Prompt holds the messages to send.
	Prompt []Message

	conversation *Conversation
	own          []message.Message
	input        precis.Input
	subject      limits.Subject
	declared     bool         // the request declares a tool that reads back
	turn         *precis.Turn // nil: it could not be prepared
	tokens       int          // of Prompt, as counted
	refused      bool         // Prompt answers a refusal
}

// prepare makes the prompt of an input, and reports whether it was made.
func (s *Step) prepare(ctx context.Context, in precis.Input) bool {
	c := s.conversation
	err := request.Guard(func() error {
		timed, cancel := context.WithTimeout(ctx, c.adapter.options.PrepareTimeout)
		defer cancel()
		turn := c.adapter.engine.SafeCompact(timed, in)
		for _, err := range turn.Failures {
			s.failed(ctx, request.StageOf(err), err)
		}
		ms, fewer := turn.Messages, 0
		if !s.declared {
			ms, fewer = turn.WithoutRecall("")
		}
		s.Prompt = positions(s.own, turn, ms)
		s.turn, s.tokens = turn, turn.Compacted-fewer
		c.mu.Lock()
		c.last, c.meter = turn, in.Meter
		c.mu.Unlock()
		return nil
	})
	if err != nil {
		s.failed(ctx, request.Prepare, err)
	}
	return err == nil
}

// Refused takes the error of a call with Prompt, and reports whether Prompt is now
// another one to send once: where the error says that the prompt was too long, it was
// not said of this step before, and a shorter prompt could be made. That asks no model.
func (s *Step) Refused(ctx context.Context, err error) bool {
	if err == nil || s.turn == nil || s.refused || ctx.Err() != nil {
		return false
	}
	o, long := overflow.Classify(0, err.Error())
	if !long {
		return false
	}
	s.refused = true
	in, sent := s.input, s.tokens
	in.Mode.Force, in.Mode.Trigger = true, event.Overflow
	in.Budget = min(in.Budget, s.conversation.adapter.limits.Refused(s.subject, in.Model, o, sent))
	return s.prepare(ctx, in) && s.turn.Outcome != precis.Failed && s.tokens < sent
}

// Accepted takes the usage that was reported for Prompt, zero where none was: it
// corrects the counts of later prompts.
func (s *Step) Accepted(u codec.Usage) {
	u.Context = cmp.Or(u.Context, u.Input)
	sent := request.Prompt{Input: s.input, Turn: s.turn, Tokens: s.tokens}
	sent.Observe(u, &s.conversation.adapter.limits, s.subject)
}

// failed reports a failure that the call survives.
func (s *Step) failed(ctx context.Context, stage request.Stage, err error) {
	if ctx.Err() == nil {
		s.conversation.adapter.options.Log.Warn(stage.Text(), "stage", stage, "thread", s.input.Thread, "error", summary.Redact(err))
	}
}

// Send calls a model with a step's prompt, and once more with a shorter one where the
// first is refused for its length.
func Send[R any](ctx context.Context, s *Step, call func() (R, error)) (R, error) {
	r, err := call()
	if s.Refused(ctx, err) {
		r, err = call()
	}
	return r, err
}
