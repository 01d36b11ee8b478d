package fakeprovider

import "encoding/json"

// candidate is an answer of the Gemini API, whole or a chunk of one; reason is nil within
// a stream.
func (a Reply) candidate(parts []any, reason any) object {
	c := object{"content": object{"role": "model", "parts": parts}, "index": 0}
	m := object{"candidates": []any{c}, "modelVersion": a.Model, "responseId": a.ID}
	if reason != nil {
		c["finishReason"] = reason
		m["usageMetadata"] = object{
			"promptTokenCount": a.Input, "cachedContentTokenCount": a.Cached, "candidatesTokenCount": a.Output, "totalTokenCount": a.Input + a.Output,
			"promptTokensDetails": []any{object{"modality": "TEXT", "tokenCount": a.Input}},
		}
	}
	return m
}

// functionCalls are the parts of the tool calls: the first is signed. One without an ID has none
// on the wire either.
func (a Reply) functionCalls() (parts []any) {
	for i, c := range a.Calls {
		call := object{"name": c.Name, "args": json.RawMessage(c.Args)}
		if c.ID != "" {
			call["id"] = c.ID
		}
		p := object{"functionCall": call}
		if i == 0 && a.Signature != "" {
			p["thoughtSignature"] = a.Signature
		}
		parts = append(parts, p)
	}
	return parts
}

func (a Reply) contentParts() []any {
	parts := []any{}
	if a.Thinking != "" {
		parts = append(parts, object{"text": a.Thinking, "thought": true})
	}
	if a.Text != "" {
		parts = append(parts, object{"text": a.Text})
	}
	parts = append(parts, a.functionCalls()...)
	return append(parts, a.lastSignature()...)
}

// lastSignature is the signature of an answer without calls, which comes last.
func (a Reply) lastSignature() []any {
	if a.Signature == "" || len(a.Calls) > 0 {
		return nil
	}
	return []any{object{"text": "", "thoughtSignature": a.Signature}}
}

func (a Reply) finish() string { return a.reason("STOP", "STOP", "MAX_TOKENS") }

// geminiStream is a stream of the Gemini API, which ends without a word.
func (a Reply) geminiStream() string {
	var l lines
	for _, p := range pieces(a.Thinking) {
		l.put("", a.candidate([]any{object{"text": p, "thought": true}}, nil))
	}
	for _, p := range pieces(a.Text) {
		l.put("", a.candidate([]any{object{"text": p}}, nil))
	}
	if calls := a.functionCalls(); calls != nil {
		l.put("", a.candidate(calls, nil))
	}
	last := a.lastSignature()
	if last == nil {
		last = []any{object{"text": ""}}
	}
	l.put("", a.candidate(last, a.finish()))
	return l.String()
}
