package transcript

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/anthropic"
	"github.com/seed-3db51b0e/precis/message"
)

// claudeLine holds what we read of a line of Claude Code; the rest stays in Raw.
type claudeLine struct {
	Type              string `json:"type"`
	Subtype           string `json:"subtype"`
	UUID              string `json:"uuid"`
	ParentUUID        string `json:"parentUuid"`
	LogicalParentUUID string `json:"logicalParentUuid"`
	SessionID         string `json:"sessionId"`
	AgentID           string `json:"agentId"`
	Timestamp         string `json:"timestamp"`
	IsSidechain       bool   `json:"isSidechain"`
	IsMeta            bool   `json:"isMeta"`
	IsCompactSummary  bool   `json:"isCompactSummary"`
	IsAPIErrorMessage bool   `json:"isApiErrorMessage"`
	IsTranscriptOnly  bool   `json:"isVisibleInTranscriptOnly"`
	// What a prompt has that was really made; what a plugin rebuilt has none of it.
	PromptSource   string `json:"promptSource"`
	TurnOrigin     string `json:"turnOrigin"`
	PermissionMode string `json:"permissionMode"`
	// SourceToolAssistantUUID is of a result the line of its call.
	SourceToolAssistantUUID string          `json:"sourceToolAssistantUUID"`
	Message                 json.RawMessage `json:"message"`
	Attachment              struct {
		Type   string          `json:"type"`
		Prompt json.RawMessage `json:"prompt"`
	} `json:"attachment"`

	at  line
	api struct { // of Message
		ID      string        `json:"id"`
		Model   string        `json:"model"`
		Content []claudeBlock `json:"content"`
	}
}

// claudeKnown are the types of line that hold no part of the conversation.
var claudeKnown = map[string]bool{
	"system": true, "attachment": true, "summary": true, "custom-title": true, "ai-title": true,
	"agent-name": true, "agent-setting": true, "agent-color": true, "file-history-snapshot": true,
	"file-history-delta": true, "queue-operation": true, "progress": true, "mode": true,
	"permission-mode": true, "last-prompt": true, "pr-link": true, "tag": true,
	"attribution-snapshot": true, "content-replacement": true, "worktree-state": true,
	"api-request": true, "api-request-blob": true, "api-request-shape": true, "atis-latch": true,
	"tools-used": true, "cost-state": true,
}

// claude is the state of reading one file.
type claude struct {
	t       *Transcript
	records []claudeLine
	nodes   []node
	sub     bool   // the file is a sub-agent's own
	agent   string // whose
	linear  bool   // no message has an id: the file's order is the tree
	rebuilt bool   // the path is among the messages that a plugin's compaction left
}

func (t *Transcript) claudeCode(ls []line) {
	c := &claude{t: t, sub: true, linear: true}
	for _, l := range ls {
		r := claudeLine{at: l}
		if err := l.object(&r); err != nil {
			t.broken(l, r.Type, err)
			continue
		}
		_ = decode(r.Message, &r.api) // what is wrong with it the codec says
		c.records = append(c.records, r)
		if r.speaks() {
			c.agent = r.AgentID
			c.sub = c.sub && r.IsSidechain
			c.linear = c.linear && r.UUID == ""
		}
	}
	for _, r := range c.records {
		c.nodes = append(c.nodes, c.node(r))
	}
	tr := newTree(c.nodes, t.note)
	path := tr.path(tr.leaf())
	if c.linear {
		path = c.turns()
	}
	c.emit(c.withParallel(path))
	c.surroundings(ls)
}

// claudeRequest is what we read of the lines that hold a request's own members: what it
// has around its messages stands in a shape, which later requests name by its hash.
type claudeRequest struct {
	Type      string `json:"type"`
	ShapeHash string `json:"shapeHash"`
	Shape     struct {
		System json.RawMessage `json:"system"`
		Tools  json.RawMessage `json:"tools"`
	} `json:"shape"`
}

// surroundings takes system prompt and tools of the last request that had tools, where
// the file holds them.
func (c *claude) surroundings(ls []line) {
	shapes := map[string]*codec.Request{}
	for _, l := range ls {
		var r claudeRequest
		if !bytes.Contains(l.raw, []byte(`"shapeHash"`)) || l.object(&r) != nil {
			continue
		}
		if r.Type == "api-request-shape" {
			if got := around(anthropic.Codec{}, "messages", r.Shape.System, r.Shape.Tools); got != nil {
				shapes[r.ShapeHash] = got
			}
		}
		if got := shapes[r.ShapeHash]; got != nil && (len(got.Tools) > 0 || len(c.t.Tools) == 0) {
			c.t.System, c.t.Tools = got.System, got.Tools
		}
	}
}

// around reads system prompt and tools as a request has them, nil for none that can be
// read. messages is the name of the codec's list of messages.
func around(to codec.Codec, messages string, system, tools json.RawMessage) *codec.Request {
	body := map[string]any{"model": "m", messages: []any{map[string]string{"role": "user", "content": "m"}}}
	if len(system) > 0 {
		body["system"] = system
	}
	if len(tools) > 0 {
		body["tools"] = tools
	}
	b, err := json.Marshal(body)
	if err != nil {
		return nil
	}
	got, err := to.Decode(b)
	if err != nil {
		return nil
	}
	return got
}

// speaks reports whether the line is a message, hidden or not.
func (r *claudeLine) speaks() bool { return r.Type == "user" || r.Type == "assistant" }

// queued reports whether the line is what the user typed while the agent worked:
// it was sent, but there is no user line of it.
func (r *claudeLine) queued() bool {
	return r.Type == "attachment" && r.Attachment.Type == "queued_command" && len(r.Attachment.Prompt) > 0
}

func (r *claudeLine) kind() string {
	if r.Type == "attachment" {
		return slashed(r.Type, r.Attachment.Type)
	}
	return slashed(r.Type, r.Subtype)
}

func (c *claude) node(r claudeLine) node {
	return node{
		line: r.at.no, id: r.UUID, parent: r.ParentUUID, logical: r.LogicalParentUUID, session: r.SessionID,
		turn: r.speaks() && c.ours(&r) && (c.linear || r.UUID != ""),
	}
}

// ours reports whether the line is of the agent whose conversation is read.
func (c *claude) ours(r *claudeLine) bool {
	return r.IsSidechain == c.sub && (!c.sub || r.AgentID == c.agent)
}

func (c *claude) turns() []int {
	var at []int
	for i := range c.nodes {
		if c.nodes[i].turn {
			at = append(at, i)
		}
	}
	return at
}

// emit turns the records of path into messages, in its order, and skips the
// rest.
func (c *claude) emit(path []int) {
	on := make([]bool, len(c.records))
	for _, i := range path {
		on[i] = true
		c.rebuilds(&c.records[i])
		if why := c.left(i, true); why != "" {
			c.skip(i, why)
			continue
		}
		c.message(&c.records[i])
	}
	for i := range c.records {
		if !on[i] {
			c.skip(i, c.left(i, false))
		}
	}
	if c.sub {
		c.t.Session = slashed(c.t.Session, c.agent)
	}
}

// rebuilds follows a compaction that a plugin made: its messages, a summary or copies of
// what was said before, stand behind the boundary as the user's and the model's.
func (c *claude) rebuilds(r *claudeLine) {
	switch {
	case r.Subtype == "compact_boundary":
		c.rebuilt = true
	case !r.speaks() || !c.rebuilt:
	case r.IsCompactSummary, r.Type == "assistant" && r.api.Model != "<synthetic>",
		r.Type == "user" && (r.IsMeta || r.PromptSource+r.TurnOrigin+r.PermissionMode+r.SourceToolAssistantUUID != "" || r.commands()):
		c.rebuilt = false
	}
}

// commands reports whether the line is what a command of the agent's own left.
func (r *claudeLine) commands() bool {
	return bytes.Contains(r.Message, []byte(`"<command-`)) || bytes.Contains(r.Message, []byte(`"<local-command-`))
}

func (c *claude) skip(i int, why Why) {
	detail := ""
	if why == Malformed {
		detail = "no uuid in a file of uuids: it has no place in the tree"
	}
	c.t.skip(c.records[i].at, c.records[i].kind(), why, detail)
}

// left is why a record is left out, "" for one on the path that is a message.
func (c *claude) left(i int, on bool) Why {
	r := &c.records[i]
	switch {
	case c.nodes[i].dup:
		return Duplicate
	case r.queued() && on:
		return ""
	case r.Type == "attachment" || claudeKnown[r.Type]:
		return Bookkeeping
	case !r.speaks():
		return UnknownType
	case !c.ours(r):
		return SubAgent
	case !c.nodes[i].turn:
		return Malformed
	case !on:
		return OtherBranch
	case (r.IsCompactSummary || on && c.rebuilt) && len(c.t.Messages) > 0:
		return Compaction
	case r.IsMeta, r.IsTranscriptOnly && !r.IsCompactSummary:
		return Hidden
	case r.IsAPIErrorMessage, r.api.Model == "<synthetic>":
		return Synthetic
	}
	return ""
}

func (c *claude) message(r *claudeLine) {
	m, err := r.parse()
	switch {
	case err != nil:
		c.t.broken(r.at, r.kind(), err)
		return
	case len(m.Parts) == 0:
		c.t.skip(r.at, r.kind(), Empty, "")
		return
	}
	m.Raw, m.Dialect = r.at.raw, ClaudeCode
	c.t.add(r.at, m, r.Timestamp)
	c.t.Session = cmp.Or(c.t.Session, r.SessionID)
	c.t.Model = cmp.Or(r.api.Model, c.t.Model)
}

func (r *claudeLine) parse() (message.Message, error) {
	if !r.queued() {
		if len(r.Message) == 0 || r.Message[0] != '{' {
			return message.Message{}, errors.New("its message is not an object")
		}
		return anthropic.ParseMessage(r.Message)
	}
	parts, err := anthropic.ParseBlocks(r.Attachment.Prompt)
	return message.Message{Role: message.User, Parts: parts}, err
}
