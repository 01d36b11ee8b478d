package codectest_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/internal/sse"
	"github.com/seed-3db51b0e/precis/message"
)

// obj is a JSON object to be written.
type obj = map[string]any

// drawn is a random answer in both of its forms.
type drawn struct {
	whole  obj
	events []obj
	end    string // what closes the stream after the events
}

// draws make a random answer of each dialect.
var draws = map[string]func(*rapid.T) drawn{
	"anthropic": drawAnthropic, "openai": drawOpenAI, "responses": drawResponses, "gemini": drawGemini,
}

var texts = rapid.StringN(1, 30, 90)

// pieces cuts a text at random.
func pieces(t *rapid.T, s string) []string {
	var out []string
	rs := []rune(s)
	for len(rs) > 0 {
		n := rapid.IntRange(1, len(rs)).Draw(t, "piece")
		out = append(out, string(rs[:n]))
		rs = rs[n:]
	}
	return out
}

func arguments(t *rapid.T) string {
	b, err := json.Marshal(obj{"z": texts.Draw(t, "arg"), "a": rapid.Int64().Draw(t, "n"), "deep": []any{obj{"y": nil, "b": 1.5}}})
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func drawAnthropic(t *rapid.T) drawn {
	usage := obj{"input_tokens": rapid.IntRange(0, 99).Draw(t, "input"), "cache_read_input_tokens": rapid.IntRange(0, 99).Draw(t, "read"), "cache_creation_input_tokens": 7, "output_tokens": rapid.IntRange(1, 99).Draw(t, "output")}
	stop := rapid.SampledFrom([]string{"end_turn", "tool_use", "max_tokens", "pause_turn", "refusal", "new"}).Draw(t, "stop")
	head := obj{"type": "message", "id": "msg_1", "role": "assistant", "model": "m", "content": []any{}, "stop_reason": nil, "usage": obj{"input_tokens": 1, "cache_creation_input_tokens": 7, "output_tokens": 1}}
	events := []obj{{"type": "message_start", "message": head}}
	content := []any{}
	for i := range rapid.IntRange(0, 5).Draw(t, "blocks") {
		start, whole, deltas := block(t, i)
		content = append(content, whole)
		events = append(events, obj{"type": "content_block_start", "index": i, "content_block": start})
		for _, d := range deltas {
			events = append(events, obj{"type": "content_block_delta", "index": i, "delta": d})
		}
		events = append(events, obj{"type": "content_block_stop", "index": i})
	}
	events = append(events,
		obj{"type": "message_delta", "delta": obj{"stop_reason": stop}, "usage": usage},
		obj{"type": "message_stop"})
	return drawn{events: events, whole: obj{"type": "message", "id": "msg_1", "role": "assistant", "model": "m", "content": content, "stop_reason": stop, "usage": usage}}
}

// block is a content block as it starts, as it is whole, and what comes between.
func block(t *rapid.T, i int) (start, whole obj, deltas []obj) {
	grow := func(kind, name, s string) {
		for _, p := range pieces(t, s) {
			deltas = append(deltas, obj{"type": kind, name: p})
		}
	}
	switch rapid.IntRange(0, 4).Draw(t, "block") {
	case 0:
		s := texts.Draw(t, "thinking")
		grow("thinking_delta", "thinking", s)
		grow("signature_delta", "signature", "c2lnbmF0dXJl")
		return obj{"type": "thinking", "thinking": "", "signature": ""}, obj{"type": "thinking", "thinking": s, "signature": "c2lnbmF0dXJl"}, deltas
	case 1:
		id, args := fmt.Sprintf("toolu_%d", i), arguments(t)
		grow("input_json_delta", "partial_json", args)
		return obj{"type": "tool_use", "id": id, "name": "f", "input": obj{}}, obj{"type": "tool_use", "id": id, "name": "f", "input": json.RawMessage(args)}, deltas
	case 2:
		b := obj{"type": "hologram", "waves": texts.Draw(t, "waves")}
		return b, b, nil
	case 3:
		id, args := fmt.Sprintf("srvtoolu_%d", i), arguments(t)
		grow("input_json_delta", "partial_json", args)
		return obj{"type": "server_tool_use", "id": id, "name": "f", "input": obj{}}, obj{"type": "server_tool_use", "id": id, "name": "f", "input": json.RawMessage(args)}, deltas
	}
	s := texts.Draw(t, "text")
	grow("text_delta", "text", s)
	return obj{"type": "text", "text": ""}, obj{"type": "text", "text": s}, deltas
}

func drawOpenAI(t *rapid.T) drawn {
	m := obj{"role": "assistant", "content": nil, "refusal": nil}
	events := []obj{chunk(obj{"role": "assistant", "content": nil}, nil)}
	for _, name := range []string{"reasoning_content", "content", "refusal"} {
		if !rapid.Bool().Draw(t, name) {
			continue
		}
		s := texts.Draw(t, "text")
		m[name] = s
		for _, p := range pieces(t, s) {
			events = append(events, chunk(obj{name: p}, nil))
		}
	}
	var calls, deltas []obj
	for i := range rapid.IntRange(0, 3).Draw(t, "calls") {
		kind, name := "function", "arguments"
		if rapid.IntRange(0, 3).Draw(t, "custom") == 0 {
			kind, name = "custom", "input"
		}
		id, args := fmt.Sprintf("call_%d", i), arguments(t)
		calls = append(calls, obj{"id": id, "type": kind, kind: obj{"name": "f", name: args}})
		events = append(events, chunk(obj{"tool_calls": []obj{{"index": i, "id": id, "type": kind, kind: obj{"name": "f", name: ""}}}}, nil))
		for _, p := range pieces(t, args) {
			deltas = append(deltas, chunk(obj{"tool_calls": []obj{{"index": i, kind: obj{name: p}}}}, nil))
		}
	}
	events = append(events, deltas...)
	if calls != nil {
		m["tool_calls"] = calls
	}
	stop := rapid.SampledFrom([]string{"stop", "tool_calls", "length", "content_filter", "new"}).Draw(t, "stop")
	usage := obj{"prompt_tokens": rapid.IntRange(0, 99).Draw(t, "input"), "completion_tokens": 5, "prompt_tokens_details": obj{"cached_tokens": 3}, "completion_tokens_details": obj{"reasoning_tokens": 2}}
	events = append(events, chunk(obj{}, stop), obj{"id": "c", "model": "m", "choices": []obj{}, "usage": usage})
	return drawn{events: events, end: "data: [DONE]\n\n", whole: obj{"id": "c", "model": "m", "choices": []obj{{"index": 0, "message": m, "finish_reason": stop}}, "usage": usage}}
}

func chunk(delta obj, stop any) obj {
	return obj{"id": "c", "model": "m", "choices": []obj{{"index": 0, "delta": delta, "finish_reason": stop}}, "usage": nil}
}

func drawResponses(t *rapid.T) drawn {
	usage := obj{"input_tokens": rapid.IntRange(0, 99).Draw(t, "input"), "output_tokens": 5, "input_tokens_details": obj{"cached_tokens": 3}, "output_tokens_details": obj{"reasoning_tokens": 2}}
	events := []obj{{"type": "response.created", "response": obj{"id": "r", "model": "m", "status": "in_progress", "output": []obj{}}}}
	output := []obj{}
	finish := rapid.Bool().Draw(t, "items are said to be done")
	for i := range rapid.IntRange(0, 5).Draw(t, "items") {
		start, whole, between := item(t, i)
		output = append(output, whole)
		events = append(events, obj{"type": "response.output_item.added", "output_index": i, "item": start})
		for _, e := range between {
			e["output_index"] = i
			events = append(events, e)
		}
		if finish {
			events = append(events, obj{"type": "response.output_item.done", "output_index": i, "item": whole})
		}
	}
	end := rapid.SampledFrom([]string{"completed", "incomplete"}).Draw(t, "status")
	last := obj{"id": "r", "object": "response", "model": "m", "status": end, "output": output, "usage": usage, "error": nil}
	if end == "incomplete" {
		last["incomplete_details"] = obj{"reason": rapid.SampledFrom([]string{"max_output_tokens", "content_filter", "new"}).Draw(t, "reason")}
	}
	ended := obj{}
	for k, v := range last {
		ended[k] = v
	}
	if rapid.Bool().Draw(t, "the last event has no output") {
		ended["output"] = []obj{}
	}
	return drawn{whole: last, events: append(events, obj{"type": "response." + end, "response": ended})}
}

// item is an output item as it is added, as it is whole, and what comes between.
func item(t *rapid.T, i int) (start, whole obj, events []obj) {
	grow := func(kind, s string, at obj) {
		for _, p := range pieces(t, s) {
			e := obj{"type": "response." + kind + ".delta", "delta": p}
			for k, v := range at {
				e[k] = v
			}
			events = append(events, e)
		}
	}
	id, s := fmt.Sprintf("it_%d", i), texts.Draw(t, "text")
	switch rapid.IntRange(0, 4).Draw(t, "item") {
	case 0:
		grow("reasoning_summary_text", s, obj{"summary_index": 0})
		return obj{"type": "reasoning", "id": id, "summary": []obj{}}, obj{"type": "reasoning", "id": id, "summary": []obj{{"type": "summary_text", "text": s}}}, events
	case 1:
		args := arguments(t)
		grow("function_call_arguments", args, nil)
		return obj{"type": "function_call", "id": id, "call_id": "call_" + id, "name": "f", "arguments": ""}, obj{"type": "function_call", "id": id, "call_id": "call_" + id, "name": "f", "arguments": args}, events
	case 2:
		grow("custom_tool_call_input", s, nil)
		return obj{"type": "custom_tool_call", "id": id, "call_id": "call_" + id, "name": "f", "input": ""}, obj{"type": "custom_tool_call", "id": id, "call_id": "call_" + id, "name": "f", "input": s}, events
	case 3:
		b := obj{"type": "hologram", "id": id, "waves": s}
		return b, b, nil
	}
	content := []obj{}
	for k := range rapid.IntRange(1, 3).Draw(t, "parts") {
		kind, name := "output_text", "text"
		if rapid.IntRange(0, 3).Draw(t, "refused") == 0 {
			kind, name = "refusal", "refusal"
		}
		s := texts.Draw(t, "text")
		content = append(content, obj{"type": kind, name: s})
		grow(kind, s, obj{"content_index": k})
	}
	return obj{"type": "message", "id": id, "role": "assistant", "content": []obj{}}, obj{"type": "message", "id": id, "role": "assistant", "content": content}, events
}

func drawGemini(t *rapid.T) drawn {
	usage := obj{"promptTokenCount": rapid.IntRange(0, 99).Draw(t, "input"), "cachedContentTokenCount": 3, "candidatesTokenCount": 5, "thoughtsTokenCount": 2, "totalTokenCount": 7}
	answer := func(parts []any, stop any, usage obj) obj {
		c := obj{"content": obj{"role": "model", "parts": parts}, "index": 0}
		if stop != nil {
			c["finishReason"] = stop
		}
		return obj{"responseId": "r", "modelVersion": "m", "candidates": []any{c}, "usageMetadata": usage}
	}
	whole, events := []any{}, []obj{}
	last := ""
	for i := range rapid.IntRange(0, 5).Draw(t, "parts") {
		p, kind := obj{}, rapid.SampledFrom([]string{"text", "thought", "call", "code"}).Draw(t, "part")
		signed := rapid.Bool().Draw(t, "signed")
		if kind == last && !signed { // neighbours are one part
			kind = "call"
		}
		switch kind {
		case "text", "thought":
			s := texts.Draw(t, "text")
			p["text"] = s
			if kind == "thought" {
				p["thought"] = true
			}
			if !signed {
				for _, piece := range pieces(t, s) {
					one := obj{"text": piece}
					if kind == "thought" {
						one["thought"] = true
					}
					events = append(events, answer([]any{one}, nil, obj{"promptTokenCount": 1}))
				}
			}
		case "call":
			p["functionCall"] = obj{"name": "f", "args": json.RawMessage(arguments(t))}
			if rapid.Bool().Draw(t, "numbered") {
				p["functionCall"].(obj)["id"] = fmt.Sprintf("fc_%d", i)
			}
		case "code":
			p["executableCode"] = obj{"language": "PYTHON", "code": texts.Draw(t, "code")}
		}
		if signed && kind != "code" {
			p["thoughtSignature"] = "c2ln"
		}
		if last = kind; signed {
			last = ""
		}
		if kind == "call" || kind == "code" || signed {
			events = append(events, answer([]any{p}, nil, obj{"promptTokenCount": 1}))
		}
		whole = append(whole, p)
	}
	stop := rapid.SampledFrom([]string{"STOP", "MAX_TOKENS", "SAFETY", "CONTINUATION", "MALFORMED_FUNCTION_CALL", "NEW"}).Draw(t, "stop")
	events = append(events, answer([]any{obj{"text": ""}}, stop, usage))
	return drawn{whole: answer(whole, stop, usage), events: events}
}

func marshal(t *rapid.T, v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// streamed writes the events with random line ends, comments and events that
// nobody knows, and gives them to an assembler in random pieces.
func streamed(t *rapid.T, c codec.Replier, d drawn) (*codec.Reply, error) {
	var b strings.Builder
	end := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "line end")
	for _, e := range d.events {
		switch rapid.IntRange(0, 9).Draw(t, "between") {
		case 0:
			b.WriteString(": keep-alive" + end + end)
		case 1:
			b.WriteString("event: from_the_future" + end + `data: {"type":"from_the_future","x":[1]}` + end + end)
		}
		if kind, ok := e["type"].(string); ok {
			b.WriteString("event: " + kind + end)
		}
		b.WriteString("data: " + string(marshal(t, e)) + end + end)
	}
	a := c.Stream()
	p := sse.NewParser(0, func(e sse.Event) error { return a.Event(e.Name, e.Data) })
	rest := b.String() + d.end
	for len(rest) > 0 {
		n := min(rapid.IntRange(1, 400).Draw(t, "bytes"), len(rest))
		if _, err := p.Write([]byte(rest[:n])); err != nil {
			t.Fatal(err)
		}
		if _, err := a.Reply(); n < len(rest) && err != nil && !errors.Is(err, codec.ErrCut) {
			t.Fatal(err)
		}
		rest = rest[n:]
	}
	return a.Reply()
}

// A random answer is read the same whole and streamed, in whatever pieces, and
// is the same entry when a client sends it back.
//
// SPEC: V1, B6 · WU1, WU3, WO3, WO4, WT1
func TestStreamIsWholeIsEcho(t *testing.T) {
	for _, c := range codecs {
		t.Run(c.Name(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				d := draws[c.Name()](t)
				whole, err := repliers[c.Name()].Reply(200, marshal(t, d.whole))
				if err != nil {
					t.Fatal(err)
				}
				stream, err := streamed(t, repliers[c.Name()], d)
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(whole, stream, cmpopts.IgnoreFields(message.Message{}, "Raw"), cmp.Comparer(sameParts)); d != "" {
					t.Fatalf("whole and streamed: %s", d)
				}
				echoed(t, c, whole)
				echoed(t, c, stream)
			})
		})
	}
}

// sameParts compares parts by what they say; their JSON may be spaced otherwise.
func sameParts(a, b []message.Part) bool {
	if len(a) != len(b) {
		return false
	}
	for i, p := range a {
		q := b[i]
		one := message.Message{Parts: a[i : i+1]}
		if p.Kind != q.Kind || p.Text != q.Text || p.Signature != q.Signature || p.CallID != q.CallID || p.Args != q.Args || one.Digest() != (message.Message{Parts: b[i : i+1]}).Digest() {
			return false
		}
	}
	return true
}
