package strategy_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/render"
	"github.com/seed-3db51b0e/precis/strategy"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/token"
)

// repeats is a strategy: an old tool result that a later one repeats word for
// word gives way to a line that names the later one.
type repeats struct{ last map[string]int } // text of a result → its last position

// repeatsIn reads the log once: a strategy is not quadratic in messages.
func repeatsIn(t *thread.Thread) repeats {
	s := repeats{map[string]int{}}
	for i := range t.Len() {
		for _, p := range t.At(i).Message.Parts {
			if p.Kind == message.Result {
				s.last[p.Body()] = i
			}
		}
	}
	return s
}

func (repeats) Name() string { return "repeats" }

// Analyze proposes what could be done. It changes nothing.
func (s repeats) Analyze(v *strategy.View) []strategy.Proposal {
	var out []strategy.Proposal
	for i := range v.T.Len() {
		e := v.T.At(i)
		for n, p := range e.Message.Parts {
			if p.Kind == message.Result && s.last[p.Body()] > i && v.Zones[i] == strategy.Old && !v.Acted(i, n+1) {
				out = append(out, strategy.Proposal{
					Strategy: s.Name(), Span: plan.Span{IDs: []thread.ID{e.ID}, Part: n + 1},
					Saves: v.Meter.Part(p), Reason: "said again later",
				})
			}
		}
	}
	return out
}

// Execute makes the record. The ladder leaves it out if it frees nothing.
func (s repeats) Execute(_ context.Context, v *strategy.View, p strategy.Proposal) (strategy.Result, error) {
	i, _ := v.T.Find(p.Span.Start())
	text := v.T.At(i).Message.Parts[p.Span.Part-1].Body()
	return strategy.Result{Record: plan.Record{
		Action: plan.Replace, Kind: plan.Hidden, Span: p.Span,
		Text:     fmt.Sprintf("[the same as #%d]", s.last[text]+1),
		Strategy: p.Strategy, Reason: p.Reason,
	}}, nil
}

// A strategy proposes spans and makes records of them. A ladder runs several on
// a draft, in their order, until the draft is down to its target; what
// comes out is a plan, and the prompt follows from it.
func Example_strategy() {
	status := strings.Repeat("modified: harbour.go\n", 30)
	ms := []message.Message{message.TextOf(message.User, "Clean the work tree.")}
	for i := range 4 {
		id := fmt.Sprint("call_", i)
		ms = append(ms,
			message.Message{Role: message.Assistant, Parts: []message.Part{{Kind: message.Call, CallID: id, Name: "git_status", Args: "{}"}}},
			message.Message{Role: message.Tool, Parts: []message.Part{{Kind: message.Result, CallID: id, Parts: []message.Part{{Kind: message.Text, Text: status}}}}},
		)
	}
	t, err := thread.New(thread.Extend("", ms))
	if err != nil {
		panic(err)
	}
	draft := strategy.NewDraft(t, nil, render.StyleOf("balanced"), token.Truncate(), 0)
	limits := strategy.Limits{Budget: 1000, RecentTurns: 1}
	before := draft.Total()
	view := &strategy.View{
		Draft: draft, Limits: limits, Target: before / 2,
		Zones: strategy.ZonesOf(draft, limits, true, nil, nil), // the first user message is pinned
	}
	steps, errs := strategy.Ladder{repeatsIn(t), strategy.Drop{}}.Run(context.Background(), view)
	for _, err := range errs {
		panic(err)
	}
	for _, s := range steps {
		fmt.Printf("%s: %s, %s\n", s.Strategy, s.Record, s.Reason)
	}
	p, err := plan.Build(plan.Plan{Records: draft.Records()}, t)
	if err != nil {
		panic(err)
	}
	prompt := render.Prompt(t, p, nil)
	fmt.Printf("half of it is gone: %t; #3 reads %q\n", draft.Total() <= before/2, prompt.Messages[2].Parts[0].Body())
	// Output:
	// repeats: replace, said again later
	// repeats: replace, said again later
	// repeats: replace, said again later
	// half of it is gone: true; #3 reads "[the same as #9]"
}
