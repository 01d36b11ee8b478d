package wirecheck

import "encoding/json"

// chatParts are the content parts each role of Chat Completions may hold.
var chatParts = map[string]map[string]bool{
	"developer": {"text": true},
	"system":    {"text": true},
	"user":      {"text": true, "image_url": true, "input_audio": true, "file": true},
	"assistant": {"text": true, "refusal": true},
	"tool":      {"text": true},
	"function":  {"text": true},
}

// OpenAI judges a body of POST /v1/chat/completions: WO1 and the basic rules.
func OpenAI(body []byte, o Options) []Fault {
	c := &checker{opt: o}
	if root := c.object(body); root != nil {
		c.chat(root)
	}
	return c.faults
}

func (c *checker) chat(root *node) {
	c.needString(root, "", "model")
	c.chatTools(root)
	list := c.needKind(root, "", "messages", '[')
	if list != nil && len(list.vals) == 0 {
		c.fault(Shape, "messages", "want at least one message")
	}
	round := pending{}
	ids := once{}
	for i, m := range list.elements() {
		path := index("messages", i)
		role := m.get("role").text()
		if chatParts[role] == nil {
			c.fault(Role, join(path, "role"), "unknown role %.40q", role)
			continue
		}
		if role == "tool" {
			c.answer(&round, m, path)
		} else {
			c.closeRound(&round)
		}
		c.chatContent(m, role, path)
		if role == "assistant" {
			round = c.calls(m, path, ids)
		}
	}
	c.closeRound(&round)
}

// pending holds the calls of one assistant message that wait for results (WO1).
type pending struct {
	ids      []string
	paths    []string
	answered map[string]bool // false for one that waits
}

// answer is a tool message: it must answer a call of the assistant message that
// only other tool messages part it from.
func (c *checker) answer(round *pending, m *node, path string) {
	id := c.needString(m, path, "tool_call_id")
	if id == "" {
		return
	}
	switch answered, asked := round.answered[id]; {
	case !asked:
		c.fault("WO1", path, "tool message for %.80q follows no message that calls it", id)
		return
	case answered:
		c.fault("WO1", path, "second tool message for %.80q", id)
	}
	round.answered[id] = true
}

func (c *checker) closeRound(round *pending) {
	for i, id := range round.ids {
		if !round.answered[id] {
			c.fault("WO1", round.paths[i], "%.80q is not answered by the tool messages that follow", id)
		}
	}
	*round = pending{}
}

// calls are the tool calls of an assistant message.
func (c *checker) calls(m *node, path string, ids once) pending {
	round := pending{answered: map[string]bool{}}
	list := m.get("tool_calls")
	if list == nil {
		return round
	}
	path = join(path, "tool_calls")
	if list.kind != '[' || len(list.vals) == 0 {
		c.fault(Shape, path, "want a non-empty array")
	}
	for i, call := range list.elements() {
		at := index(path, i)
		id := c.needString(call, at, "id")
		if id == "" {
			continue
		}
		ids.add(c, id, at)
		round.ids, round.paths = append(round.ids, id), append(round.paths, at)
		round.answered[id] = false
		switch kind := call.get("type").text(); {
		case kind == "function":
			c.function(call, at)
		case kind == "custom":
			custom := c.needKind(call, at, "custom", '{')
			c.named(custom.get("name").text(), join(at, "custom.name"), 64)
			c.needKind(custom, join(at, "custom"), "input", '"')
		case !c.opt.AllowUnknown:
			c.fault(Block, at, "unknown tool call type %.40q", kind)
		}
	}
	return round
}

func (c *checker) function(call *node, path string) {
	f := c.needKind(call, path, "function", '{')
	path = join(path, "function")
	c.named(f.get("name").text(), join(path, "name"), 64)
	c.arguments(f, path)
}

// arguments are a string; by option, of a JSON object.
func (c *checker) arguments(n *node, path string) {
	v := n.get("arguments")
	if !v.is('"') {
		c.fault(Args, join(path, "arguments"), "arguments are a string")
		return
	}
	if c.opt.JSONArgs && json.Unmarshal([]byte(v.str), &map[string]json.RawMessage{}) != nil {
		c.fault(Args, join(path, "arguments"), "arguments are not a JSON object: %.80q", v.str)
	}
}

// chatContent is a message's content: a string, or parts its role may hold, or
// for an assistant that calls or refuses, nothing.
func (c *checker) chatContent(m *node, role, path string) {
	content := m.get("content")
	path = join(path, "content")
	acts := m.get("tool_calls") != nil || m.get("function_call") != nil || m.get("refusal") != nil || m.get("audio") != nil
	switch {
	case content == nil:
		if role != "function" && (role != "assistant" || !acts) {
			c.fault(Shape, path, "want a string or an array of parts")
		}
	case content.kind == '"':
		results := role == "tool" || role == "function" || role == "assistant" && acts
		if content.str == "" && !results && !c.opt.AllowEmpty {
			c.fault(Text, path, "empty text")
		}
	case content.kind == '[':
		c.parts(content, path, chatParts[role], role == "tool")
	default:
		c.fault(Shape, path, "want a string or an array of parts")
	}
}

// parts are content parts of the known kinds; a tool's result may be empty text.
func (c *checker) parts(content *node, path string, known map[string]bool, result bool) {
	if len(content.vals) == 0 {
		c.fault(Shape, path, "want at least one part")
	}
	for i, part := range content.vals {
		at := index(path, i)
		kind := part.get("type").text()
		if !known[kind] {
			if kind == "" || !c.opt.AllowUnknown {
				c.fault(Block, at, "a part of type %.40q may not stand here", kind)
			}
			continue
		}
		switch kind {
		case "text", "input_text", "output_text":
			v := c.needKind(part, at, "text", '"')
			if v != nil && v.str == "" && !result && !c.opt.AllowEmpty {
				c.fault(Text, at, "empty text")
			}
		case "refusal":
			c.needKind(part, at, "refusal", '"')
		case "image_url":
			c.needString(c.needKind(part, at, "image_url", '{'), join(at, "image_url"), "url")
		}
	}
}

func (c *checker) chatTools(root *node) {
	seen := once{}
	for i, t := range root.get("tools").elements() {
		kind := t.get("type").text()
		if kind != "function" && kind != "custom" {
			if !c.opt.AllowUnknown {
				c.fault(Block, index("tools", i), "unknown tool type %.40q", kind)
			}
			continue
		}
		path := join(index("tools", i), join(kind, "name"))
		name := t.get(kind).get("name").text()
		c.named(name, path, 64)
		seen.add(c, name, path)
	}
}
