package fakeprovider

func (a Reply) completion(kind string, choice object, usage any) object {
	choices := []any{}
	if choice != nil {
		choices = append(choices, choice)
	}
	return object{"id": a.ID, "object": kind, "created": 1_767_225_600, "model": a.Model, "choices": choices, "usage": usage, "system_fingerprint": "fp_1"}
}

func (a Reply) chatUsage() object {
	return object{
		"prompt_tokens": a.Input, "completion_tokens": a.Output, "total_tokens": a.Input + a.Output,
		"prompt_tokens_details": object{"cached_tokens": a.Cached}, "completion_tokens_details": object{"reasoning_tokens": 0},
	}
}

// chatMessage is the whole message of Chat Completions.
func (a Reply) chatMessage() object {
	m := object{"role": "assistant", "content": nil, "refusal": nil}
	if a.Text != "" {
		m["content"] = a.Text
	}
	var calls []any
	for _, c := range a.Calls {
		calls = append(calls, object{"id": c.ID, "type": "function", "function": object{"name": c.Name, "arguments": c.Args}})
	}
	if calls != nil {
		m["tool_calls"] = calls
	}
	return m
}

// chatStream is a stream of Chat Completions.
func (a Reply) chatStream() string {
	var l lines
	put := func(delta object, reason any) {
		l.put("", a.completion("chat.completion.chunk", object{"index": 0, "delta": delta, "logprobs": nil, "finish_reason": reason}, nil))
	}
	put(object{"role": "assistant", "content": "", "refusal": nil}, nil)
	for _, p := range pieces(a.Text) {
		put(object{"content": p}, nil)
	}
	for i, c := range a.Calls {
		put(object{"tool_calls": []any{object{"index": i, "id": c.ID, "type": "function", "function": object{"name": c.Name, "arguments": ""}}}}, nil)
		for _, p := range pieces(c.Args) {
			put(object{"tool_calls": []any{object{"index": i, "function": object{"arguments": p}}}}, nil)
		}
	}
	put(object{}, a.reason("stop", "tool_calls", "length"))
	l.put("", a.completion("chat.completion.chunk", nil, a.chatUsage()))
	l.WriteString("data: [DONE]\n\n")
	return l.String()
}
