package timeline

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/internal/testthread"
	"github.com/seed-3db51b0e/precis/message"
)

func said(r message.Role, text string) message.Message { return message.TextOf(r, text) }

func call(id, name, args string) message.Part {
	return message.Part{Kind: message.Call, CallID: id, Name: name, Args: args}
}

func result(id, text string) message.Part {
	return message.Part{Kind: message.Result, CallID: id, Parts: []message.Part{{Kind: message.Text, Text: text}}}
}

func of(r message.Role, ps ...message.Part) message.Message {
	return message.Message{Role: r, Parts: ps}
}

// The blocks of a thread under a summary, a dropped message and a pruned one.
//
// SPEC: T1
func TestBlocks(t *testing.T) {
	th := testthread.Of(t,
		said(message.System, "rules"),
		said(message.User, "one"), said(message.Assistant, "done"),
		said(message.User, "two"),
		of(message.Assistant, message.Part{Kind: message.Thinking, Text: "hm"}, message.Part{Kind: message.Text, Text: "I look"}, call("c1", "read", "{}"), call("c2", "read", "{}")),
		of(message.User, result("c2", "b"), result("c1", "a"), message.Part{Kind: message.Text, Text: "and hurry"}),
		of(message.Assistant, call("c3", "bash", "{}")), of(message.Tool, result("c3", "ok")),
		message.Message{Role: message.User, Meta: true, Parts: []message.Part{{Kind: message.Text, Text: "bookkeeping"}}},
		of(message.User, message.Part{Kind: message.Media}),
	)
	stands := map[int]Stands{1: Summary, 2: Gone}
	bs := Blocks(th, func(i int) Stands { return stands[i] }, func(i, n int) int { return 100*i + n })
	var b strings.Builder
	for _, x := range bs {
		fmt.Fprintf(&b, "turn %d unit %d #%d/%d %d tokens: %s by %s, %s\n", x.Turn, x.Unit, x.Entry+1, x.Part, x.Tokens, x.Type, x.Author, x.Path)
	}
	const want = `turn 0 unit 0 #1/1 1 tokens: system.message by system, ar:0.system.message.1
turn 2 unit 1 #2/0 100 tokens: conv.range.summary by system, su:2.conv.range.summary
turn 2 unit 3 #4/1 301 tokens: user.prompt by user, ar:2.user.prompt.4
turn 2 unit 4 #5/1 401 tokens: assistant.thinking by assistant, ar:2.assistant.thinking.5
turn 2 unit 4 #5/2 402 tokens: assistant.completion by assistant, ar:2.assistant.completion.5
turn 2 unit 4 #5/3 403 tokens: react.tool.call by assistant, tc:2.c1.call
turn 2 unit 4 #5/4 404 tokens: react.tool.call by assistant, tc:2.c2.call
turn 3 unit 4 #6/1 501 tokens: react.tool.result by tool, tc:3.c2.result
turn 3 unit 4 #6/2 502 tokens: react.tool.result by tool, tc:3.c1.result
turn 3 unit 4 #6/3 503 tokens: user.prompt by user, ar:3.user.prompt.6
turn 3 unit 5 #7/1 601 tokens: react.tool.call by assistant, tc:4.c3.call
turn 3 unit 5 #8/1 701 tokens: react.tool.result by tool, tc:4.c3.result
turn 5 unit 7 #10/1 901 tokens: attachment by user, ar:5.attachment.10
`
	if b.String() != want {
		t.Errorf("blocks:\n%s\nwant:\n%s", b.String(), want)
	}
	if window(bs) != 2 {
		t.Errorf("window from %d", window(bs))
	}
}
