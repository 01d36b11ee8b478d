// Command agent is a complete agent loop around Précis: nothing to install and
// no key needed.
//
//	go run ./examples/agent                        60 orders in a window of 8,000 tokens
//	go run ./examples/agent -v -policy timeline    every call, under another policy
//	go run ./examples/agent -no-precis             the same loop without Précis: it overflows
//	go run ./examples/agent -policy forgetful -no-recall   old turns dropped for good: it gets lost
//
// # How to read it
//
// Begin with agent.run in agent.go: it is the loop to copy, and agent.plain
// below it is the same loop before Précis came in. recall.go gives the model
// the tools that read back what its prompt leaves out. The rest is the world
// around: harbour.go is the task, server.go a provider behind HTTP, model.go the
// model in it.
//
// # Why it proves something
//
// The task is a chain of orders. Nearly every one needs values that were told
// long before: by the user at the very start, in one long manifest, in the
// result of an earlier order; two of them the user corrects halfway. The values
// cannot be guessed, and the harbour refuses a wrong one. The model is a script,
// but it is a pure function of the request it gets, so it knows what stands in
// this prompt and nothing else. The server counts tokens exactly, refuses what
// exceeds its window and what breaks a rule of the API, and cuts an answer that
// does not fit. So the task ends well only if every prompt was valid, fitted,
// and held what was needed, or showed the way to it.
package main

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"os"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/token/bpe"
)

// options are the flags, and what only tests set.
type options struct {
	policy   string
	window   int // the provider's, tokens
	steps    int
	noPrecis bool
	noRecall bool
	verbose  bool

	told   int    // the window that the loop is told of; 0: the provider's
	output int    // most tokens of an answer, 0: what the window leaves
	url    string // another provider; "": the one in server.go
	store  store.Store
}

func main() {
	o := options{output: 300, store: memory.New()}
	flag.StringVar(&o.policy, "policy", "balanced", "a preset, or forgetful")
	flag.IntVar(&o.window, "window", 8000, "context window of the model in `tokens`")
	flag.IntVar(&o.steps, "steps", 60, "orders to work through")
	flag.BoolVar(&o.noPrecis, "no-precis", false, "send the whole history every time")
	flag.BoolVar(&o.noRecall, "no-recall", false, "give the model no tools to look things up")
	flag.BoolVar(&o.verbose, "v", false, "show every call")
	flag.Parse()
	a, err := o.run(context.Background())
	if a != nil {
		fmt.Print(a.tally)
	}
	if err == nil {
		err = o.compare(a.tally)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "agent:", err)
		os.Exit(1)
	}
}

// compare says what the same task takes where everything fits the window.
func (o options) compare(t tally) error {
	o.noPrecis, o.noRecall, o.verbose, o.window = true, true, false, 1<<20
	a, err := o.run(context.Background())
	if err != nil {
		return err
	}
	fmt.Printf("The report is right. Without a bound it takes %d requests of %d tokens in all: %d %% were sent.\n",
		a.tally.requests, a.tally.sent, 100*t.sent/a.tally.sent)
	return nil
}

// run puts everything together and sees the task through.
func (o options) run(ctx context.Context) (*agent, error) {
	url, stop, err := serve(o.window)
	if err != nil {
		return nil, err
	}
	defer stop()
	defer http.DefaultClient.CloseIdleConnections()
	if o.url != "" {
		url = o.url
	}
	a, engine, err := o.agent(url)
	if err != nil {
		return nil, err
	}
	defer engine.Close()
	work := a.run
	if o.noPrecis {
		work = a.plain
	}
	answer, err := work(ctx, a.harbour.brief())
	if err == nil {
		err = a.harbour.check(answer)
	}
	a.tally.orders, a.tally.of = a.harbour.order-1, o.steps
	if err == nil {
		a.tally.orders++ // the report
	}
	if plans, missing := o.store.PlanVersions(ctx, a.key); missing == nil {
		a.tally.compactions = len(plans)
	}
	return a, err
}

// agent wires Précis to an agent: a store, a policy, the model's window.
func (o options) agent(url string) (*agent, *precis.Engine, error) {
	p, err := named(o.policy)
	if err != nil {
		return nil, nil, err
	}
	engine, err := precis.New(precis.Options{Store: o.store, Policy: p})
	if err != nil {
		return nil, nil, err
	}
	m, _ := model.Lookup("gpt-4o")
	meter, err := bpe.Meter(m)
	if err != nil {
		return nil, nil, err
	}
	a := &agent{
		url: url, harbour: &harbour{seed: "north", steps: o.steps, order: 1}, limit: 10 * o.steps,
		store: o.store, key: store.Key{Thread: "harbour"}, verbose: o.verbose,
	}
	a.request = codec.Request{Model: m.Name, System: []message.Part{{Kind: message.Text, Text: instructions}}, Tools: work, MaxOutput: o.output}
	if !o.noRecall {
		a.request.Tools = append(lookups(p.Recall), work...)
	}
	window := o.window
	if o.told > 0 {
		window = o.told
	}
	a.loop = engine.Loop(precis.Input{
		Thread: a.key.Thread, Model: m, Meter: meter, System: a.request.System, Tools: a.request.Tools,
		Budget: window - o.output,
	})
	return a, engine, nil
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
