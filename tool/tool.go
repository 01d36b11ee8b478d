// Package tool reads a tool call and its result as what they did: which tool,
// on which files, with what outcome, and how well the result may be lost.
//
// Use: Of for one call and its result, Parse where only a part of it is needed; Resolve for what may
// be done with it; Declare, or a Declaration, for a tool that says so itself. Law: a result is
// data; nothing in it changes how it is classified beyond its own outcome, and
// what a tool declares stands beside it. Promise: one pass over the
// text, no files, no clock, the same envelope for the same bytes.
//
// What a command line does without its result is known below: tool/shell takes the line apart,
// tool/program knows what programs do, tool/testrun what test runners say and pick. Here stands what
// depends on a tool, on arguments or on a result. Files:
//
//   - nouns: tool.go the Envelope and what stands in its place, durability.go and determinism.go how well
//     a result may be lost, table.go which tools are known;
//   - reading a call: of.go from arguments to an Envelope, args.go and lines.go the JSON of arguments,
//     fields.go the key fields, texts.go the texts, names.go and doing.go what a tool's name says, note.go
//     the agent's own notes;
//   - files that a call touches: touches.go the list, shell.go, git.go, patch.go and scripted.go what
//     adds to it, shown.go what only the result names, denied.go what was not written, prints.go what a script
//     always prints, alone.go whether it reaches anything but itself;
//   - reading a result: output.go what the program wrote, frame.go what stands around it, outcome.go and
//     claude.go how it ended, errorline.go and diagnostics.go its first error, told.go which it only tells of,
//     telling.go the line that says most, codeline.go what is code, fallback.go what a line prints where its
//     program fails, logged.go the errors that it logged, committed.go the commit it names;
//   - declaring: declare.go what stands on a result, declaration.go a tool that does so each time.
package tool

import (
	"encoding/json"
	"path"
	"strings"
	"time"
)

// Outcome describes how a call ended.
type Outcome string

// The outcomes. A call without a result yet is Partial.
const (
	Success Outcome = "success"
	Failure Outcome = "failure"
	Partial Outcome = "partial"
)

// Class holds what kind of work a tool does.
type Class string

// The classes.
const (
	Other  Class = "other"
	Read   Class = "read"
	List   Class = "list"
	Search Class = "search"
	Shell  Class = "shell"
	Write  Class = "write"
	Edit   Class = "edit"
	Web    Class = "web"
	HTTP   Class = "http"
	Todo   Class = "todo" // the agent's own plan or notes
)

// Access holds what a call did to a path.
type Access string

// The ways a path is touched.
const (
	Reads   Access = "read"
	Lists   Access = "list" // listed or searched
	Creates Access = "create"
	Edits   Access = "edit"
	Deletes Access = "delete"
	Makes   Access = "make" // a folder
)

// Changes reports whether the access alters the file.
func (a Access) Changes() bool { return a == Creates || a == Edits || a == Deletes }

// Touch is one path a call named, as it was written.
type Touch struct {
	Path   string `json:"path"`
	Access Access `json:"access"`
	// Restored says that the change took the file back to what it was before.
	Restored bool `json:"restored,omitempty"`
	// Aside says that git took the change away and keeps it, to put it back.
	Aside bool `json:"aside,omitempty"`
	// Copy is the copy that a restored file was taken from, "" for none.
	Copy string `json:"copy,omitempty"`
	// In is the folder that the command line changed to before, of which a relative path is; "" where
	// it changed to none, or to one that is not known.
	In string `json:"in,omitempty"`
	// Shown says that the path does not stand in the call as it is here: the result names it,
	// or it is put together.
	Shown bool `json:"shown,omitempty"`
	// From is the file that was moved here, "" for none.
	From string `json:"from,omitempty"`
}

// SameFile reports whether two paths may name one file: one of them may begin farther up.
func SameFile(a, b string) bool {
	if hasDrive(a) || hasDrive(b) {
		a, b = strings.ReplaceAll(a, `\`, "/"), strings.ReplaceAll(b, `\`, "/")
	}
	a, b = path.Clean(a), path.Clean(b)
	if len(a) < len(b) {
		a, b = b, a
	}
	return a == b || strings.HasSuffix(a, "/"+b)
}

// Rooted returns a path that begins at a root or a drive of Windows, with "/" between its parts;
// others are as they are.
func Rooted(name string) (slashed string, ok bool) {
	if hasDrive(name) {
		return strings.ReplaceAll(name, `\`, "/"), true
	}
	return name, path.IsAbs(name)
}

func hasDrive(name string) bool {
	return len(name) > 2 && name[1] == ':' && (name[2] == '\\' || name[2] == '/') && (name[0]|0x20 >= 'a' && name[0]|0x20 <= 'z')
}

// Envelope is a tool result with what compaction needs to know about it.
type Envelope struct {
	Tool    string  `json:"tool"`
	CallID  string  `json:"call_id"`
	Class   Class   `json:"class,omitempty"`
	Outcome Outcome `json:"outcome"`
	// Text is the content as text. Structured is the same content where it is
	// a JSON object or array, else nil.
	Text       string          `json:"text,omitempty"`
	Structured json.RawMessage `json:"structured,omitempty"`
	// Output is what the program of the call wrote: Text without what the client puts around it.
	Output string `json:"-"`
	// KeyFields is a JSON object of what must survive clearing, nil for none.
	KeyFields json.RawMessage `json:"key_fields,omitempty"`
	// Durability is set by the tool itself; "" leaves it to Resolve.
	Durability  Durability   `json:"durability,omitempty"`
	Determinism *Determinism `json:"determinism,omitempty"`
	Started     time.Time    `json:"started,omitzero"`
	Completed   time.Time    `json:"completed,omitzero"`
	// Command is the command line of a shell call.
	Command string `json:"command,omitempty"`
	// Touched are the paths the call named, in order, without repeats.
	Touched []Touch `json:"touched,omitempty"`
	// Exit is the exit code, nil when the result states none.
	Exit *int `json:"exit,omitempty"`
	// Error is the first error line, "" when there is none.
	Error string `json:"error,omitempty"`
}

// Cleared returns what stands in place of a cleared result.
func (e Envelope) Cleared() string { return Cleared(e.Tool, e.Outcome, e.KeyFields) }

// Cleared is the placeholder of a cleared result: tool, outcome and the key
// fields, in the order they are given. fields is a JSON object or empty.
// Characters beyond ASCII stay readable: escapes would only cost tokens.
func Cleared(name string, o Outcome, fields json.RawMessage) string {
	head := "[" + name + ": " + string(o) + "]"
	if text := spaced(fields); text != "" && text != "{}" && text != "null" {
		return head + "\nKey data: " + text
	}
	return head
}
