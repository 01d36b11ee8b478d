package token

import (
	"errors"
	"fmt"
	"math"
)

// ErrBudget is wrapped by every complaint of a Validate in this package.
var ErrBudget = errors.New("invalid budget")

// Budget is the room of one request (SPEC L11). All fields but Soft are tokens.
type Budget struct {
	Max  int     // hard cap on the whole request
	Soft float64 // share of Max at which compaction starts, in (0, 1]
	// Overheads, all part of the request but not messages.
	System     int // system prompt
	Tools      int // tool schemas
	Formatting int // the provider's framing
	Safety     int // left free against miscounting
	// Rehydration is kept free for artifacts that come back for one turn.
	Rehydration int
}

// DefaultBudget is 100,000 tokens, soft at 0.85, 500 of safety and 2,000 for
// rehydration.
func DefaultBudget() Budget {
	return Budget{Max: 100_000, Soft: 0.85, Safety: 500, Rehydration: 2_000}
}

// Within is the budget for an explicit cap of n tokens: fixed reserves shrink
// to a tenth of it at most, so that small caps still leave room.
func (b Budget) Within(n int) Budget {
	b.Max = n
	b.Safety = min(b.Safety, n/10)
	b.Rehydration = min(b.Rehydration, n/10)
	return b
}

// SoftLimit is the size of a request at which compaction starts.
func (b Budget) SoftLimit() int { return int(float64(b.Max) * b.Soft) }

// AvailableForMessages is what the soft limit leaves for messages after all
// overheads and the rehydration reserve; it may be negative.
func (b Budget) AvailableForMessages() int {
	return b.SoftLimit() - b.System - b.Tools - b.Formatting - b.Safety - b.Rehydration
}

// AvailableForRehydration is the reserve.
func (b Budget) AvailableForRehydration() int { return b.Rehydration }

// Validate names the first bad field in an error that wraps ErrBudget.
func (b Budget) Validate() error {
	if b.Max <= 0 {
		return fmt.Errorf("%w: Max is %d, must be positive", ErrBudget, b.Max)
	}
	if !(b.Soft > 0 && b.Soft <= 1) {
		return fmt.Errorf("%w: Soft is %v, must be in (0, 1]", ErrBudget, b.Soft)
	}
	return notNegative(
		field{"System", b.System}, field{"Tools", b.Tools}, field{"Formatting", b.Formatting},
		field{"Safety", b.Safety}, field{"Rehydration", b.Rehydration},
	)
}

type field struct {
	name  string
	value int
}

func notNegative(fields ...field) error {
	for _, f := range fields {
		if f.value < 0 {
			return fmt.Errorf("%w: %s is %d, must not be negative", ErrBudget, f.name, f.value)
		}
	}
	return nil
}

// Threshold is the trigger of the session-summary design (SPEC S2).
type Threshold struct {
	Limit   int     // the model's window, tokens
	System  int     // reserve for system prompt and tools
	Output  int     // reserve for the reply
	Safety  int     // against the estimator's error
	Percent float64 // share of what is left, in (0, 1]
}

// DefaultThreshold is a window of 128,000 less 2,000, 4,000 and 5,000, at 0.80.
func DefaultThreshold() Threshold {
	return Threshold{Limit: 128_000, System: 2_000, Output: 4_000, Safety: 5_000, Percent: 0.80}
}

// Tokens is the size at which compaction starts; it may be negative.
func (t Threshold) Tokens() int {
	return int(math.Floor(float64(t.Limit-t.System-t.Output-t.Safety) * t.Percent))
}

// Validate names the first bad field in an error that wraps ErrBudget.
func (t Threshold) Validate() error {
	if t.Limit <= 0 {
		return fmt.Errorf("%w: Limit is %d, must be positive", ErrBudget, t.Limit)
	}
	if !(t.Percent > 0 && t.Percent <= 1) {
		return fmt.Errorf("%w: Percent is %v, must be in (0, 1]", ErrBudget, t.Percent)
	}
	return notNegative(field{"System", t.System}, field{"Output", t.Output}, field{"Safety", t.Safety})
}

// Defaults of Window, in tokens.
const (
	DefaultWindow = 200_000
	LongWindow    = 1_000_000 // with the long-context beta
	DefaultOutput = 16_384
)

// Window is the truncating design's budget (SPEC G1): what a window holds now.
type Window struct {
	Limit    int // 0 = DefaultWindow
	System   int
	Messages int
	Output   int // reserve for the reply, 0 = DefaultOutput
}

func (w Window) limits() (limit, output int) {
	limit, output = w.Limit, w.Output
	if limit == 0 {
		limit = DefaultWindow
	}
	if output == 0 {
		output = DefaultOutput
	}
	return limit, output
}

// Available is what is left; it may be negative.
func (w Window) Available() int {
	limit, output := w.limits()
	return limit - w.System - w.Messages - output
}

// Utilization is the messages' share of the room for them; +Inf where there is
// no room at all.
func (w Window) Utilization() float64 {
	limit, output := w.limits()
	room := limit - w.System - output
	if room <= 0 {
		return math.Inf(1)
	}
	return float64(w.Messages) / float64(room)
}
