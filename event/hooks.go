package event

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// DefaultTimeout bounds a call of hooks that name no timeout of their own.
const DefaultTimeout = 5 * time.Second

// HookName describes when a hook is called.
type HookName string

// The moments.
const (
	PreCompact   HookName = "PreCompact"   // before planning: may be vetoed
	PostCompact  HookName = "PostCompact"  // the plan is committed
	SessionStart HookName = "SessionStart" // the conversation goes on, compacted
)

// Compact is the source of a SessionStart that follows a compaction.
const Compact = "compact"

// Payload holds what a hook is told: ids and numbers, and no word of the
// conversation. All tokens are those of the whole request.
type Payload struct {
	Name    HookName  `json:"hook_event_name"`
	Time    time.Time `json:"time,omitzero"`
	Tenant  string    `json:"tenant,omitempty"`
	Thread  string    `json:"thread"`
	Version int       `json:"plan_version,omitempty"` // PostCompact, SessionStart
	Trigger Trigger   `json:"trigger"`
	Source  string    `json:"source,omitempty"` // SessionStart: "compact"
	// Messages counts those of the log.
	Messages     int `json:"message_count"`
	Budget       int `json:"budget,omitempty"`
	BeforeTokens int `json:"before_tokens"`
	// AfterTokens and CompactedTokens are zero before the compaction.
	// CompactedTokens is the size, as logged, of what the new plan covers.
	AfterTokens     int `json:"after_tokens,omitempty"`
	CompactedTokens int `json:"compacted_tokens,omitempty"`
	// Instructions hold what the summarizer is asked in addition: before, the
	// caller's; after, those of the hooks too.
	Instructions string `json:"custom_instructions,omitempty"`
}

// Verdict is a hook's answer. The zero value lets the compaction go on.
type Verdict struct {
	// Veto asks that this compaction be left out. It is advice: a prompt that
	// would not fit its budget is compacted all the same.
	Veto         bool   `json:"veto"`
	Reason       string `json:"reason"`       // of a veto, for people
	Instructions string `json:"instructions"` // for the summarizer
}

// Hooks are asked before a compaction and told after it. The zero value has
// none. Callers use Ask and Tell, which never panic and never take longer than
// the timeout.
type Hooks struct {
	// Before is asked. What it returns beside an error holds.
	Before func(context.Context, Payload) (Verdict, error)
	// After is told.
	After func(context.Context, Payload) error
	// Timeout bounds Ask and Tell; 0 is DefaultTimeout. A function that does not
	// heed its context is left behind when it is over, and its answer is lost.
	Timeout time.Duration

	chain []Hooks
}

// Chain makes one of several. They run at the same time, each within its own
// timeout. Any veto vetoes; reasons and instructions are joined in order. What
// one fails at is returned beside the verdict of the others. The chain answers
// through Ask and Tell; fields set on it are not used.
func Chain(hooks ...Hooks) Hooks { return Hooks{chain: slices.Clone(hooks)} }

// ErrHook is wrapped by the error of a hook that was asked and failed.
var ErrHook = errors.New("ask hook")

// Ask asks about the compaction that p tells of, as PreCompact. Whatever the
// error, the conversation goes on, with the verdict of those who answered.
func (h Hooks) Ask(ctx context.Context, p Payload) (Verdict, error) {
	if len(h.chain) > 0 {
		return askAll(ctx, h.chain, p)
	}
	if h.Before == nil {
		return Verdict{}, nil
	}
	p.Name, p.Source, p.AfterTokens, p.CompactedTokens = PreCompact, "", 0, 0
	v, err := within(ctx, h.timeout(), func(ctx context.Context) (Verdict, error) { return h.Before(ctx, p) })
	if err != nil {
		err = fmt.Errorf("%w %s: %w", ErrHook, p.Name, err)
	}
	return v, err
}

// Tell tells of a committed compaction: PostCompact, then SessionStart with
// source "compact". Both share the timeout.
func (h Hooks) Tell(ctx context.Context, p Payload) error {
	if len(h.chain) > 0 {
		return tellAll(ctx, h.chain, p)
	}
	if h.After == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, h.timeout())
	defer cancel()
	p.Name, p.Source = PostCompact, ""
	err := h.tell(ctx, p)
	p.Name, p.Source = SessionStart, Compact
	return errors.Join(err, h.tell(ctx, p))
}

func (h Hooks) tell(ctx context.Context, p Payload) error {
	_, err := within(ctx, h.timeout(), func(ctx context.Context) (struct{}, error) { return struct{}{}, h.After(ctx, p) })
	if err != nil {
		return fmt.Errorf("tell hook %s: %w", p.Name, err)
	}
	return nil
}

func (h Hooks) timeout() time.Duration {
	if h.Timeout <= 0 {
		return DefaultTimeout
	}
	return h.Timeout
}

func askAll(ctx context.Context, hooks []Hooks, p Payload) (Verdict, error) {
	verdicts, errs := make([]Verdict, len(hooks)), make([]error, len(hooks))
	var all sync.WaitGroup
	for i, h := range hooks {
		all.Go(func() { verdicts[i], errs[i] = h.Ask(ctx, p) })
	}
	all.Wait()
	return joined(verdicts), errors.Join(errs...)
}

func tellAll(ctx context.Context, hooks []Hooks, p Payload) error {
	errs := make([]error, len(hooks))
	var all sync.WaitGroup
	for i, h := range hooks {
		all.Go(func() { errs[i] = h.Tell(ctx, p) })
	}
	all.Wait()
	return errors.Join(errs...)
}

func joined(verdicts []Verdict) Verdict {
	var v Verdict
	var reasons, instructions []string
	for _, one := range verdicts {
		if one.Veto {
			v.Veto = true
			reasons = append(reasons, one.Reason)
		}
		instructions = append(instructions, one.Instructions)
	}
	v.Reason, v.Instructions = filled(reasons, "; "), filled(instructions, "\n")
	return v
}

// filled joins the texts that are not empty.
func filled(texts []string, sep string) string {
	var some []string
	for _, t := range texts {
		if t != "" {
			some = append(some, t)
		}
	}
	return strings.Join(some, sep)
}

// within calls f and waits no longer than d. A panic is an error.
func within[T any](ctx context.Context, d time.Duration, f func(context.Context) (T, error)) (T, error) {
	var none T
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	if ctx.Err() != nil {
		return none, ctx.Err()
	}
	type answer struct {
		value T
		err   error
	}
	answers := make(chan answer, 1) // holds the answer that comes too late
	go func() {
		a := answer{err: errors.New("hook ended its goroutine")}
		defer func() {
			if v := recover(); v != nil {
				a = answer{err: fmt.Errorf("hook panicked: %v", v)}
			}
			answers <- a
		}()
		value, err := f(ctx)
		a = answer{value, err}
	}()
	select {
	case a := <-answers:
		return a.value, a.err
	case <-ctx.Done():
	}
	select {
	case a := <-answers: // both at once
		return a.value, a.err
	default:
		return none, ctx.Err()
	}
}
