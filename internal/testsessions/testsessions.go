// Package testsessions writes coding-agent sessions that look like real ones, for
// examples, benchmarks and tests. Everything in them is invented.
//
// Use: Session(seed, Options{}) for the messages and what was planted in them;
// ClaudeCode(messages) for a session file. Law: the same seed and options give
// the same bytes on any machine. Promise: the tools' answers are consistent
// (what was edited reads as edited, grep finds what is there), every call has
// its result, and every fact is where Facts says.
package testsessions

import (
	"encoding/json"
	"math/rand/v2"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/message"
)

// The dialects that Options takes.
const (
	OpenAI    = "openai"
	Anthropic = "anthropic"
)

// Options shapes a session. The zero value is about 300 messages of Anthropic's
// dialect.
type Options struct {
	Messages int    // about how many; 0 is 300. Fewer than 60 are not possible.
	Dialect  string // OpenAI or Anthropic; "" is Anthropic
}

// Recording is a session and what was planted in it.
type Recording struct {
	// System is the system prompt; in OpenAI's dialect it is the first message too.
	System   string
	Tools    []codec.Tool
	Messages []message.Message
	Facts    []Fact
}

// Kind is the kind of a Fact.
type Kind string

// The kinds of fact.
const (
	Constraint Kind = "constraint" // a rule that the user gave, verbatim
	Path       Kind = "path"
	Number     Kind = "number"
	ID         Kind = "id"
	Command    Kind = "command"
	Failure    Kind = "failure" // an error message that was met and fixed
	Decision   Kind = "decision"
)

// Fact is something that a later step needs, or must not forget.
type Fact struct {
	Kind    Kind
	Value   string // occurs in the message's text, arguments or result, verbatim
	Message int    // index of the message that says it first
	// Needed are the messages that use the value again.
	Needed []int
	// SupersededBy is the index in Facts of the fact that took its place, -1
	// while it stands.
	SupersededBy int
}

// Session writes a session.
func Session(seed uint64, o Options) Recording {
	if o.Messages == 0 {
		o.Messages = 300
	}
	s := newScript(rand.New(rand.NewPCG(seed, 0x7075726e)), o)
	s.story(o.Messages)
	return Recording{System: s.system, Tools: tools(), Messages: s.messages, Facts: s.facts}
}

// tools declares what the agent of the session can do.
func tools() []codec.Tool {
	var ts []codec.Tool
	for _, t := range []struct{ name, about, schema string }{
		{"read_file", "Read a file of the project, with line numbers.", `{"type":"object","properties":{"path":{"type":"string"},"offset":{"type":"integer"},"limit":{"type":"integer"}},"required":["path"]}`},
		{"list_dir", "List a directory.", `{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`},
		{"grep", "Search the project for a regular expression.", `{"type":"object","properties":{"pattern":{"type":"string"},"path":{"type":"string"}},"required":["pattern"]}`},
		{"bash", "Run a command in the project's root.", `{"type":"object","properties":{"command":{"type":"string"},"timeout_s":{"type":"integer"}},"required":["command"]}`},
		{"write_file", "Write a file, replacing what is there.", `{"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"}},"required":["path","content"]}`},
		{"edit_file", "Replace a text that occurs once in a file.", `{"type":"object","properties":{"path":{"type":"string"},"old":{"type":"string"},"new":{"type":"string"}},"required":["path","old","new"]}`},
		{"run_tests", "Run the unit tests of packages.", `{"type":"object","properties":{"packages":{"type":"string"},"run":{"type":"string"},"count":{"type":"integer"}},"required":["packages"]}`},
	} {
		ts = append(ts, codec.Tool{Name: t.name, Description: t.about, Schema: json.RawMessage(t.schema)})
	}
	return ts
}
