// Package plan is the declarative description of what a prompt leaves out and
// what stands in its place.
//
// Use: Build normalises records into an immutable Plan; render reads it. Law: a
// plan is data. It names messages by id, never by position or content, and decides
// nothing. Promise: a plan round-trips through JSON, and the fields for people
// (Reason, Saves, Strategy) never change what is rendered.
package plan

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/seed-3db51b0e/precis/thread"
)

// Action names what a record does with the messages it covers.
type Action string

// The actions, weakest first. An uncovered message is included as it is.
const (
	Include     Action = "include"
	Replace     Action = "replace"     // other text in the same place
	Clear       Action = "clear"       // a placeholder with preserved fields
	Summarize   Action = "summarize"   // one message for the span, after its excerpts
	Externalize Action = "externalize" // a pointer, the content is an artifact
	Drop        Action = "drop"        // nothing at all
)

// precedence orders actions that claim the same ref: the highest wins.
var precedence = map[Action]int{Include: 0, Replace: 1, Clear: 2, Summarize: 3, Externalize: 4, Drop: 5}

// actions lists actions by precedence; no record includes.
var actions = [...]Action{"", Replace, Clear, Summarize, Externalize, Drop}

// Together reports whether what stands for the whole span stands at its start, if anything does;
// otherwise each message is shown in another form.
func (a Action) Together() bool { return a == Summarize || a == Externalize || a == Drop }

// ReplaceKind names the kind of replacement a Replace record makes.
type ReplaceKind string

// The kinds of replacement.
const (
	Reencoded ReplaceKind = "reencoded" // same content, denser form; lossless
	Hidden    ReplaceKind = "hidden"    // behind replacement text
	Preview   ReplaceKind = "preview"   // an excerpt with a pointer
	Repaired  ReplaceKind = "repaired"  // only the repairs below; the part stays
)

// Ref addresses a message, or one part of it.
type Ref struct {
	ID thread.ID `json:"id"`
	// Part is 0 for the whole message, else the part's position counted from 1.
	Part int `json:"part,omitempty"`
}

// Span is the explicit, non-empty, ordered list of message ids a record
// covers. With Part > 0 it holds one id and covers that part only.
type Span struct {
	IDs  []thread.ID `json:"ids"`
	Part int         `json:"part,omitempty"` // counted from 1; 0 = whole messages
	// FirstTurn and LastTurn follow from IDs; Build sets them. A summary's head
	// names them.
	FirstTurn int `json:"first_turn"`
	LastTurn  int `json:"last_turn"`
}

// Start is the first id of the span.
func (s Span) Start() thread.ID { return s.IDs[0] }

// End is the last id of the span.
func (s Span) End() thread.ID { return s.IDs[len(s.IDs)-1] }

// Count is the number of messages.
func (s Span) Count() int { return len(s.IDs) }

// Contains reports whether the span names id; linear in the span.
func (s Span) Contains(id thread.ID) bool {
	return slices.Contains(s.IDs, id)
}

// Record is one decision of a plan.
type Record struct {
	// ID is derived from the fields that render reads; `expand` takes it.
	ID     string      `json:"id"`
	Action Action      `json:"action"`
	Span   Span        `json:"span"`
	Kind   ReplaceKind `json:"how,omitempty"` // Replace only
	// Text stands in the prompt: the replacement of a Replace record,
	// the body of a summary or pointer. Render adds the style's prefix.
	Text string `json:"text,omitempty"`
	// Excerpts are lines of the log, oldest first, each text in a message of its own before that of
	// Text. A later summary of more messages repeats those of the one before, so that the prompt
	// begins as it did. Summarize only.
	Excerpts []string `json:"excerpts,omitempty"`
	// CallID is the new id of the call or result part, "" to keep its own. It
	// applies beside any action: repairs and strategies meet on one part.
	CallID string `json:"call_id,omitempty"`
	// Answer is the result a repair gives to an unanswered call part, "" for
	// none. It applies beside any action.
	Answer string `json:"answer,omitempty"`
	// Orphan shows a result part, whose call is missing, as user text. It
	// applies beside any action.
	Orphan bool `json:"orphan,omitempty"`
	// Tool, Outcome and Fields are preserved by a Clear record; Fields is a
	// JSON object or empty.
	Tool    string          `json:"tool,omitempty"`
	Outcome string          `json:"outcome,omitempty"`
	Fields  json.RawMessage `json:"fields,omitempty"`
	// Summary is the structured form of Text for Summarize and Externalize
	// records, for merging into the next round; render does not read it.
	Summary json.RawMessage `json:"summary,omitempty"`
	// Meta holds a design's notes about its own record (timeline: covered turns
	// and digest), a JSON value or empty. Render does not read it, and it is not
	// part of ID.
	Meta     json.RawMessage `json:"meta,omitempty"`
	Artifact string          `json:"artifact,omitempty"` // Externalize: artifact id
	Hint     string          `json:"hint,omitempty"`     // Externalize: when to read it back
	// Strategy, Reason, Tokens and Saves are for people; render never reads them.
	Strategy string `json:"strategy,omitempty"`
	Reason   string `json:"reason,omitempty"`
	Tokens   int    `json:"tokens,omitempty"` // of what stands in the prompt now
	Saves    int    `json:"saves,omitempty"`  // tokens freed by this record
}

// Body returns all that a record puts into the prompt as text: its excerpts, and Text below them.
func (r *Record) Body() string {
	if len(r.Excerpts) == 0 {
		return r.Text
	}
	return strings.Join(r.Excerpts, "\n\n") + "\n\n" + r.Text
}

// Plan is the whole decision about one thread at one version. Build it with
// Build; treat it as immutable.
type Plan struct {
	Thread string `json:"thread"`
	// Base is the last entry that was in the log when the plan was made. The
	// plan holds for every descendant of Base.
	Base thread.ID `json:"base"`
	// Version is the plan's number within its thread, counted from 1.
	Version int `json:"version"`
	// ThreadVersion is the number of entries up to Base.
	ThreadVersion int       `json:"thread_version"`
	CreatedAt     time.Time `json:"created_at"`
	Policy        string    `json:"policy"`
	// Style names the wording and roles render uses: see package render.
	Style   string   `json:"style"`
	Records []Record `json:"records"`
	// Pins are the refs the user marked; they survive verbatim.
	Pins []Ref `json:"pins,omitempty"`
	// Holds are refs an undo gave back: strategies leave them alone until the
	// budget forces them.
	Holds []Ref `json:"holds,omitempty"`
	// Restores is the version this plan restored, plus one; 0 for a plan of its
	// own. It lets one undo follow another.
	Restores int `json:"restores,omitempty"`
	// NoThinking covers the messages whose thinking is left out: it was produced under a
	// prefix that no longer stands (models that bind thinking refuse them). It
	// only grows from version to version: what was left out never returns.
	NoThinking Range `json:"strip,omitzero"`
	// Original and Compacted are tokens of the whole request at Base, without
	// and with the plan.
	Original  int `json:"original_tokens"`
	Compacted int `json:"compacted_tokens"`
	// Inputs record what planning depended on beside the log.
	Inputs Inputs `json:"inputs"`
	// Economy estimates the cost of the compaction that made the plan; nil where it
	// was not asked for.
	Economy *Economy `json:"economy,omitempty"`
	// Warnings describe which overlapping records were resolved and how.
	Warnings []string `json:"warnings,omitempty"`

	index index
}

// Note is a declaration of the agent about its own work. A summary of what was said until
// then quotes it.
type Note struct {
	// At is the newest message when the note was made; one of another branch is passed over.
	At thread.ID `json:"at"`
	// Text is kept for the agent, in its own words; "" keeps nothing.
	Text string `json:"text,omitempty"`
	// Done says that a piece of work ended at At.
	Done bool `json:"done,omitempty"`
}

// Range is a stretch of positions [From, Until) of a thread; the zero value is
// empty.
type Range struct {
	From  int `json:"from"`
	Until int `json:"until"`
}

// Holds reports whether position i is in the range.
func (r Range) Holds(i int) bool { return i >= r.From && i < r.Until }

// Inputs are the recorded inputs of planning.
type Inputs struct {
	Model    string  `json:"model,omitempty"`
	Counter  string  `json:"counter,omitempty"`
	Factor   float64 `json:"factor,omitempty"` // calibration factor of the counter
	Budget   int     `json:"budget,omitempty"`
	Soft     int     `json:"soft,omitempty"`
	Low      int     `json:"low,omitempty"`
	Detail   float64 `json:"detail,omitempty"`   // of the policy
	Overhead int     `json:"overhead,omitempty"` // system, tools and framing, tokens
	Rest     int     `json:"rest,omitempty"`     // seconds the thread lay still
	// Images and Bytes are the most of the request, where they were limited.
	Images int `json:"images,omitempty"`
	Bytes  int `json:"bytes,omitempty"`
}
