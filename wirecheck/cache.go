package wirecheck

const maxBreakpoints = 4 // WA10

// mark is one cache_control.
type mark struct {
	path string
	ttl  string
}

// caching is WA10 and WA11. It looks where the provider looks: a member of that
// name inside a call's input or a schema is content.
func (c *checker) caching(r *request) {
	var marks []mark
	for i, t := range r.root.get("tools").elements() {
		marks = c.mark(marks, t, index("tools", i), "tool")
	}
	if system := r.root.get("system"); system.is('[') {
		for i, b := range system.vals {
			marks = c.mark(marks, b, index("system", i), b.get("type").text())
		}
	}
	for _, m := range r.messages {
		for _, b := range m.blocks {
			marks = c.mark(marks, b.node, b.path, b.kind)
			marks = c.inner(marks, b)
		}
	}
	marks = c.mark(marks, r.root, "", "request") // automatic: the last block
	if len(marks) > maxBreakpoints {
		c.fault("WA10", marks[maxBreakpoints].path, "%d blocks with cache_control, at most %d", len(marks), maxBreakpoints)
	}
	short := ""
	for _, m := range marks {
		if m.ttl == "1h" && short != "" {
			c.fault("WA11", m.path, "a 1h breakpoint after the 5m one at %s", short)
		}
		if m.ttl != "1h" {
			short = m.path
		}
	}
}

// inner are the marks on blocks within a block.
func (c *checker) inner(marks []mark, b block) []mark {
	content, path := b.node.get("content"), join(b.path, "content")
	switch b.kind {
	case "tool_result", "search_result":
	case "document":
		content, path = b.node.get("source").get("content"), join(b.path, "source.content")
	default:
		return marks
	}
	for i, v := range content.elements() {
		part := block{kind: v.get("type").text(), path: index(path, i), node: v}
		marks = c.mark(marks, v, part.path, part.kind)
		if b.kind == "tool_result" {
			marks = c.inner(marks, part)
		}
	}
	return marks
}

func (c *checker) mark(marks []mark, n *node, path, kind string) []mark {
	cc := n.get("cache_control")
	if cc == nil {
		return marks
	}
	path = join(path, "cache_control")
	ttl := cc.get("ttl")
	if cc.get("type").text() != "ephemeral" || ttl != nil && ttl.text() != "5m" && ttl.text() != "1h" {
		c.fault(Shape, path, "want type ephemeral and ttl 5m or 1h")
	}
	switch {
	case kind == "thinking" || kind == "redacted_thinking":
		c.fault("WA11", path, "cache_control on %s", kind)
	case kind == "text" && n.get("text").text() == "":
		c.fault("WA11", path, "cache_control on empty text")
	}
	return append(marks, mark{path: path, ttl: ttl.text()})
}

// thinking checks WT1, WT2 and WT5 as far as one body shows them.
func (c *checker) thinking(r *request) {
	for _, t := range r.turns {
		if t.role == "assistant" && t.last().thinking() {
			c.fault("WT1", t.last().path, "thinking is the last block of an assistant message")
		}
	}
	config := r.root.get("thinking")
	switch mode := config.get("block_binding").get("prefix_mismatch_behavior"); mode.text() {
	case "error", "drop_block":
	default:
		if mode != nil {
			c.fault("WT5", "thinking.block_binding.prefix_mismatch_behavior", "want error or drop_block")
		}
	}
	if config.get("type").text() == "enabled" {
		c.openRound(r)
	}
}

// openRound is WT2 for thinking that a budget enables: while the last turn
// answers calls, the assistant's work since the user last spoke starts with
// thinking.
func (c *checker) openRound(r *request) {
	i := len(r.turns) - 1
	for i >= 0 && r.turns[i].role == "system" {
		i--
	}
	path := ""
	for ; i > 0 && r.turns[i].role == "user" && r.turns[i].has("tool_result"); i -= 2 {
		work := r.turns[i-1]
		if work.role != "assistant" || len(work.blocks) == 0 || work.blocks[0].thinking() {
			return
		}
		path = work.path
	}
	if path != "" {
		c.fault("WT2", path, "thinking is enabled and the open tool round does not start with thinking")
	}
}
