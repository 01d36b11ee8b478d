// Package timeline reads a conversation as a stream of typed, authored blocks:
// where it may be cut, what a cut leaves behind, where its prompt is cached.
//
// Use: Blocks over a thread, Choose a cut, Collect a Digest of what goes behind
// the summary, CachePoints on the messages that are sent. Law: it decides
// nothing about the log and looks at no text for markers (SPEC V10); a block is
// typed by the kind of its part and the role of its message alone. Promise: the
// rules of cutting are those of the timeline design, word for word (SPEC T1,
// T2), and pure: the same thread gives the same cut on any machine.
package timeline

import (
	"fmt"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/thread"
)

// Type is the type of a block.
type Type string

// The types that the rules of cutting name. Turn headers do not occur in what
// Blocks builds: a user message starts a turn.
const (
	UserPrompt   Type = "user.prompt"
	Completion   Type = "assistant.completion"
	ToolCall     Type = "react.tool.call"
	ToolResult   Type = "react.tool.result"
	RangeSummary Type = "conv.range.summary"
	TurnHeader   Type = "turn.header"
)

// Types of what else a message may hold.
const (
	thinking   Type = "assistant.thinking"
	attachment Type = "attachment"
	notice     Type = "system.message"
)

// Authors of blocks. Any other name is a participant's; "" is nobody.
const (
	User      = "user"
	Assistant = "assistant"
	System    = "system"
	Tool      = "tool"
)

// Block is one part of a message, or the summary that stands for a span.
type Block struct {
	Type   Type
	Author string
	// Turn is the number of the user turn it belongs to, from 1; 0 before the
	// first. A turn begins at a user message. A summary's is that of what
	// follows it.
	Turn int
	// Entry is the position of its message in the thread, Part its number in
	// the message, counted from 1; 0 for a summary.
	Entry, Part int
	// Unit is the number of the atomic unit it belongs to: blocks of one unit
	// are never parted (DESIGN decision 6).
	Unit   int
	Tokens int // of what the prompt shows now
	Path   string
}

// IsCutPoint says whether a block may be the first that stays: neither a tool
// result nor a summary, and said by somebody who is neither system nor tool.
func IsCutPoint(b Block) bool {
	switch b.Type {
	case ToolResult, RangeSummary:
		return false
	case UserPrompt, Completion, ToolCall, TurnHeader:
		return true
	}
	return b.Author != "" && b.Author != System && b.Author != Tool
}

// IsMessage says whether a block counts for what is recent: a cut point, or a
// tool result.
func IsMessage(b Block) bool { return b.Type == ToolResult || IsCutPoint(b) }

// IsTurnStart says whether a turn begins at a block.
func IsTurnStart(b Block) bool {
	return b.Type == TurnHeader || b.Type == UserPrompt || b.Author == User
}

// Stands says how an entry stands in the prompt.
type Stands uint8

// The ways an entry stands.
const (
	Shown   Stands = iota // as logged, or edited in its place
	Summary               // a summary's message stands here for its whole span
	Gone                  // nothing of it: dropped, or under a summary that stands elsewhere
)

// Blocks is the visible stream of a thread: a block for each part of what is
// shown, one for each summary. tokens is what part n (from 1) of entry i costs
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
				bs = append(bs, Block{Type: RangeSummary, Author: System, Turn: turns[i], Entry: i, Unit: n, Tokens: tokens(i, 0)})
			default:
				bs = appendParts(bs, &t.At(i).Message, Block{Turn: turns[i], Entry: i, Unit: n}, tokens)
			}
		}
	}
	placeSummaries(bs)
	return bs
}

func appendParts(bs []Block, m *message.Message, b Block, tokens func(i, n int) int) []Block {
	for n := range m.Parts {
		p := &m.Parts[n]
		b.Type, b.Author, b.Part = typeOf(m.Role, p.Kind), authorOf(m.Role, p.Kind), n+1
		b.Tokens, b.Path = tokens(b.Entry, n+1), pathOf(b, p.CallID)
		bs = append(bs, b)
	}
	return bs
}

// placeSummaries gives each summary the turn of what follows it.
func placeSummaries(bs []Block) {
	for k := range bs {
		if bs[k].Type != RangeSummary {
			continue
		}
		if k+1 < len(bs) {
			bs[k].Turn = bs[k+1].Turn
		}
		bs[k].Path = SummaryPath(bs[k].Turn)
	}
}

func typeOf(r message.Role, k message.Kind) Type {
	switch {
	case k == message.Call:
		return ToolCall
	case k == message.Result:
		return ToolResult
	case k == message.Thinking:
		return thinking
	case r == message.System:
		return notice
	case k != message.Text:
		return attachment
	case r == message.User:
		return UserPrompt
	case r == message.Assistant:
		return Completion
	}
	return ToolResult // words of a tool
}

// authorOf: a result is the tool's also where it came in a user message.
func authorOf(r message.Role, k message.Kind) string {
	switch {
	case k == message.Result:
		return Tool
	case r == message.System:
		return System
	case r == message.User:
		return User
	case r == message.Assistant:
		return Assistant
	}
	return Tool
}

// SummaryPath is the logical path of the summary before a turn.
func SummaryPath(turn int) string { return fmt.Sprintf("su:%d.%s", turn, RangeSummary) }

// pathOf is the logical path of a part: calls and results by their id, the rest
// by the number of its message.
func pathOf(b Block, call string) string {
	switch b.Type {
	case ToolCall:
		return fmt.Sprintf("tc:%d.%s.call", b.Turn, call)
	case ToolResult:
		return fmt.Sprintf("tc:%d.%s.result", b.Turn, call)
	}
	return fmt.Sprintf("ar:%d.%s.%d", b.Turn, b.Type, b.Entry+1)
}

// Turns numbers the entries of a thread by user turn, counted from 1; 0 before
// the first user message. thread.Turn counts tool rounds, too.
func Turns(t *thread.Thread) []int {
	turns := make([]int, t.Len())
	n := 0
	for i := range turns {
		if thread.Speaks(t.At(i).Message) {
			n++
		}
		turns[i] = n
	}
	return turns
}
