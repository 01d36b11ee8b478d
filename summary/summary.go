// Package summary is the structured state of a conversation's covered part.
//
// Use: a Summarizer writes a Structured, Merge carries it into the next round, Verify
// checks it before it is committed; package cached has it written once. An Archive keeps
// several, in order; package wording shows them to a model. Law: a summary is state, not
// prose: merging is code, and what a newer message supersedes never stands. Every item
// names the message it came from, so that a reader can go back. Promise: JSON loses
// nothing, and an older form of it is refused.
package summary

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/tool"
)

// Input holds what a summarizer works on.
type Input struct {
	Thread *thread.Thread
	// Span is what the summary will cover: all of it, also what earlier
	// summaries in Previous covered.
	Span plan.Span
	// Previous are the summaries of earlier rounds inside Span, oldest first. Those that
	// end before Span are context for a model and no more.
	Previous []*Structured
	// Cap is the most tokens Text may take under Count; 0 = no cap.
	Cap   int
	Count func(string) int
	// Part says which text of a design a model writes; "" is the structure
	// alone. A summarizer without a model needs none of what follows.
	Part Part
	// Task is what the user asked first, word for word, for the parts whose prompt tells
	// it; "" where nobody asked.
	Task string
	// Instructions are added to a model's prompt: what a hook asked for.
	Instructions string
}

// Part is one of the texts that the presets ask of a model.
type Part string

// The parts, named after the designs that ask for them.
const (
	Structure Part = ""         // balanced and ladder: the structured summary
	Session   Part = "session"  // session: completed work, decisions, state, pending, errors
	Range     Part = "range"    // timeline: what happened between two cuts
	TurnHead  Part = "turn"     // timeline: the head of a turn that is cut in two
	Handover  Part = "handover" // truncate: everything before the kept messages
	Chunk     Part = "chunk"    // clip: one batch of an archive, a chronological narrative
)

// Summarizer writes a summary. It must not name anything the span does not hold.
type Summarizer interface {
	// Name identifies it, with its version, in plans and caches.
	Name() string
	Summarize(ctx context.Context, in Input) (*Structured, error)
}

// Schema is the version of the data form: part of a summary cache's key.
const Schema = 4

// ErrSchema is returned on reading a summary of another schema: it must be
// written anew from the log.
var ErrSchema = errors.New("other summary schema")

// Source is the message an item came from.
type Source struct {
	ID thread.ID `json:"id"`
	// N is the message's number in its thread, counted from 1, as shown to readers.
	N int `json:"n"`
}

// Structured is a summary as data. Build it by summarizing or Merge.
type Structured struct {
	Schema int `json:"schema"`
	// Round counts the merges: 1 for the first summary of a conversation.
	Round int `json:"round"`
	// From and To are the first and last message covered, Count how many.
	From  Source `json:"from"`
	To    Source `json:"to"`
	Count int    `json:"count"`

	// Narrative is what a model wrote of the span, in order of time; "" where
	// none did.
	Narrative string `json:"narrative,omitempty"`
	// LastDone is the most recent thing that was finished, nil when not known.
	LastDone *Note      `json:"last_completed,omitempty"`
	Facts    []Fact     `json:"facts,omitempty"`
	Task     *Note      `json:"current_task,omitempty"`
	Requests []Request  `json:"requests,omitempty"`
	Plan     []Step     `json:"current_plan,omitempty"`
	Open     []OpenItem `json:"open_items,omitempty"`
	Errors   []Failure  `json:"errors,omitempty"`
	Files    []File     `json:"files,omitempty"`
	// Folder is the one that relative paths of Files start from, "" where it is not known.
	Folder string `json:"folder,omitempty"`
	// Stands is the folder in which the shell stands, as far as its tool says so.
	Stands    string        `json:"stands,omitempty"`
	Decisions []Decision    `json:"decisions,omitempty"`
	Commands  []Command     `json:"commands,omitempty"`
	Outcomes  []ToolOutcome `json:"tool_outcomes,omitempty"`
	// Effects are command lines that are not run twice without consequences.
	Effects   []Effect   `json:"side_effects,omitempty"`
	Artifacts []Artifact `json:"artifacts,omitempty"`
	Ledger    []Mention  `json:"ledger,omitempty"`
	// Apart are the numbers of messages between From and To in which a user speaks or that
	// instruct the agent, and that stand in the prompt themselves. Whoever makes the summary's text sets them.
	Apart []int `json:"-"`
	// Notes are what the agent declared, in its own words. Whoever makes the summary's text
	// sets and quotes them.
	Notes []Note `json:"agent_notes,omitempty"`
}

// UnmarshalJSON reads a summary of this schema; another one is ErrSchema.
func (s *Structured) UnmarshalJSON(data []byte) error {
	type plain Structured
	var p plain
	if err := json.Unmarshal(data, &p); err != nil {
		return fmt.Errorf("read summary: %w", err)
	}
	if p.Schema != Schema {
		return fmt.Errorf("read summary of schema %d: %w", p.Schema, ErrSchema)
	}
	*s = Structured(p)
	return nil
}

// Note is a text with its source.
type Note struct {
	Text string `json:"text"`
	From Source `json:"from"`
}

// Effect is the head of a command line that is not run twice without consequences.
type Effect struct {
	Note
	// Commit is how git named the commit that it made, with the subject, "" for none.
	Commit string `json:"commit,omitempty"`
	// OfFiles: it copied, moved or deleted files, no more, and Files tells of those.
	OfFiles bool `json:"of_files,omitempty"`
	// In is the folder that its line began in, where that is outside of Structured.Folder.
	In string `json:"in,omitempty"`
}

// FactKind says how binding a fact is.
type FactKind string

// The kinds, most binding first.
const (
	Constraint FactKind = "constraint"
	Preference FactKind = "preference"
	Plain      FactKind = "fact"
	// Finding is what the agent stated; it never supersedes what a user said.
	Finding FactKind = "finding"
)

// Fact is something that was said and holds until a newer message supersedes it.
type Fact struct {
	Kind FactKind `json:"kind"`
	Text string   `json:"text"` // verbatim, on one line
	Who  string   `json:"who,omitempty"`
	// Pinned facts were marked by a person: no code supersedes or drops them.
	Pinned bool   `json:"pinned,omitempty"`
	From   Source `json:"from"`
}

// Status is how far a step or an open item is.
type Status string

// The statuses.
const (
	Pending Status = "pending"
	Doing   Status = "doing"
	Done    Status = "done"
	// Withdrawn is the status of a request that the user took back.
	Withdrawn Status = "withdrawn"
)

// Step is one step of the current plan.
type Step struct {
	Text   string `json:"text"`
	Status Status `json:"status"`
	// Said marks a step of a list in what the agent wrote, not of a tool for plans.
	Said bool   `json:"said,omitempty"`
	From Source `json:"from"`
}

// Request is a message of a user's, as far as the user wrote it.
type Request struct {
	Text string `json:"text"` // on one line, cut where it is long
	// Status is Done where the agent's text was the last word before Then,
	// Withdrawn where the user took it back, Doing where the agent was at work on it, else
	// Pending. Ended is where; of one that the agent was at work on, where it was when the next
	// request came, if one did.
	Status Status `json:"status"`
	Ended  Source `json:"ended,omitzero"`
	// Failed is where a call failed that the agent's answer came after: one of its last, or
	// one that was to change something and did not since; of a request that it is at work on,
	// one of its last. The zero Source is none.
	Failed Source `json:"failed,omitzero"`
	// Asks says that the answer ends by asking the user for something.
	Asks bool `json:"asks,omitempty"`
	// Then is where the user spoke again, and not to answer the agent: what the agent says after
	// it is no answer to this.
	Then Source `json:"then,omitzero"`
	// Amid says that it came while the agent was at work on the request before: what the agent
	// did since may be for that one. Reply is where the agent's next message speaks to it, the
	// zero Source for none.
	Amid  bool   `json:"amid,omitempty"`
	Reply Source `json:"reply,omitzero"`
	// Again is the number of the message in which the user spoke again after Ended, where that
	// message stands beside the summary; 0 otherwise.
	Again int    `json:"-"`
	From  Source `json:"from"`
}

// Priority orders open items.
type Priority string

// The priorities.
const (
	High   Priority = "high"
	Medium Priority = "medium"
	Low    Priority = "low"
)

// OpenItem is something still to be done. An item with Status Done closes the
// open one of the same text on Merge.
type OpenItem struct {
	Text    string `json:"text"`
	Context string `json:"context,omitempty"`
	// File is the file in whose task list it stands unticked, "" for none. Its priority is Low
	// as long as no step of that list was ticked: it may be a form.
	File string `json:"file,omitempty"`
	// Made: what it says is to be made in the list of File was made since.
	Made bool `json:"made,omitempty"`
	// Committed: git has File as it is, so that taking changes back leaves it.
	Committed bool     `json:"committed,omitempty"`
	Priority  Priority `json:"priority"`
	Status    Status   `json:"status"`
	From      Source   `json:"from"`
}

// LeftByAgent reports whether the agent left the item to itself: it is of low priority, and no step
// of a file's task list.
func (o *OpenItem) LeftByAgent() bool { return o.Priority == Low && o.File == "" }

// Decision is something that was decided.
type Decision struct {
	Text      string    `json:"text"`
	Rationale string    `json:"rationale,omitempty"`
	Turn      int       `json:"turn,omitempty"`
	Time      time.Time `json:"time,omitzero"`
	// Doubted says that the agent thought again in the same message, or took back the work that
	// the decision was for, or that later words take it back: it was said, and is not known to stand.
	Doubted bool `json:"doubted,omitempty"`
	// Next is where the call that followed at once changed files, of a decision that tells what is needed;
	// the zero Source otherwise.
	Next Source `json:"next,omitzero"`
	From Source `json:"from"`
}

// Command is a command line with its last outcome.
type Command struct {
	Line string `json:"line"`
	// In is the folder that it ran in, where that is another than Structured.Folder.
	In      string `json:"in,omitempty"`
	Outcome string `json:"outcome"`        // success, failure, partial
	Exit    *int   `json:"exit,omitempty"` // nil when not stated
	Error   string `json:"error,omitempty"`
	// Tail is the telling line of the last output.
	Tail  string `json:"tail,omitempty"`
	Times int    `json:"times,omitempty"`
	// Failed counts the runs that failed, Filtered those of which a filter shows neither that nor
	// how tests ended.
	Failed   int `json:"failed,omitempty"`
	Filtered int `json:"filtered,omitempty"`
	// Changed are the paths of all files that the last run changed, nil where there are too many.
	Changed []string `json:"changed,omitempty"`
	// Within says that the last run was one of several of a line that did all of them.
	Within bool `json:"within,omitempty"`
	// Aside says that the last run was made while the changes were put aside, Own that it was of a script of the agent's.
	Aside bool `json:"aside,omitempty"`
	Own   bool `json:"own,omitempty"`
	// Alone says that it was a script of the agent's that reaches nothing but itself.
	Alone bool `json:"alone,omitempty"`
	// Always says that a script of the agent's prints Tail whatever happens.
	Always bool `json:"always,omitempty"`
	// Said is what the agent said of the last run next, nil for nothing.
	Said *Note  `json:"said,omitempty"`
	From Source `json:"from"`
}

// CommandKey is the same for all runs of a command line in one folder.
type CommandKey struct{ In, Line string }

// Key tells the runs of a command from those of others.
func (c *Command) Key() CommandKey { return CommandKey{c.In, c.Line} }

// Resolution says how a later run of a command that had failed ended, in words of what
// is known of it.
func (c *Command) Resolution() string {
	if c.Exit != nil {
		return "the same command ended with exit " + strconv.Itoa(*c.Exit)
	}
	return "the same command ran without an error line"
}

// Field is a named value.
type Field struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// MostFieldText is how many bytes of the value of a field are told.
const MostFieldText = 80

// ResultField is the name of the field that holds a result of a few words whole.
const ResultField = "result"

// FoundField is the name of the field that tells what a call found that only looks.
const FoundField = "found"

// Result reports whether the field tells what a call came to.
func (f Field) Result() bool { return f.Name == ResultField || f.Name == FoundField }

// ToolOutcome holds what a call of any other tool came to.
type ToolOutcome struct {
	Tool    string  `json:"tool"`
	Outcome string  `json:"outcome"`
	Fields  []Field `json:"key_fields,omitempty"`
	Error   string  `json:"error,omitempty"`
	// Times counts the calls that came to the same, the first of them in First; 0 is one.
	Times int    `json:"times,omitempty"`
	First Source `json:"first,omitzero"`
	// Named is the number of the message that named last what a look-up found, 0: none.
	Named int    `json:"named,omitempty"`
	From  Source `json:"from"`
}

// Repeats reports whether a call was made with the same arguments, and came to the same, as an earlier
// one, as far as that is told.
func (o *ToolOutcome) Repeats(earlier *ToolOutcome) bool {
	return o.Tool == earlier.Tool && o.Outcome == earlier.Outcome && o.Error == earlier.Error && slices.Equal(o.Fields, earlier.Fields)
}

// Artifact is externalized content that can be read back.
type Artifact struct {
	ID          string `json:"id"`
	Description string `json:"description,omitempty"`
	Hint        string `json:"hint,omitempty"`
	From        Source `json:"from"`
}

// Mention is an identifier with the line it stood in, clipped around it.
type Mention struct {
	Value string `json:"value"`
	Line  string `json:"line"`
	// Score ranks by likely re-use; higher is kept longer.
	Score float64 `json:"score"`
	From  Source  `json:"from"`
}

// EndTask drops what the agent planned in words and left to itself for the task before.
func (s *Structured) EndTask() {
	s.Open = slices.DeleteFunc(s.Open, func(o OpenItem) bool { return o.LeftByAgent() })
	if len(s.Plan) > 0 && s.Plan[0].Said {
		s.Plan = nil
	}
}

// MostUnticked is how many steps of one file OpenItems tells: the next ones.
const MostUnticked = 5

// acted returns the number of the message of the last call by which the agent changed something beside
// files, 0 for none.
func (s *Structured) acted() (n int) {
	for i := range s.Outcomes {
		if o := &s.Outcomes[i]; o.Outcome != string(tool.Failure) && tool.ActsByName(o.Tool) {
			n = max(n, o.From.N)
		}
	}
	return n
}

// Steps returns the current plan. What the agent only said it would do is none any more once such a call
// came after it, which may have been it.
func (s *Structured) Steps() []Step {
	if len(s.Plan) > 0 && s.Plan[0].Said && s.Plan[0].From.N <= s.acted() {
		return nil
	}
	return s.Plan
}

// OpenItems returns what is still to be done: of the task list in a file the next steps, of what
// the agent left to itself not what came before a call by which it changed something beside
// files, as that may have been it.
func (s *Structured) OpenItems() (left []OpenItem) {
	acted := s.acted()
	told := map[string]int{}
	for _, o := range s.Open {
		switch {
		case o.Status == Done, o.Made, o.LeftByAgent() && o.From.N <= acted:
		case o.File != "" && (o.Priority == Low || told[o.File] == MostUnticked):
		default:
			told[o.File]++
			left = append(left, o)
		}
	}
	return left
}
