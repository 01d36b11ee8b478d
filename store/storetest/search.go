package storetest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/recall"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

var searchTests = map[string]func(*testing.T, store.Store){
	// SPEC: L22, V5. What is found in a log, and in which order, does not depend on where
	// the log is kept.
	"SearchRanksAlike": func(t *testing.T, s store.Store) {
		k := store.Key{Thread: "main"}
		var ms []message.Message
		for i := range 30 {
			id := fmt.Sprintf("c%d", i)
			out := strings.Repeat(fmt.Sprintf("part_%d of service-%d at 10.0.0.%d\n", i%7, i%5, i), 1+i%4)
			ms = append(ms, message.TextOf(message.User, fmt.Sprintf("Look at service-%d.", i%5)),
				message.Message{Role: message.Assistant, Parts: []message.Part{{Kind: message.Call, CallID: id, Name: "edit", Args: fmt.Sprintf(`{"path":"/srv/a/part_%d.py","new":"x = %d\ny = 2"}`, i%7, i)}}},
				message.Message{Role: message.Tool, Parts: []message.Part{{Kind: message.Result, CallID: id, Parts: []message.Part{{Kind: message.Text, Text: out}}}}})
		}
		es := thread.Extend("", ms)
		add(t, s, k, store.Batch{Entries: es})
		p := build(t, k, 1, es, plan.Record{Action: plan.Summarize, Text: "what was", Span: span(es[:60])})
		noError(t, s.Commit(ctx(t), k, p, nil))
		th, err := thread.New(es)
		noError(t, err)
		kept, err := recall.Open(ctx(t), s, k, now(0))
		noError(t, err)
		for _, text := range []string{"service-3 part_4", "part_2.py", "a/part_6.py x = 13", "10.0.0.7", "y"} {
			topic := recall.Topic{Text: text, Limit: 8, Lost: true}
			want, err := (&recall.Reader{Thread: th, Plan: p}).Search(ctx(t), topic)
			noError(t, err)
			have, err := kept.Search(ctx(t), topic)
			noError(t, err)
			equal(t, want, have)
		}
	},
}
