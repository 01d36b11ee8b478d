package precis_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/token/bpe"
)

// An agent asks for its prompt before every request. The store may be a file
// (store/sqlite); messages come from a codec, or are built by hand as here.
func Example() {
	ctx := context.Background()
	m, _ := model.Lookup("gpt-4o")
	meter, err := bpe.Meter(m)
	if err != nil {
		panic(err)
	}
	engine, err := precis.New(precis.Options{Store: memory.New()})
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
	// step 28: compacted, fits: true, sends 6 of 59 messages
}
