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
// What a prompt should still say is asked without a judge as well, by exact
// match: see Probe. What it costs is the provider's caching rules applied to
// the prompts in turn: see Price. Whether it is valid is wirecheck's word.
//
// Replays know nothing of what an agent would have done differently: recall is
// a proxy, and steps added by forgetting are not seen.
package replay

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"
)

// Options say what to compare and how.
type Options struct {
	Judge    Judge
	Policies []Policy
	Budgets  []int
	Workers  int // runs at a time; 0 = 1
	// State, if set, remembers what was scored: see OpenState.
	State *State
	// Dump, if set, writes every prompt: see NewDump.
	Dump *Dump
	// Done, if set, is called after each run, one at a time.
	Done func(Run)
}

// Comparison holds what came of all runs.
type Comparison struct {
	Rows []Row
	// Cells are the single runs behind the rows, in the order of the corpus.
	Cells []Cell
}

// Cell is one run at one budget: a score for each policy of the options, and
// that of sending everything.
type Cell struct {
	Run, Source string
	Budget      int
	None        Score
	Scores      []Score
}

// Compare replays every policy over every run at every budget. Rows are ordered
// by source, then budget, then policy as given; a source none of whose runs
// enters at a budget has no row there. Few runs are held at a time.
func Compare(ctx context.Context, runs iter.Seq2[Run, error], o Options) (*Comparison, error) {
	var mu sync.Mutex
	byRun := map[int][]Cell{}
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(max(o.Workers, 1))
	n := 0
	var broken error
	for r, err := range runs {
		if err != nil || gctx.Err() != nil {
			broken = err
			break
		}
		at := n
		n++
		g.Go(func() error {
			cells, err := o.judge(gctx, r)
			mu.Lock()
			defer mu.Unlock()
			byRun[at] = cells
			if err == nil && o.Done != nil {
				o.Done(r)
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	if broken != nil {
		return nil, broken
	}
	c := &Comparison{}
	for i := range n {
		c.Cells = append(c.Cells, byRun[i]...)
	}
	c.Rows = o.rows(c.Cells)
	return c, ctx.Err()
}

func (o Options) judge(ctx context.Context, r Run) ([]Cell, error) {
	b := trial{o: o, run: r, sum: digest(r), index: sync.OnceValue(func() *Index { return NewIndex(r, o.Judge) })}
	var cells []Cell
	for _, budget := range o.Budgets {
		c := Cell{Run: r.ID, Source: r.Source, Budget: budget}
		var err error
		if c.None, err = b.score(ctx, everything, budget); err != nil {
			return nil, err
		}
		if c.None.Left {
			continue
		}
		for _, p := range o.Policies {
			s, err := b.score(ctx, p, budget)
			if err != nil {
				return nil, fmt.Errorf("replay %s on %s: %w", p.Name, r.ID, err)
			}
			c.Scores = append(c.Scores, s)
		}
		cells = append(cells, c)
	}
	return cells, nil
}

// everything is None as what others are measured against: nobody asked whether
// its prompts are valid.
var everything = Policy{Name: nonePolicy.Name, Start: nonePolicy.Start, Stamp: "measure"}

// measures reports whether a policy is the one that others are measured against.
func (p Policy) measures() bool { return p.Stamp == everything.Stamp }

// trial is one run being judged; its index is made when something has to be.
type trial struct {
	o     Options
	run   Run
	sum   []byte
	index func() *Index
}

// score replays a policy, unless its score is known and its prompts are not
// wanted or written already.
func (b *trial) score(ctx context.Context, p Policy, budget int) (Score, error) {
	key := b.o.State.key(b.sum, p, budget)
	var d *part
	if !p.measures() && b.o.Dump != nil {
		d = b.o.Dump.part(key, b.run.ID, p.Name, budget)
	}
	if s, ok := b.o.State.find(key); ok && d.done() {
		return s, nil
	}
	x := b.index()
	if !x.enters(budget) {
		s := Score{Run: b.run.ID, Left: true}
		return s, b.o.State.keep(key, s)
	}
	s, err := x.Replay(ctx, p, budget, d.watch())
	if err := d.close(err); err != nil {
		return s, err
	}
	return s, b.o.State.keep(key, s)
}

func (o Options) rows(cells []Cell) []Row {
	var rows []Row
	for _, source := range sources(cells) {
		for _, b := range o.Budgets {
			var none []Score
			scores := make([][]Score, len(o.Policies))
			for _, c := range cells {
				if c.Source != source || c.Budget != b {
					continue
				}
				none = append(none, c.None)
				for i := range scores {
					scores[i] = append(scores[i], c.Scores[i])
				}
			}
			for i := range scores {
				if len(none) == 0 {
					continue
				}
				r := rowOf(Row{Source: source, Policy: o.Policies[i].Name, Budget: b}, o.Judge.prices(), scores[i], none)
				var first []Score
				if i > 0 {
					first = scores[0]
				}
				r.judge(scores[i], first, none)
				rows = append(rows, r)
			}
		}
	}
	return rows
}

func sources(cells []Cell) []string {
	var names []string
	for _, c := range cells {
		if !slices.Contains(names, c.Source) {
			names = append(names, c.Source)
		}
	}
	return names
}
