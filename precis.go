// Package precis compacts the context of language-model agents: the whole
// conversation stays in an immutable log, a plan says what a prompt leaves out,
// and the prompt is a pure function of the two.
package precis

import (
	"context"
	"errors"
	"time"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/token"
)

// Options configure an Engine. Only Store is required.
type Options struct {
	Store      store.Store
	Policy     policy.Policy      // zero: balanced
	Tenant     string             // "" is the default tenant
	Summarizer summary.Summarizer // nil: the deterministic one
	Now        func() time.Time   // nil: time.Now
}

// Engine compacts conversations. Safe for concurrent use; it holds no state of
// a request.
type Engine struct{}

// New builds an engine.
func New(o Options) (*Engine, error) { return &Engine{}, nil }

// Input is one conversation as its client sees it now.
type Input struct {
	Thread   string            // key; required
	Messages []message.Message // the whole history, oldest first
	Model    model.Model
	Meter    token.Meter // zero: by Model
	System   []message.Part
	Tools    []codec.Tool
	Budget   int        // hard cap of the whole request in tokens; 0: the model's soft threshold
	Pins     []plan.Ref // marked by the user, kept from now on
	Envelope []byte     // the request around the messages, logged as it is
	Source   string     // format the conversation was read from
}

// Outcome says how a Prepare ended.
type Outcome string

// The outcomes (SPEC V7).
const (
	Compacted    Outcome = "compacted"     // a new plan was committed
	Repaired     Outcome = "repaired"      // within budget, but the history had to be repaired
	WithinBudget Outcome = "within_budget" // nothing new to do
	NoGain       Outcome = "no_gain"       // a candidate freed nothing
	NoCutPoint   Outcome = "no_cut_point"  // nothing may be compacted
	NotWorthIt   Outcome = "not_worth_it"  // the rewrite would cost more than it saves
	Impossible   Outcome = "impossible"    // does not fit whatever is done
	LostRace     Outcome = "lost_race"     // another writer's plan was taken
	FailedOpen   Outcome = "failed_open"   // compaction failed; the last good prompt went out
)

// ErrImpossible is returned (as *ImpossibleError) when system, tools and the
// last user message alone exceed the budget.
var ErrImpossible = errors.New("budget is impossible")

// ImpossibleError carries the numbers of an impossible budget, in tokens.
type ImpossibleError struct{ Budget, System, Tools, LastUser, Floor int }

func (e *ImpossibleError) Error() string { return ErrImpossible.Error() }
func (e *ImpossibleError) Unwrap() error { return ErrImpossible }

// Turn is a prepared prompt and how it came to be.
type Turn struct {
	Key      store.Key
	Thread   *thread.Thread
	Plan     *plan.Plan        // in force; nil if none
	Messages []message.Message // the prompt; edited ones are marked Edited
	Outcome  Outcome
	// Original, Compacted and Budget are tokens of the whole request.
	Original, Compacted, Budget int
}

// Prepare logs what is new and returns the prompt to send.
func (e *Engine) Prepare(ctx context.Context, in Input) (*Turn, error) {
	return nil, errors.New("not built")
}
