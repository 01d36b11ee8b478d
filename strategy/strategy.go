// Package strategy proposes what a plan should cover and carries it out, in the order of a
// policy's rungs.
//
// Use: Ladder.Run over a Draft until the draft meets a target. Law: a strategy
// sees a View and returns records; it never changes the log, and every record
// it makes must free tokens or it is left out. Promise: the same
// view gives the same records; no strategy is quadratic in messages.
package strategy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/internal/guard"
	"github.com/seed-3db51b0e/precis/plan"
)

// Proposal is a compaction that a strategy could carry out.
type Proposal struct {
	Strategy string
	Span     plan.Span
	Saves    int // estimated tokens freed
	Reason   string
}

// largestFirst orders proposals by what they save, ties oldest first.
func largestFirst(ps []Proposal) []Proposal {
	slices.SortStableFunc(ps, func(a, b Proposal) int { return cmp.Compare(b.Saves, a.Saves) })
	return ps
}

// Result is a carried-out proposal: the record and what it externalized.
type Result struct {
	Record    plan.Record
	Artifacts []artifact.Artifact
	// Failed tells what went wrong on the way, where the record does without it.
	Failed error
}

// Strategy is one rung of the ladder. Write one by implementing the three
// methods; see the example.
type Strategy interface {
	Name() string
	// Analyze proposes spans, best first, that would bring the draft to target.
	Analyze(v *View) []Proposal
	// Execute carries one proposal out on the draft as it is now.
	Execute(ctx context.Context, v *View, p Proposal) (Result, error)
}

// Ladder is a list of strategies in the order they are applied.
type Ladder []Strategy

// Step reports what one applied record did.
type Step struct {
	Proposal
	Record string // plan.Record.Action
	Freed  int
}

// Run applies strategies until the draft meets the target or nothing is left
// to do. It returns what was applied; a strategy's failure ends its own turn
// only, and is returned beside the rest.
func (l Ladder) Run(ctx context.Context, v *View) ([]Step, []error) {
	var steps []Step
	var errs []error
	for _, s := range l {
		if v.Over() <= 0 {
			break
		}
		done, err := runOne(ctx, v, s)
		steps = append(steps, done...)
		if err != nil {
			errs = append(errs, err)
		}
	}
	return steps, errs
}

// runOne runs a strategy. What it did before it failed or panicked stands.
func runOne(ctx context.Context, v *View, s Strategy) (steps []Step, failed error) {
	name := "strategy"
	defer func() {
		if p := recover(); p != nil {
			failed = errors.Join(failed, guard.Panicked(p))
		}
		if failed != nil {
			failed = fmt.Errorf("run %s: %w", name, failed)
		}
	}()
	name = s.Name()
	for _, p := range s.Analyze(v) {
		if v.Over() <= 0 {
			break
		}
		if err := ctx.Err(); err != nil {
			return steps, errors.Join(failed, err)
		}
		made, err := s.Execute(ctx, v, p)
		if err != nil {
			return steps, errors.Join(failed, err)
		}
		failed = errors.Join(failed, made.Failed)
		if len(made.Record.Span.IDs) == 0 || !v.fits(&made.Record) {
			return steps, errors.Join(failed, errors.New("its record covers nothing of this thread"))
		}
		if freed, ok := v.Apply(made); ok {
			steps = append(steps, Step{Proposal: p, Record: string(made.Record.Action), Freed: freed})
		}
	}
	return steps, failed
}

// Limits are the numbers strategies work with, already scaled to the budget.
type Limits struct {
	Budget       int // hard cap of the request
	RecentTokens int // newest units worth this much are recent
	RecentTurns  int // and so are the newest turns, whichever is more
	// KeepRecent is RecentTokens as the policy has it, also where a forced compaction
	// makes do with less.
	KeepRecent    int
	SummaryTokens int     // cap of a summary's text
	SummaryRatio  float64 // cap of a summary against its span, 0 = none
	VerbatimShare float64 // of a summary, for lines kept as they stood
	// MinWorth is the worth of a token below which such a line is left out, in steps
	// of a ten-thousandth of a need (see Relevance.Of); 0 takes any while there is room.
	MinWorth float64
	// LinesClosely has such lines chosen closely: with words beside their values, and none
	// that says again what another said.
	LinesClosely bool
	// SkipBegunTurn leaves a turn that the user only began out of RecentTurns: what the user
	// says now is about what the agent did in the turn before.
	SkipBegunTurn bool
	// OwnTokens is how much of the agent's own newest words and calls stands in blocks,
	// before such lines are chosen, for the most part: more where much of it is new, less
	// where it is from long ago.
	OwnTokens int
	Recall    string // name of the tool that reads content back
}

// Zone describes how a strategy may treat an entry.
type Zone uint8

// The zones, from untouchable to free.
const (
	Fixed  Zone = iota // never touched: system messages, and what is not known or declares tools
	Pinned             // kept verbatim
	Newest             // the newest unit: only the last resort touches it
	Recent             // kept by ordinary rungs
	Held               // given back by an undo: only the last resort touches it
	Old                // free
)
