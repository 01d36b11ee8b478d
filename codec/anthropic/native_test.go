package anthropic_test

import (
	"testing"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/anthropic"
	"github.com/seed-3db51b0e/precis/message"
)

// Which requests have the provider compact: those that say so. Its editing, which
// takes no history away, is no compaction.
//
// SPEC: B6 · WN1, WN7, WN8
func TestCompacts(t *testing.T) {
	for members, want := range map[string]bool{
		``:                                   false,
		`"compaction":null,`:                 false,
		`"compaction":{"type":"summarize"},`: true,
		`"context_management":{"edits":[{"type":"clear_tool_uses_20250919"}]},`:                                       false,
		`"context_management":{"edits":[{"type":"clear_thinking_20251015"},{"type":"compact_20260112"}]},"stream":1,`: true,
		`"context_management":null,`: false,
	} {
		req := decode(t, `{"model":"claude-opus-5-5",`+members+`"messages":[`+user("x")+`]}`)
		if req.Compacts != want {
			t.Errorf("%s: %t", members, req.Compacts)
		}
	}
}

// What the API is asked besides is spliced in: all other bytes stay.
//
// SPEC: V11 · WT5, WN1
func TestAsks(t *testing.T) {
	for in, want := range map[string]string{
		`{"thinking":{"type":"adaptive"}, "messages":[] }`:                                      `{"thinking":{"type":"adaptive","block_binding":{"prefix_mismatch_behavior":"drop_block"}}, "messages":[] }`,
		`{"thinking":{"type":"adaptive","block_binding":{"prefix_mismatch_behavior":"error"}}}`: `{"thinking":{"type":"adaptive","block_binding":{"prefix_mismatch_behavior":"error"}}}`,
	} {
		if out, beta, ok := (anthropic.Codec{}).DropBlocks([]byte(in)); !ok || string(out) != want || beta != anthropic.BindingBeta {
			t.Errorf("%t %s: %s", ok, beta, out)
		}
	}
	for _, in := range []string{`{"messages":[]}`, `{"thinking":null}`, `[]`, `"x`} {
		if out, _, ok := (anthropic.Codec{}).DropBlocks([]byte(in)); ok || string(out) != in {
			t.Errorf("%s: %s", in, out)
		}
	}
	out, beta := anthropic.Codec{}.AskCompaction([]byte(`{"model":"m", "messages":[]}`), "Keep paths.")
	if string(out) != `{"model":"m", "messages":[],"compaction":{"type":"summarize","instructions":"Keep paths."}}` || beta != anthropic.CompactBeta {
		t.Errorf("%s: %s", beta, out)
	}
}

// SPEC: B6 · WN1, WN4, WN7
func TestCompactionOfReply(t *testing.T) {
	for content, want := range map[string]string{
		`{"type":"compaction","content":"All of it.","signature":"c2ln"}`:                             "All of it.",
		`{"type":"compaction","content":null}`:                                                        "",
		`{"type":"text","text":"I cannot."}`:                                                          "",
		`{"type":"compaction","content":"First."},{"type":"text","text":"{\"type\":\"compaction\"}"}`: "First.",
	} {
		r, err := anthropic.Codec{}.Reply(200, []byte(`{"content":[`+content+`],"stop_reason":"compaction"}`))
		if err != nil {
			t.Fatal(err)
		}
		if text, ok := (anthropic.Codec{}).Compaction(r.Message); text != want || ok != (want != "") || r.Stop != codec.StopCompaction {
			t.Errorf("%s: %q %t", content, text, ok)
		}
	}
}

// A turn that begins with thinking begins a message, whatever words of ours stand
// before it. Neighbours as the client sent them are merged as they are.
//
// SPEC: V3 · WA2, WT2
func TestThinkingBegins(t *testing.T) {
	think, err := anthropic.ParseMessage([]byte(`{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"c2ln"},{"type":"tool_use","id":"1","name":"f","input":{}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	said, err := anthropic.ParseMessage([]byte(assistant("x")))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		before message.Message
		want   int
	}{"ours": {text(message.Assistant, "x"), 5}, "the client's": {said, 3}} {
		out, err := anthropic.Codec{}.Encode(&codec.Request{Model: "claude-sonnet-4-5", MaxOutput: 9}, []message.Message{
			text(message.User, "go"), c.before, think, of(message.Tool, result("1", "r")),
		})
		if err != nil {
			t.Fatal(err)
		}
		valid(t, out)
		if req := decode(t, string(out)); len(req.Messages) != c.want {
			t.Errorf("%s: %s", name, out)
		}
	}
}
