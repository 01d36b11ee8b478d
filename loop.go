package precis

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/event"
	"github.com/seed-3db51b0e/precis/internal/engine/history"
	"github.com/seed-3db51b0e/precis/internal/engine/variant"
	"github.com/seed-3db51b0e/precis/internal/limits"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/overflow"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/render"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/token"
)

// ErrMaxTokens ends a loop whose reply was cut short with nothing left to
// compact.
var ErrMaxTokens = errors.New("max_tokens: the reply was cut short and compaction cannot help")

// ErrNotLogged names a message that the log does not hold.
var ErrNotLogged = errors.New("message is not in the log")

// Loop is Précis in an agent loop: PrepareStep before each call of the model,
// HandleOverflow when the provider says that the prompt is too long, HandleTruncated
// when it cut the reply short, Observe with the usage it reports. Safe for concurrent
// use, though a loop is one conversation.
type Loop struct {
	e  *Engine
	mu sync.Mutex
	in Input // everything but Messages
	// window holds the longest prompt that refusals leave, in tokens as they were
	// counted when the factor was windowFactor; 0 = not known.
	window       int
	windowFactor float64
	once         int // most tokens of the step that answers a refusal; 0 = no other cap
	// learned follows the usage that is reported. Counts are made with applied,
	// which follows it in steps: a changed count is made anew for all messages.
	learned, applied token.Calibration
	last             *Turn
	retried          bool // the last prompt was refused once already
}

// Loop begins a loop. in.Messages is not read.
func (e *Engine) Loop(in Input) *Loop {
	in.Messages = nil
	return &Loop{e: e, in: in}
}

// PrepareStep returns the messages to send for a history. It returns the history
// itself, or its last good prompt, whatever goes wrong inside; the error is a budget
// that nothing fits (ErrImpossible), a bad input, the context's, or a failure that
// leaves the messages over the budget.
func (l *Loop) PrepareStep(ctx context.Context, history []message.Message) ([]message.Message, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.retried = false
	return l.step(ctx, history, event.Auto)
}

func (l *Loop) step(ctx context.Context, history []message.Message, why event.Trigger) ([]message.Message, error) {
	in, err := l.input(history)
	if err != nil {
		return history, err
	}
	in.Mode.Trigger, in.Mode.Force = why, why != event.Auto
	if in.Continue && why == event.Overflow {
		in.Messages = nil // the step has logged them
	}
	l.last = l.e.SafeCompact(ctx, in)
	for _, err := range l.last.Failures {
		if errors.Is(err, ErrImpossible) || ctx.Err() != nil || in.Continue && len(l.last.Messages) == 0 {
			return l.last.Messages, err
		}
	}
	if l.last.Outcome == Failed && l.last.Compacted > in.Budget { // the provider would refuse it
		return l.last.Messages, fmt.Errorf("%d tokens for a budget of %d: %w", l.last.Compacted, in.Budget, errors.Join(l.last.Failures...))
	}
	return l.last.Messages, nil
}

// input returns the input of a step.
func (l *Loop) input(history []message.Message) (Input, error) {
	in := l.in
	in.Messages = history
	if in.Budget > 0 && in.Limits.MaxOutput >= in.Budget {
		return in, fmt.Errorf("prepare: Input.Limits.MaxOutput is %d of a budget of %d", in.Limits.MaxOutput, in.Budget)
	}
	if err := in.complete(l.e.policy); err != nil {
		return in, err
	}
	in.Meter = in.Meter.Calibrated(l.applied)
	if l.in.Budget > 0 {
		in.Budget = max(in.Budget-in.Limits.MaxOutput, 1)
	}
	if l.window > 0 {
		in.Budget = min(in.Budget, int(float64(l.window)*factor(l.applied)/l.windowFactor))
	}
	if l.once > 0 {
		in.Budget = min(in.Budget, l.once)
	}
	return in, nil
}

// maxNotes is how many notes a loop hands to each step, the newest: what a compaction has
// covered stands in its summary.
const maxNotes = 64

// Note keeps what the agent declares about its own work: what to keep, which summaries quote
// as its word, or that a piece of work ended, behind which compactions then fall. It is about
// the history of the last step.
func (l *Loop) Note(text string, done bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.last == nil || l.last.Thread == nil {
		return
	}
	n := plan.Note{At: l.last.Thread.Tip(), Text: text, Done: done}
	l.in.Notes = append(slices.Clone(l.in.Notes[max(0, len(l.in.Notes)+1-maxNotes):]), n)
}

// Turn returns the turn of the last step; nil before the first.
func (l *Loop) Turn() *Turn {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last
}

// Observe takes the usage reported for the last prompt: it calibrates counts
// where the model's encoding is not public.
func (l *Loop) Observe(u codec.Usage) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.last == nil || !l.last.meter.Teaches(l.last.Compacted, u.Context) {
		return
	}
	l.learned = l.learned.Observe(l.last.meter.Estimate(l.last.Compacted), u.Context)
	l.applied = l.learned.Follow(l.applied)
}

// HandleOverflow takes a provider's error for the last prompt. If it says that the
// prompt is too long, the window it names is remembered and the history is
// compacted again, without a model, to fit it; the caller sends the result
// once. retry is false for any other error, for a second refusal of the same step,
// and where the prompt cannot be made smaller.
func (l *Loop) HandleOverflow(ctx context.Context, history []message.Message, status int, body string) (prompt []message.Message, retry bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	o, ok := overflow.Classify(status, body)
	if !ok || l.retried || l.last == nil {
		return nil, false, nil
	}
	l.retried = true
	sent := l.last.Compacted
	window, holds := limits.Allowed(o, sent)
	if holds != limits.NextRequest {
		l.shrink(window)
	}
	l.once = window
	prompt, err = l.step(ctx, history, event.Overflow)
	l.once = 0
	if err != nil {
		return prompt, false, err
	}
	return prompt, l.last.Compacted < sent, nil
}

// shrink remembers that a prompt may have no more than limit tokens.
func (l *Loop) shrink(limit int) {
	now := factor(l.applied)
	if l.window > 0 && float64(limit)/now >= float64(l.window)/l.windowFactor {
		return
	}
	l.window, l.windowFactor = max(limit, 1), now
	l.e.events.emit(l.last.Key, event.Event{Kind: event.WindowLearned, Details: event.Details{Window: l.window, Model: l.in.Model.Name}})
}

// factor returns by what a calibration multiplies a count.
func factor(c token.Calibration) float64 {
	if c.Factor == 0 {
		return 1
	}
	return c.Factor
}

// HandleTruncated takes a reply that was cut short, and the history it answered. Its
// incomplete calls are discarded and the others answered as not run; the history
// with what is left is compacted if it is over the trigger, or if it was the
// window that cut the reply: history and prompt are what the loop goes on with.
// Otherwise the loop cannot be helped: ErrMaxTokens. A nil reply is an empty one.
func (l *Loop) HandleTruncated(ctx context.Context, history []message.Message, r *codec.Reply) (grown, prompt []message.Message, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r == nil {
		r = &codec.Reply{}
	}
	kept, _ := r.Whole()
	kept = slices.DeleteFunc(kept, func(m message.Message) bool { return len(m.Parts) == 0 }) // no provider takes it
	grown = append(history[:len(history):len(history)], kept...)
	grown = append(grown, notRun(kept)...)
	if l.last == nil {
		return grown, nil, ErrMaxTokens
	}
	cutByWindow := l.cutByWindow(r)
	if cutByWindow {
		window := r.Usage.Context + r.Usage.Output
		limit := window - min(l.in.Limits.MaxOutput, window/4)
		l.shrink(int(float64(limit) / float64(r.Usage.Context) * float64(l.last.Compacted)))
	}
	in, err := l.input(grown)
	if err != nil {
		return grown, nil, err
	}
	if l.in.Continue {
		grown = grown[len(history):] // the step has logged the rest
		history = nil
	}
	if !cutByWindow && l.last.Compacted+in.Meter.Messages(grown[len(history):]) <= l.e.policy.Most(in.Budget, in.fixed()) {
		return grown, nil, ErrMaxTokens
	}
	prompt, err = l.step(ctx, grown, event.Manual)
	if err == nil && l.last.Outcome != Compacted {
		err = ErrMaxTokens
	}
	return grown, prompt, err
}

// cutByWindow reports whether a reply ended at the window and not at its own cap.
func (l *Loop) cutByWindow(r *codec.Reply) bool {
	known := r.Usage.Context > 0 && r.Usage.Output > 0
	return known && (r.Stop == codec.StopWindow || r.Stop == codec.StopLength && r.Usage.Output < l.in.Limits.MaxOutput)
}

// notRun answers the calls of a truncated reply: none of them was run.
func notRun(ms []message.Message) (out []message.Message) {
	for _, m := range ms {
		for _, n := range m.Calls() {
			c := m.Parts[n]
			out = append(out, message.Message{Role: message.Tool, Parts: []message.Part{{
				Kind: message.Result, CallID: c.CallID, Name: c.Name, Failed: true,
				Parts: []message.Part{{Kind: message.Text, Text: "[not run: the reply was cut short]"}},
			}}})
		}
	}
	return out
}

// Pin keeps a message of the history word for word from the next step on. It fails
// with ErrNotLogged before a step has brought it.
func (l *Loop) Pin(ctx context.Context, m message.Message) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.last == nil || l.last.Thread == nil {
		return ErrNotLogged
	}
	want := m.Digest()
	for i := range l.last.Thread.Len() {
		if x := l.last.Thread.At(i); x.Digest == want {
			_, err := l.e.Pin(ctx, l.last.Key.Thread, plan.Ref{ID: x.ID})
			return err
		}
	}
	return ErrNotLogged
}

// SafeCompact is Prepare that never fails: whatever goes wrong, the turn holds
// messages to send, by the last good plan where there is one, else as they came,
// and the failure once, in Turn.Failures and as an event. Only where Continue leaves
// the history to a log that cannot be read is there nothing to send: Turn.Messages is
// nil then. The turn's counter and budget are those of the completed input.
func (e *Engine) SafeCompact(ctx context.Context, in Input) *Turn {
	turn, err := e.Prepare(ctx, in)
	if err == nil {
		return turn
	}
	_ = in.complete(e.policy) // Prepare has failed with what is wrong with it
	k := e.key(in.Thread)
	e.events.failed(k, err)
	turn = &Turn{Key: k, Messages: in.Messages, Outcome: Failed, Budget: in.Budget, Failures: []error{err}, meter: in.Meter}
	if !e.lastGood(turn, in) && in.Continue { // what is new alone is no prompt
		turn.Messages = nil
	}
	turn.Original = in.fixed() + in.Meter.Messages(in.Messages)
	turn.Before, turn.Compacted = turn.Original, in.fixed()+in.Meter.Messages(turn.Messages)
	return turn
}

// lastGood renders a history under the plan that was last in force, from memory,
// and reports whether there is one that holds for this history. With Continue the
// history is the kept thread and what is new.
func (e *Engine) lastGood(turn *Turn, in Input) bool {
	known := e.sessions.Peek(turn.Key)
	p, old := known.Plan, known.Thread
	if e.shadow || old == nil || p == nil && !in.Continue {
		return false
	}
	t, err := e.lastThread(old, in)
	if err != nil || t == nil {
		return false
	}
	if p != nil {
		if p, err = plan.Carry(p, old, t); err != nil || history.ChangesNothing(p) && !in.Continue {
			return false
		}
	}
	out := render.Prompt(t, p, nil)
	turn.Thread, turn.Plan, turn.Messages, turn.Origins = t, p, variant.Clone(out.Messages), out.Origins
	return true
}

// lastThread is the history of an input that could not be logged.
func (e *Engine) lastThread(old *thread.Thread, in Input) (*thread.Thread, error) {
	if !in.Continue {
		return thread.New(thread.Extend("", in.Messages))
	}
	if n := old.Len() - len(in.Messages); n >= 0 && len(in.Messages) > 0 { // it was logged before the failure
		if es := thread.Extend(old.TipAt(n), in.Messages); es[len(es)-1].ID == old.Tip() {
			return old, nil
		}
	}
	return old.Append(thread.Extend(old.Tip(), in.Messages))
}
