// Package transcript reads recorded conversations: agents' session files,
// request bodies, and messages one to a line.
//
// Use: Read(data, "") detects the format by content and returns the
// conversation in order, root to leaf, as neutral messages. Law: nothing is
// lost silently: every line of a file is either the source of a
// message or in Skipped with its reason. Promise: one source record is one
// message whose Raw is the record's exact bytes, and where a record holds calls
// and their results, each result is a message of its own after it; reading takes
// time linear in the input and never panics, whatever the bytes.
package transcript

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/message"
)

var (
	// ErrFormat is wrapped when the format's name is unknown or the content
	// fits none.
	ErrFormat = errors.New("unknown format")
	// ErrNoMessages is wrapped when the input holds no usable message; the
	// error's text says what it holds.
	ErrNoMessages = errors.New("no messages")
	// ErrMany is wrapped when the input holds several conversations, one a
	// line: Read takes one.
	ErrMany = errors.New("more than one conversation")
)

// The formats that Read knows by name.
const (
	ClaudeCode = "claude-code" // Claude Code session file
	Codex      = "codex"       // Codex CLI rollout, with or without envelopes
	Pi         = "pi"          // pi session file
	OpenCode   = "opencode"    // opencode session, as its export writes it
	GeminiCLI  = "gemini-cli"  // gemini-cli chat recording, or a saved chat
	OpenAI     = "openai"      // Chat Completions request
	Responses  = "responses"   // Responses request
	Anthropic  = "anthropic"   // Messages request
	Gemini     = "gemini"      // generateContent request
	JSONL      = "jsonl"       // messages one a line, a JSON array of them, or one {"messages": …} row
)

// Formats lists the names that Read takes.
func Formats() []string {
	return []string{ClaudeCode, Codex, Pi, OpenCode, GeminiCLI, OpenAI, Responses, Anthropic, Gemini, JSONL}
}

// Transcript is one conversation as it was recorded.
type Transcript struct {
	Format string // one of Formats
	Model  string // the last model named; "" if none is
	API    string // the format of its requests, where the recorder says so: OpenAI, Responses or Anthropic
	// Session is the recorder's id of the conversation, "" if it gives none.
	// A sub-agent's file of Claude Code has "session/agent".
	Session string
	// Messages run from the first to the last. Those of a session file have
	// the format's name as Dialect and the line as Raw; their parts keep the
	// provider's blocks. Those of the API formats have the API's own.
	Messages []message.Message
	// Sources tells of each message where it stood; same length as Messages.
	Sources []Source
	// Request is the decoded body when the input is a request, else nil. Its
	// Body is the input without a byte order mark.
	Request *codec.Request
	System  []message.Part // a system prompt kept apart from the messages
	Tools   []codec.Tool
	// Skipped names every record that is not the source of a message, in
	// file order.
	Skipped []Skip
	// Notes are sentences about repairs made while reading: a parent that is
	// not in the file, a cycle.
	Notes []string
}

// Source locates a message in its file. Offsets do not count a byte order mark.
// Messages of a request have neither line nor offset.
type Source struct {
	Line   int       // 1-based
	Offset int       // of the record's first byte
	Time   time.Time // as recorded; zero if not
}

// Skip is a record that was not used as a message.
type Skip struct {
	Line   int    // 1-based
	Offset int    // of its first byte in the input
	Bytes  int    // its length without the newline
	Kind   string // its type as the file names it; "" if it has none
	Why    Why
	Detail string // what was wrong with it; "" if Why says all
}

// Why is the reason a record was skipped.
type Why string

// The reasons. The first four are losses: the record could not be used. The
// rest were left out on purpose.
const (
	Malformed   Why = "malformed"              // not the JSON it should be
	HalfWritten Why = "half-written"           // the last line, cut short
	UnknownType Why = "unknown type"           // a type this package does not know
	Empty       Why = "empty"                  // a message without content
	Bookkeeping Why = "bookkeeping"            // titles, snapshots, events, settings
	Hidden      Why = "hidden"                 // marked by the agent as not part of the conversation
	Synthetic   Why = "synthetic"              // written by the agent in the model's name
	SubAgent    Why = "sub-agent"              // belongs to a sub-agent's conversation
	OtherBranch Why = "other branch"           // not on the way from the root to the leaf
	Duplicate   Why = "duplicate"              // an id that was seen before
	Compaction  Why = "agent's own compaction" // a summary of messages that are read in full
)

// Loss reports whether the record could not be used, rather than was left out.
func (w Why) Loss() bool {
	return w == Malformed || w == HalfWritten || w == UnknownType || w == Empty
}

// Read reads one conversation. format is one of Formats, or "" or "auto" to
// detect it by content. The result refers to data, which must not change
// afterwards. Errors wrap ErrFormat, ErrNoMessages, ErrMany or
// codec.ErrMalformed.
func Read(data []byte, format string) (*Transcript, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if len(bytes.Trim(data, blank)) == 0 {
		return nil, fmt.Errorf("read transcript: %w: the input is empty", ErrNoMessages)
	}
	if format == "" || format == "auto" {
		var err error
		if format, err = detect(data); err != nil {
			return nil, fmt.Errorf("read transcript: %w", err)
		}
	}
	t, err := read(data, format)
	if err != nil {
		return nil, fmt.Errorf("read transcript: %w", err)
	}
	if len(t.Messages) == 0 {
		return nil, fmt.Errorf("read transcript: %w: read as %s, it holds %s", ErrNoMessages, format, t.seen())
	}
	slices.SortStableFunc(t.Skipped, func(a, b Skip) int { return a.Offset - b.Offset })
	return t, nil
}

func read(data []byte, format string) (*Transcript, error) {
	t := &Transcript{Format: format}
	switch format {
	case ClaudeCode:
		t.claudeCode(lines(data))
	case Codex:
		t.codex(lines(data))
	case Pi:
		t.pi(lines(data))
	case OpenCode:
		return t, t.openCode(data)
	case GeminiCLI:
		return t, t.geminiCLI(data)
	case OpenAI, Responses, Anthropic, Gemini:
		return t, t.request(data)
	case JSONL:
		return t, t.jsonl(data)
	default:
		return nil, fmt.Errorf("%w %q: want one of %s", ErrFormat, format, strings.Join(Formats(), ", "))
	}
	return t, nil
}

// seen describes what the file holds when none of it is a message.
func (t *Transcript) seen() string {
	if len(t.Skipped) == 0 {
		return "nothing"
	}
	var order []string
	count := map[string]int{}
	for _, s := range t.Skipped {
		what := string(s.Why)
		if s.Kind != "" {
			what = s.Kind + " (" + what + ")"
		}
		if count[what]++; count[what] == 1 {
			order = append(order, what)
		}
	}
	const most = 8
	records := "records"
	if len(t.Skipped) == 1 {
		records = "record"
	}
	for i, what := range order {
		if n := count[what]; n > 1 {
			order[i] = fmt.Sprintf("%s %d times", what, n)
		}
	}
	if len(order) > most {
		order = append(order[:most], fmt.Sprintf("others of %d kinds", len(order)-most))
	}
	return fmt.Sprintf("%d %s: %s", len(t.Skipped), records, strings.Join(order, ", "))
}

func (t *Transcript) add(l line, m message.Message, stamp string) {
	at, _ := time.Parse(time.RFC3339Nano, stamp)
	t.addAt(l, m, at)
}

// addTool adds a tool that the model is given in the course of the conversation, in the place
// of an earlier one of its name.
func (t *Transcript) addTool(n codec.Tool) {
	t.Tools = append(slices.DeleteFunc(t.Tools, func(was codec.Tool) bool { return was.Name == n.Name }), n)
}

func (t *Transcript) addAt(l line, m message.Message, at time.Time) {
	m.Time = at
	t.Messages = append(t.Messages, m)
	t.Sources = append(t.Sources, Source{Line: l.no, Offset: l.offset, Time: at})
}

func (t *Transcript) skip(l line, kind string, why Why, detail string) {
	t.Skipped = append(t.Skipped, Skip{
		Line: l.no, Offset: l.offset, Bytes: len(l.raw), Kind: kind, Why: why, Detail: detail,
	})
}

// broken skips a record that failed to parse.
func (t *Transcript) broken(l line, kind string, err error) {
	why := Malformed
	if l.cut {
		why = HalfWritten
	}
	t.skip(l, kind, why, err.Error())
}

func (t *Transcript) note(format string, args ...any) {
	t.Notes = append(t.Notes, fmt.Sprintf(format, args...))
}
