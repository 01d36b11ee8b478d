// Package replay judges policies on recorded runs, without a model: what each
// step of a run needed of its past, whether the prompt a policy would have sent
// still had it, and what all prompts would have cost.
//
// Use: Compare runs and policies; Baselines are there to compare with, Engine
// is the policy of a real engine. Law: the judge shares no code with what it
// judges; it reads prompts only. Promise: the same runs give the same rows on
// any machine.
//
// # Definitions
//
// A step is an assistant message with a history; it is active when its whole
// history is over the budget. A run is judged when it is longer than 1.05
// budgets and its head (system messages and first user message) takes at most
// half of one. A value is an identifier, number, path or phrase (see Kind).
// Names of tools and of their arguments, and values of the system prompt, are
// left out.
//
// A step needs a value when its text or call arguments have it and an earlier
// message has it. The distance is the tokens between the end of the last
// message that has it and the step. See Class for ALL, LR, XLR and strict.
//
// A need is met literally (lit) when some message of the prompt has the value,
// found by the same scan on both sides, so "/a/b.py" does not meet "b.py". It
// is supported (sup) when such a message is one of the log as it was, or has,
// within 100 bytes of the value, a content word of a line on which the value
// stood before the step. Content words are runs of four or more ASCII letters,
// in lower case, that are no stop word and lie in no other token value; a line
// without one lends those within 100 bytes of the value. It is in reach (ptr)
// when met literally, or when a stub, preview or pointer to a message that has
// the value is in the prompt.
//
// Replays know nothing of what an agent would have done differently: recall is
// a proxy, and steps added by forgetting are not seen.
package replay

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// Options say what to compare and how.
type Options struct {
	Judge    Judge
	Policies []Policy
	Budgets  []int
	Workers  int // runs at a time; 0 = 1
	// Watch, if set, gives a Watch for a run, or nil.
	Watch func(run, policy string, budget int) Watch
	// Done, if set, is called after each run, from any goroutine.
	Done func(done, all int)
}

// Compare replays every policy over every run at every budget. Rows are
// ordered by source, then budget, then policy as given; a source none of whose
// runs enters at a budget has no row there.
func Compare(ctx context.Context, runs []Run, o Options) ([]Row, error) {
	cells := make([][]cell, len(runs))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(max(o.Workers, 1))
	var done atomic.Int64
	for i := range runs {
		g.Go(func() (err error) {
			cells[i], err = o.judge(ctx, runs[i])
			if n := int(done.Add(1)); o.Done != nil {
				o.Done(n, len(runs))
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	return o.rows(slices.Concat(cells...)), nil
}

// cell is one run at one budget: a score for each policy, and None's.
type cell struct {
	source string
	budget int
	none   Score
	scores []Score
}

func (o Options) judge(ctx context.Context, r Run) ([]cell, error) {
	x := NewIndex(r, o.Judge)
	var cells []cell
	for _, b := range o.Budgets {
		if !x.Enters(b) {
			continue
		}
		c := cell{source: r.Source, budget: b}
		var err error
		if c.none, err = x.Replay(ctx, None, b, nil); err != nil {
			return nil, err
		}
		for _, p := range o.Policies {
			s, err := x.Replay(ctx, p, b, o.watch(r.ID, p.Name, b))
			if err != nil {
				return nil, fmt.Errorf("replay %s: %w", p.Name, err)
			}
			c.scores = append(c.scores, s)
		}
		cells = append(cells, c)
	}
	return cells, nil
}

func (o Options) watch(run, policy string, budget int) Watch {
	if o.Watch == nil {
		return nil
	}
	return o.Watch(run, policy, budget)
}

func (o Options) rows(cells []cell) []Row {
	var rows []Row
	for _, source := range sources(cells) {
		for _, b := range o.Budgets {
			var none []Score
			scores := make([][]Score, len(o.Policies))
			for _, c := range cells {
				if c.source != source || c.budget != b {
					continue
				}
				none = append(none, c.none)
				for i := range scores {
					scores[i] = append(scores[i], c.scores[i])
				}
			}
			for i := range scores {
				if len(none) > 0 {
					rows = append(rows, Sum(source, o.Policies[i].Name, b, scores[i], none))
				}
			}
		}
	}
	return rows
}

func sources(cells []cell) []string {
	var names []string
	for _, c := range cells {
		if !slices.Contains(names, c.source) {
			names = append(names, c.source)
		}
	}
	return names
}
