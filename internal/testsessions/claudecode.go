package testsessions

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/seed-3db51b0e/precis/message"
)

// ClaudeCode writes messages as a session file of Claude Code: a line a block
// of the agent's, all blocks of a reply under one message id; a line a result,
// below the line of its call. System messages are left out, as there.
func ClaudeCode(messages []message.Message) []byte {
	w := lineWriter{at: evening.Add(62 * time.Hour)}
	w.session = w.uuid("session")
	w.line(object{"type", "file-history-snapshot", "messageId", w.uuid("snapshot"), "snapshot", object{"trackedFileBackups", object{}}})
	for i, m := range messages {
		switch m.Role {
		case message.User, message.Tool:
			w.user(m)
		case message.Assistant:
			w.assistant(i, m)
		}
	}
	w.line(object{"type", "summary", "summary", "Double-held seats and the rest of the booking list", "leafUuid", w.last})
	return w.out
}

type lineWriter struct {
	out     []byte
	session string
	last    string            // uuid of the newest line of the tree
	calls   map[string]string // the line of a call, by the call's id
	at      time.Time
	n       int // lines written
	read    int // tokens of the prompt so far, roughly
}

// uuid derives an id from what it is for and its place.
func (w *lineWriter) uuid(of string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d", of, w.n))
	sum[6], sum[8] = sum[6]&0x0f|0x40, sum[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}

func (w *lineWriter) line(o object) {
	w.out = append(append(w.out, quote(o)...), '\n')
	w.n++
}

// node writes a line of the tree below parent and gives its uuid.
func (w *lineWriter) node(kind, parent string, m object, more ...any) string {
	w.at = w.at.Add(time.Duration(900+w.n*7919%21000) * time.Millisecond)
	id := w.uuid(kind)
	var above any
	if parent != "" {
		above = parent
	}
	w.line(append(object{
		"parentUuid", above, "isSidechain", false, "userType", "external", "cwd", "/srv/src/turnstile",
		"sessionId", w.session, "version", "2.1.40", "gitBranch", "main",
		"type", kind, "message", m, "uuid", id, "timestamp", w.at.Format("2006-01-02T15:04:05.000Z"),
	}, more...))
	w.last = id
	return id
}

func (w *lineWriter) user(m message.Message) {
	for _, p := range m.Parts {
		w.read += len(p.Body()) / 4
		if p.Kind != message.Result {
			w.node("user", w.last, object{"role", "user", "content", p.Text})
			continue
		}
		block := object{"tool_use_id", p.CallID, "type", "tool_result", "content", p.Body()}
		if p.Failed {
			block = append(block, "is_error", true)
		}
		call := w.calls[p.CallID]
		w.node("user", call, object{"role", "user", "content", []any{block}},
			"toolUseResult", object{"lines", strings.Count(p.Body(), "\n")}, "sourceToolAssistantUUID", call)
	}
}

func (w *lineWriter) assistant(i int, m message.Message) {
	if w.calls == nil {
		w.calls = map[string]string{}
	}
	reply := fmt.Sprintf("msg_%x", sha256.Sum256(fmt.Append(nil, i)))[:28]
	for _, p := range m.Parts {
		stop := any(nil)
		if p.Kind == message.Text && len(m.Calls()) == 0 {
			stop = "end_turn"
		}
		w.read += len(p.Body()) / 4
		id := w.node("assistant", w.last, object{
			"id", reply, "type", "message", "role", "assistant", "model", "claude-opus-4-6", "content",
			[]any{block(p)},
			"stop_reason", stop, "usage",
			object{"input_tokens", 4, "cache_read_input_tokens", w.read, "output_tokens", 9 + len(p.Body())/4},
		}, "requestId", "req_"+reply[4:])
		if p.Kind == message.Call {
			w.calls[p.CallID] = id
		}
	}
}

// block is a part of the agent's as Anthropic's API writes it.
func block(p message.Part) object {
	if p.Kind == message.Call {
		return object{"type", "tool_use", "id", p.CallID, "name", p.Name, "input", json.RawMessage(p.Args)}
	}
	return object{"type", "text", "text", p.Text}
}
