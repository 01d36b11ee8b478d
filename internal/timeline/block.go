// Package timeline reads a conversation as a stream of typed, authored blocks:
// where it may be cut, and what a cut leaves behind.
//
// Use: Blocks over a thread, Choose a cut, Collect a Digest of what goes behind
// the summary. Law: it decides nothing about the log and looks at no text for
// markers; a block is typed by the kind of its part and the role of its message
// alone. Promise: the rules of cutting are those of the timeline design, word for
// word, and the same thread gives the same cut on any machine.
package timeline

import (
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/ref"
	"github.com/seed-3db51b0e/precis/thread"
)

// blockType tells what a block holds.
type blockType string

// The types that the rules of cutting name. Turn headers do not occur in what
// Blocks builds: a user message starts a turn.
const (
	userPrompt   blockType = "user.prompt"
	completion   blockType = "assistant.completion"
	toolCall     blockType = "react.tool.call"
	toolResult   blockType = "react.tool.result"
	rangeSummary blockType = "conv.range.summary"
	turnHeader   blockType = "turn.header"
)

// Types of what else a message may hold.
const (
	thinking   blockType = "assistant.thinking"
	attachment blockType = "attachment"
	notice     blockType = "system.message"
)

// Authors of blocks. Any other name is a participant's; "" is nobody.
const (
	byUser      = "user"
	byAssistant = "assistant"
	bySystem    = "system"
	byTool      = "tool"
)

// Block is one part of a message, or the summary that stands for a span.
type Block struct {
	Type   blockType
	Author string
	// Turn is the user turn it belongs to, by the number it begins with (see Turns);
	// 0 before the first. A summary's is that of what follows it.
	Turn int
	// Entry is the position of its message in the thread, Part its number in
	// the message, counted from 1; 0 for a summary.
	Entry, Part int
	// Unit is the number of the atomic unit it belongs to: blocks of one unit
	// are never parted.
	Unit   int
	Tokens int // of what the prompt shows now
	Path   string
}

// isCutPoint reports whether a block may be the first that stays: neither a tool
// result nor a summary, and said by somebody who is neither system nor tool.
func isCutPoint(b Block) bool {
	switch b.Type {
	case toolResult, rangeSummary:
		return false
	case userPrompt, completion, toolCall, turnHeader:
		return true
	}
	return b.Author != "" && b.Author != bySystem && b.Author != byTool
}

// isMessage reports whether a block counts for what is recent: a cut point, or a
// tool result.
func isMessage(b Block) bool { return b.Type == toolResult || isCutPoint(b) }

// isTurnStart reports whether a turn begins at a block.
func isTurnStart(b Block) bool {
	return b.Type == turnHeader || b.Type == userPrompt || b.Author == byUser
}

// Stands tells how an entry stands in the prompt.
type Stands uint8

// The ways an entry stands.
const (
	Shown   Stands = iota // as logged, or edited in its place
	Summary               // a summary's message stands here for its whole span
	Gone                  // nothing of it: dropped, or under a summary that stands elsewhere
)

// Blocks returns the visible stream of a thread: a block for each part of what is
// shown, one for each summary. tokens returns what part n (from 1) of entry i costs
// in the prompt, or with n 0 the summary that stands at i. Records that are
// never sent have no block.
func Blocks(t *thread.Thread, stands func(i int) Stands, tokens func(i, n int) int) []Block {
	bs := make([]Block, 0, t.Len())
	turns := Turns(t)
	for n, u := range t.Units() {
		for i := u.Start; i < u.End; i++ {
			s := stands(i)
			switch {
			case t.At(i).Message.Meta || s == Gone:
			case s == Summary:
				bs = append(bs, Block{Type: rangeSummary, Author: bySystem, Turn: turns[i], Entry: i, Unit: n, Tokens: tokens(i, 0)})
			default:
				bs = appendParts(bs, t, Block{Turn: turns[i], Entry: i, Unit: n}, tokens)
			}
		}
	}
	placeSummaries(t, bs)
	return bs
}

func appendParts(bs []Block, t *thread.Thread, b Block, tokens func(i, n int) int) []Block {
	m := &t.At(b.Entry).Message
	for n := range m.Parts {
		p := &m.Parts[n]
		b.Type, b.Author, b.Part = typeOf(m.Role, p.Kind), authorOf(m.Role, p.Kind), n+1
		b.Tokens, b.Path = tokens(b.Entry, n+1), pathOf(t, b, p.CallID)
		bs = append(bs, b)
	}
	return bs
}

// placeSummaries gives each summary the turn of what follows it.
func placeSummaries(t *thread.Thread, bs []Block) {
	for k := range bs {
		if bs[k].Type != rangeSummary {
			continue
		}
		before := bs[k]
		if k+1 < len(bs) {
			before = bs[k+1]
			bs[k].Turn = before.Turn
		}
		bs[k].Path = SummaryPath(t.Turn(before.Entry))
	}
}

func typeOf(r message.Role, k message.Kind) blockType {
	switch {
	case k == message.Call:
		return toolCall
	case k == message.Result:
		return toolResult
	case k == message.Thinking:
		return thinking
	case r == message.System:
		return notice
	case k != message.Text:
		return attachment
	case r == message.User:
		return userPrompt
	case r == message.Assistant:
		return completion
	}
	return toolResult // words of a tool
}

// authorOf: a result is the tool's also where it came in a user message.
func authorOf(r message.Role, k message.Kind) string {
	switch {
	case k == message.Result:
		return byTool
	case r == message.System:
		return bySystem
	case r == message.User:
		return byUser
	case r == message.Assistant:
		return byAssistant
	}
	return byTool
}

// SummaryPath returns the logical path of the summary before a turn.
func SummaryPath(turn int) string { return ref.Summary(turn, string(rangeSummary)).String() }

// pathOf returns the logical path of a part, by the thread's number of its turn: calls
// and results by their id, the rest by the number of its message.
func pathOf(t *thread.Thread, b Block, call string) string {
	turn := t.Turn(b.Entry)
	switch b.Type {
	case toolCall:
		return ref.Call(turn, call).String()
	case toolResult:
		return ref.Result(turn, call).String()
	}
	return ref.Block(turn, string(b.Type), b.Entry+1).String()
}

// Turns returns the user turn of each entry: from one user message to the next, by the
// number that the thread gives the turn it begins with; 0 before the first.
func Turns(t *thread.Thread) []int {
	turns := make([]int, t.Len())
	n := 0
	for i := range turns {
		if thread.Speaks(t.At(i).Message) {
			n = t.Turn(i)
		}
		turns[i] = n
	}
	return turns
}
