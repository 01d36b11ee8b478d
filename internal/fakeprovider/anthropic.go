package fakeprovider

import "encoding/json"

func (a Reply) message(content []any, stop any, output int) member {
	return member{
		"id": a.ID, "type": "message", "role": "assistant", "model": a.Model, "content": content, "stop_reason": stop, "stop_sequence": nil,
		"usage": member{"input_tokens": a.Input - a.Cached, "cache_creation_input_tokens": 0, "cache_read_input_tokens": a.Cached, "output_tokens": output, "service_tier": "standard"},
	}
}

func (a Reply) blocks() []any {
	out := []any{}
	if a.Thinking != "" {
		out = append(out, member{"type": "thinking", "thinking": a.Thinking, "signature": a.Signature})
	}
	if a.Text != "" {
		out = append(out, member{"type": "text", "text": a.Text})
	}
	for _, c := range a.Calls {
		out = append(out, member{"type": "tool_use", "id": c.ID, "name": c.Name, "input": json.RawMessage(c.Args)})
	}
	return out
}

// anthropicStream is a stream of Messages, with a ping in it as in real ones.
func (a Reply) anthropicStream() string {
	var l lines
	put := func(kind string, m member) {
		m["type"] = kind
		l.put(kind, m)
	}
	put("message_start", member{"message": a.message([]any{}, nil, 1)})
	put("ping", member{})
	index := 0
	block := func(begin member, deltas ...member) {
		put("content_block_start", member{"index": index, "content_block": begin})
		for _, d := range deltas {
			put("content_block_delta", member{"index": index, "delta": d})
		}
		put("content_block_stop", member{"index": index})
		index++
	}
	if a.Thinking != "" {
		block(member{"type": "thinking", "thinking": "", "signature": ""},
			append(deltas("thinking_delta", "thinking", a.Thinking), member{"type": "signature_delta", "signature": a.Signature})...)
	}
	if a.Text != "" {
		block(member{"type": "text", "text": ""}, deltas("text_delta", "text", a.Text)...)
	}
	for _, c := range a.Calls {
		block(member{"type": "tool_use", "id": c.ID, "name": c.Name, "input": member{}},
			append([]member{{"type": "input_json_delta", "partial_json": ""}}, deltas("input_json_delta", "partial_json", c.Args)...)...)
	}
	put("message_delta", member{
		"delta": member{"stop_reason": a.reason("end_turn", "tool_use", "max_tokens"), "stop_sequence": nil}, "usage": member{"output_tokens": a.Output},
	})
	put("message_stop", member{})
	return l.String()
}

func deltas(kind, name, text string) (out []member) {
	for _, p := range pieces(text) {
		out = append(out, member{"type": kind, name: p})
	}
	return out
}
