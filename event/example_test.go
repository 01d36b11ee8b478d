package event_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/event"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/store/memory"
)

// long is a conversation of n questions and answers.
func long(n int) (ms []message.Message) {
	for i := range n {
		ms = append(ms, message.TextOf(message.User, fmt.Sprintf("What is on page %d?", i)),
			message.TextOf(message.Assistant, strings.Repeat("a picture of a lighthouse; ", 10)))
	}
	return ms
}

// A bus carries what happens to subscribers; JSONL writes a line for each event.
// No subscriber holds a compaction up: close the bus to wait for what is queued.
func ExampleJSONL() {
	var file bytes.Buffer // an os.File
	lines := event.NewJSONL(&file)
	var bus event.Bus
	bus.Subscribe(lines.Append, event.Options{Name: "jsonl"})

	now := func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }
	engine, err := precis.New(precis.Options{Store: memory.New(), Events: &bus, Now: now})
	if err != nil {
		panic(err)
	}
	if _, err := engine.Prepare(context.Background(), precis.Input{Thread: "t", Messages: long(60), Budget: 2000}); err != nil {
		panic(err)
	}
	engine.Close()
	if err := bus.Close(context.Background()); err != nil {
		panic(err)
	}
	if failed, err := lines.Err(); failed > 0 {
		panic(err)
	}
	events, err := event.ReadJSONL(&file)
	if err != nil {
		panic(err)
	}
	for _, e := range events {
		fmt.Println(e.Time.Format(time.DateOnly), e.Thread, e.Kind)
	}
	// Output:
	// 2026-01-02 t compaction_check_started
	// 2026-01-02 t compaction_proposal_generated
	// 2026-01-02 t compaction_summarized
	// 2026-01-02 t compaction_completed
	// 2026-01-02 t compaction_boundary
	// 2026-01-02 t session_start
}

// A hook is asked before a compaction and may object. Its veto is advice: what
// would not fit the budget is compacted all the same.
func ExampleHooks() {
	busy := event.Hooks{Before: func(_ context.Context, p event.Payload) (event.Verdict, error) {
		return event.Verdict{Veto: p.Trigger == event.Auto, Reason: "a demonstration is under way"}, nil
	}}
	p, err := policy.Named("truncate") // compacts above 80 % of the room for messages
	if err != nil {
		panic(err)
	}
	engine, err := precis.New(precis.Options{Store: memory.New(), Policy: p, Hooks: busy})
	if err != nil {
		panic(err)
	}
	defer engine.Close()
	for _, n := range []int{20, 40, 60} {
		turn, err := engine.Prepare(context.Background(), precis.Input{Thread: "t", Messages: long(n), Budget: 6000})
		if err != nil {
			panic(err)
		}
		fmt.Printf("%d questions: %s, sends %d messages, fits: %t\n", n, turn.Outcome, len(turn.Messages), turn.Compacted <= turn.Budget)
	}
	// Output:
	// 20 questions: within_budget, sends 40 messages, fits: true
	// 40 questions: vetoed, sends 80 messages, fits: true
	// 60 questions: compacted, sends 50 messages, fits: true
}
