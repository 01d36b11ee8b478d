package fakeprovider

import "fmt"

func (a Reply) status() string { return a.reason("completed", "completed", "incomplete") }

func (a Reply) response(status string, output []any) object {
	m := object{
		"id": a.ID, "object": "response", "created_at": 1_767_225_600, "status": status, "model": a.Model, "output": output,
		"error": nil, "incomplete_details": nil, "instructions": nil, "metadata": object{}, "parallel_tool_calls": true,
		"temperature": 1.0, "tool_choice": "auto", "tools": []any{}, "top_p": 1.0,
	}
	if status == "in_progress" {
		return m
	}
	m["usage"] = object{
		"input_tokens": a.Input, "input_tokens_details": object{"cached_tokens": a.Cached}, "output_tokens": a.Output,
		"output_tokens_details": object{"reasoning_tokens": 0}, "total_tokens": a.Input + a.Output,
	}
	if a.Cut {
		m["incomplete_details"] = object{"reason": "max_output_tokens"}
	}
	return m
}

func (a Reply) items() []any {
	out := []any{}
	if a.Thinking != "" {
		out = append(out, object{"type": "reasoning", "id": "rs_" + a.ID, "summary": []any{object{"type": "summary_text", "text": a.Thinking}}, "encrypted_content": a.Signature})
	}
	if a.Text != "" {
		out = append(out, object{"type": "message", "id": "msg_" + a.ID, "status": "completed", "role": "assistant", "content": []any{part(a.Text)}})
	}
	for i, c := range a.Calls {
		out = append(out, object{"type": "function_call", "id": fmt.Sprintf("fc_%s_%d", a.ID, i), "status": "completed", "call_id": c.ID, "name": c.Name, "arguments": c.Args})
	}
	return out
}

func part(text string) object {
	return object{"type": "output_text", "text": text, "annotations": []any{}, "logprobs": []any{}}
}

// responsesStream is a stream of Responses.
func (a Reply) responsesStream() string {
	var l lines
	n := 0
	put := func(kind string, m object) {
		m["type"], m["sequence_number"] = kind, n
		l.put(kind, m)
		n++
	}
	for _, kind := range []string{"response.created", "response.in_progress"} {
		put(kind, object{"response": a.response("in_progress", []any{})})
	}
	for i, item := range a.items() {
		a.item(put, i, item.(object))
	}
	kind := "response.completed"
	if a.Cut {
		kind = "response.incomplete"
	}
	put(kind, object{"response": a.response(a.status(), a.items())})
	return l.String()
}

// item writes the events of one item: its beginning, its pieces, its whole.
func (a Reply) item(put func(string, object), i int, item object) {
	began := object{}
	for name, v := range item {
		began[name] = v
	}
	at := func(m object) object {
		m["item_id"], m["output_index"] = item["id"], i
		return m
	}
	switch item["type"] {
	case "message":
		began["status"], began["content"] = "in_progress", []any{}
		put("response.output_item.added", object{"output_index": i, "item": began})
		put("response.content_part.added", at(object{"content_index": 0, "part": part("")}))
		for _, p := range pieces(a.Text) {
			put("response.output_text.delta", at(object{"content_index": 0, "delta": p, "logprobs": []any{}}))
		}
		put("response.output_text.done", at(object{"content_index": 0, "text": a.Text, "logprobs": []any{}}))
		put("response.content_part.done", at(object{"content_index": 0, "part": part(a.Text)}))
	case "function_call":
		args := began["arguments"].(string)
		began["status"], began["arguments"] = "in_progress", ""
		put("response.output_item.added", object{"output_index": i, "item": began})
		for _, p := range pieces(args) {
			put("response.function_call_arguments.delta", at(object{"delta": p}))
		}
		put("response.function_call_arguments.done", at(object{"name": item["name"], "arguments": args}))
	default:
		began["summary"] = []any{}
		put("response.output_item.added", object{"output_index": i, "item": began})
		put("response.reasoning_summary_part.added", at(object{"summary_index": 0, "part": object{"type": "summary_text", "text": ""}}))
		for _, p := range pieces(a.Thinking) {
			put("response.reasoning_summary_text.delta", at(object{"summary_index": 0, "delta": p}))
		}
		put("response.reasoning_summary_text.done", at(object{"summary_index": 0, "text": a.Thinking}))
		put("response.reasoning_summary_part.done", at(object{"summary_index": 0, "part": object{"type": "summary_text", "text": a.Thinking}}))
	}
	put("response.output_item.done", object{"output_index": i, "item": item})
}
