package wirecheck

import "strings"

// allowedRoles lists the roles that may hold a block: u user, a assistant, s system.
var allowedRoles = map[string]string{
	"text":                                   "uas",
	"image":                                  "u",
	"document":                               "u",
	"search_result":                          "u",
	"container_upload":                       "ua",
	"tool_result":                            "u",
	"compaction":                             "ua",
	"thinking":                               "a",
	"redacted_thinking":                      "a",
	"tool_use":                               "a",
	"server_tool_use":                        "a",
	"mcp_tool_use":                           "a",
	"mcp_tool_result":                        "a",
	"mcp_tool_listing":                       "a",
	"fallback":                               "a",
	"web_search_tool_result":                 "a",
	"web_fetch_tool_result":                  "a",
	"code_execution_tool_result":             "a",
	"bash_code_execution_tool_result":        "a",
	"text_editor_code_execution_tool_result": "a",
	"tool_search_tool_result":                "a",
	"advisor_tool_result":                    "a",
	"tool_addition":                          "s",
	"tool_removal":                           "s",
}

// resultParts are the blocks a tool_result may hold.
var resultParts = map[string]bool{
	"text": true, "image": true, "document": true, "search_result": true, "tool_reference": true, "browser_state": true,
}

// content judges every block by itself, and WA3.
func (c *checker) content(r *request) {
	ids := once{}
	for i, t := range r.messages {
		optional := t.role == "assistant" && i == len(r.messages)-1
		if len(t.blocks) == 0 && !optional && !t.settingsOnly() {
			c.fault("WA3", t.path, "empty content")
		}
		for _, b := range t.blocks {
			c.block(t.role, b, ids)
		}
	}
}

func (c *checker) block(role string, b block, ids once) {
	roles, known := allowedRoles[b.kind]
	switch {
	case b.kind == "":
		c.fault(Shape, b.path, "a block is an object with a type")
		return
	case !known && c.opt.AllowUnknown:
		return
	case !known:
		c.fault(Block, b.path, "unknown block %.60q", b.kind)
		return
	case !strings.Contains(roles, role[:1]) && role == "system":
		c.fault("WA8", b.path, "a system message holds text, not %s", b.kind)
	case !strings.Contains(roles, role[:1]):
		c.fault(Role, b.path, "%s in a message of the %s", b.kind, role)
	}
	c.members(b, ids)
}

// members demands what a block of its kind must hold.
func (c *checker) members(b block, ids once) {
	switch b.kind {
	case "text":
		c.text(b)
	case "thinking":
		c.needKind(b.node, b.path, "thinking", '"')
		if b.node.get("signature").text() == "" {
			c.fault("WT1", join(b.path, "signature"), "thinking without its signature")
		}
	case "redacted_thinking":
		if b.node.get("data").text() == "" {
			c.fault("WT1", join(b.path, "data"), "redacted thinking without its data")
		}
	case "tool_use", "server_tool_use", "mcp_tool_use":
		c.use(b, ids)
	case "tool_result":
		c.result(b)
	case "image", "document":
		c.needKind(b.node, b.path, "source", '{')
	case "container_upload":
		c.needString(b.node, b.path, "file_id")
	case "tool_addition", "tool_removal":
		c.needKind(b.node, b.path, "tool", '{')
	default:
		if b.serverResult() {
			c.needString(b.node, b.path, "tool_use_id")
		}
	}
}

// text demands text that is more than white space.
func (c *checker) text(b block) {
	v := b.node
	if v.kind != '"' {
		v = c.needKind(b.node, b.path, "text", '"')
	}
	if v != nil && strings.TrimSpace(v.str) == "" {
		c.fault(Text, b.path, "empty text")
	}
}

// use is a call. WA13, as far as one body shows it: the input is an object
// (parse faults a member that stands twice).
func (c *checker) use(b block, ids once) {
	if id := c.needString(b.node, b.path, "id"); id != "" {
		c.named(id, join(b.path, "id"), len(id))
		ids.add(c, id, b.path)
		if b.kind == "server_tool_use" && !strings.HasPrefix(id, "srvtoolu_") {
			c.fault("WA7", join(b.path, "id"), "the id of a server tool starts with srvtoolu_")
		}
	}
	if name := c.needString(b.node, b.path, "name"); name != "" {
		c.named(name, join(b.path, "name"), 200)
	}
	if !b.node.get("input").is('{') {
		c.fault("WA13", join(b.path, "input"), "the input of a call is an object")
	}
}

func (c *checker) result(b block) {
	c.needString(b.node, b.path, "tool_use_id")
	content := b.node.get("content")
	if content == nil || content.kind == '"' {
		return // an empty result is legal
	}
	for _, part := range c.blocks(content, join(b.path, "content")) {
		switch {
		case !resultParts[part.kind] && !c.opt.AllowUnknown:
			c.fault(Block, part.path, "%.60q in a tool_result", part.kind)
		case part.kind == "text":
			if v := c.needKind(part.node, part.path, "text", '"'); v != nil && v.str == "" {
				c.fault(Text, part.path, "empty text")
			}
		}
	}
}
