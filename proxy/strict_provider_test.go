package proxy_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// The headers that go with what a request states of thinking and compaction.
const (
	bindingBeta = "thinking-binding-controls-2026-08-01"
	compactBeta = "compact-2026-09-04"
)

// strict is Anthropic as it is about thinking. It signs each block of thinking
// that it produces: with what the block says, all that stood before it (system,
// tools, messages; not cache markers, not other thinking), and the thinking it
// followed. It checks the signatures of every request, and answers with its
// provider's words. Models that do not bind thinking have what a block says
// checked, and old ones that an open tool loop begins with thinking.
//
// It holds no state that a verdict on a prefix needs, so forks, retries and
// restarts are judged alike.
type strict struct {
	t     testing.TB
	url   string
	model string // of the latest request
	// says writes the content blocks of answer n; thinking is signed, so it needs
	// no signature. nil: talk.
	says func(n int, body string) []string

	mu       sync.Mutex
	got      []received
	refusals []string            // what it answered with status 400
	replies  map[string][]string // thinking of an answer, by each block of it
	signed   map[string][]string // blocks of thinking, by the state after what they led to
	absent   map[string]bool     // blocks that a request did not have
	thought  []int               // blocks of thinking, by request
	wasted   []string            // blocks that a request left out while their prefix stood
	dropped  int                 // blocks left out on request
	most     int                 // tokens of the largest request
}

func newStrict(t testing.TB, model string) *strict {
	t.Helper()
	s := &strict{t: t, model: model, replies: map[string][]string{}, signed: map[string][]string{}, absent: map[string]bool{}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

func (s *strict) requests() []received {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.got)
}

// binds: thinking is bound to its prefix. manual: old models whose open tool
// loops begin with thinking.
func (s *strict) binds() bool {
	return strings.Contains(s.model, "-5-5") || strings.Contains(s.model, "-5-1") || strings.Contains(s.model, "-5-2")
}

func (s *strict) manual() bool {
	return strings.Contains(s.model, "-4-1") || strings.Contains(s.model, "sonnet-4-5")
}

// ServeHTTP implements http.Handler.
func (s *strict) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client left
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.got = append(s.got, received{r.Method, r.RequestURI, r.Header.Clone(), string(b)})
	v := s.judge(b, strings.Join(r.Header.Values("Anthropic-Beta"), ","))
	if v.refusal != "" {
		s.refusals = append(s.refusals, fmt.Sprintf("request %d: %s", len(s.got), v.refusal))
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, apis[0].errors(v.refusal))
		return
	}
	s.account(v)
	s.thought, s.dropped = append(s.thought, v.thinking), s.dropped+len(v.drops)
	a := apis[0]
	a.model = s.model
	size := tokens(s.t, a, string(b))
	s.most = max(s.most, size)
	s.reply(w, v, size, string(b))
}

// account notes which thinking a request leaves out, and whether it had to.
func (s *strict) account(v verdict) {
	stands := map[string]bool{}
	for _, state := range v.states {
		for _, k := range s.signed[state] {
			stands[k] = true
		}
	}
	for _, keys := range s.replies {
		for _, k := range keys {
			if v.have[k] || s.absent[k] {
				continue
			}
			s.absent[k] = true
			if stands[k] {
				s.wasted = append(s.wasted, fmt.Sprintf("request %d leaves out %.12s", len(s.got), k))
			}
		}
	}
}

// verdict is what a request is.
type verdict struct {
	refusal  string
	state    string // of all of the prefix
	before   string // the last thinking in it
	thinking int
	states   []string // of the prefix, one after the other
	have     map[string]bool
	drops    []string // paths of blocks left out
	controls bool     // what was left out is reported
	summary  bool     // a compaction is asked for
}

// sealed is what a signature holds.
type sealed struct {
	Prefix, Before, Content string
	Mac                     []byte
}

func (s *strict) seal(v sealed) string {
	v.Mac = mac(v)
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return base64.StdEncoding.EncodeToString(b)
}

func mac(v sealed) []byte {
	h := hmac.New(sha256.New, []byte("only the provider knows"))
	fmt.Fprintf(h, "%q%q%q", v.Prefix, v.Before, v.Content)
	return h.Sum(nil)
}

func unseal(key string) (v sealed, ok bool) {
	b, err := base64.StdEncoding.DecodeString(key)
	if err != nil || json.Unmarshal(b, &v) != nil {
		return v, false
	}
	return v, hmac.Equal(v.Mac, mac(v))
}

// wireRequest is what is judged of a request.
type wireRequest struct {
	Model    string
	System   json.RawMessage
	Tools    []json.RawMessage
	Messages []wireMessage
	Thinking struct {
		Type    string
		Binding *struct {
			Mismatch string `json:"prefix_mismatch_behavior"`
		} `json:"block_binding"`
	}
	Compaction json.RawMessage
}

type wireMessage struct {
	Role    string
	Content json.RawMessage
}

// wireBlock is what is judged of a block.
type wireBlock struct {
	Type, Thinking, Signature, Data, Content string
	raw                                      json.RawMessage
}

func (b wireBlock) thinks() bool { return b.Type == "thinking" || b.Type == "redacted_thinking" }

func (b wireBlock) key() string {
	if b.Type == "redacted_thinking" {
		return b.Data
	}
	return b.Signature
}

func (m wireMessage) blocks() (bs []wireBlock) {
	var raws []json.RawMessage
	if json.Unmarshal(m.Content, &raws) != nil {
		return []wireBlock{{Type: "text", raw: json.RawMessage(`{"type":"text","text":` + string(m.Content) + `}`)}}
	}
	for _, raw := range raws {
		b := wireBlock{raw: raw}
		var any struct{ Type, Thinking, Signature, Data string }
		_ = json.Unmarshal(raw, &any) // what is no text stays ""
		b.Type, b.Thinking, b.Signature, b.Data = any.Type, any.Thinking, any.Signature, any.Data
		var text struct{ Content string }
		if json.Unmarshal(raw, &text) == nil {
			b.Content = text.Content
		}
		bs = append(bs, b)
	}
	return bs
}

// judge walks a request from its beginning.
func (s *strict) judge(body []byte, betas string) (v verdict) {
	v.have = map[string]bool{}
	var q wireRequest
	if err := json.Unmarshal(body, &q); err != nil {
		v.refusal = err.Error()
		return v
	}
	v.controls = strings.Contains(betas, bindingBeta)
	v.summary = len(q.Compaction) > 0
	s.model = q.Model
	drop := q.Thinking.Binding != nil && q.Thinking.Binding.Mismatch == "drop_block"
	switch {
	case q.Thinking.Binding != nil && !v.controls:
		v.refusal = "thinking.adaptive.block_binding: Extra inputs are not permitted"
		return v
	case v.summary && !strings.Contains(betas, compactBeta):
		v.refusal = "compaction: Extra inputs are not permitted"
		return v
	}
	v.state = chain("", "system", canonical(q.System))
	for _, t := range q.Tools {
		v.state = chain(v.state, "tool", canonical(t))
	}
	for i, m := range q.Messages {
		for j, b := range m.blocks() {
			at := fmt.Sprintf("messages.%d.content.%d", i, j)
			switch {
			case b.thinks():
				s.thinking(&v, b, at, drop)
			case b.Type == "compaction":
				s.compaction(&v, b, at, i == 0 && j == 0, betas)
			default:
				v.state = chain(v.state, m.Role, canonical(b.raw))
			}
			v.states = append(v.states, v.state)
			if v.refusal != "" {
				return v
			}
		}
	}
	v.refusal = s.latest(q)
	return v
}

func (s *strict) thinking(v *verdict, b wireBlock, at string, drop bool) {
	k, ok := unseal(b.key())
	if !ok || k.Content != hashed(b.Type, b.Thinking) {
		v.refusal = at + ": Invalid `signature` in `thinking` block"
		return
	}
	if s.binds() && (len(v.drops) > 0 || k.Prefix != v.state || v.before != "" && k.Before != hashed(v.before)) {
		if drop {
			v.drops = append(v.drops, at)
			return
		}
		v.refusal = at + ": Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to \"drop_block\"."
		if !v.controls {
			v.refusal += " The setting needs the `anthropic-beta` header " + bindingBeta + "."
		}
		return
	}
	v.thinking++
	v.have[b.key()] = true
	v.before = b.key()
}

// compaction: what stands behind a signed block is judged as if what it
// summarizes still stood before it.
func (s *strict) compaction(v *verdict, b wireBlock, at string, first bool, betas string) {
	k, ok := unseal(b.Signature)
	switch {
	case !strings.Contains(betas, compactBeta):
		v.refusal = at + ": Input tag 'compaction' found using 'type' does not match any of the expected tags"
	case !first:
		v.refusal = at + ": compaction_block_misplaced"
	case !ok || k.Content != hashed("compaction", b.Content):
		v.refusal = at + ": compaction_signature_invalid"
	default:
		v.state, v.before = k.Prefix, ""
	}
}

// latest judges the latest assistant turn: its thinking is as it was said, or
// not there at all; an old model's open loop begins with it.
func (s *strict) latest(q wireRequest) string {
	at := len(q.Messages) - 1
	for at >= 0 && q.Messages[at].Role != "assistant" {
		at--
	}
	if at < 0 {
		return ""
	}
	from := at
	for from > 0 && q.Messages[from-1].Role == "assistant" {
		from--
	}
	var bs []wireBlock
	for _, m := range q.Messages[from : at+1] {
		bs = append(bs, m.blocks()...)
	}
	open := slices.ContainsFunc(q.Messages[len(q.Messages)-1].blocks(), func(b wireBlock) bool { return b.Type == "tool_result" })
	if s.manual() && open && q.Thinking.Type == "enabled" && (len(bs) == 0 || !bs[0].thinks()) {
		return fmt.Sprintf("messages.%d.content.0.type: Expected `thinking` or `redacted_thinking`, but found `%s`. When `thinking` is enabled, a final `assistant` message must start with a thinking block.", from, bs[0].Type)
	}
	var keys, want []string
	for _, b := range bs {
		if b.thinks() {
			keys = append(keys, b.key())
			if all := s.replies[b.key()]; len(all) > 0 && all[0] == b.key() {
				want = append(want, all...)
			}
		}
	}
	if !slices.Equal(keys, want) {
		return fmt.Sprintf("messages.%d.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.", from)
	}
	return ""
}

// chain goes on with a state.
func chain(state, role, content string) string { return hashed(state, role, content) }

func hashed(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%q", p)
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}

// canonical is a value without white space and cache markers, with the members
// of a block in order. A string is the text block it stands for.
func canonical(raw json.RawMessage) string {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil {
		var b strings.Builder
		for _, e := range list {
			b.WriteString(canonical(e))
		}
		return b.String()
	}
	var text string
	if json.Unmarshal(raw, &text) == nil && len(raw) > 0 && raw[0] == '"' {
		return fmt.Sprintf("text:%qtype:%q", text, "text")
	}
	var o map[string]json.RawMessage
	if json.Unmarshal(raw, &o) != nil || o == nil {
		return string(raw)
	}
	var b strings.Builder
	for _, name := range sortedNames(o) {
		var s string
		switch {
		case name == "cache_control":
		case name == "content":
			b.WriteString("content:" + canonical(o[name]))
		case json.Unmarshal(o[name], &s) == nil:
			fmt.Fprintf(&b, "%s:%q", name, s)
		default:
			var c bytes.Buffer
			_ = json.Compact(&c, o[name]) // it was parsed
			b.WriteString(name + ":" + c.String())
		}
	}
	return b.String()
}

func sortedNames(o map[string]json.RawMessage) []string {
	names := make([]string, 0, len(o))
	for name := range o {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
