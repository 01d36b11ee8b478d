package strategy_test

import (
	"testing"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/strategy"
	"github.com/seed-3db51b0e/precis/thread"
)

// SPEC: B28. A piece of work ends where the user speaks after an answer, and with a commit,
// tests that pass, or the agent's word; not with a question, a failure, or in the middle.
func TestEnds(t *testing.T) {
	call := func(name, args, out string) []message.Message {
		return []message.Message{
			message.TextOf(message.User, "go"),
			{Role: message.Assistant, Parts: []message.Part{{Kind: message.Call, CallID: "c", Name: name, Args: args}}},
			{Role: message.Tool, Parts: []message.Part{{Kind: message.Result, CallID: "c", Parts: []message.Part{{Kind: message.Text, Text: out}}}}},
		}
	}
	for what, c := range map[string]struct {
		ms   []message.Message
		want bool
	}{
		"nothing":          {nil, false},
		"a first request":  {[]message.Message{message.TextOf(message.User, "go")}, false},
		"a next request":   {[]message.Message{message.TextOf(message.User, "go"), message.TextOf(message.Assistant, "done"), message.TextOf(message.User, "next")}, true},
		"a commit":         {call("bash", `{"command":"cd /r && git commit -am 'x'"}`, "[main 1a2b3c4] x\n 1 file changed"), true},
		"a failed commit":  {call("bash", `{"command":"git commit -am x"}`, "fatal: not a git repository\n[exit 128]"), false},
		"tests that pass":  {call("bash", `{"command":"pytest -q"}`, "....\n4 passed in 0.10s"), true},
		"tests that fail":  {call("bash", `{"command":"pytest -q"}`, "F...\n1 failed, 3 passed in 0.10s"), false},
		"a look":           {call("bash", `{"command":"cat a.py"}`, "def a(): pass"), false},
		"the agent's word": {call("precis_note", `{"done":true}`, "noted"), true},
		"a note":           {call("precis_note", `{"text":"x"}`, "noted"), false},
		"an open call":     {call("bash", `{"command":"git commit -am x"}`, "")[:2], false},
	} {
		th, err := thread.New(thread.Extend("", c.ms))
		if err != nil {
			t.Fatal(err)
		}
		if got := strategy.Ends(th); got != c.want {
			t.Errorf("%s: %v", what, got)
		}
	}
}
