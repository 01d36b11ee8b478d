package precis_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/recall"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/token/bpe"
)

// An agent keeps its history as it always did and sends what PrepareStep makes
// of it. A store that outlives the process is sqlite.Open(ctx, "precis.db",
// sqlite.Options{}).
func Example() {
	ctx := context.Background()
	engine, err := precis.New(precis.Options{Store: memory.New()})
	if err != nil {
		panic(err)
	}
	defer engine.Close()
	m, _ := model.Lookup("gpt-4o")
	meter, err := bpe.Meter(m) // exact counts
	if err != nil {
		panic(err)
	}
	loop := engine.Loop(precis.Input{Thread: "session-1", Model: m, Meter: meter, Budget: 2000})

	// ask stands for the call of the model.
	ask := func(prompt []message.Message) message.Message {
		return message.TextOf(message.Assistant, "Mile noted: "+strings.Repeat("cloudy, ", 40)+"no rain.")
	}
	history := []message.Message{message.TextOf(message.User, "Keep the log of the voyage. Never round a number.")}
	for mile := range 40 {
		history = append(history, message.TextOf(message.User, fmt.Sprintf("mile %d", mile)))
		prompt, err := loop.PrepareStep(ctx, history)
		if err != nil {
			panic(err)
		}
		history = append(history, ask(prompt))
	}
	turn := loop.Turn()
	fmt.Printf("history %d messages, sent %d\n", len(history)-1, len(turn.Messages))
	fmt.Println("fits:", turn.Compacted <= turn.Budget)
	fmt.Println("still first:", turn.Messages[0].Parts[0].Text)
	// Output:
	// history 80 messages, sent 19
	// fits: true
	// still first: Keep the log of the voyage. Never round a number.
}

// Prepare is what a loop calls, with everything that it says about a request.
func ExampleEngine_Prepare() {
	ctx := context.Background()
	engine, err := precis.New(precis.Options{Store: memory.New()})
	if err != nil {
		panic(err)
	}
	defer engine.Close()
	m, _ := model.Lookup("gpt-4o")
	meter, err := bpe.Meter(m)
	if err != nil {
		panic(err)
	}
	history := []message.Message{message.TextOf(message.User, "Find out why the build of payment-core fails. Change nothing.")}
	for i := range 40 {
		id := fmt.Sprintf("call_%d", i)
		history = append(history,
			message.Message{Role: message.Assistant, Parts: []message.Part{{Kind: message.Call, CallID: id, Name: "bash", Args: `{"command":"make build"}`}}},
			message.Message{Role: message.Tool, Parts: []message.Part{{Kind: message.Result, CallID: id, Parts: []message.Part{
				{Kind: message.Text, Text: strings.Repeat("compiling payment-core…\n", 20) + "ledger.go:17: undefined: newLedger\n"},
			}}}},
		)
		turn, err := engine.Prepare(ctx, precis.Input{Thread: "s1", Messages: history, Model: m, Meter: meter, Budget: 4000})
		if err != nil {
			panic(err)
		}
		if turn.Outcome == precis.Compacted {
			fmt.Printf("step %d: %s, fits: %t, sends %d of %d messages\n", i, turn.Outcome, turn.Compacted <= turn.Budget, len(turn.Messages), len(history))
		}
	}
	// Output:
	// step 27: compacted, fits: true, sends 7 of 57 messages
}

// In shadow mode the engine plans as ever, but the prompt is the history and no
// plan is committed: a way to look before switching it on.
func ExampleOptions_shadow() {
	engine, err := precis.New(precis.Options{Store: memory.New(), Shadow: true})
	if err != nil {
		panic(err)
	}
	defer engine.Close()
	var history []message.Message
	for i := range 60 {
		history = append(history, message.TextOf(message.User, fmt.Sprintf("What is ship %d?", i)),
			message.TextOf(message.Assistant, strings.Repeat("a long description, ", 10)))
	}
	turn, err := engine.Prepare(context.Background(), precis.Input{Thread: "t", Messages: history, Budget: 2000})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s: sends %d of %d messages\n", turn.Outcome, len(turn.Messages), len(history))
	would := turn.Shadow
	fmt.Printf("would be %s: %d messages, fits: %t\n", would.Outcome, len(would.Messages), would.Compacted <= turn.Budget)
	// Output:
	// observed: sends 120 of 120 messages
	// would be compacted: 5 messages, fits: true
}

// A provider refuses a prompt that is too long for it. The loop takes the window
// from the error's own words, compacts to it and hands out a prompt to send once
// more; it keeps to that window from then on.
func ExampleLoop_HandleOverflow() {
	ctx := context.Background()
	engine, err := precis.New(precis.Options{Store: memory.New()})
	if err != nil {
		panic(err)
	}
	defer engine.Close()
	loop := engine.Loop(precis.Input{Thread: "t", Budget: 100_000}) // too much, as will turn out

	var history []message.Message
	for i := range 100 {
		history = append(history, message.TextOf(message.User, fmt.Sprintf("Read letter %d.", i)),
			message.TextOf(message.Assistant, strings.Repeat("my dear friend, ", 30)))
	}
	prompt, err := loop.PrepareStep(ctx, history)
	if err != nil {
		panic(err)
	}
	fmt.Printf("sent %d messages\n", len(prompt))

	_, retry, err := loop.HandleOverflow(ctx, history, 429, `{"error":{"message":"rate limit reached"}}`)
	fmt.Println("after a rate limit, retry:", retry, err)

	const refusal = `{"error":{"code":"context_length_exceeded","message":"This model's maximum context length is 8192 tokens. However, your messages resulted in 20000 tokens."}}`
	prompt, retry, err = loop.HandleOverflow(ctx, history, 400, refusal)
	if err != nil {
		panic(err)
	}
	fmt.Printf("after an overflow, retry: %t, with %d messages, below the window: %t\n", retry, len(prompt), loop.Turn().Compacted <= 8192)

	// Output:
	// sent 200 messages
	// after a rate limit, retry: false <nil>
	// after an overflow, retry: true, with 9 messages, below the window: true
}

// What was moved out comes back for one turn when the agent names it, at the
// end of the prompt and within a reserve that the policy keeps free.
func Example_rehydration() {
	ctx := context.Background()
	p, err := policy.Named("ladder") // moves out, and has a reserve
	if err != nil {
		panic(err)
	}
	engine, err := precis.New(precis.Options{Store: memory.New(), Policy: p})
	if err != nil {
		panic(err)
	}
	defer engine.Close()
	loop := engine.Loop(precis.Input{Thread: "t", Budget: 16_000})

	history := []message.Message{message.TextOf(message.User, "Watch the tide gauges.")}
	for i := range 11 {
		id := fmt.Sprint("call_", i)
		history = append(history,
			message.Message{Role: message.Assistant, Parts: []message.Part{{Kind: message.Call, CallID: id, Name: "read_gauge", Args: "{}"}}},
			message.Message{Role: message.Tool, Parts: []message.Part{{Kind: message.Result, CallID: id, Parts: []message.Part{
				{Kind: message.Text, Text: strings.Repeat(fmt.Sprintf("gauge %d: 4.2 m\n", i), 90)},
			}}}},
		)
	}
	if _, err := loop.PrepareStep(ctx, history); err != nil {
		panic(err)
	}
	moved := loop.Turn().Plan.Records[0]
	fmt.Println("message 3 is moved out:", moved.Action == plan.Externalize)

	history = append(history, message.TextOf(message.Assistant, "I look at "+moved.Artifact+" again."), message.TextOf(message.User, "Do."))
	prompt, err := loop.PrepareStep(ctx, history)
	if err != nil {
		panic(err)
	}
	last := prompt[len(prompt)-1].Parts[0].Text
	fmt.Println("comes back last:", strings.Contains(last, "gauge 0: 4.2 m"))
	fmt.Println("and is not logged:", loop.Turn().Thread.Len() == len(history))

	history = append(history, message.TextOf(message.Assistant, "It was calm."), message.TextOf(message.User, "Good."))
	if _, err := loop.PrepareStep(ctx, history); err != nil {
		panic(err)
	}
	fmt.Println("a turn later:", len(loop.Turn().Rehydrated))
	// Output:
	// message 3 is moved out: true
	// comes back last: true
	// and is not logged: true
	// a turn later: 0
}

// A client that keeps no history sends what is new, and gets a prompt of all of
// it. A call that is repeated with the same messages would log them twice: after
// Refused, nil is what is new.
func ExampleInput_continue() {
	ctx := context.Background()
	engine, err := precis.New(precis.Options{Store: memory.New()})
	if err != nil {
		panic(err)
	}
	defer engine.Close()
	loop := engine.Loop(precis.Input{Thread: "t", Continue: true, Budget: 4000})
	for _, text := range []string{"Remember: the key is under the mat.", "And the lamp is in the shed."} {
		if _, err := loop.PrepareStep(ctx, []message.Message{message.TextOf(message.User, text)}); err != nil {
			panic(err)
		}
	}
	prompt, err := loop.PrepareStep(ctx, nil)
	if err != nil {
		panic(err)
	}
	for _, m := range prompt {
		fmt.Println(m.Parts[0].Text)
	}
	// Output:
	// Remember: the key is under the mat.
	// And the lamp is in the shed.
}

// Nothing is removed but what somebody erases. The chain stays: id and digest
// are kept, and a tombstone says when, by whom and why.
func Example_erase() {
	ctx, st, k := context.Background(), memory.New(), store.Key{Thread: "t"}
	engine, err := precis.New(precis.Options{Store: st})
	if err != nil {
		panic(err)
	}
	defer engine.Close()
	history := []message.Message{message.TextOf(message.User, "My password is swordfish."), message.TextOf(message.Assistant, "I did not read that.")}
	turn, err := engine.Prepare(ctx, precis.Input{Thread: "t", Messages: history, Budget: 4000})
	if err != nil {
		panic(err)
	}

	why := artifact.Tombstone{At: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), By: "ann", Reason: "held a password"}
	if err := engine.Erase(ctx, "t", turn.Thread.At(0).ID, why); err != nil {
		panic(err)
	}
	entries, err := st.Load(ctx, k)
	if err != nil {
		panic(err)
	}
	fmt.Println(entries[0].Message.Parts[0].Text)
	fmt.Println(entries[1].Message.Parts[0].Text)
	// Output:
	// [erased on 2026-01-02 03:04:05 UTC by ann: held a password]
	// I did not read that.
}

// The tools that pointers name, declared to the model and answered from the log,
// under the key of the turn.
func Example_recall() {
	ctx, st := context.Background(), memory.New()
	engine, err := precis.New(precis.Options{Store: st})
	if err != nil {
		panic(err)
	}
	defer engine.Close()
	tools := recall.Definitions("precis_read") // among those of every request, and in Input.Tools
	loop := engine.Loop(precis.Input{Thread: "t", Tools: tools, Budget: 4000})
	history := []message.Message{message.TextOf(message.User, "The permit of heron-02 is p-551."), message.TextOf(message.Assistant, "Noted.")}
	if _, err := loop.PrepareStep(ctx, history); err != nil {
		panic(err)
	}

	// The model calls a tool.
	call := message.Part{Kind: message.Call, CallID: "call_1", Name: "precis_grep", Args: `{"query":"permit heron-02"}`}
	r, err := recall.Open(ctx, st, loop.Turn().Key, time.Now())
	if err != nil {
		panic(err)
	}
	text, failed := recall.ToolHandler{}.Answer(ctx, r, call.Name, json.RawMessage(call.Args))
	fmt.Println("failed:", failed)
	fmt.Println("found:", strings.Contains(text, "The permit of heron-02 is p-551."))
	// Output:
	// failed: false
	// found: true
}
