package codectest_test

import (
	"bytes"
	"encoding/json"
	"slices"

	"pgregory.net/rapid"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/codectest"
	"github.com/seed-3db51b0e/precis/message"
)

// change is what a client does to an answer before it sends it back.
type change struct {
	name string
	do   func(m obj)
}

// changes are those known of each dialect's clients. All of them sort the keys
// besides.
var changes = map[string][]change{
	"anthropic": {
		{"nothing", func(obj) {}},
		{"thinking dropped", func(m obj) { m["content"] = without(m["content"], "thinking") }},
		{"cache marker", func(m obj) {
			if bs := list(m["content"]); len(bs) > 0 {
				bs[len(bs)-1].(obj)["cache_control"] = obj{"type": "ephemeral"}
			}
		}},
		{"text as string", func(m obj) {
			if bs := list(m["content"]); len(bs) == 1 && bs[0].(obj)["type"] == "text" {
				m["content"] = bs[0].(obj)["text"]
			}
		}},
		{"members of the SDK", func(m obj) {
			for _, b := range list(m["content"]) {
				switch b := b.(obj); b["type"] {
				case "text":
					b["citations"] = nil
				case "tool_use":
					b["caller"] = obj{"type": "direct"}
				}
			}
		}},
	},
	"openai": {
		{"nothing", func(obj) {}},
		{"content as parts", func(m obj) {
			if s, ok := m["content"].(string); ok {
				m["content"] = []any{obj{"type": "text", "text": s}}
			}
		}},
		{"no content, or an empty one", func(m obj) {
			if m["content"] == nil && m["tool_calls"] != nil {
				delete(m, "content")
			} else if m["content"] == nil {
				m["content"] = ""
			}
		}},
		{"thinking dropped", func(m obj) { delete(m, "reasoning_content") }},
		{"members of the SDK", func(m obj) {
			for _, k := range []string{"refusal", "audio", "function_call", "annotations"} {
				if _, ok := m[k]; !ok {
					m[k] = nil
				}
			}
			for i, c := range list(m["tool_calls"]) {
				c.(obj)["index"] = i
			}
		}},
		{"arguments written anew", func(m obj) {
			for _, c := range list(m["tool_calls"]) {
				rewrite(c.(obj)["function"], "arguments")
			}
		}},
	},
	"responses": {
		{"nothing", func(obj) {}},
		{"no ids", func(m obj) {
			if m["type"] != "hologram" {
				delete(m, "id")
			}
		}},
		{"short form", func(m obj) {
			if ps := list(m["content"]); m["type"] == "message" && len(ps) == 1 && ps[0].(obj)["type"] == "output_text" {
				m["content"] = ps[0].(obj)["text"]
				delete(m, "type")
				delete(m, "id")
			}
		}},
		{"members of the SDK", func(m obj) {
			if m["type"] != "hologram" {
				m["status"] = "completed"
			}
			for _, p := range list(m["content"]) {
				if p := p.(obj); p["type"] == "output_text" {
					p["annotations"], p["logprobs"] = []any{}, []any{}
				}
			}
		}},
		{"arguments written anew", func(m obj) { rewrite(m, "arguments") }},
	},
	"gemini": {
		{"nothing", func(obj) {}},
		{"thoughts left out", func(m obj) {
			m["parts"] = slices.DeleteFunc(list(m["parts"]), func(p any) bool { return p.(obj)["thought"] == true })
		}},
		{"signatures left out, names in snake case", func(m obj) {
			for _, p := range list(m["parts"]) {
				delete(p.(obj), "thoughtSignature")
				if c, ok := p.(obj)["functionCall"]; ok {
					p.(obj)["function_call"] = c
					delete(p.(obj), "functionCall")
				}
			}
		}},
		{"empty text", func(m obj) { m["parts"] = append(list(m["parts"]), obj{"text": ""}) }},
	},
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

func without(v any, kind string) []any {
	out := []any{}
	for _, b := range list(v) {
		if b.(obj)["type"] != kind {
			out = append(out, b)
		}
	}
	return out
}

// rewrite parses a call's arguments and writes them again.
func rewrite(v any, name string) {
	m, ok := v.(obj)
	if !ok {
		return
	}
	s, ok := m[name].(string)
	if !ok {
		return
	}
	if b, err := json.MarshalIndent(parsed([]byte(s)), "", " "); err == nil {
		m[name] = string(b)
	}
}

// parsed reads JSON, numbers as they are written.
func parsed(b []byte) any {
	var v any
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return nil
	}
	return v
}

// echoed checks that each message of the answer is the same entry when it is
// decoded from a request, in all the shapes that clients give it.
func echoed(t *rapid.T, c codec.Codec, r *codec.Reply) {
	for _, m := range r.Messages() {
		want := m.Digest()
		if got := sentBack(t, c, m.Raw); got.Digest() != want {
			t.Fatalf("unchanged: %s", m.Raw)
		}
		for _, ch := range changes[c.Name()] {
			v, ok := parsed(m.Raw).(obj)
			if !ok {
				t.Fatalf("no object: %s", m.Raw)
			}
			ch.do(v)
			if got := sentBack(t, c, marshal(t, v)); got.Digest() != want {
				t.Fatalf("%s: %s became %s", ch.name, m.Raw, got.Raw)
			}
		}
	}
}

// sentBack decodes a request that holds one message.
func sentBack(t *rapid.T, c codec.Codec, raw []byte) message.Message {
	req, err := c.Decode([]byte(`{"model":"m","max_tokens":1,"` + codectest.List(c.Name()) + `":[` + string(raw) + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	if len(req.Messages) != 1 {
		t.Fatalf("%d messages of %s", len(req.Messages), raw)
	}
	return req.Messages[0]
}
