package summary_test

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/event"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/summary/extract"
)

// clerk is a summarizer that asks somebody what a conversation came to.
type clerk struct {
	ask func(ctx context.Context, conversation string) (string, error)
}

// Name is part of a summary cache's key: it changes when the answers would.
func (clerk) Name() string { return "clerk/1" }

// Summarize leaves the structure (constraints, files, errors, earlier summaries)
// to the summarizer that needs no model, and asks for the narrative alone. What
// it names must occur in the messages: an answer that invents is an error here,
// so that whoever stands behind this summarizer gets its turn.
func (c clerk) Summarize(ctx context.Context, in summary.Input) (*summary.Structured, error) {
	made, err := extract.Summarizer{}.Summarize(ctx, in)
	if err != nil {
		return nil, err
	}
	var text strings.Builder
	for _, id := range in.Span.IDs {
		i, _ := in.Thread.Find(id)
		m := in.Thread.At(i).Message
		for _, p := range m.Parts {
			fmt.Fprintf(&text, "%s: %s\n", m.Role, p.Body())
		}
	}
	out := *made // made may be an earlier summary: never change it
	if out.Narrative, err = c.ask(ctx, text.String()); err != nil {
		return nil, err
	}
	return &out, summary.Verify(&out, in.Thread, in.Span, in.Previous...)
}

// A summarizer of one's own writes what stands for the old messages. Where it
// fails, or invents, the engine has the deterministic one write, and says so.
func Example_summarizer() {
	answers := []string{
		"They compared berths; berth-17 was taken because it is the deepest.",
		"They compared berths and took berth-99.", // said nowhere
	}
	ask := func(context.Context, string) (string, error) {
		if len(answers) == 0 {
			return "", errors.New("the clerk has gone home")
		}
		answer := answers[0]
		answers = answers[1:]
		return answer, nil
	}
	p, err := policy.Named("truncate")
	if err != nil {
		panic(err)
	}
	var failures []string
	var bus event.Bus // delivers in its own time
	bus.Subscribe(func(e event.Event) {
		if e.Kind == event.Failed {
			failures = append(failures, e.Err)
		}
	}, event.Options{})
	engine, err := precis.New(precis.Options{Store: memory.New(), Policy: p, Summarizer: clerk{ask}, NoCache: true, Events: &bus})
	if err != nil {
		panic(err)
	}
	history := []message.Message{
		message.TextOf(message.User, "Which berth for the tanker?"), message.TextOf(message.Assistant, "berth-17 or berth-18; I measure them. "+strings.Repeat("sounding… ", 40)),
		message.TextOf(message.User, "And?"), message.TextOf(message.Assistant, "berth-17 is the deepest. "+strings.Repeat("sounding… ", 40)),
		message.TextOf(message.User, "Take it."), message.TextOf(message.Assistant, "Done."),
	}
	for _, thread := range []string{"one", "two", "three"} {
		turn, err := engine.Prepare(context.Background(), precis.Input{Thread: thread, Messages: history, Budget: 4000, Mode: precis.Mode{Force: true}})
		if err != nil {
			panic(err)
		}
		_, text, _ := strings.Cut(turn.Messages[0].Parts[0].Text, "\n")
		first, _, _ := strings.Cut(text, "\n")
		fmt.Printf("%s: %s\n", thread, first)
	}
	engine.Close()
	if err := bus.Close(context.Background()); err != nil { // waits for what is queued
		panic(err)
	}
	fmt.Println(strings.Join(failures, "\n"))
	// Output:
	// one: They compared berths; berth-17 was taken because it is the deepest.
	// two: Earlier, in 4 messages:
	// three: Earlier, in 4 messages:
	// summarize with clerk/1: verify summary: narrative 0: summary names what its span does not hold
	// summarize with clerk/1
}
