package wirecheck

import (
	"slices"
	"strings"
)

const (
	maxMessages = 100_000  // WA12
	maxBody     = 32 << 20 // WA12, bytes
)

// Anthropic judges a body of POST /v1/messages: WA1 to WA13, WT and WN as far
// as one body shows them.
func Anthropic(body []byte, o Options) []Fault {
	c := &checker{opt: o}
	if root := c.object(body); root != nil {
		c.anthropic(root, len(body))
	}
	return c.faults
}

// request is a body taken apart.
type request struct {
	root     *node
	model    claude
	messages []turn // as sent
	turns    []turn // same-role neighbours merged, as the provider reads them
}

// turn is one message, or several of one role that the provider merges.
type turn struct {
	role   string
	path   string
	node   *node // of its first message
	blocks []block
}

// block is one content block. A string is the text block it stands for.
type block struct {
	kind string
	path string
	node *node
}

func (b block) thinking() bool { return b.kind == "thinking" || b.kind == "redacted_thinking" }

// serverUse reports whether the provider runs the call itself.
func (b block) serverUse() bool { return b.kind == "server_tool_use" || b.kind == "mcp_tool_use" }

func (b block) serverResult() bool {
	return b.kind != "tool_result" && strings.HasSuffix(b.kind, "_tool_result")
}

// signedCompaction is the block of a compaction on demand (WN2); the one that a
// threshold made has no signature.
func (b block) signedCompaction() bool {
	return b.kind == "compaction" && b.node.get("signature").text() != ""
}

// settingsOnly reports whether a system message holds no content, only settings: it
// may stand anywhere.
func (t turn) settingsOnly() bool {
	return t.role == "system" && len(t.blocks) == 0 && t.node.get("output_config") != nil
}

func (t turn) has(kind string) bool {
	return slices.ContainsFunc(t.blocks, func(b block) bool { return b.kind == kind })
}

func (t turn) last() block {
	if len(t.blocks) == 0 {
		return block{}
	}
	return t.blocks[len(t.blocks)-1]
}

func (c *checker) anthropic(root *node, size int) *request {
	r := c.request(root, size)
	c.tools(root)
	c.first(r)
	c.content(r)
	c.pairs(r)
	c.serverPairs(r)
	c.systemPlaces(r)
	c.ending(r)
	c.compactions(r)
	c.thinking(r)
	c.caching(r)
	return r
}

func (c *checker) request(root *node, size int) *request {
	if size > maxBody {
		c.fault("WA12", "", "%d bytes, at most %d", size, maxBody)
	}
	model := c.needString(root, "", "model")
	if c.opt.Model != "" {
		model = c.opt.Model
	}
	r := &request{root: root, model: claudeOf(model)}
	c.needKind(root, "", "max_tokens", '0')
	list := c.needKind(root, "", "messages", '[')
	if list != nil && len(list.vals) == 0 {
		c.fault(Shape, "messages", "want at least one message")
	}
	if n := len(list.elements()); n > maxMessages {
		c.fault("WA12", "messages", "%d messages, at most %d", n, maxMessages)
	}
	for i, m := range list.elements() {
		if t, ok := c.message(m, index("messages", i)); ok {
			r.messages = append(r.messages, t)
			c.merge(r, t)
		}
	}
	c.systemPrompt(root)
	return r
}

func (c *checker) message(m *node, path string) (turn, bool) {
	if m.kind != '{' {
		c.fault(Shape, path, "a message is an object")
		return turn{}, false
	}
	t := turn{role: m.get("role").text(), path: path, node: m}
	switch t.role {
	case "user", "assistant", "system":
	default:
		c.fault(Role, join(path, "role"), "unknown role %.40q", t.role)
		return turn{}, false
	}
	t.blocks = c.blocks(m.get("content"), join(path, "content"))
	return t, true
}

// blocks are the blocks of a content that is a string or an array.
func (c *checker) blocks(content *node, path string) []block {
	switch {
	case content.is('"'):
		if content.str == "" {
			return nil
		}
		return []block{{kind: "text", path: path, node: content}}
	case content.is('['):
		bs := make([]block, 0, len(content.vals))
		for i, v := range content.vals {
			bs = append(bs, block{kind: v.get("type").text(), path: index(path, i), node: v})
		}
		return bs
	}
	c.fault(Shape, path, "want a string or an array of blocks")
	return nil
}

// merge adds a message to the turns and faults neighbours of one role (WA2).
// Messages of settings only are no neighbours. Consecutive system messages are one
// section, and what follows a leading compaction block may be an assistant's.
func (c *checker) merge(r *request, t turn) {
	if t.settingsOnly() {
		return
	}
	n := len(r.turns)
	if n == 0 || r.turns[n-1].role != t.role {
		t.blocks = slices.Clip(t.blocks)
		r.turns = append(r.turns, t)
		return
	}
	last := &r.turns[n-1]
	afterCompaction := n == 1 && len(last.blocks) == 1 && last.blocks[0].kind == "compaction"
	if t.role != "system" && !afterCompaction && !c.opt.AllowNeighbours {
		c.fault("WA2", t.path, "follows another %s message", t.role)
	}
	last.blocks = append(last.blocks, t.blocks...)
}

func (c *checker) systemPrompt(root *node) {
	system := root.get("system")
	if system == nil || system.kind == '"' {
		return
	}
	for _, b := range c.blocks(system, "system") {
		if b.kind != "text" {
			c.fault(Block, b.path, "the system prompt holds text only, not %.40q", b.kind)
			continue
		}
		c.text(b)
	}
}

func (c *checker) tools(root *node) {
	seen := once{}
	for i, t := range root.get("tools").elements() {
		path := index("tools", i)
		name := t.get("name").text()
		if kind := t.get("type").text(); kind == "" || kind == "custom" {
			c.named(name, join(path, "name"), 128)
			if s := c.needKind(t, path, "input_schema", '{'); s != nil && s.get("type").text() != "object" {
				c.fault(Shape, join(path, "input_schema.type"), "want object")
			}
		}
		if name != "" {
			seen.add(c, name, join(path, "name"))
		}
	}
}

// first is WA1.
func (c *checker) first(r *request) {
	for _, t := range r.turns {
		if t.role == "system" {
			continue // never first: WA8
		}
		opens := len(t.blocks) > 0 && t.blocks[0].kind == "compaction"
		if t.role == "assistant" && !opens {
			c.fault("WA1", t.path, "the first message is neither user nor a compaction block")
		}
		return
	}
}

// ending is WA4. A reply that stopped within a server tool, or at its
// compaction, is resumed by sending it again.
func (c *checker) ending(r *request) {
	n := len(r.turns)
	if n == 0 || r.turns[n-1].role != "assistant" || r.model.prefills() {
		return
	}
	last := r.turns[n-1].last()
	if last.serverUse() || last.serverResult() || last.kind == "compaction" && !last.signedCompaction() {
		return
	}
	c.fault("WA4", r.turns[n-1].path, "the conversation ends with an assistant message")
}

// compactions is WN2 and WT7: a signed block is the first of all and the only
// one; none stands between a call and its result.
func (c *checker) compactions(r *request) {
	signed := 0
	for i, t := range r.turns {
		called := false
		for j, b := range t.blocks {
			called = called || b.kind == "tool_use"
			if b.kind != "compaction" {
				continue
			}
			if b.signedCompaction() {
				signed++
				if i+j > 0 || signed > 1 {
					c.fault("WN2", b.path, "a signed compaction block is the first block of the first message, once")
				}
			}
			if called || i > 0 && t.role == "user" {
				c.fault("WT7", b.path, "compaction between a tool_use and its tool_result")
			}
		}
	}
}
