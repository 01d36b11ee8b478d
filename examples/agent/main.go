// Command agent is a complete agent loop around Précis: nothing to install and
// no key needed.
//
//	go run ./examples/agent                        60 orders in a window of 8,000 tokens
//	go run ./examples/agent -v -policy timeline    every call, under another policy
//	go run ./examples/agent -no-precis             the same loop without Précis: it overflows
//	go run ./examples/agent -policy forgetful      the oldest turns dropped, and looked up in the log
//	go run ./examples/agent -no-recall             nothing to look things up with: it gets lost
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
// and held what was needed, or the agent found that in the log. It does have to
// look things up: the task has more values than a summary of this window holds,
// and says too late which of them it wants.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/seed-3db51b0e/precis/store/memory"
)

func main() {
	o := options{output: 300, store: memory.New()}
	name := flag.String("policy", "balanced", "a preset, or forgetful")
	noRecall := flag.Bool("no-recall", false, "give the model no tools to look things up")
	flag.IntVar(&o.window, "window", 8000, "context window of the model in `tokens`")
	flag.IntVar(&o.steps, "steps", 60, "orders to work through")
	flag.BoolVar(&o.noPrecis, "no-precis", false, "send the whole history every time")
	flag.BoolVar(&o.verbose, "v", false, "show every call")
	flag.Parse()
	p, err := named(*name)
	if o.policy = p; !*noRecall {
		o.lookups = lookups(p.Recall)
	}
	if err == nil {
		err = o.show(context.Background())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "agent:", err)
		os.Exit(1)
	}
}

// show runs the task and prints what it took, and what it takes in a window
// that everything fits.
func (o options) show(ctx context.Context) error {
	a, err := o.run(ctx)
	if a != nil {
		fmt.Printf("orders       %d of %d\n%v", a.harbour.done, o.steps, a.tally)
	}
	if err != nil {
		return err
	}
	o.noPrecis, o.lookups, o.window, o.verbose = true, nil, 1<<20, false
	whole, err := o.run(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("The report is right. Without a bound the task takes %d requests of %s tokens in all: %d %% were sent.\n",
		whole.tally.requests, grouped(whole.tally.sent), 100*a.tally.sent/whole.tally.sent)
	return nil
}
