package transcript

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/message"
)

// openCodeInfo holds what we read of a message's info, and of a session's.
type openCodeInfo struct {
	ID       string `json:"id"`
	ParentID string `json:"parentID"`
	Role     string `json:"role"`
	ModelID  string `json:"modelID"`
	Model    struct {
		ModelID string `json:"modelID"`
		ID      string `json:"id"`
	} `json:"model"`
	Summary json.RawMessage `json:"summary"` // true of an assistant message that is one
	Error   struct {
		Name string `json:"name"`
	} `json:"error"`
	Time   openCodeTime `json:"time"`
	Revert struct {
		MessageID string `json:"messageID"`
	} `json:"revert"`
}

type openCodeTime struct {
	Created float64 `json:"created"` // milliseconds
}

func (t openCodeTime) at() time.Time { return millis(t.Created) }

// millis is a time since 1970 in milliseconds; zero if it is no such time.
func millis(ms float64) time.Time {
	if ms <= 0 || ms > 1e15 {
		return time.Time{}
	}
	return time.UnixMilli(int64(ms)).UTC()
}

// openCodeRecord is one message with its parts, or, since version 2, one entry
// of a session whose type says what it is.
type openCodeRecord struct {
	Info openCodeInfo `json:"info"`
	openCodeEntry

	at    line
	parts []line
}

// openCode reads a session as opencode exports it: its info, and its messages
// each with their parts. What a compaction put in place of older messages stands
// beside them; they are all there.
func (t *Transcript) openCode(data []byte) error {
	data = bytes.TrimRight(data, blank)
	if err := json.Unmarshal(data, &struct{}{}); err != nil {
		return fmt.Errorf("%w: %w", codec.ErrMalformed, err) // cut short, or more than one value
	}
	n := newlines{data: data}
	var records []openCodeRecord
	var session openCodeInfo
	err := walk(data, func(name string, v []byte, at int) {
		switch name {
		case "info":
			_ = decode(v, &session) // what is no object says nothing
			t.skip(line{no: n.at(at), offset: at, raw: v}, "session", Bookkeeping, "")
		case "messages":
			if v[0] != '[' {
				t.skip(line{no: n.at(at), offset: at, raw: v}, name, Malformed, "not an array")
			}
			for _, l := range elements(v) {
				l.no, l.offset = n.at(at+l.offset), at+l.offset
				records = append(records, openCodeRecord{at: l})
			}
		default:
			t.skip(line{no: n.at(at), offset: at, raw: v}, name, UnknownType, "")
		}
	})
	if err != nil {
		return fmt.Errorf("%w: %w", codec.ErrMalformed, err)
	}
	t.Session = slashed(session.ParentID, session.ID)
	reverted := false
	for i := range records {
		r := &records[i]
		if err := r.read(); err != nil {
			t.broken(r.at, r.kind(), err)
			continue
		}
		reverted = reverted || session.Revert.MessageID != "" && cmp.Or(r.Info.ID, r.ID) == session.Revert.MessageID
		t.openCodeRecord(r, reverted)
	}
	return nil
}

// elements are the elements of an array, offsets counted from its first byte;
// of anything else there are none.
func elements(array []byte) []line {
	var ls []line
	if len(array) == 0 || array[0] != '[' {
		return nil
	}
	_ = walk(array, func(_ string, v []byte, at int) { ls = append(ls, line{offset: at, raw: v}) }) // what is broken ends it
	return ls
}

// read decodes a record and finds its parts.
func (r *openCodeRecord) read() error {
	if err := r.at.object(r); err != nil {
		return err
	}
	return walk(r.at.raw, func(name string, v []byte, at int) {
		if name != "parts" && name != "content" {
			return
		}
		r.parts = r.parts[:0] // of a name that comes twice the last one counts
		for _, l := range elements(v) {
			l.no, l.offset = r.at.no, r.at.offset+at+l.offset
			r.parts = append(r.parts, l)
		}
	})
}

func (r *openCodeRecord) kind() string { return cmp.Or(r.Info.Role, r.Type) }

func (t *Transcript) openCodeRecord(r *openCodeRecord, reverted bool) {
	if reverted {
		t.skip(r.at, r.kind(), OtherBranch, "")
		return
	}
	t.Model = cmp.Or(r.Info.ModelID, r.Info.Model.ModelID, r.Model.ID, t.Model)
	switch {
	case r.Info.Role == "user":
		t.openCodeUser(r)
	case r.Info.Role == "assistant":
		t.openCodeReply(r)
	case r.Info.Role != "":
		t.skip(r.at, r.Info.Role, UnknownType, "")
	default:
		t.openCodeEntry(r)
	}
}

func (t *Transcript) openCodeUser(r *openCodeRecord) {
	var parts []message.Part
	for _, l := range r.parts {
		p, err := openCodePart(l)
		switch {
		case err != nil:
			t.broken(r.at, r.kind(), err)
			return
		case p.Type == "compaction":
			t.skip(r.at, slashed(r.kind(), p.Type), Compaction, "")
			return
		case p.Type == "subtask":
			parts = append(parts, message.Part{Kind: message.Text, Text: openCodeSubtask, Raw: l.raw, Dialect: OpenCode})
		case p.Type == "file" && (p.Mime == "text/plain" || p.Mime == "application/x-directory"):
			// The agent sends its text as a part beside it.
		default:
			parts = append(parts, p.neutral(l)...)
		}
	}
	t.openCodeAdd(r.at, r.at.raw, r.Info.Time.at(), message.Message{Role: message.User, Parts: parts}, r.kind())
}

// openCodeSubtask states how opencode tells the model of a task that the user ran.
const openCodeSubtask = "The following tool was executed by the user"

// openCodeReply reads an assistant message: a step, or several, each with its
// calls and, in the same parts, their results.
func (t *Transcript) openCodeReply(r *openCodeRecord) {
	if string(r.Info.Summary) == "true" && len(t.Messages) > 0 {
		t.skip(r.at, slashed(r.kind(), "summary"), Compaction, "")
		return
	}
	if name := r.Info.Error.Name; name != "" && (name != "MessageAbortedError" || !r.says()) {
		t.skip(r.at, r.kind(), Hidden, name) // as the agent does
		return
	}
	var s openCodeStep
	var steps []openCodeStep
	for _, l := range r.parts {
		p, err := openCodePart(l)
		if err != nil {
			t.broken(r.at, r.kind(), err)
			return
		}
		if p.Type == "step-start" && len(s.said) > 0 {
			steps, s = append(steps, s), openCodeStep{}
		}
		s.add(p, l)
	}
	t.openCodeSteps(r, append(steps, s))
}

// openCodeStep holds what one request to the model came to.
type openCodeStep struct {
	said    []message.Part
	results []openCodeResult
}

type openCodeResult struct {
	at   line
	part message.Part
	time time.Time
}

func (s *openCodeStep) add(p openCodePiece, l line) {
	s.said = append(s.said, p.neutral(l)...)
	if p.Type == "tool" {
		if res, ok := p.result(); ok {
			s.results = append(s.results, openCodeResult{l, res, p.ended()})
		}
	}
}

// openCodeSteps makes messages of a record: the first has the record as its
// Raw, a result its own part of it.
func (t *Transcript) openCodeSteps(r *openCodeRecord, steps []openCodeStep) {
	steps = slices.DeleteFunc(steps, func(s openCodeStep) bool { return len(s.said) == 0 })
	if len(steps) == 0 {
		t.skip(r.at, r.kind(), Empty, "")
	}
	raw, at := r.at.raw, r.Info.Time.at()
	for _, s := range steps {
		m := message.Message{Role: message.Assistant, Parts: s.said}
		t.openCodeAdd(r.at, raw, at, m, r.kind())
		raw = nil
		for _, res := range s.results {
			m := message.Message{Role: message.Tool, Parts: []message.Part{res.part}}
			t.openCodeAdd(res.at, res.at.raw, res.time, m, r.kind())
			at = later(at, res.time)
		}
	}
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// says reports whether a reply holds more than thinking.
func (r *openCodeRecord) says() bool {
	for _, l := range r.parts {
		p, err := openCodePart(l)
		if err == nil && p.Type != "step-start" && p.Type != "reasoning" {
			return true
		}
	}
	return false
}

func (t *Transcript) openCodeAdd(l line, raw []byte, at time.Time, m message.Message, kind string) {
	if len(m.Parts) == 0 {
		t.skip(l, kind, Empty, "")
		return
	}
	m.Raw, m.Dialect = raw, OpenCode
	t.addAt(l, m, at)
}

// dataURL is the media type and the decoded size of an inline URL.
func dataURL(url string) (mime string, size int, ok bool) {
	head, body, found := strings.Cut(url, ",")
	if !found || !strings.HasPrefix(head, "data:") {
		return "", 0, false
	}
	mime, _, _ = strings.Cut(strings.TrimPrefix(head, "data:"), ";")
	if strings.HasSuffix(head, ";base64") {
		return mime, base64.RawStdEncoding.DecodedLen(len(strings.TrimRight(body, "="))), true
	}
	return mime, len(body), true
}
