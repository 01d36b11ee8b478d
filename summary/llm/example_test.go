package llm_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/codec/anthropic"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/summary/llm"
)

// A model writes the summaries of an engine. It is told to answer with JSON of a
// schema, and what it says counts as far as the messages bear it out: the second
// sentence of this one names a berth that nobody did.
func Example() {
	// A model, or what the wire shows of one.
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		said, _ := json.Marshal(map[string]any{
			"narrative": "The tanker goes to berth-17, the deepest. The tug waits at berth-99. The pilot was told.",
			"facts":     []any{}, "open_items": []any{},
		})
		_ = json.NewEncoder(w).Encode(map[string]any{
			"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-haiku-4-5", "stop_reason": "end_turn",
			"content": []any{map[string]any{"type": "text", "text": string(said)}},
			"usage":   map[string]any{"input_tokens": 400, "output_tokens": 30},
		})
	}))
	defer server.Close()

	model, err := llm.New(llm.Config{URL: server.URL + "/v1/messages", Model: "claude-haiku-4-5", Dialect: anthropic.Codec{}, APIKey: "…"})
	if err != nil {
		panic(err)
	}
	defer model.Close()
	p, err := policy.Named("truncate")
	if err != nil {
		panic(err)
	}
	engine, err := precis.New(precis.Options{Store: memory.New(), Policy: p, Summarizer: model})
	if err != nil {
		panic(err)
	}
	defer engine.Close()
	history := []message.Message{
		message.TextOf(message.User, "Which berth for the tanker?"), message.TextOf(message.Assistant, "berth-17 is the deepest. "+strings.Repeat("sounding… ", 40)),
		message.TextOf(message.User, "Take it. Is the pilot told?"), message.TextOf(message.Assistant, "Told. "+strings.Repeat("calling… ", 40)),
		message.TextOf(message.User, "Good."), message.TextOf(message.Assistant, "Done."),
	}
	turn, err := engine.Prepare(context.Background(), precis.Input{Thread: "t", Messages: history, Budget: 4000, Mode: precis.Mode{Force: true}})
	if err != nil {
		panic(err)
	}
	fmt.Println(turn.Messages[0].Parts[0].Text)
	spent := model.Usage()
	fmt.Printf("%d call, %d tokens in, %d out, %d statement dropped, $%.6f\n", spent.Calls, spent.Input, spent.Output, spent.Dropped, spent.USD)
	// Output:
	// [COMPACT SUMMARY]
	// The tanker goes to berth-17, the deepest. The pilot was told.
	// 1 call, 400 tokens in, 30 out, 1 statement dropped, $0.000550
}
