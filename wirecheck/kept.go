package wirecheck

import (
	"bytes"
	"slices"
)

// Unknown is the rule that what is not known stays: items, blocks and messages of types
// and roles that the checker does not know, and those that declare tools, stand in what
// is sent as they stood in what the client wrote, in the same order, and at the beginning
// if they were there.
const Unknown = "unknown"

// Kept holds a body that was sent against the one that the client wrote: the rule
// Unknown.
func Kept(provider string, wrote, sent []byte) []Fault {
	c := &checker{}
	before, after := c.object(wrote), c.object(sent)
	if before == nil || after == nil {
		return c.faults
	}
	name := listNames[provider]
	var all [][]byte
	for _, v := range after.get(name).elements() {
		all = append(all, readable(provider, v)...)
	}
	for i, v := range before.get(name).elements() {
		for _, raw := range foreign(provider, v) {
			at := -1
			for k := range all {
				if bytes.Equal(all[k], raw) {
					at = k
					break
				}
			}
			switch {
			case at < 0:
				c.fault(Unknown, index(name, i), "%.120s is changed, moved or left out", raw)
			default:
				all = all[at+1:]
			}
		}
	}
	first := after.get(name).elements()
	for i, v := range before.get(name).elements() {
		odd, role := foreign(provider, v), v.get("role").text()
		if role != "developer" && role != "system" && (len(odd) == 0 || !bytes.Equal(odd[0], v.raw)) {
			break
		}
		if i >= len(first) || !bytes.Equal(first[i].raw, v.raw) {
			c.fault(Unknown, index(name, i), "stood at the beginning, and does not any more")
		}
	}
	if provider == "gemini" {
		c.keptSignatures(before, after)
	}
	return c.faults
}

// listNames are the members that hold the conversation.
var listNames = map[string]string{"anthropic": "messages", "openai": "messages", "responses": "input", "gemini": "contents"}

// keptSignatures is WG17: a signature stands on the part that it was written on, and not
// on another.
func (c *checker) keptSignatures(before, after *node) {
	signed := func(root *node) (out []geminiPart) {
		silent := &checker{opt: Options{AllowUnknown: true}}
		for i, v := range root.get("contents").elements() {
			for _, p := range silent.geminiParts(v, index("contents", i)) {
				if s := p.signature(); s != "" && s != "skip_thought_signature_validator" {
					out = append(out, p)
				}
			}
		}
		return out
	}
	was := signed(before)
	for _, p := range signed(after) {
		if !slices.ContainsFunc(was, func(q geminiPart) bool {
			return q.signature() == p.signature() && q.kind == p.kind && q.data().get("name").text() == p.data().get("name").text()
		}) {
			c.fault("WG17", p.path, "the signature is of another part")
		}
	}
}

// readable lists an element of the conversation and its blocks, those within results
// too.
func readable(provider string, v *node) [][]byte {
	out := [][]byte{v.raw}
	content := v.get("content")
	if provider == "responses" && content == nil {
		content = v.get("output")
	}
	for _, b := range slices.Concat(content.elements(), v.get("tool_calls").elements(), v.get("parts").elements()) {
		out = append(out, b.raw)
		for _, p := range b.get("content").elements() {
			out = append(out, p.raw)
		}
	}
	return out
}

// foreign lists what is not known of an element of the conversation: the element itself,
// or some of its blocks.
func foreign(provider string, v *node) [][]byte {
	role, kind := v.get("role").text(), v.get("type").text()
	switch {
	case provider == "gemini":
		return foreignParts(v)
	case provider != "responses" && !knownRoles[provider][role]:
		return [][]byte{v.raw}
	case provider == "responses" && kind != "" && kind != "message" && (declares[kind] || !produced[kind] && outputOf[kind] == "" && !leavable[kind]):
		return [][]byte{v.raw}
	case provider == "responses" && (kind == "" || kind == "message") && itemParts[role] == nil:
		return [][]byte{v.raw}
	}
	var out [][]byte
	for _, b := range v.get("content").elements() {
		switch kind := b.get("type").text(); {
		case provider == "anthropic" && kind == "tool_result":
			for _, p := range b.get("content").elements() {
				if part := p.get("type").text(); declares[part] || !resultParts[part] {
					out = append(out, p.raw)
				}
			}
		case declares[kind], provider == "anthropic" && allowedRoles[kind] == "",
			provider == "openai" && !chatParts["user"][kind] && !chatParts["assistant"][kind], provider == "responses" && !itemParts["user"][kind] && !itemParts["assistant"][kind]:
			out = append(out, b.raw)
		}
	}
	return out
}

// foreignParts lists what is not known of a content.
func foreignParts(v *node) (out [][]byte) {
	role := v.get("role").text()
	if role != "user" && role != "model" && role != "function" && v.get("role") != nil || v.get("parts") != nil && !v.get("parts").is('[') {
		return [][]byte{v.raw}
	}
	for _, p := range v.get("parts").elements() {
		for _, name := range p.names {
			if name = lowerCamel(name); geminiBeside[name] {
				continue
			}
			if _, known := geminiData[name]; !known {
				out = append(out, p.raw)
				break
			}
		}
	}
	return out
}

// knownRoles are those of messages.
var knownRoles = map[string]map[string]bool{
	"anthropic": {"user": true, "assistant": true, "system": true},
	"openai":    {"user": true, "assistant": true, "system": true, "developer": true, "tool": true, "function": true},
}

// declares are the items and blocks that declare tools, or set the conversation up.
var declares = map[string]bool{
	"additional_tools": true, "configuration_update": true, "tool_search_call": true, "tool_search_output": true, "mcp_list_tools": true,
	"tool_search_tool_result": true, "tool_reference": true, "mcp_tool_listing": true, "tool_addition": true, "tool_removal": true,
}

// leavable are the known items besides calls and outputs.
var leavable = map[string]bool{"message": true, "compaction": true, "compaction_trigger": true, "mcp_approval_response": true}
