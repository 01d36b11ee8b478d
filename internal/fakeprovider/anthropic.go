package fakeprovider

import "encoding/json"

func (a Reply) message(content []any, stop any, output int) object {
	return object{
		"id": a.ID, "type": "message", "role": "assistant", "model": a.Model, "content": content, "stop_reason": stop, "stop_sequence": nil,
		"usage": object{"input_tokens": a.Input - a.Cached, "cache_creation_input_tokens": 0, "cache_read_input_tokens": a.Cached, "output_tokens": output, "service_tier": "standard"},
	}
}

func (a Reply) blocks() []any {
	out := []any{}
	if a.Thinking != "" {
		out = append(out, object{"type": "thinking", "thinking": a.Thinking, "signature": a.Signature})
	}
	if a.Text != "" {
		out = append(out, object{"type": "text", "text": a.Text})
	}
	for _, c := range a.Calls {
		out = append(out, object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": json.RawMessage(c.Args)})
	}
	return out
}

// anthropicStream is a stream of Messages, with a ping in it as in real ones.
func (a Reply) anthropicStream() string {
	var l lines
	put := func(kind string, m object) {
		m["type"] = kind
		l.put(kind, m)
	}
	put("message_start", object{"message": a.message([]any{}, nil, 1)})
	put("ping", object{})
	index := 0
	block := func(begin object, deltas ...object) {
		put("content_block_start", object{"index": index, "content_block": begin})
		for _, d := range deltas {
			put("content_block_delta", object{"index": index, "delta": d})
		}
		put("content_block_stop", object{"index": index})
		index++
	}
	if a.Thinking != "" {
		block(object{"type": "thinking", "thinking": "", "signature": ""},
			append(deltas("thinking_delta", "thinking", a.Thinking), object{"type": "signature_delta", "signature": a.Signature})...)
	}
	if a.Text != "" {
		block(object{"type": "text", "text": ""}, deltas("text_delta", "text", a.Text)...)
	}
	for _, c := range a.Calls {
		block(object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": object{}},
			append([]object{{"type": "input_json_delta", "partial_json": ""}}, deltas("input_json_delta", "partial_json", c.Args)...)...)
	}
	put("message_delta", object{
		"delta": object{"stop_reason": a.reason("end_turn", "tool_use", "max_tokens"), "stop_sequence": nil}, "usage": object{"output_tokens": a.Output},
	})
	put("message_stop", object{})
	return l.String()
}

func deltas(kind, name, text string) (out []object) {
	for _, p := range pieces(text) {
		out = append(out, object{"type": kind, name: p})
	}
	return out
}
