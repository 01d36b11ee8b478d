package fakeprovider

func (a Reply) completion(kind string, choice member, usage any) member {
	choices := []any{}
	if choice != nil {
		choices = append(choices, choice)
	}
	return member{"id": a.ID, "object": kind, "created": 1_767_225_600, "model": a.Model, "choices": choices, "usage": usage, "system_fingerprint": "fp_1"}
}

func (a Reply) chatUsage() member {
	return member{
		"prompt_tokens": a.Input, "completion_tokens": a.Output, "total_tokens": a.Input + a.Output,
		"prompt_tokens_details": member{"cached_tokens": a.Cached}, "completion_tokens_details": member{"reasoning_tokens": 0},
	}
}

// chatMessage is the whole message of Chat Completions.
func (a Reply) chatMessage() member {
	m := member{"role": "assistant", "content": nil, "refusal": nil}
	if a.Text != "" {
		m["content"] = a.Text
	}
	var calls []any
	for _, c := range a.Calls {
		calls = append(calls, member{"id": c.ID, "type": "function", "function": member{"name": c.Name, "arguments": c.Args}})
	}
	if calls != nil {
		m["tool_calls"] = calls
	}
	return m
}

// chatStream is a stream of Chat Completions.
func (a Reply) chatStream() string {
	var l lines
	put := func(delta member, reason any) {
		l.put("", a.completion("chat.completion.chunk", member{"index": 0, "delta": delta, "logprobs": nil, "finish_reason": reason}, nil))
	}
	put(member{"role": "assistant", "content": "", "refusal": nil}, nil)
	for _, p := range pieces(a.Text) {
		put(member{"content": p}, nil)
	}
	for i, c := range a.Calls {
		put(member{"tool_calls": []any{member{"index": i, "id": c.ID, "type": "function", "function": member{"name": c.Name, "arguments": ""}}}}, nil)
		for _, p := range pieces(c.Args) {
			put(member{"tool_calls": []any{member{"index": i, "function": member{"arguments": p}}}}, nil)
		}
	}
	put(member{}, a.reason("stop", "tool_calls", "length"))
	l.put("", a.completion("chat.completion.chunk", nil, a.chatUsage()))
	l.WriteString("data: [DONE]\n\n")
	return l.String()
}
