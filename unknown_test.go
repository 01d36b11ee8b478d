package precis_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/anthropic"
	"github.com/seed-3db51b0e/precis/codec/gemini"
	"github.com/seed-3db51b0e/precis/codec/openai"
	"github.com/seed-3db51b0e/precis/codec/responses"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/token"
	"github.com/seed-3db51b0e/precis/wirecheck"
)

// What no codec knows stands in every prompt as its client wrote it, whatever the preset
// and the budget: invented items, blocks, roles and parts of results, and what declares
// tools.
//
// SPEC: B17, B27, V6
func TestUnknownStays(t *testing.T) {
	for _, c := range []codec.Codec{anthropic.Codec{}, openai.Codec{}, responses.Codec{}, gemini.Codec{}} {
		t.Run(c.Name(), func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) { unknownStays(rt, c) })
		})
	}
}

func unknownStays(rt *rapid.T, c codec.Codec) {
	p, err := policy.Named(rapid.SampledFrom(policy.Names()).Draw(rt, "policy"))
	if err != nil {
		rt.Fatal(err)
	}
	e := newEngine(rt, memory.New(), p)
	in := precis.Input{
		Thread: "t", Meter: token.Truncate(), Mode: precis.Mode{CloseOpenCalls: true},
		Budget: rapid.SampledFrom([]int{1200, 2500, 6000}).Draw(rt, "budget"),
	}
	w := inventing{T: rt, api: c.Name()}
	for range rapid.IntRange(1, 3).Draw(rt, "turns") {
		w.grow(rapid.IntRange(1, 8).Draw(rt, "rounds"))
		body := w.body()
		req, err := c.Decode([]byte(body))
		if err != nil {
			rt.Fatal(err)
		}
		in.Messages, in.System = req.Messages, req.System
		turn, err := e.Prepare(context.Background(), in)
		if err != nil {
			continue // what may not be touched does not fit
		}
		out, err := c.Encode(req, turn.Messages)
		if err != nil {
			rt.Fatalf("%v\n%s", err, body)
		}
		for _, f := range wirecheck.Kept(c.Name(), []byte(body), out) {
			rt.Errorf("%s: %s\n%s\n%s", p.Name, f, body, out)
		}
	}
}

// inventing writes a conversation of an API with things in it that nobody knows.
type inventing struct {
	*rapid.T
	api   string
	items []string
	n     int
}

func (w *inventing) body() string {
	name := "messages"
	if w.api == "responses" {
		name = "input"
	}
	if w.api == "gemini" {
		return `{"contents":[` + strings.Join(w.items, ",") + `]}`
	}
	return fmt.Sprintf(`{"model":"m","store":false,%q:[%s]}`, name, strings.Join(w.items, ","))
}

// odd returns an invented object, or "" more often.
func (w *inventing) odd(kinds ...string) string {
	if rapid.IntRange(0, 3).Draw(w.T, "odd") > 0 {
		return ""
	}
	w.n++
	kind := rapid.SampledFrom(append(kinds, "hologram", "future_call", "x-9")).Draw(w.T, "kind")
	if w.api == "gemini" {
		return fmt.Sprintf(`{%q:{"id":"odd_%d","text":%q,"deep":{"b":1.50,"a":null}},"mark":%d}`, kind, w.n, strings.Repeat("wave ", w.n%40), w.n)
	}
	return fmt.Sprintf(`{"type":%q, "id":"odd_%d","call_id":"odd_%d","text":%q,"tools":[{"name":"t%d"}],"deep":{"b":1.50,"a":null}}`, kind, w.n, w.n, strings.Repeat("wave ", w.n%40), w.n)
}

// grow adds rounds to the conversation.
func (w *inventing) grow(rounds int) {
	add := func(items ...string) {
		for _, it := range items {
			if it != "" {
				w.items = append(w.items, it)
			}
		}
	}
	if w.api == "responses" && len(w.items) == 0 {
		add(w.odd("additional_tools"), `{"type":"message","role":"developer","content":"Be careful."}`)
	}
	for range rounds {
		w.n++
		said, id := strings.Repeat(fmt.Sprintf("line %d of /srv/part%d.go says so. ", w.n, w.n), 1+w.n%30), fmt.Sprintf("call_%d", w.n)
		text, _ := json.Marshal(said)
		role := ""
		if w.n%7 == 3 {
			role = fmt.Sprintf(`{"role":"critic","content":%s}`, text)
		}
		switch w.api {
		case "responses":
			add(fmt.Sprintf(`{"type":"message","role":"user","content":%s}`, blocks("input_text", text, w.odd())), role, w.odd("additional_tools", "configuration_update"),
				w.odd("tool_search_call"), w.odd("tool_search_output"), `{"type":"function_call","call_id":"`+id+`","name":"read","arguments":"{}"}`,
				fmt.Sprintf(`{"type":"function_call_output","call_id":%q,"output":%s}`, id, blocks("input_text", text, "")), w.odd())
		case "openai":
			add(fmt.Sprintf(`{"role":"user","content":%s}`, blocks("text", text, w.odd())), role,
				`{"role":"assistant","content":null,"tool_calls":[{"id":"`+id+`","type":"function","function":{"name":"read","arguments":"{}"}}]}`,
				fmt.Sprintf(`{"role":"tool","tool_call_id":%q,"content":%s}`, id, blocks("text", text, w.odd())))
		case "gemini":
			add(fmt.Sprintf(`{"role":"user","parts":[%s{"text":%s}]}`, comma(w.odd()), text), strings.Replace(strings.Replace(role, `"content":`, `"parts":[{"text":`, 1), "}", "}]}", 1),
				fmt.Sprintf(`{"role":"model","parts":[%s{"functionCall":{"name":"read","args":{}},"thoughtSignature":"c2ln"}]}`, comma(w.odd("toolCall"))),
				fmt.Sprintf(`{"role":"user","parts":[{"functionResponse":{"name":"read","response":{"output":%s}}}]}`, text))
		default:
			add(fmt.Sprintf(`{"role":"user","content":%s}`, blocks("text", text, w.odd())), role,
				fmt.Sprintf(`{"role":"assistant","content":[%s{"type":"tool_use","id":%q,"name":"read","input":{}}]}`, comma(w.odd("tool_search_tool_result")), id),
				fmt.Sprintf(`{"role":"user","content":[{"type":"tool_result","tool_use_id":%q,"content":%s}]}`, id, blocks("text", text, w.odd("tool_reference"))))
		}
	}
}

func comma(s string) string {
	if s == "" {
		return ""
	}
	return s + ","
}

func blocks(kind string, text []byte, odd string) string {
	return fmt.Sprintf(`[%s{"type":%q,"text":%s}]`, comma(odd), kind, text)
}
