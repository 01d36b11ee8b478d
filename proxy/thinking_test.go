package proxy_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/anthropic"
	"github.com/seed-3db51b0e/precis/internal/sse"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/proxy"
)

// How clients treat thinking that came back.
const (
	echoes  = "echoes"  // all of it goes back
	tidies  = "tidies"  // that of earlier user turns is left out
	forgets = "forgets" // none goes back
)

// thinker is a client of a model that thinks.
type thinker struct {
	t        *testing.T
	url      string
	model    string
	habit    string
	stream   bool
	header   []string
	messages []string
	asked    int
	lines    int
	system   string
}

func newThinker(t *testing.T, url, model, habit string) *thinker {
	t.Helper()
	g := &thinker{t: t, url: url + "/v1/messages", model: model, habit: habit, stream: true, lines: 5, system: "You are an agent."}
	g.ask("Find out why the nightly build fails. Never touch db/migrations.")
	return g
}

// ask says something as the user.
func (g *thinker) ask(text string) {
	g.asked++
	g.messages = append(g.messages, fmt.Sprintf(`{"role":"user","content":[{"type":"text","text":%s}]}`, quoted(text)))
}

func (g *thinker) body() string {
	thinking := `{"type":"adaptive"}`
	if (&strict{model: g.model}).manual() {
		thinking = `{"type":"enabled","budget_tokens":1024}`
	}
	return fmt.Sprintf(`{"model":%q,"max_tokens":2000,"stream":%t,"thinking":%s,"system":[{"type":"text","text":%s,"cache_control":{"type":"ephemeral"}}],`+
		`"tools":[{"name":"read_file","description":"Read a file.","input_schema":{"type":"object","properties":{"path":{"type":"string"}}}}],"messages":[%s]}`,
		g.model, g.stream, thinking, quoted(g.system), strings.Join(g.kept(), ","))
}

// kept is the history as the client sends it.
func (g *thinker) kept() []string {
	if g.habit == echoes {
		return g.messages
	}
	last := len(g.messages)
	if g.habit == tidies {
		for last > 0 && !strings.Contains(g.messages[last-1], `"role":"user","content":[{"type":"text"`) {
			last--
		}
	}
	out := slices.Clone(g.messages)
	for i := range out[:last] {
		out[i] = thoughtless(g.t, out[i])
	}
	return out
}

// thoughtless is a message without thinking.
func thoughtless(t *testing.T, raw string) string {
	t.Helper()
	var m wireMessage
	if err := json.Unmarshal([]byte(raw), &m); err != nil {
		t.Fatal(err)
	}
	if m.Role != "assistant" {
		return raw
	}
	var kept []string
	for _, b := range m.blocks() {
		if !b.thinks() {
			kept = append(kept, string(b.raw))
		}
	}
	return `{"role":"assistant","content":[` + strings.Join(kept, ",") + `]}`
}

// step is one request and what follows from its answer; it says whether it was
// taken.
func (g *thinker) step() bool {
	g.t.Helper()
	resp, text := post(g.t, g.url, g.body(), g.header...)
	if resp.StatusCode != http.StatusOK {
		g.t.Errorf("status %d: %s", resp.StatusCode, text)
		return false
	}
	r := g.read(text)
	g.messages = append(g.messages, string(r.Message.Raw))
	var results []string
	for _, at := range r.Message.Calls() {
		id := r.Message.Parts[at].CallID
		results = append(results, fmt.Sprintf(`{"type":"tool_result","tool_use_id":%q,"content":%s}`, id, quoted((&agent{lines: g.lines}).output(id))))
	}
	if len(results) == 0 {
		g.ask(fmt.Sprintf("Now look at part %d as well.", g.asked))
		return true
	}
	g.messages = append(g.messages, `{"role":"user","content":[`+strings.Join(results, ",")+`]}`)
	return true
}

func (g *thinker) read(text string) *codec.Reply {
	g.t.Helper()
	if !g.stream {
		r, err := anthropic.Codec{}.Reply(http.StatusOK, []byte(text))
		if err != nil {
			g.t.Fatal(err)
		}
		return r
	}
	a := anthropic.Codec{}.Stream()
	p := sse.NewParser(0, func(e sse.Event) error { return a.Event(e.Name, e.Data) })
	if _, err := p.Write([]byte(text)); err != nil {
		g.t.Fatal(err)
	}
	r, err := a.Reply()
	if err != nil {
		g.t.Fatal(err)
	}
	return r
}

func (g *thinker) run(steps int) {
	g.t.Helper()
	for range steps {
		if !g.step() {
			g.t.FailNow()
		}
	}
}

// check: nothing was refused, nothing was over the budget.
func (s *strict) check(t *testing.T) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.refusals {
		t.Error(r)
	}
	if s.most > budget {
		t.Errorf("a request of %d tokens", s.most)
	}
}

// Long sessions with models that think, of clients that send thinking back, all,
// some or none of it: no request is refused, and thinking stays as long as its
// prefix stands.
//
// SPEC: B9, V3 · WT1, WT2, WT3, WT4, WT5, WT7, WT9, P6
func TestThinking(t *testing.T) {
	for _, model := range few([]string{"claude-opus-5-5", "claude-opus-5", "claude-sonnet-4-5"}) {
		for _, name := range few(policy.Names()) {
			if model == "claude-opus-5-5" || name == "balanced" {
				t.Run(model+"/"+name, func(t *testing.T) { session(t, model, echoes, name, 5, 70) })
			}
			t.Run(model+"/"+name+"/large results", func(t *testing.T) { session(t, model, echoes, name, 70, 10) })
		}
		t.Run(model+"/tidies", func(t *testing.T) { session(t, model, tidies, "balanced", 5, 65) })
	}
	for _, model := range few([]string{"claude-opus-5-5", "claude-opus-5"}) { // an old model refuses it without a proxy too
		t.Run(model+"/forgets", func(t *testing.T) {
			if up := session(t, model, forgets, "balanced", 5, 65); slices.Max(up.thought) > 0 {
				t.Errorf("thinking returns: %v", up.thought)
			}
		})
	}
}

// session drives a client through the proxy to a strict provider.
func session(t *testing.T, model, habit, name string, lines, steps int) *strict {
	t.Helper()
	up := newStrict(t, model)
	o := options(up.url)
	o.Budget = budget
	var err error
	if o.Engine.Policy, err = policy.Named(name); err != nil {
		t.Fatal(err)
	}
	f := serve(t, o)
	g := newThinker(t, f.url, model, habit)
	g.lines = lines
	g.run(steps)
	up.check(t)
	if hs := f.threads(t, ""); len(hs) != 1 || hs[0].PlanVersion < 2 {
		t.Errorf("threads: %+v", hs)
	}
	if habit == echoes && up.binds() {
		for _, w := range up.wasted {
			t.Error(w)
		}
	}
	return up
}

// An edit in the middle, a fork, and a proxy that starts again.
//
// SPEC: B9, V1, V6 · WT3, WT4, P6
func TestThinkingOfBranches(t *testing.T) {
	for _, model := range few([]string{"claude-opus-5-5", "claude-opus-5", "claude-sonnet-4-5"}) {
		for _, name := range few(policy.Names()) {
			if model != "claude-opus-5-5" && name != "balanced" {
				continue
			}
			t.Run(model+"/"+name, func(t *testing.T) {
				up := newStrict(t, model)
				path := filepath.Join(t.TempDir(), "p.db")
				start := func() *front {
					o := options(up.url)
					o.Budget, o.Engine.Store = budget, onDisk(t, path)
					o.Engine.Policy, _ = policy.Named(name)
					return serve(t, o)
				}
				g := newThinker(t, start().url, model, echoes)
				g.run(40)
				whole := slices.Clone(g.messages)
				for at := 6; at < len(whole)-2; at += 9 { // back to an earlier point, with another task
					g.messages = slices.Clone(whole[:at])
					for strings.Contains(g.messages[len(g.messages)-1], `"tool_use"`) {
						g.messages = g.messages[:len(g.messages)-1]
					}
					g.ask(fmt.Sprintf("Something else, from %d on.", at))
					g.run(4)
				}
				g.messages = slices.Clone(whole)
				g.url = start().url + "/v1/messages"
				g.run(5)
				for _, at := range []int{len(whole) - 3, len(whole) / 2, 8} { // the client changes what a tool said
					for !strings.Contains(g.messages[at], `"tool_result"`) {
						at++
					}
					g.messages[at] = strings.Replace(g.messages[at], "func step", "func edited", 1)
					g.run(4)
				}
				up.check(t)
			})
		}
	}
}

// Asked to, the proxy leaves thinking to its provider to drop: the header and the
// field go together, for models that bind thinking, once a plan changed the
// prefix, and from then on.
//
// SPEC: B9, V11 · WT5, WT9, WP2, P6
func TestDropBlock(t *testing.T) {
	for _, model := range []string{"claude-opus-5-5", "claude-opus-5"} {
		t.Run(model, func(t *testing.T) {
			up := newStrict(t, model)
			o := options(up.url)
			o.Budget, o.Prompt.Thinking = budget, proxy.ThinkingDropBlock
			f := serve(t, o)
			g := newThinker(t, f.url, model, echoes)
			g.header = []string{"Anthropic-Beta", "interleaved-thinking-2025-05-14"}
			var own []string
			for range 40 {
				own = append(own, g.body())
				g.run(1)
			}
			up.check(t)
			if binds := up.binds(); (up.dropped > 0) != binds {
				t.Errorf("%d blocks were dropped", up.dropped)
			}
			asks := false
			for i, r := range up.requests() {
				field, beta := strings.Contains(r.body, `"block_binding":{"prefix_mismatch_behavior":"drop_block"}`), r.header.Get("Anthropic-Beta")
				if field != (beta == "interleaved-thinking-2025-05-14,"+bindingBeta) || asks && !field {
					t.Errorf("request %d: field %t, header %s", i, field, beta)
				}
				if !field && up.binds() && r.body != own[i] {
					t.Errorf("request %d was changed", i)
				}
				asks = field
			}
			if asks != up.binds() {
				t.Errorf("asks: %t", asks)
			}
		})
	}
}

// What the client did is the client's to be told: with no plan in force a refusal
// of thinking goes to it as it came. Under a plan that could not foresee it, the
// prompt is sent again without thinking, once, and that is remembered.
//
// SPEC: B9, V9, V11 · WT8, WP3, P6
func TestRefusedThinking(t *testing.T) {
	up := newStrict(t, "claude-opus-5-5")
	o := options(up.url)
	o.Budget, o.Prompt.Recall = budget, proxy.RecallOff
	var err error
	if o.Engine.Policy, err = policy.Named("truncate"); err != nil { // which keeps much
		t.Fatal(err)
	}
	f := serve(t, o)
	g := newThinker(t, f.url, "claude-opus-5-5", echoes)
	g.run(5)
	g.system = "You are another agent."
	resp, text := post(t, g.url, g.body())
	if got := up.requests(); resp.StatusCode != http.StatusBadRequest || len(got) != 6 || got[5].body != g.body() || text != apis[0].errors(strings.TrimPrefix(up.refusals[0], "request 6: ")) {
		t.Fatalf("%d requests, status %d: %s", len(up.requests()), resp.StatusCode, text)
	}
	g.system = "You are an agent."
	for n := range 20 { // every other answer is of a model that binds nothing, and what it is sent is larger
		g.model, g.lines = "claude-opus-5-5", 25
		if n%2 == 1 {
			g.model, g.lines = "claude-opus-5", 1
		}
		g.run(1)
	}
	if f.threads(t, "")[0].PlanVersion == 0 || len(up.refusals) != 2 || !strings.Contains(f.log.String(), "provider refused thinking") {
		t.Errorf("threads %+v, refusals %q", f.threads(t, ""), up.refusals)
	}
	if n := up.thought[len(up.thought)-1]; n == 0 {
		t.Error("what is thought since is left out too")
	}
}
