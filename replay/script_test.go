package replay

import (
	"context"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/message"
)

// script reads a run written one message a line: "system: …", "user: …",
// "assistant: …", "call ID TOOL ARGS", "result ID …"; "\n" breaks a line.
func script(t *testing.T, s string) []message.Message {
	t.Helper()
	var ms []message.Message
	for line := range strings.Lines(s) {
		line = strings.ReplaceAll(strings.TrimSpace(line), `\n`, "\n")
		role, text, _ := strings.Cut(line, ": ")
		word := strings.SplitN(line, " ", 4)
		switch {
		case line == "":
		case word[0] == "call":
			ms = append(ms, message.Message{Role: message.Assistant, Parts: []message.Part{
				{Kind: message.Call, CallID: word[1], Name: word[2], Args: word[3]},
			}})
		case word[0] == "result":
			ms = append(ms, message.Message{Role: message.Tool, Parts: []message.Part{
				{Kind: message.Result, CallID: word[1], Parts: []message.Part{{Kind: message.Text, Text: strings.SplitN(line, " ", 3)[2]}}},
			}})
		case role == "system" || role == "user" || role == "assistant":
			ms = append(ms, message.TextOf(message.Role(role), text))
		default:
			t.Fatalf("line %q is no message", line)
		}
	}
	return ms
}

// hundred counts every message as 100 tokens.
var hundred = Judge{Count: func(message.Message) int { return 100 }}

// fixed is a policy that shows what f says.
func fixed(name string, f func(history []message.Message) Prompt) Policy {
	return Policy{Name: name, Start: func(context.Context, Setup) (Step, func() error, error) {
		return func(_ context.Context, h []message.Message) (Prompt, error) { return f(h), nil }, nil, nil
	}}
}
