package precis

import (
	"context"

	"github.com/seed-3db51b0e/precis/event"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/overflow"
	"github.com/seed-3db51b0e/precis/token"
)

// HandleOverflow takes a provider's error for the last prompt. If it says that the
// prompt is too long, the window it names is remembered and the history is
// compacted again, without a model, to fit it; the caller sends the result
// once. retry is false for any other error, for a second refusal of the same step,
// and where the prompt cannot be made smaller (SPEC T8).
func (l *Loop) HandleOverflow(ctx context.Context, history []message.Message, status int, body string) (prompt []message.Message, retry bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	o, ok := overflow.Classify(status, body)
	if !ok || l.retried || l.last == nil {
		return nil, false, nil
	}
	l.retried = true
	l.learn(o)
	sent := l.last.Compacted
	if prompt, err = l.step(ctx, history, event.Overflow); err != nil {
		return prompt, false, err
	}
	return prompt, l.last.Compacted < sent, nil
}

// learn sets the window from what a refusal says, else to four fifths of what
// was refused. What the provider counted against what was estimated scales it:
// the next prompt is measured by the same estimate.
func (l *Loop) learn(o overflow.Overflow) {
	sent := l.last.Compacted
	limit := sent * 4 / 5
	if o.Unit != overflow.Bytes && o.Limit > 0 {
		limit = o.Limit - o.Output
		if o.Requested > o.Limit-o.Output && sent > 0 {
			limit = min(limit, int(float64(limit)/float64(o.Requested)*float64(sent)))
		}
	}
	l.shrink(limit)
}

// shrink remembers that a prompt may have no more than limit tokens.
func (l *Loop) shrink(limit int) {
	now := factor(l.applied)
	if l.window == 0 || float64(limit)/now < float64(l.window)/l.windowed {
		l.window, l.windowed = max(limit, 1), now
	}
	l.e.emit(l.last.Key, event.Event{Kind: event.WindowLearned, Details: event.Details{Window: l.window, Model: l.in.Model.Name}})
}

// factor is what a calibration makes of a count.
func factor(c token.Calibration) float64 {
	if c.Factor == 0 {
		return 1
	}
	return c.Factor
}
