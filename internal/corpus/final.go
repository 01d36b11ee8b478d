package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/anthropic"
	"github.com/seed-3db51b0e/precis/codec/openai"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/replay"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/sqlite"
	"github.com/seed-3db51b0e/precis/wirecheck"
)

// dialects are the APIs that every prompt is encoded for. The Anthropic model is one
// that has no rule of its own about how a conversation ends.
var dialects = []struct {
	codec codec.Codec
	model string
}{{openai.Codec{}, "gpt-4.1"}, {anthropic.Codec{}, "claude-sonnet-4-5"}}

// result holds what one Prepare came to.
type result struct {
	source   string
	outcome  string
	original int // tokens of the whole request before
	tokens   int // and after, counted on the encoded body
	over     bool
	unjust   bool // impossible, but system and last user message would fit
	bodies   [sha256.Size]byte
	took     time.Duration
	faults   []string // per broken rule of the wire
	problems []string // anything else
}

// final prepares every run once, in two passes that share nothing, and prints
// what became of the laws.
func (j *job) final(ctx context.Context, runs []replay.Run) error {
	var tallies []tally
	for _, name := range j.names {
		p, err := policy.Named(name)
		if err != nil {
			return err
		}
		for _, budget := range j.sizes {
			long := j.over(runs, budget)
			first, err := j.pass(ctx, long, p, budget, 0)
			if err != nil {
				return err
			}
			second, err := j.pass(ctx, long, p, budget, 1)
			if err != nil {
				return err
			}
			tallies = append(tallies, tallied(name, budget, first, second)...)
		}
	}
	if err := j.print(tallies); err != nil {
		return err
	}
	if slices.ContainsFunc(tallies, tally.broken) {
		return errBroken
	}
	return nil
}

// over are the runs that do not fit a budget.
func (j *job) over(runs []replay.Run, budget int) []replay.Run {
	var out []replay.Run
	for _, r := range runs {
		if j.input.Meter.Overhead.Request+j.input.Meter.Messages(r.Messages) > budget {
			out = append(out, r)
		}
	}
	return out
}

// pass prepares the runs on a fresh database, in an order that depends on the
// pass, and then holds the log, read back from the closed and reopened file,
// against what went in.
func (j *job) pass(ctx context.Context, runs []replay.Run, p policy.Policy, budget, pass int) ([]result, error) {
	dir, err := os.MkdirTemp("", "corpus-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "precis.db")
	results := make([]result, len(runs))
	err = opened(ctx, path, func(s store.Store) error {
		e, err := precis.New(precis.Options{Store: s, Policy: p})
		if err != nil {
			return err
		}
		g, ctx := errgroup.WithContext(ctx)
		g.SetLimit(j.workers)
		var done atomic.Int64
		for _, i := range order(len(runs), pass) {
			g.Go(func() error {
				results[i] = j.one(ctx, e, runs[i], budget)
				j.advance(int(done.Add(1)), len(runs))
				return ctx.Err()
			})
		}
		return g.Wait()
	})
	if err != nil {
		return nil, err
	}
	return results, opened(ctx, path, func(s store.Store) error {
		for i, r := range runs {
			if err := exported(ctx, s, r); err != nil {
				results[i].problems = append(results[i].problems, "export: "+err.Error())
			}
		}
		return nil
	})
}

func opened(ctx context.Context, path string, f func(store.Store) error) error {
	s, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		return err
	}
	return errors.Join(f(s), s.Close())
}

func order(n, pass int) []int {
	if pass == 0 {
		is := make([]int, n)
		for i := range is {
			is[i] = i
		}
		return is
	}
	return rand.New(rand.NewPCG(7, uint64(pass))).Perm(n)
}

// one prepares one run and checks what comes out.
func (j *job) one(ctx context.Context, e *precis.Engine, r replay.Run, budget int) result {
	in := j.input
	in.Thread, in.Messages, in.Budget = r.ID, r.Messages, budget
	res := result{source: r.Source}
	start := time.Now()
	turn, err := e.Prepare(ctx, in)
	res.took = time.Since(start)
	switch {
	case errors.Is(err, precis.ErrImpossible):
		res.outcome, res.unjust = "impossible", j.fits(r.Messages, budget)
		return res
	case err != nil:
		res.outcome = "error"
		res.problems = append(res.problems, err.Error())
		return res
	}
	res.outcome, res.original = string(turn.Outcome), turn.Original
	j.encode(&res, turn.Messages, budget)
	if res.tokens != turn.Compacted {
		res.problems = append(res.problems, fmt.Sprintf("turn says %d tokens, the body has %d", turn.Compacted, res.tokens))
	}
	return res
}

// fits reports whether system messages and last user message leave room: then
// nothing is impossible.
func (j *job) fits(ms []message.Message, budget int) bool {
	n, last := j.input.Meter.Overhead.Request, -1
	for i, m := range ms {
		if m.Role == message.System {
			n += j.input.Meter.Message(m)
		}
		if m.Role == message.User {
			last = i
		}
	}
	if last >= 0 {
		n += j.input.Meter.Message(ms[last])
	}
	return n <= budget
}

// encode makes both bodies of a prompt and checks them.
func (j *job) encode(res *result, ms []message.Message, budget int) {
	h := sha256.New()
	for _, d := range dialects {
		body, err := d.codec.Encode(&codec.Request{Model: d.model, Tools: declared(ms)}, ms)
		if err != nil {
			res.problems = append(res.problems, fmt.Sprintf("encode for %s: %v", d.codec.Name(), err))
			continue
		}
		h.Write(body)
		j.check(res, d.codec, body, budget)
	}
	h.Sum(res.bodies[:0])
}

// check holds a body against the rules of its provider, and an OpenAI one, as a
// reader decodes it, against the budget.
func (j *job) check(res *result, c codec.Codec, body []byte, budget int) {
	for _, f := range wirecheck.Check(c.Name(), body, wirecheck.Options{}) {
		res.faults = append(res.faults, c.Name()+" "+f.String())
	}
	if c.Name() != openai.Name {
		return
	}
	req, err := c.Decode(body)
	if err != nil {
		res.problems = append(res.problems, err.Error())
		return
	}
	res.tokens = j.input.Meter.Overhead.Request + j.input.Meter.Messages(req.Messages)
	res.over = res.tokens > budget
}

// declared makes a schema for each tool called, which Anthropic demands. The
// runs record none, so they count nothing.
func declared(ms []message.Message) []codec.Tool {
	var ts []codec.Tool
	for _, m := range ms {
		for _, i := range m.Calls() {
			name := m.Parts[i].Name
			if !slices.ContainsFunc(ts, func(t codec.Tool) bool { return t.Name == name }) {
				ts = append(ts, codec.Tool{Name: name, Schema: []byte(`{"type":"object"}`)})
			}
		}
	}
	return ts
}

// exported checks that every message of the run is in the log, byte for byte.
func exported(ctx context.Context, s store.Store, r replay.Run) error {
	es, err := s.Load(ctx, store.Key{Thread: r.ID})
	if err != nil {
		return err
	}
	if len(es) != len(r.Messages) {
		return fmt.Errorf("%d messages of %d", len(es), len(r.Messages))
	}
	for i := range es {
		if !bytes.Equal(es[i].Message.Raw, r.Messages[i].Raw) {
			return fmt.Errorf("message %d differs", i)
		}
	}
	return nil
}
