package wirecheck

// outputOf names, for each item that answers a call of the client's, the item
// it answers.
var outputOf = map[string]string{
	"function_call_output":    "function_call",
	"custom_tool_call_output": "custom_tool_call",
	"computer_call_output":    "computer_call",
	"local_shell_call_output": "local_shell_call",
	"shell_call_output":       "shell_call",
	"apply_patch_call_output": "apply_patch_call",
	"tool_search_output":      "tool_search_call",
	"program_output":          "program",
}

// callItems are the items that outputOf answers.
var callItems = func() map[string]bool {
	set := map[string]bool{}
	for _, call := range outputOf {
		set[call] = true
	}
	return set
}()

// produced are the items a model makes: one of them follows a reasoning item.
var produced = map[string]bool{
	"function_call": true, "custom_tool_call": true, "computer_call": true, "local_shell_call": true,
	"shell_call": true, "apply_patch_call": true, "web_search_call": true, "file_search_call": true,
	"code_interpreter_call": true, "image_generation_call": true, "mcp_call": true, "mcp_list_tools": true,
	"mcp_approval_request": true, "tool_search_call": true, "program": true, "reasoning": true,
}

// plainItems are the other known items.
var plainItems = map[string]bool{
	"message": true, "item_reference": true, "compaction": true, "compaction_trigger": true,
	"mcp_approval_response": true, "additional_tools": true, "configuration_update": true,
}

// itemParts are the content parts a message item of each role may hold.
var itemParts = map[string]map[string]bool{
	"user":      {"input_text": true, "input_image": true, "input_file": true, "input_audio": true},
	"system":    {"input_text": true, "input_image": true, "input_file": true},
	"developer": {"input_text": true, "input_image": true, "input_file": true},
	"assistant": {"output_text": true, "refusal": true},
}

// Responses judges a body of POST /v1/responses: WO2, WO3, WO4 and WO6 and the
// basic rules.
func Responses(body []byte, o Options) []Fault {
	c := &checker{opt: o}
	if root := c.object(body); root != nil {
		c.responses(root)
	}
	return c.faults
}

// item is one element of the input.
type item struct {
	kind string
	path string
	node *node
}

func (it item) assistant() bool {
	return it.kind == "message" && it.node.get("role").text() == "assistant"
}

// callID is the id that binds a call and its output. The output of a local shell call may
// have it as its own.
func (it item) callID() string {
	id := it.node.get("call_id").text()
	if id == "" && it.kind == "local_shell_call_output" {
		return it.node.get("id").text()
	}
	return id
}

func (c *checker) responses(root *node) {
	if root.get("previous_response_id") == nil && root.get("conversation") == nil && root.get("prompt") == nil {
		c.needString(root, "", "model")
	}
	if root.get("previous_response_id") != nil && root.get("conversation") != nil {
		c.fault(Shape, "conversation", "not together with previous_response_id")
	}
	c.functionTools(root)
	input := root.get("input")
	switch {
	case input == nil || input.kind == '"':
		if input != nil && input.str == "" && !c.opt.AllowEmpty {
			c.fault(Text, "input", "empty text")
		}
		return
	case input.kind != '[':
		c.fault(Shape, "input", "want a string or an array of items")
		return
	}
	var items []item
	for i, v := range input.vals {
		items = append(items, c.item(v, index("input", i)))
	}
	c.itemPairs(items, root)
	c.reasoning(items, root)
	for i, it := range items {
		if it.kind == "compaction_trigger" && i < len(items)-1 {
			c.fault("WO6", it.path, "compaction_trigger is the last item")
		}
	}
}

// item judges one item by itself.
func (c *checker) item(v *node, path string) item {
	it := item{kind: v.get("type").text(), path: path, node: v}
	if v.kind != '{' {
		c.fault(Shape, path, "an item is an object")
		return it
	}
	if it.kind == "" && v.get("role") != nil {
		it.kind = "message"
	}
	switch it.kind {
	case "message":
		c.messageItem(it)
	case "function_call":
		c.needString(v, path, "call_id")
		c.named(v.get("name").text(), join(path, "name"), 64)
		c.arguments(v, path)
	case "custom_tool_call":
		c.needString(v, path, "call_id")
		c.needKind(v, path, "input", '"')
	case "function_call_output", "custom_tool_call_output":
		c.needString(v, path, "call_id")
		c.output(v.get("output"), join(path, "output"))
	case "reasoning":
		c.needKind(v, path, "summary", '[')
	case "apply_patch_call_output":
		c.needString(v, path, "call_id")
		c.needString(v, path, "status")
	case "compaction":
		c.needString(v, path, "encrypted_content")
	case "item_reference":
		c.needString(v, path, "id")
	default:
		if known := produced[it.kind] || outputOf[it.kind] != "" || plainItems[it.kind]; !known && !c.opt.AllowUnknown {
			c.fault(Block, path, "unknown item %.60q", it.kind)
		}
	}
	return it
}

func (c *checker) messageItem(it item) {
	role := it.node.get("role").text()
	if itemParts[role] == nil {
		c.fault(Role, join(it.path, "role"), "unknown role %.40q", role)
		return
	}
	content, path := it.node.get("content"), join(it.path, "content")
	switch {
	case content.is('"'):
		if content.str == "" && !c.opt.AllowEmpty {
			c.fault(Text, path, "empty text")
		}
	case content.is('['):
		c.parts(content, path, itemParts[role], false)
	default:
		c.fault(Shape, path, "want a string or an array of parts")
	}
}

func (c *checker) output(v *node, path string) {
	switch {
	case v.is('"'):
	case v.is('['):
		c.parts(v, path, itemParts["user"], true)
	default:
		c.fault(Shape, path, "want a string or an array of parts")
	}
}

// itemPairs is WO2: each call has one output, after it. What the provider keeps
// (a previous response, a conversation, a referenced item) is not seen here, so
// an output may then answer a call that is not.
func (c *checker) itemPairs(items []item, root *node) {
	elsewhere := root.get("previous_response_id") != nil || root.get("conversation") != nil
	calls, outputs := map[string]item{}, map[string]bool{}
	ids := once{}
	for _, it := range items {
		elsewhere = elsewhere || it.kind == "item_reference"
		if id := it.node.get("id").text(); id != "" && it.kind != "item_reference" {
			ids.add(c, id, it.path)
		}
		id := it.callID()
		switch asks := outputOf[it.kind]; {
		case id == "":
		case asks != "":
			call, ok := calls[id]
			if !ok && !elsewhere || ok && call.kind != asks {
				c.fault("WO2", it.path, "no %s %.80q before this output", asks, id)
			} else if outputs[id] {
				c.fault("WO2", it.path, "second output for %.80q", id)
			}
			outputs[id] = true
		case callItems[it.kind]:
			if first, ok := calls[id]; ok {
				c.fault(Unique, it.path, "%.80q is already at %s", id, first.path)
				continue
			}
			calls[id] = it
		}
	}
	c.unanswered(items, outputs)
}

// unanswered faults calls without an output; one that runs asynchronously may
// be answered later.
func (c *checker) unanswered(items []item, outputs map[string]bool) {
	for _, it := range items {
		id := it.node.get("call_id").text()
		if callItems[it.kind] && id != "" && !outputs[id] && string(it.node.get("async").bytes()) != "true" {
			c.fault("WO2", it.path, "no output for %s %.80q", it.kind, id)
		}
	}
}

// reasoning is WO3 and WO4: a reasoning item goes with what the model made next,
// and where nothing is stored it carries its content.
func (c *checker) reasoning(items []item, root *node) {
	stored := string(root.get("store").bytes()) != "false"
	for i, it := range items {
		if it.kind != "reasoning" {
			continue
		}
		if i+1 == len(items) || !produced[items[i+1].kind] && !items[i+1].assistant() {
			c.fault("WO3", it.path, "reasoning without the item that followed it")
		}
		if !stored && it.node.get("encrypted_content") == nil && it.node.get("content") == nil {
			c.fault("WO4", it.path, "reasoning without encrypted_content, and nothing is stored")
		}
	}
}

func (c *checker) functionTools(root *node) {
	seen := once{}
	for i, t := range root.get("tools").elements() {
		if kind := t.get("type").text(); kind != "function" && kind != "custom" {
			continue
		}
		name, path := t.get("name").text(), join(index("tools", i), "name")
		c.named(name, path, 64)
		seen.add(c, name, path)
	}
}
