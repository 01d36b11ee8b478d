package wirecheck_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/wirecheck"
)

// SPEC: V3, B9, V6

const (
	ask      = `{"role":"user","content":"fix it"}`
	thinkA   = `{"type":"thinking","thinking":"a","signature":"sA"}`
	thinkB   = `{"type":"thinking","thinking":"b","signature":"sB"}`
	thinkC   = `{"type":"redacted_thinking","data":"sC"}`
	callA    = `{"type":"tool_use","id":"toolu_a","name":"read","input":{"path":"x","from":1}}`
	resultA  = `{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_a","content":"long"}]}`
	shortA   = `{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_a","content":"cut"}]}`
	sayB     = `{"type":"text","text":"done"}`
	sayC     = `{"type":"text","text":"more"}`
	next     = `{"role":"user","content":"next"}`
	fleeting = `{"role":"system","content":"soon gone","clear_at":"next_user_message"}`
)

func said(blocks ...string) string {
	return `{"role":"assistant","content":[` + strings.Join(blocks, ",") + `]}`
}

func sent(model, extra string, messages ...string) string {
	return fmt.Sprintf(`{"model":%q,"max_tokens":9%s,"messages":[%s]}`, model, extra, strings.Join(messages, ","))
}

// A step is a request and the reply to it, if any.
type step struct {
	request, reply string
	want           []string
}

func TestSession(t *testing.T) {
	const binding, free = "claude-opus-5-5", "claude-opus-4-8"
	opening := []step{
		{sent(binding, "", ask), said(thinkA, callA), nil},
		{sent(binding, "", ask, said(thinkA, callA), resultA), said(thinkB, sayB), nil},
	}
	for name, steps := range map[string][]step{
		"everything stands": append(opening[:2:2],
			step{sent(binding, "", ask, said(thinkA, callA), resultA, said(thinkB, sayB), next), said(thinkC, sayC), nil},
			step{sent(binding, "", `{"role":"user","content":[{"type":"text","text":"fix it","cache_control":{"type":"ephemeral"}}]}`, said(thinkA, callA), resultA, said(thinkB, sayB), next, said(thinkC, sayC), next), "", nil}),
		"thinking edited": append(opening[:2:2],
			step{sent(binding, "", ask, said(`{"type":"thinking","thinking":"A","signature":"sA"}`, callA), resultA, said(thinkB, sayB), next), "", []string{"WT1 messages.1.content.0"}}),
		"thinking of the open round dropped": {
			opening[0],
			{sent(binding, "", ask, said(callA), resultA), "", []string{"WT2 messages.1"}},
		},
		"result shortened before thinking": append(opening[:2:2],
			step{sent(binding, "", ask, said(thinkA, callA), shortA, said(thinkB, sayB), next), "", []string{"WT3 messages.3.content.0"}}),
		"result shortened, thinking after it removed": append(opening[:2:2],
			step{sent(binding, "", ask, said(thinkA, callA), shortA, said(sayB), next), "", nil}),
		"result shortened, drop_block": append(opening[:2:2],
			step{sent(binding, `,"thinking":{"type":"adaptive","block_binding":{"prefix_mismatch_behavior":"drop_block"}}`, ask, said(thinkA, callA), shortA, said(thinkB, sayB), next), "", nil}),
		"result shortened, a model that does not bind": {
			{sent(free, "", ask), said(thinkA, callA), nil},
			{sent(free, "", ask, said(thinkA, callA), resultA), said(thinkB, sayB), nil},
			{sent(free, "", ask, said(callA), shortA, said(thinkB, sayB), next), "", nil},
		},
		"system changed": append(opening[:2:2],
			step{sent(binding, `,"system":"new"`, ask, said(thinkA, callA), resultA, said(thinkB, sayB), next), "", []string{"WT3 messages.1.content.0", "WT3 messages.3.content.0"}}),
		"compacted by the provider": append(opening[:2:2],
			step{sent(binding, "", said(`{"type":"compaction","content":"s","signature":"x"}`), said(thinkB, sayB), next), "", nil}),
		"oldest thinking removed, then back": append(opening[:2:2],
			step{sent(binding, "", ask, said(callA), resultA, said(thinkB, sayB), next), said(thinkC, sayC), nil},
			step{sent(binding, "", ask, said(thinkA, callA), resultA, said(thinkB, sayB), next), "", []string{"WT4 messages.1.content.0"}}),
		"a gap in the run": append(opening[:2:2],
			step{sent(binding, "", ask, said(thinkA, callA), resultA, said(thinkB, sayB), next), said(thinkC, sayC), nil},
			step{sent(binding, "", ask, said(thinkA, callA), resultA, said(sayB), next, said(thinkC, sayC), next), "", []string{"WT4 messages.5.content.0"}}),
		"a paused turn continued": {
			{sent(binding, "", ask), said(thinkA, `{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{}}`), nil},
			{sent(binding, "", ask, said(thinkA, `{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{}}`)), said(`{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[]}`, thinkB, callA), nil},
			{sent(binding, "", ask, said(thinkA, `{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{}}`, `{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[]}`, thinkB, callA), resultA), "", nil},
		},
		"input written otherwise": {
			opening[0],
			{sent(binding, "", ask, said(thinkA, `{"type":"tool_use","id":"toolu_a","name":"read","input":{"from":1,"path":"x"}}`), resultA), "", []string{"WA13 messages.1.content.1.input"}},
		},
		"input cleared": {
			opening[0],
			{sent(binding, "", ask, said(thinkA, `{"type":"tool_use","id":"toolu_a","name":"read","input":{"path":"x"}}`), resultA), "", nil},
		},
		"clear_at message gone": {
			{sent(binding, "", ask, fleeting), said(sayB), nil},
			{sent(binding, "", ask, said(sayB), next), "", []string{"WA9 messages.1"}},
		},
		"clear_at message respaced": {
			{sent(binding, "", ask, fleeting), said(sayB), nil},
			{sent(binding, "", ask, strings.ReplaceAll(fleeting, ":", ": "), said(sayB), next), "", []string{"WA9 messages.1"}},
		},
		"clear_at message kept, or gone with all before it": {
			{sent(binding, "", ask, fleeting), said(sayB), nil},
			{sent(binding, "", ask, fleeting, said(sayB), next), "", nil},
			{sent(binding, "", next), "", nil},
		},
		"no object":      {{`[]`, `{}`, []string{"shape"}}},
		"an empty reply": {{sent(binding, "", ask), `{}`, []string{"reply shape content"}}},
	} {
		t.Run(name, func(t *testing.T) {
			var s wirecheck.Session
			for i, step := range steps {
				got := lines(s.Request([]byte(step.request), wirecheck.Options{}))
				if step.reply != "" {
					for _, l := range lines(s.Reply([]byte(step.reply))) {
						got = append(got, "reply "+l)
					}
				}
				if !slices.Equal(got, step.want) {
					t.Errorf("step %d: faults %v, want %v", i, got, step.want)
				}
			}
		})
	}
}

// TestLookBack is WC2.
func TestLookBack(t *testing.T) {
	const mark = `,"cache_control":{"type":"ephemeral"}`
	text := func(n int, markAt ...int) string {
		var blocks []string
		for i := range n {
			m := ""
			if slices.Contains(markAt, i) {
				m = mark
			}
			blocks = append(blocks, fmt.Sprintf(`{"type":"text","text":"%d"%s}`, i, m))
		}
		return `{"role":"user","content":[` + strings.Join(blocks, ",") + `]}`
	}
	for name, tt := range map[string]struct {
		second string
		want   []string
	}{
		"within reach":         {text(30, 23), nil},
		"just within reach":    {text(30, 24), nil},
		"just out of reach":    {text(30, 25), []string{"WC2 messages.0.content.25"}},
		"out of reach":         {text(30, 29), []string{"WC2 messages.0.content.29"}},
		"one in between":       {text(30, 10, 29), nil},
		"no breakpoint at all": {text(30), nil},
		"another prefix":       {`{"role":"user","content":"new"}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var s wirecheck.Session
			if got := s.Request([]byte(sent("claude-opus-5", "", text(6, 5))), wirecheck.Options{}); len(got) > 0 {
				t.Fatalf("first request: %v", got)
			}
			got := lines(s.Request([]byte(sent("claude-opus-5", "", tt.second)), wirecheck.Options{}))
			if !slices.Equal(got, tt.want) {
				t.Errorf("faults %v, want %v", got, tt.want)
			}
		})
	}
}

func FuzzSession(f *testing.F) {
	f.Add([]byte(sent("claude-opus-5-5", "", ask)), []byte(said(thinkA, callA)), []byte(sent("claude-opus-5-5", "", ask, said(thinkA, callA), resultA)))
	f.Add([]byte(sent("claude-opus-5-5", `,"system":[1],"tools":[{}]`, ask, fleeting)), []byte(`{"content":[{"type":"tool_use"}]}`), []byte(`{"messages":[1]}`))
	f.Fuzz(func(t *testing.T, first, reply, second []byte) {
		var s wirecheck.Session
		s.Request(first, wirecheck.Options{})
		s.Reply(reply)
		alone := wirecheck.Anthropic(second, wirecheck.Options{})
		if got := s.Request(second, wirecheck.Options{}); len(got) < len(alone) {
			t.Errorf("the session sees less than the body alone shows: %v, %v", got, alone)
		}
	})
}
