package main

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/token/bpe"
)

// options are the parameters of a run.
type options struct {
	policy   policy.Policy
	store    store.Store
	url      string // of the provider; "": the one in server.go
	window   int    // its context window, tokens
	told     int    // the window that the loop is told of, 0: the same
	output   int    // most tokens of an answer, 0: what the window leaves
	steps    int
	lookups  []codec.Tool // what the model can look things up with
	noPrecis bool
	verbose  bool
}

// run sees the task through and returns the agent that did it, nil if there was
// none.
func (o options) run(ctx context.Context) (*agent, error) {
	if o.steps < 3 {
		return nil, errors.New("a task has at least 3 orders")
	}
	if o.url == "" {
		url, stop, err := serve(o.window)
		if err != nil {
			return nil, err
		}
		defer stop()
		o.url = url
	}
	defer http.DefaultClient.CloseIdleConnections()
	engine, err := precis.New(precis.Options{Store: o.store, Policy: o.policy})
	if err != nil {
		return nil, err
	}
	defer engine.Close()
	a, err := o.agent(engine)
	if err != nil {
		return nil, err
	}
	loop := a.run
	if o.noPrecis {
		loop = a.plain
	}
	answer, err := loop(ctx, a.harbour.brief())
	if err == nil {
		err = a.harbour.check(answer)
	}
	return a, err
}

// agent gives an agent a loop that knows its model, its window, and all of a
// request that is not history.
func (o options) agent(engine *precis.Engine) (*agent, error) {
	m, _ := model.Lookup("gpt-4o")
	meter, err := bpe.Meter(m)
	if err != nil {
		return nil, err
	}
	in := precis.Input{
		Thread: "harbour", Model: m, Meter: meter,
		System: []message.Part{{Kind: message.Text, Text: instructions}},
		Tools:  slices.Concat(harbourTools, o.lookups),
		Budget: cmp.Or(o.told, o.window) - o.output,
	}
	return &agent{
		loop: engine.Loop(in), url: o.url, limit: 10 * o.steps, verbose: o.verbose,
		request: codec.Request{Model: m.Name, System: in.System, Tools: in.Tools, MaxOutput: o.output},
		harbour: &harbour{seed: "north", steps: o.steps},
		store:   o.store, key: store.Key{Thread: in.Thread},
	}, nil
}

// named is a preset, or the window that many agents use: the oldest turns are
// dropped, whatever they say.
func named(name string) (policy.Policy, error) {
	if name != "forgetful" {
		return policy.Named(name)
	}
	p, err := policy.Named("balanced")
	p.Name, p.PinFirst, p.Rungs = name, false, []policy.Rung{{Strategy: "drop"}}
	return p, err
}
