package request

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/anthropic"
	"github.com/seed-3db51b0e/precis/codec/gemini"
	"github.com/seed-3db51b0e/precis/codec/openai"
	"github.com/seed-3db51b0e/precis/codec/responses"
	"github.com/seed-3db51b0e/precis/model"
)

// The excerpts of a summary are marked where that was asked for or the client has its conversation
// cached, and where there is room beside the markers that a compaction leaves.
//
// SPEC: B21 · WA10
func TestExcerptsMarked(t *testing.T) {
	const mark = `,"cache_control":{"type":"ephemeral"}`
	body := func(system, first, middle, last string) string {
		return fmt.Sprintf(`{"model":"claude-opus-4-5","max_tokens":9,"system":[{"type":"text","text":"a"%s},{"type":"text","text":"b"%[1]s}],"messages":[`+
			`{"role":"user","content":[{"type":"text","text":"q"%s}]},{"role":"assistant","content":"ok"},{"role":"user","content":[{"type":"text","text":"m"%s}]},`+
			`{"role":"assistant","content":"ok"},{"role":"user","content":[{"type":"text","text":"n"%s}]}]}`, system, first, middle, last)
	}
	claude, ok := model.Lookup("claude-opus-4-5")
	if !ok {
		t.Fatal("no such model")
	}
	for _, c := range []struct {
		name, body      string
		unasked, wanted bool
	}{
		{"no marker", body("", "", "", ""), false, true},
		{"of the system prompt", body(mark, "", "", ""), false, true},
		{"of the end", body(mark, "", "", mark), true, true},
		{"of what leaves and of the end", body(mark, "", mark, mark), true, true},
		{"of the first message and the end", body(mark, mark, "", mark), false, false},
		{"of the first message", body(mark, mark, "", ""), false, false},
		{"by the provider", strings.Replace(body(mark, "", "", ""), `{`, `{"cache_control":{"type":"ephemeral"},`, 1), true, true},
		{"no message", `{"model":"claude-opus-4-5","max_tokens":9,"messages":[]}`, false, true},
		{"one message", `{"model":"claude-opus-4-5","max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":"q"` + mark + `}]}]}`, true, true},
	} {
		req, err := anthropic.Codec{}.Decode([]byte(c.body))
		if err != nil {
			t.Fatal(err)
		}
		if got := CacheOf(anthropic.Codec{}, req, claude, "", false).Excerpts(); got != c.unasked {
			t.Errorf("%s, unasked: %v", c.name, got)
		}
		if got := CacheOf(anthropic.Codec{}, req, claude, "", true).Excerpts(); got != c.wanted {
			t.Errorf("%s, wanted: %v", c.name, got)
		}
		if CacheOf(anthropic.Codec{}, req, model.Unknown, "", true).Excerpts() || CacheOf(gemini.Codec{}, req, claude, "", true).Excerpts() {
			t.Errorf("%s: a marker where there are none", c.name)
		}
	}
}

// OpenAI's caches find the beginning of a prompt at breakpoints only, from GPT-5.6 on. Excerpts get
// one on its own host, or where the client speaks of such options; not where the client said that
// only its own breakpoints count.
//
// SPEC: B21 · WO7
func TestExcerptsAtBreakpoints(t *testing.T) {
	at := map[string]codec.Codec{"input": responses.Codec{}, "messages": openai.Codec{}}
	for _, c := range []struct {
		model, host, member string
		want                bool
	}{
		{"gpt-6.1-sol", "api.openai.com", "", true},
		{"gpt-6.1-sol", "chatgpt.com", "", false},
		{"gpt-6.1-sol", "127.0.0.1", `"prompt_cache_options":{"ttl":"30m"},`, true},
		{"gpt-6.1-sol", "api.openai.com", `"prompt_cache_options":{"mode":"explicit"},`, false},
		{"gpt-5", "api.openai.com", "", false},
	} {
		m, ok := model.Lookup(c.model)
		if !ok {
			t.Fatalf("no model %s", c.model)
		}
		for list, k := range at {
			req, err := k.Decode([]byte(`{` + c.member + `"` + list + `":[{"role":"user","content":"q"}]}`))
			if err != nil {
				t.Fatal(err)
			}
			for _, all := range []bool{false, true} {
				if got := CacheOf(k, req, m, c.host, all).Excerpts(); got != c.want {
					t.Errorf("%s at %s, %s: %v", c.model, c.host, c.member, got)
				}
			}
		}
	}
}

// A request says how long the provider keeps its prompt: a rest that is shorter does not make a
// rewrite free, and one of a long life costs what such a life does.
//
// SPEC: B5
func TestCacheLife(t *testing.T) {
	const claude, gpt4o, gpt5, gpt6 = "claude-opus-4-5", "gpt-4o", "gpt-5", "gpt-6.1-sol"
	said := func(mark string) string {
		return `"messages":[{"role":"user","content":[{"type":"text","text":"q"` + mark + `}]}]`
	}
	for body, want := range map[string]struct {
		codec codec.Codec
		model string
		life  time.Duration
		long  bool
	}{
		said(`,"cache_control":{"type":"ephemeral"}`):                                                       {anthropic.Codec{}, claude, 5 * time.Minute, false},
		said(`,"cache_control":{"type":"ephemeral","ttl":"1h"}`):                                            {anthropic.Codec{}, claude, time.Hour, true},
		`"cache_control":{"type":"ephemeral","ttl":"1h"},` + said(""):                                       {anthropic.Codec{}, claude, time.Hour, true},
		`"system":[{"type":"text","text":"s","cache_control":{"type":"ephemeral","ttl":"1h"}}],` + said(""): {anthropic.Codec{}, claude, 5 * time.Minute, false},
		said(`,"cache_control":{"type":"ephemeral","ttl":"-1h"}`):                                           {anthropic.Codec{}, claude, 5 * time.Minute, false},
		said(`,"cache_control":{"type":"ephemeral","ttl":7}`):                                               {anthropic.Codec{}, claude, 5 * time.Minute, false},
		`"prompt_cache_retention":"24h",` + said(""):                                                        {openai.Codec{}, gpt5, 24 * time.Hour, false},
		said("") + ` `:  {openai.Codec{}, gpt5, 24 * time.Hour, false},
		said("") + `  `: {openai.Codec{}, gpt4o, 5 * time.Minute, false},
		`"prompt_cache_retention":"in_memory",` + said(""):                  {openai.Codec{}, gpt5, 5 * time.Minute, false},
		`"prompt_cache_retention":"in-memory","input":[]`:                   {responses.Codec{}, gpt5, 5 * time.Minute, false},
		`"prompt_cache_options":{"mode":"implicit","ttl":"12h"},"input":[]`: {responses.Codec{}, gpt6, 12 * time.Hour, false},
		`"prompt_cache_options":{"mode":"implicit"},"input":[]`:             {responses.Codec{}, gpt6, 30 * time.Minute, false},
	} {
		m, ok := model.Lookup(want.model)
		if !ok {
			t.Fatalf("no model %s", want.model)
		}
		req, err := want.codec.Decode([]byte("{" + body + "}"))
		if err != nil {
			t.Fatal(err)
		}
		price := m.Price.Write
		if want.long {
			price = m.Price.WriteLong
		}
		if got := NewInput("t", req, want.codec.Name(), m).Model; got.Cache.TTL != want.life || got.Price.Write != price {
			t.Errorf("%s: kept for %s at %v", body, got.Cache.TTL, got.Price.Write)
		}
	}
}
