package transcript

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/message"
)

// geminiRecord is a line of a recording, an element of the messages of an older
// one, or an element of a saved chat. Which fields are set follows from what it
// is.
type geminiRecord struct {
	ID        string            `json:"id"`
	Timestamp string            `json:"timestamp"`
	Type      string            `json:"type"`
	Content   json.RawMessage   `json:"content"`
	ToolCalls []json.RawMessage `json:"toolCalls"`
	Thoughts  []struct {
		Subject     string `json:"subject"`
		Description string `json:"description"`
	} `json:"thoughts"`
	Model string `json:"model"`

	SessionID string          `json:"sessionId"` // of a header
	RewindTo  *string         `json:"$rewindTo"`
	Set       json.RawMessage `json:"$set"`

	Role  string          `json:"role"` // of a saved chat
	Parts json.RawMessage `json:"parts"`

	at    line
	calls []line
	back  int  // the line that takes it back, 0 for none
	inner bool // it stands in a change of settings
}

// geminiChat is the state of reading one recording.
type geminiChat struct {
	t       *Transcript
	records []geminiRecord // messages, each id once at its first place
	at      map[string]int // of an id
	sets    []line         // changes of settings that hold messages we need
	done    map[string]bool
	open    []message.Part // calls without an id of their own that wait for a result
	named   int            // calls that were given an id
}

// geminiCLI reads a chat recording: lines that are messages, a message again
// when it grew, settings, and marks of how far the user went back; or, older,
// one object with all messages; or a chat saved by the user.
func (t *Transcript) geminiCLI(data []byte) error {
	g := geminiChat{t: t, at: map[string]int{}, done: map[string]bool{}}
	if !whole(data) {
		g.lines(lines(data))
	} else if err := g.object(data); err != nil {
		return fmt.Errorf("%w: %w", codec.ErrMalformed, err)
	}
	for i := range g.records {
		g.emit(&g.records[i])
	}
	g.check()
	return nil
}

func (g *geminiChat) lines(ls []line) {
	for _, l := range ls {
		g.record(l)
	}
}

// object reads a recording that is one value.
func (g *geminiChat) object(data []byte) error {
	n := newlines{data: data}
	place := func(ls []line, at int) []line {
		for i := range ls {
			ls[i].no, ls[i].offset = n.at(at+ls[i].offset), at+ls[i].offset
		}
		return ls
	}
	if bytes.TrimLeft(data, blank)[0] == '[' {
		body := bytes.TrimLeft(data, blank)
		g.lines(place(elements(body), len(data)-len(body)))
		return nil
	}
	var m members
	if err := json.Unmarshal(data, &m); err != nil {
		return errors.New("neither an object nor an array")
	}
	if !m.has("messages", "history") {
		g.lines(lines(data)) // one record, alone
		return nil
	}
	return walk(data, func(name string, v []byte, at int) {
		switch name {
		case "messages", "history":
			if v[0] != '[' {
				g.t.skip(line{no: n.at(at), offset: at, raw: v}, name, Malformed, "not an array")
			}
			g.lines(place(elements(v), at))
		case "sessionId":
			g.t.Session = plainText(v)
			fallthrough
		default:
			g.t.skip(line{no: n.at(at), offset: at, raw: v}, name, Bookkeeping, "")
		}
	})
}

// geminiSaved reports whether a value is a chat that the user saved: contents as
// the API takes them.
func geminiSaved(data []byte) bool {
	ls := elements(bytes.TrimLeft(data, blank))
	if len(ls) == 0 {
		return false
	}
	var m members
	if ls[0].object(&m) != nil {
		return false
	}
	role := plainText(m["role"])
	return m.has("parts") && (role == "user" || role == "model")
}

// record takes one record in.
func (g *geminiChat) record(l line) {
	r := geminiRecord{at: l}
	if err := l.object(&r); err != nil {
		g.t.broken(l, r.Type, err)
		return
	}
	switch {
	case r.RewindTo != nil:
		g.rewind(l, *r.RewindTo)
	case r.Type != "" || r.Role != "":
		r.find()
		g.put(r)
	case len(r.Set) > 0:
		g.set(l, &r)
	case r.SessionID != "":
		g.t.Session = r.SessionID
		g.t.skip(l, "session", Bookkeeping, "")
	default:
		g.t.skip(l, "", UnknownType, "")
	}
}

// find notes where the record's calls stand.
func (r *geminiRecord) find() {
	_ = walk(r.at.raw, func(name string, v []byte, at int) { // it was read before: it is an object
		if name != "toolCalls" {
			return
		}
		r.calls = elements(v)
		for i := range r.calls {
			r.calls[i].no, r.calls[i].offset = r.at.no, r.at.offset+at+r.calls[i].offset
		}
	})
}

// put adds a message, or puts it in the place of what it was before.
func (g *geminiChat) put(r geminiRecord) {
	i, ok := g.at[r.ID]
	if r.ID == "" || !ok {
		if r.ID != "" {
			g.at[r.ID] = len(g.records)
		}
		g.records = append(g.records, r)
		return
	}
	old := g.records[i]
	g.skip(&old, Duplicate, fmt.Sprintf("written again on line %d", r.at.no))
	g.records[i] = r
}

// rewind leaves out what the user took back: all from a message on, and
// everything if it is unknown, as the agent does.
func (g *geminiChat) rewind(l line, id string) {
	from := g.at[id]
	for i := from; i < len(g.records); i++ {
		r := &g.records[i]
		if r.back == 0 {
			r.back = l.no
			delete(g.at, r.ID)
		}
	}
	g.t.skip(l, "$rewindTo", Bookkeeping, "")
}

// set reads a change of settings. One of the messages is what the agent made of
// the conversation, compacted or masked: what was said stands above it, and only
// where nothing does is it all we have.
func (g *geminiChat) set(l line, r *geminiRecord) {
	var m members
	_ = json.Unmarshal(r.Set, &m) // what is no object sets nothing
	g.t.Session = cmp.Or(plainText(m["sessionId"]), g.t.Session)
	if !m.has("messages") {
		g.t.skip(l, "$set", Bookkeeping, "")
		return
	}
	if len(g.at) > 0 {
		g.t.skip(l, "$set/messages", Compaction, "")
		return
	}
	for _, e := range elements(m["messages"]) {
		e.no, e.offset = l.no, l.offset
		var inner geminiRecord
		if e.object(&inner) == nil && inner.Type != "" {
			inner.at, inner.inner = e, true
			inner.find()
			for i := range inner.calls {
				inner.calls[i].offset = l.offset
			}
			g.put(inner)
		}
	}
	g.sets = append(g.sets, l)
}

// check says of every change of settings that it was used, or was not.
func (g *geminiChat) check() {
	for _, l := range g.sets {
		if slices.ContainsFunc(g.t.Sources, func(s Source) bool { return s.Line == l.no }) {
			g.t.note("line %d: the history before is not in the file; what the agent made of it is used", l.no)
			continue
		}
		g.t.skip(l, "$set/messages", Empty, "")
	}
}

// skip leaves a record out. One in a change of settings is no record of the
// file: check answers for its line.
func (g *geminiChat) skip(r *geminiRecord, why Why, detail string) {
	if !r.inner {
		g.t.skip(r.at, r.kind(), why, detail)
	}
}

func (r *geminiRecord) kind() string { return cmp.Or(r.Type, r.Role) }

// emit makes messages of a record: what was said, then a message a result.
func (g *geminiChat) emit(r *geminiRecord) {
	if r.back > 0 {
		g.skip(r, OtherBranch, fmt.Sprintf("taken back on line %d", r.back))
		return
	}
	m := message.Message{Role: message.User}
	var err error
	switch r.kind() {
	case "user":
		m.Parts, err = g.textParts(r)
	case "gemini", "model":
		m.Role = message.Assistant
		m.Parts, err = g.replyParts(r)
		g.t.Model = cmp.Or(r.Model, g.t.Model)
	case "info", "error", "warning":
		g.skip(r, Bookkeeping, "")
		return
	default:
		g.skip(r, UnknownType, "")
		return
	}
	switch {
	case err != nil && !r.inner:
		g.t.broken(r.at, r.kind(), err)
	case len(m.Parts) == 0 && g.repeats(r):
		g.skip(r, Duplicate, "its results stand with their calls")
	case len(m.Parts) == 0 || err != nil:
		g.skip(r, Empty, "")
	default:
		g.add(r, r.at, m, r.Timestamp)
		for _, l := range r.calls {
			g.result(r, l)
		}
	}
}

// add adds a message; one out of a change of settings has no Raw of its own.
func (g *geminiChat) add(r *geminiRecord, l line, m message.Message, stamp string) {
	m.Dialect = GeminiCLI
	if !r.inner {
		m.Raw = l.raw
	}
	g.t.add(l, m, stamp)
}
