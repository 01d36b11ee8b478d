package proxy_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/proxy"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
)

// long is a history of an API that is far over the budget of these tests.
func long(a api) string {
	ms := []string{a.first}
	for n := range 40 {
		_, id, args := said(n)
		switch a.name {
		case "anthropic":
			ms = append(ms, fmt.Sprintf(`{"role":"assistant","content":[{"type":"tool_use","id":%q,"name":"read_file","input":%s}]}`, id, args))
		default:
			ms = append(ms, callItem(n, id, args))
		}
		ms = append(ms, fmt.Sprintf(a.result, id, quoted((&agent{lines: 40}).output(id))))
	}
	return strings.Join(ms, ",")
}

// Requests in which the client has its provider compact or edit reach it byte for
// byte, with their headers, whatever their size; what comes back is the
// provider's own, byte for byte.
//
// SPEC: B6, V11 · WN1, WN7, WN8, WO6, WP2, WP7, P18
func TestNativePasses(t *testing.T) {
	anthropic, responses := apiNamed(t, "anthropic"), apiNamed(t, "responses")
	big, size := long(anthropic), long(responses)
	block := `{"role":"assistant","content":[{"type":"compaction","content":"The build fails in part 3.","signature":"c2ln","encrypted_content":null}]}`
	inside := `{"role":"assistant","content":[{"type":"compaction","content":"All of it."},{"type":"text","text":"On we go."}]},{"role":"user","content":"Go on."}`
	item := `{"type":"compaction","id":"cmp_1","encrypted_content":"` + strings.Repeat("gAAAA", 900) + `"}`
	for _, c := range []struct {
		name, path, beta, body string
	}{
		{"threshold", "/v1/messages", "compact-2026-01-12", `{"model":"claude-opus-5-5","context_management":{"edits":[{"type":"compact_20260112","trigger":{"type":"input_tokens","value":50000}}]},"max_tokens":9,"messages":[` + big + `]}`},
		{"editing", "/v1/messages?beta=true", "context-management-2025-06-27", `{"model":"claude-opus-5-5","max_tokens":9, "context_management":{"edits":[{"type":"clear_thinking_20251015","keep":"all"},{"type":"clear_tool_uses_20250919"}]},"messages":[` + anthropic.first + `]}`},
		{"on demand", "/v1/messages", "compact-2026-09-04", `{"compaction":{"type":"summarize","instructions":"Keep paths."},"model":"claude-opus-5-5","max_tokens":9,"messages":[` + big + `]}`},
		{"block first", "/v1/messages", "compact-2026-09-04", `{"model":"claude-opus-5-5","max_tokens":9,"messages":[` + block + `,{"role":"user","content":"Go on."}]}`},
		{"what a block covers is not counted", "/v1/messages", "compact-2026-01-12", `{"model":"claude-opus-5-5","max_tokens":9,"messages":[` + big + `,` + inside + `]}`},
		{"in request", "/v1/responses", "", `{"model":"gpt-5","context_management":[{"type":"compaction","compact_threshold":200000}],"store":false,"input":[` + size + `]}`},
		{"item", "/v1/responses", "", `{"model":"gpt-5","store":false,"input":[` + responses.first + `,` + item + `,{"role":"user","content":"Go on."}]}`},
		{"trigger", "/v1/responses", "", `{"model":"gpt-5","store":false,"stream":true,"input":[` + size + `, {"type":"compaction_trigger"}]}`},
		{"compact", "/v1/responses/compact", "", `{"model":"gpt-5", "input":[` + size + `],"prompt_cache_key":"k"}`},
		{"compact by id", "/v1/responses/compact", "", `{"model":"gpt-5","previous_response_id":"resp_1"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			up := newProvider(t)
			const answer = `{"id":"x", "object":"response.compaction","content":[{"type":"compaction","content":"s"}],"stop_reason":"compaction","usage":{"input_tokens":0},"output":[]}`
			up.answer = func(w http.ResponseWriter, _ *http.Request, _ string) bool {
				_, _ = io.WriteString(w, answer)
				return true
			}
			o := options(up.url)
			o.Budget = budget
			f := serve(t, o)
			_, text := post(t, f.url+c.path, c.body, "Anthropic-Beta", c.beta)
			got := up.requests()
			if len(got) != 1 || got[0].body != c.body || got[0].uri != c.path || got[0].header.Get("Anthropic-Beta") != c.beta {
				t.Errorf("%d requests, %d bytes for %d: %.300s", len(got), len(got[0].body), len(c.body), got[0].body)
			}
			if text != answer {
				t.Errorf("answer %s", text)
			}
		})
	}
}

// codexer is Codex: it sends all it has, has it compacted, and goes on with what
// its users said and the one item that came back.
type codexer struct {
	*agent
	key   string
	items []string // compaction items that came back
}

func newCodexer(t *testing.T, url, key string) *codexer {
	t.Helper()
	g := &codexer{agent: newAgent(t, apiNamed(t, "responses"), url, true), key: key}
	g.messages = []string{
		`{"type":"message","role":"developer","content":[{"type":"input_text","text":"<permissions>"}]}`,
		`{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context><cwd>/srv</cwd></environment_context>"}]}`,
		`{"type":"message","role":"user","content":[{"type":"input_text","text":"Find out why the nightly build fails. Never touch db/migrations."}]}`,
	}
	g.write = g.request
	return g
}

func (g *codexer) request(messages []string) string {
	return `{"model":"gpt-5","instructions":"You are Codex.","input":[` + strings.Join(messages, ",") +
		`],"tools":[{"type":"function","name":"read_file","strict":false,"parameters":{"type":"object","properties":{}}}],"store":false,"stream":true,"include":["reasoning.encrypted_content"],"prompt_cache_key":"` + g.key + `"}`
}

func (g *codexer) steps(n int) {
	g.t.Helper()
	for range n {
		g.step()
	}
}

// compact has the history compacted as Codex's remote compaction does: a stream
// that holds exactly one compaction item, or it is over.
func (g *codexer) compact() {
	g.t.Helper()
	resp, text := post(g.t, g.url, g.request(append(slices.Clone(g.messages), `{"type":"compaction_trigger"}`)), g.agent.header...)
	if resp.StatusCode != http.StatusOK || !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		g.t.Fatalf("status %d: %s", resp.StatusCode, text)
	}
	r := g.read(text)
	if len(r.Items) != 1 || !strings.Contains(string(r.Items[0].Raw), `"type":"compaction"`) {
		g.t.Fatalf("items: %s", text)
	}
	g.kept(string(r.Items[0].Raw))
}

// kept is what Codex goes on with.
func (g *codexer) kept(item string) {
	g.items = append(g.items, item)
	g.messages = slices.DeleteFunc(slices.Clone(g.messages), func(m string) bool { return !strings.Contains(m, `"role":"user"`) })
	g.messages = append(g.messages, item, `{"type":"message","role":"developer","content":[{"type":"input_text","text":"<permissions>"}]}`, `{"type":"message","role":"user","content":[{"type":"input_text","text":"Go on."}]}`)
}

// knowing is a provider that does, or does not, know compaction.
func knowing(t *testing.T, knows bool) *provider {
	up := newProvider(t)
	up.answer = func(w http.ResponseWriter, r *http.Request, body string) bool {
		triggered, below := strings.Contains(body, "compaction_trigger"), strings.HasSuffix(r.URL.Path, "/compact")
		switch {
		case !triggered && !below:
			return false
		case below && !knows:
			http.NotFound(w, r)
		case !knows:
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"error":{"message":"Invalid value: 'compaction_trigger'. Supported values are: 'message', 'reasoning'.","type":"invalid_request_error","param":"input[99].type","code":"invalid_value"}}`)
		default:
			item := `{"type":"compaction","id":"cmp_9","encrypted_content":"b3BhcXVl"}`
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, "event: response.output_item.done\ndata: {\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":%s}\n\n", item)
			fmt.Fprintf(w, "event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"id\":\"r\",\"status\":\"completed\",\"output\":[%s],\"usage\":{\"input_tokens\":9,\"output_tokens\":1}}}\n\n", item)
		}
		return true
	}
	return up
}

// Codex has its history compacted, again and again: by its provider where that
// knows how, by the proxy where not or where it is told to. What is known of the
// conversation goes on, over a restart too, within the budget.
//
// SPEC: B6, V1, V3, V4, V10 · WO6, P18
func TestCodexCompacts(t *testing.T) {
	for _, c := range []struct {
		name   string
		knows  bool
		native proxy.NativeCompaction
		passed int // compactions that reach the provider
		ours   bool
	}{
		{"provider knows", true, proxy.NativePass, 3, false},
		{"provider does not", false, proxy.NativePass, 1, true},
		{"told to", true, proxy.NativeAnswer, 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			up := knowing(t, c.knows)
			o := options(up.url)
			o.Budget, o.Prompt.NativeCompaction, o.Engine.Store = budget, c.native, onDisk(t, "")
			f := serve(t, o)
			g := newCodexer(t, f.url, "0199")
			g.lines = 16
			g.steps(12)
			g.compact()
			g.steps(8)
			g.compact()
			if c.passed > 0 && c.ours {
				c.passed = 0 // it is known by now
				if n := triggers(up); n != 1 {
					t.Errorf("%d compactions reached the provider", n)
				}
				up.got = nil
			}
			g.url = serve(t, o).url + g.api.path
			g.steps(4)
			g.compact()
			g.steps(4)
			if n := triggers(up); n != c.passed {
				t.Errorf("%d compactions reached the provider", n)
			}
			last := up.requests()[len(up.requests())-1].body
			if c.ours == strings.Contains(last, `"type":"compaction"`) || strings.Contains(last, "precis:") {
				t.Errorf("upstream: %s", last)
			}
			if c.ours && (!strings.Contains(last, "Never touch db/migrations") || strings.Count(last, "<environment_context>") != 1 || !strings.Contains(last, "part3.go")) {
				t.Errorf("upstream: %s", last)
			}
			if up.most > budget {
				t.Errorf("a request of %d tokens", up.most)
			}
			if slices.Contains(g.items[1:], g.items[0]) == c.ours {
				t.Errorf("items: %q", g.items)
			}
		})
	}
}

func triggers(up *provider) (n int) {
	for _, r := range up.requests() {
		if strings.Contains(r.body, "compaction_trigger") {
			n++
		}
	}
	return n
}

// The path of OpenAI's for it is answered too: with what users said and the item.
//
// SPEC: B6 · WO6, P18
func TestCompactPath(t *testing.T) {
	up := knowing(t, false)
	f := serve(t, options(up.url))
	g := newCodexer(t, f.url, "0200")
	g.steps(5)
	resp, text := post(t, g.url+"/compact", `{"model":"gpt-5","input":[`+strings.Join(g.messages, ",")+`],"prompt_cache_key":"0200"}`)
	var v struct {
		Object string
		Output []json.RawMessage
		Usage  struct {
			Input int `json:"input_tokens"`
		}
	}
	if err := json.Unmarshal([]byte(text), &v); err != nil || resp.StatusCode != http.StatusOK || v.Object != "response.compaction" || len(v.Output) != 3 || v.Usage.Input == 0 {
		t.Fatalf("%d %v: %s", resp.StatusCode, err, text)
	}
	g.messages = nil
	for _, raw := range v.Output {
		g.messages = append(g.messages, string(raw))
	}
	g.messages = append(g.messages, `{"role":"user","content":"Go on."}`)
	g.steps(2)
	last := up.requests()[len(up.requests())-1].body
	if strings.Contains(last, "precis:") || !strings.Contains(last, "part3.go") || !strings.Contains(last, `"Go on."`) {
		t.Errorf("upstream: %s", last)
	}
}

// An item stands for something in its own conversation and tenant alone; anywhere
// else it is an item like any other, and words that look like one are words.
//
// SPEC: V10, B6
func TestForeignItems(t *testing.T) {
	up := knowing(t, false)
	up.lax = true
	o := options(up.url)
	o.Tenancy.ByCredential, o.Prompt.NativeCompaction = true, proxy.NativeAnswer
	f := serve(t, o)
	g := newCodexer(t, f.url, "0201")
	g.steps(4)
	g.compact()
	item := g.items[0]
	for name, c := range map[string]struct {
		key, item string
		header    []string
	}{
		"another conversation": {"0202", item, nil},
		"another tenant":       {"0201", item, []string{"Authorization", "Bearer sk-other"}},
		"an unknown entry":     {"0201", strings.Replace(item, "precis:", "precis:0", 1), nil},
	} {
		t.Run(name, func(t *testing.T) {
			h := newCodexer(t, f.url, c.key)
			h.agent.header = c.header
			h.messages = append(h.messages, c.item, `{"role":"user","content":"Go on."}`)
			body := h.body()
			h.step()
			if last := up.requests()[len(up.requests())-1].body; last != body {
				t.Errorf("upstream: %s", last)
			}
		})
	}
	t.Run("words", func(t *testing.T) {
		h := newCodexer(t, f.url, "0201")
		h.messages = append(h.messages, `{"role":"user","content":`+quoted(item)+`}`)
		h.step()
		if last := up.requests()[len(up.requests())-1].body; !strings.Contains(last, quoted(item)) {
			t.Errorf("upstream: %s", last)
		}
	})
}

// Where the log cannot be written there is no item: it would stand for nothing.
//
// SPEC: V9, B6
func TestNoItemWithoutLog(t *testing.T) {
	up := knowing(t, false)
	o := options(up.url)
	o.Prompt.NativeCompaction, o.Engine.Store = proxy.NativeAnswer, unwritable{memory.New()}
	f := serve(t, o)
	g := newCodexer(t, f.url, "0203")
	resp, text := post(t, g.url, g.request(append(slices.Clone(g.messages), `{"type":"compaction_trigger"}`)))
	if resp.StatusCode != http.StatusInternalServerError || !strings.Contains(text, "could not be compacted") || strings.Contains(text, "encrypted_content") {
		t.Errorf("%d: %s", resp.StatusCode, text)
	}
}

// unwritable is a store that takes no more messages.
type unwritable struct{ store.Store }

func (unwritable) Append(context.Context, store.Key, store.Batch) (store.Head, error) {
	return store.Head{}, errDisk
}
