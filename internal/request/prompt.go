package request

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/event"
	"github.com/seed-3db51b0e/precis/internal/limits"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/overflow"
	"github.com/seed-3db51b0e/precis/token"
	"github.com/seed-3db51b0e/precis/token/bpe"
)

// ModelName is the model that a request is for: with [1m] where it asks for the large
// window by a beta header.
func ModelName(h http.Header, req *codec.Request) string {
	if strings.Contains(strings.Join(h.Values("Anthropic-Beta"), ","), "context-1m") && !strings.Contains(req.Model, "[") {
		return req.Model + "[1m]"
	}
	return req.Model
}

// NewInput returns what the engine needs to know of a request, but for budget and meter.
func NewInput(key string, req *codec.Request, api string, m model.Model) precis.Input {
	return precis.Input{
		Thread: key, Messages: req.Messages, Model: m.Caching(req.CacheLife), Mode: precis.Mode{NoCompact: req.Compacts},
		System: req.System, Tools: req.Tools,
		Client: precis.Client{Envelope: req.Envelope(), Source: api, CallsApart: req.CallsApart, ThinkingLeads: req.ThinkingLeads, ThinkingStays: req.ThinkingStays, UserLeads: req.UserLeads},
	}
}

// Caps are the limits of a request that its operator asked for.
type Caps struct {
	Budget int // in tokens; 0 = what ByPolicy returns
	// Images and Bytes: 0 = what is known of the model, below 0 = no limit.
	Images, Bytes int
	ByPolicy      func(model.Model) int
}

// Fit sets an input's budget, payload and meter: what was asked for, but no more than
// the model takes beside a reply of so many tokens, or than earlier answers taught.
// With an error there is no meter.
func Fit(in *precis.Input, caps Caps, reply int, l *limits.LearnedLimits, s limits.Subject) error {
	m, asked := in.Model, caps.Budget
	if asked == 0 {
		asked = caps.ByPolicy(m)
		m.Guess = false // the budget was made of it
	}
	in.Budget = l.Room(s, m, asked, reply)
	in.Limits.Payload = token.Load{Media: capped(caps.Images, m.Images), Bytes: l.Weight(s, capped(caps.Bytes, m.Bytes))}
	meter, err := bpe.Meter(in.Model)
	if err == nil {
		in.Meter = meter.Calibrated(l.Of(s.Everywhere()).Applied)
	}
	return err
}

// capped is the limit that was asked for, else the one that is known; 0 = none.
func capped(asked, known int) int {
	switch {
	case asked < 0:
		return 0
	case asked > 0:
		return asked
	}
	return known
}

// Prompt is sent for a request.
type Prompt struct {
	Input  precis.Input // what it was made from
	Turn   *precis.Turn // nil: it could not be prepared, and Body is the caller's own
	Body   []byte
	Tokens int // of Body, as counted
}

// Shorter is the input of a prompt to send after the provider refused p as too long or
// too large, and learns from that. It needs no model.
func (p Prompt) Shorter(o overflow.Overflow, l *limits.LearnedLimits, s limits.Subject) precis.Input {
	in := p.Input
	in.Mode.Force, in.Mode.NoCompact, in.Mode.Trigger = true, false, event.Overflow
	if o.Unit == overflow.Bytes && p.mediaBytes() >= len(p.Body)/2 { // their tokens are few
		in.Mode.Force, in.Limits.Payload.Bytes = false, l.TooHeavy(s, o, len(p.Body))
		return in
	}
	in.Budget = min(in.Budget, l.Refused(s, in.Model, o, p.Tokens))
	return in
}

// mediaBytes are the bytes of messages with pictures or documents.
func (p Prompt) mediaBytes() (n int) {
	for i := range p.Turn.Messages {
		if load := token.LoadOf(p.Turn.Messages[i]); load.Media > 0 {
			n += load.Bytes
		}
	}
	return n
}

// Replaces reports whether p may be sent after old was refused for its size.
func (p Prompt) Replaces(old Prompt, o overflow.Overflow) bool {
	return p.Differs(old) && (p.Tokens < old.Tokens || o.Unit == overflow.Bytes && len(p.Body) < len(old.Body))
}

// Differs reports whether p was made, and other bytes than old.
func (p Prompt) Differs(old Prompt) bool {
	return p.Turn != nil && p.Turn.Outcome != precis.Failed && !bytes.Equal(p.Body, old.Body)
}

// MaxError bounds how much of an error's body is read to see what it is about, in bytes.
const MaxError = 64 << 10

// ThinkingRefused reports whether an answer refuses the thinking of a prompt, where a
// plan in force did not foresee that; what the caller itself did is the caller's to be
// told. rest is the answer's whole body.
func (p Prompt) ThinkingRefused(own []byte, status int, body io.ReadCloser) (refused bool, rest io.ReadCloser) {
	if status != http.StatusBadRequest || p.Turn == nil || p.Turn.Plan == nil || p.Input.Mode.DropThinking || bytes.Equal(p.Body, own) {
		return false, body
	}
	said, err := io.ReadAll(io.LimitReader(body, MaxError))
	refused = err == nil && (bytes.Contains(said, []byte("signature` in `thinking")) ||
		bytes.Contains(said, []byte("blocks in the latest assistant message cannot be modified")))
	return refused, Joined(said, body)
}

// NothingFits reports whether a request goes as it came because no plan fits its budget.
func NothingFits(turn *precis.Turn) bool {
	return slices.ContainsFunc(turn.Failures, func(err error) bool { return errors.Is(err, precis.ErrImpossible) })
}

// Logged returns a prompt whose turn has its thread, for its answer to be logged: that of an
// impossible one has none, although its history was logged before that was found.
func (p Prompt) Logged(ctx context.Context, e *precis.Engine) (Prompt, error) {
	if p.Turn == nil || p.Turn.Thread != nil || !NothingFits(p.Turn) {
		return p, nil
	}
	in := p.Input
	in.Mode.NoCompact = true
	turn := e.SafeCompact(ctx, in)
	if turn.Thread == nil {
		return p, errors.Join(turn.Failures...)
	}
	p.Turn = turn
	return p, nil
}

// Record logs the answer to a prompt. It logs nothing of an answer that was cut.
func (p Prompt) Record(ctx context.Context, e *precis.Engine, r *codec.Reply) error {
	if p.Turn == nil || r == nil || r.Stop == "" {
		return nil
	}
	return e.RecordReply(ctx, p.Turn, r.Messages())
}

// Recording is the time that the end of an answer may wait until the answer is logged,
// also when who asked has left.
func Recording(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), timeout)
}

// Observe learns from an answer to a prompt, and from the usage that it reports.
func (p Prompt) Observe(u codec.Usage, l *limits.LearnedLimits, s limits.Subject) {
	if p.Turn == nil {
		return
	}
	l.Accepted(s, p.Tokens, len(p.Body))
	if p.Input.Meter.Teaches(p.Tokens, u.Context) {
		l.Observe(s.Everywhere(), p.Input.Meter.Estimate(p.Tokens), u.Context)
	}
}
