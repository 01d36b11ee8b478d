package proxy_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// talk is what models say: thinking first, often more of it between the words
// and two calls, sometimes redacted, sometimes none; now and then they are done.
func talk(n int, _ string) []string {
	think := fmt.Sprintf(`{"type":"thinking","thinking":"Part %d: let me see what it imports, and whether check() is right about %d."}`, n, n*31)
	text := fmt.Sprintf(`{"type":"text","text":"Step %d: I read part %d."}`, n, n)
	call := func(k int) string {
		return fmt.Sprintf(`{"type":"tool_use","id":"toolu_%04d_%d","name":"read_file","input":{"path":"/srv/part%d_%d.go","mode":"r"}}`, n, k, n, k)
	}
	switch {
	case n%11 == 0:
		return []string{think, fmt.Sprintf(`{"type":"text","text":"Done with %d."}`, n)}
	case n%7 == 0:
		return []string{`{"type":"redacted_thinking"}`, think, call(1)}
	case n%5 == 0:
		return []string{text, call(1)}
	case n%3 == 0:
		return []string{think, text, strings.Replace(think, "Part", "Further", 1), call(1), call(2)}
	}
	return []string{`{"type":"thinking","thinking":""}`, text, call(1)}
}

// reply answers with signed thinking.
func (s *strict) reply(w http.ResponseWriter, v verdict, size int, body string) {
	n := len(s.got)
	say := s.says
	if say == nil {
		say = talk
	}
	blocks := say(n, body)
	if s.manual() && !strings.Contains(blocks[0], "thinking") {
		blocks = append([]string{`{"type":"thinking","thinking":"Well."}`}, blocks...)
	}
	stop := "end_turn"
	if v.summary {
		content := fmt.Sprintf("Summary of %d tokens: the build fails in part 3.", size)
		blocks = []string{fmt.Sprintf(`{"type":"compaction","content":%s,"signature":%q}`, quoted(content), s.seal(sealed{Prefix: v.state, Content: hashed("compaction", content)}))}
		stop = "compaction"
	}
	state, before := v.state, v.before
	var keys, waiting []string
	for i, raw := range blocks {
		b := wireMessage{Content: json.RawMessage("[" + raw + "]")}.blocks()[0]
		if !b.thinks() {
			state = chain(state, "assistant", canonical(b.raw))
			s.signed[state] = append(s.signed[state], waiting...)
			waiting = nil
			if b.Type == "tool_use" {
				stop = "tool_use"
			}
			continue
		}
		before = s.seal(sealed{Prefix: state, Before: hashed(before), Content: hashed(b.Type, b.Thinking)})
		keys = append(keys, before)
		waiting = append(waiting, before)
		name := "signature"
		if b.Type == "redacted_thinking" {
			name = "data"
		}
		blocks[i] = strings.TrimSuffix(raw, "}") + fmt.Sprintf(`,%q:%q}`, name, before)
	}
	for _, k := range keys {
		s.replies[k] = keys
	}
	usage := fmt.Sprintf(`{"input_tokens":%d,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":50}`, size)
	if v.summary {
		usage = fmt.Sprintf(`{"input_tokens":0,"output_tokens":0,"iterations":[{"type":"compaction","input_tokens":%d,"output_tokens":50}]}`, size)
	}
	changes := ""
	if v.controls {
		var ts []string
		for _, at := range v.drops {
			ts = append(ts, fmt.Sprintf(`{"type":"thinking_dropped","path":%q,"reason":"prefix_binding_mismatch"}`, at))
		}
		changes = `,"input_transformations":[` + strings.Join(ts, ",") + `]`
	}
	head := fmt.Sprintf(`"id":"msg_%d","type":"message","role":"assistant","model":%q%s`, n, s.model, changes)
	if !strings.Contains(body, `"stream":true`) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{%s,"content":[%s],"stop_reason":%q,"stop_sequence":null,"usage":%s}`, head, strings.Join(blocks, ","), stop, usage)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, eventful(head, blocks, stop, usage)) // the client may have left
}

// eventful is an answer as events.
func eventful(head string, blocks []string, stop, usage string) string {
	var b strings.Builder
	put := func(kind, rest string) {
		fmt.Fprintf(&b, "event: %s\ndata: {\"type\":%q%s}\n\n", kind, kind, rest)
	}
	put("message_start", fmt.Sprintf(`,"message":{%s,"content":[],"stop_reason":null,"usage":%s}`, head, usage))
	for i, raw := range blocks {
		var o struct {
			Type, Text, Thinking, Signature, ID, Name string
			Input                                     json.RawMessage
		}
		_ = json.Unmarshal([]byte(raw), &o) // it is ours
		delta := func(kind, name, value string) {
			put("content_block_delta", fmt.Sprintf(`,"index":%d,"delta":{"type":%q,%q:%s}`, i, kind, name, quoted(value)))
		}
		start := func(block string) {
			put("content_block_start", fmt.Sprintf(`,"index":%d,"content_block":%s`, i, block))
		}
		switch o.Type {
		case "thinking":
			start(`{"type":"thinking","thinking":"","signature":""}`)
			if o.Thinking != "" {
				delta("thinking_delta", "thinking", o.Thinking)
			}
			delta("signature_delta", "signature", o.Signature)
		case "text":
			start(`{"type":"text","text":""}`)
			delta("text_delta", "text", o.Text)
		case "tool_use":
			start(fmt.Sprintf(`{"type":"tool_use","id":%q,"name":%q,"input":{}}`, o.ID, o.Name))
			delta("input_json_delta", "partial_json", string(o.Input))
		default:
			start(raw)
		}
		put("content_block_stop", fmt.Sprintf(`,"index":%d`, i))
	}
	put("message_delta", fmt.Sprintf(`,"delta":{"stop_reason":%q},"usage":%s`, stop, usage))
	put("message_stop", "")
	return b.String()
}
