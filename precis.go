// Package precis compacts the context of language-model agents: the whole
// conversation stays in an immutable log, a plan says what a prompt leaves out,
// and the prompt is a pure function of the two.
//
// Use: New over a store, then Prepare before each request with the whole
// history; send Turn.Messages. Law: nothing logged is ever changed (SPEC V1).
// Promise: what Prepare returns fits the budget and obeys the pairing rules of
// every provider, or the error says with numbers why it cannot (SPEC V3, V4).
package precis

import (
	"errors"
	"fmt"
	"time"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/render"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/strategy"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/summary/extract"
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

// Validate names the first bad field.
func (o Options) Validate() error {
	if o.Store == nil {
		return errors.New("options: Store is nil")
	}
	if o.Policy.Name != "" {
		if err := o.Policy.Validate(); err != nil {
			return fmt.Errorf("options: Policy: %w", err)
		}
	}
	return nil
}

// Engine compacts conversations. Safe for concurrent use; it holds no state of
// a request.
type Engine struct {
	store  store.Store
	policy policy.Policy
	tenant string
	with   summary.Summarizer
	now    func() time.Time
	recent recent
}

// New builds an engine.
func New(o Options) (*Engine, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	e := &Engine{store: o.Store, policy: o.Policy, tenant: o.Tenant, with: o.Summarizer, now: o.Now}
	if e.policy.Name == "" {
		p, err := policy.Named("balanced")
		if err != nil {
			return nil, err
		}
		e.policy = p
	}
	if e.with == nil {
		e.with = extract.Summarizer{}
	}
	if e.now == nil {
		e.now = time.Now
	}
	return e, nil
}

// Input is one conversation as its client sees it now.
type Input struct {
	Thread   string            // key; required
	Messages []message.Message // the whole history, oldest first
	Model    model.Model
	Meter    token.Meter // zero: by Model, without exact counts
	System   []message.Part
	Tools    []codec.Tool
	Budget   int        // hard cap of the whole request in tokens; 0: the model's soft threshold
	Pins     []plan.Ref // marked by the user, kept from now on
	Envelope []byte     // the request around the messages, logged as it is
	Source   string     // format the conversation was read from
	// Closed says that no result will come for calls open at the end: the
	// prompt answers them. Leave it false between a call and its result.
	Closed bool
}

// Outcome says how a Prepare ended.
type Outcome string

// The outcomes (SPEC V7).
const (
	Compacted    Outcome = "compacted"     // a new plan was committed
	Repaired     Outcome = "repaired"      // within budget, but the history had to be repaired
	WithinBudget Outcome = "within_budget" // nothing new to do
	NoGain       Outcome = "no_gain"       // what may be compacted would free nothing
	NoCutPoint   Outcome = "no_cut_point"  // everything is pinned, recent or held
	NotWorthIt   Outcome = "not_worth_it"  // the rewrite would cost more than it saves
)

// ErrImpossible is wrapped by ImpossibleError.
var ErrImpossible = errors.New("budget is impossible")

// ImpossibleError says that the system prompt, the tools and the last user
// message alone exceed the budget. All numbers are tokens.
type ImpossibleError struct{ Budget, System, Tools, LastUser, Floor int }

func (e *ImpossibleError) Error() string {
	return fmt.Sprintf("budget is impossible: %d tokens, but system %d, tools %d and the last user message %d make %d",
		e.Budget, e.System, e.Tools, e.LastUser, e.Floor)
}

func (e *ImpossibleError) Unwrap() error { return ErrImpossible }

// Turn is a prepared prompt and how it came to be.
type Turn struct {
	Key      store.Key
	Thread   *thread.Thread    // as the client sees it
	Plan     *plan.Plan        // in force; nil if none
	Messages []message.Message // the prompt; edited ones are marked Edited
	Origins  []render.Origin   // where each comes from
	Outcome  Outcome
	// Tokens of the whole request: uncompacted, under the plan this Prepare found
	// in force (repairs included), as it is sent, and the cap.
	Original, Before, Compacted, Budget int
	// Forced counts messages that an undo had given back and the budget forced
	// out again.
	Forced int
	// Steps are what this Prepare did, in order; Failures what it could not do.
	Steps    []strategy.Step
	Failures []error
	meter    token.Meter
}
