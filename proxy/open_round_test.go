package proxy_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/wirecheck"
)

// With thinking by budget, what a client sends whose open tool loop begins with thinking
// still begins so when it was compacted, wherever else in the loop the model thinks.
//
// SPEC: V3, B6 · WT2
func TestOpenLoopBeginsWithThinking(t *testing.T) {
	always := func(*rand.Rand, int) bool { return true }
	first := func(_ *rand.Rand, step int) bool { return step == 0 }
	sometimes := func(r *rand.Rand, step int) bool { return step == 0 || r.IntN(3) == 0 }
	for name, c := range map[string]struct {
		thinks func(r *rand.Rand, step int) bool // in a step of a loop
		long   int                               // words of a thought
		loop   int                               // rounds until the user speaks again
		steers bool                              // the user speaks within a loop
		policy string
	}{
		"in each round":               {thinks: always, long: 40, loop: 6},
		"at length":                   {thinks: always, long: 900, loop: 6},
		"at length, one loop":         {thinks: always, long: 900, loop: 30},
		"at the start of a loop":      {thinks: first, long: 40, loop: 6},
		"at the start of a long loop": {thinks: first, long: 40, loop: 30},
		"steered":                     {thinks: first, long: 40, loop: 30, steers: true},
		"at length at the start":      {thinks: first, long: 900, loop: 30},
		"fills the budget":            {thinks: always, long: 2200, loop: 6},
		"fills it at the start":       {thinks: first, long: 2200, loop: 30},
		"now and then":                {thinks: sometimes, long: 200, loop: 12},
		"now and then, one loop":      {thinks: sometimes, long: 200, loop: 30},
		"ladder":                      {thinks: sometimes, long: 200, loop: 12, policy: "ladder"},
		"session":                     {thinks: sometimes, long: 200, loop: 12, policy: "session"},
		"timeline":                    {thinks: sometimes, long: 200, loop: 12, policy: "timeline"},
		"truncate":                    {thinks: sometimes, long: 200, loop: 12, policy: "truncate"},
		"clip":                        {thinks: sometimes, long: 200, loop: 12, policy: "clip"},
	} {
		t.Run(name, func(t *testing.T) {
			a := apiNamed(t, "anthropic")
			a.model = "claude-sonnet-4-5"
			a.head = `"thinking":{"type":"enabled","budget_tokens":1024},` + strings.Replace(a.head, `"max_tokens":1000`, `"max_tokens":2000`, 1)
			up := newProvider(t)
			up.lax = true
			o := options(up.url)
			o.Budget = 5000
			var err error
			if o.Engine.Policy, err = policy.Named(cmp.Or(c.policy, "balanced")); err != nil {
				t.Fatal(err)
			}
			f := serve(t, o)
			g := newAgent(t, a, f.url, false)
			r := rand.New(rand.NewPCG(1, 2))
			messages, compacted := []string{a.first}, 0
			for n := range 30 {
				said := ""
				if c.thinks(r, n%c.loop) {
					said = fmt.Sprintf(`{"type":"thinking","thinking":%s,"signature":"c2ln%d"},`, quoted(strings.Repeat(fmt.Sprintf("I look at %d. ", n), c.long/4)), n)
				}
				id := fmt.Sprintf("toolu_%d", n)
				g.lines = 3 + r.IntN(60)
				messages = append(messages,
					fmt.Sprintf(`{"role":"assistant","content":[%s{"type":"tool_use","id":%q,"name":"read_file","input":{"path":"a%d"}}]}`, said, id, n),
					fmt.Sprintf(a.result, id, quoted(g.output(id))))
				wrote := a.body(messages, false)
				if fs := faultsOf("WT2", wrote); len(fs) > 0 {
					t.Fatalf("the client's own: %v", fs)
				}
				post(t, f.url+a.path, wrote)
				sent := up.last()
				if c.steers && n%5 == 4 {
					messages = append(messages, `{"role":"user","content":"Look at the tests as well."}`)
				}
				if sent != wrote {
					compacted++
				}
				if fs := faultsOf("", sent); len(fs) > 0 {
					t.Errorf("step %d: %v", n, fs)
				}
				if n%c.loop == c.loop-1 {
					messages = append(messages, `{"role":"assistant","content":[{"type":"text","text":"That is done."}]}`, fmt.Sprintf(`{"role":"user","content":"Look at part %d."}`, n))
				}
			}
			if compacted < 8 {
				t.Errorf("compacted %d", compacted)
			}
		})
	}
}

// faultsOf are the faults of a rule in a request, "" of all of them.
func faultsOf(rule, body string) (out []wirecheck.Fault) {
	for _, f := range wirecheck.Check("anthropic", []byte(body), wirecheck.Options{AllowUnknown: true}) {
		if rule == "" || f.Rule == rule {
			out = append(out, f)
		}
	}
	return out
}

// What a model thought before the calls that are being answered stays as it was, also where
// its thinking has no budget of its own. Where the budget leaves no room for it, that is said.
//
// SPEC: V3, V4, B6 · WT2
func TestOpenRoundKeepsItsThinking(t *testing.T) {
	for _, settings := range []string{`"thinking":{"type":"adaptive"},`, ""} {
		for _, long := range []int{400, 1500, 6000} {
			for _, budget := range []int{1200, 1800, 2500, 6000} {
				t.Run(fmt.Sprintf("%s%d words, %d tokens", settings, long, budget), func(t *testing.T) {
					a := apiNamed(t, "anthropic")
					a.model = "claude-sonnet-4-6"
					a.head = settings + a.head
					up := newProvider(t)
					up.lax = true
					o := options(up.url)
					o.Budget = budget
					f := serve(t, o)
					g := newAgent(t, a, f.url, false)
					messages := []string{a.first}
					for n := range 8 {
						id, thought := fmt.Sprintf("toolu_%d", n), fmt.Sprintf(`"signature":"c2ln%d"`, n)
						g.lines = 30
						messages = append(messages,
							fmt.Sprintf(`{"role":"assistant","content":[{"type":"thinking","thinking":%s,%s},{"type":"tool_use","id":%q,"name":"read_file","input":{"path":"a%d"}}]}`, quoted(strings.Repeat("I look. ", long/2)), thought, id, n),
							fmt.Sprintf(a.result, id, quoted(g.output(id))))
						before := len(f.log.String())
						post(t, f.url+a.path, a.body(messages, false))
						if sent := up.last(); strings.Contains(sent, id) && !strings.Contains(sent, thought) {
							t.Errorf("step %d: %s is sent without its thinking", n, id)
						}
						if room := budget >= long*4; room == strings.Contains(f.log.String()[before:], "impossible") {
							t.Errorf("step %d: %s", n, f.log.String()[before:])
						}
					}
				})
			}
		}
	}
}

// DeepSeek and others that speak Chat Completions refuse an open tool round without what was
// thought in it, too.
//
// SPEC: V3, V4, B6
func TestOpenRoundKeepsItsReasoning(t *testing.T) {
	for _, budget := range []int{1200, 1800, 2500, 4000} {
		a := apiNamed(t, "openai")
		a.model = "deepseek-v4-flash"
		up := newProvider(t)
		up.lax = true
		o := options(up.url)
		o.Budget = budget
		f := serve(t, o)
		g := newAgent(t, a, f.url, false)
		messages := []string{a.first}
		for n := range 8 {
			id, thought := fmt.Sprintf("call_%d", n), fmt.Sprintf("Step %d. ", n)
			g.lines = 30
			messages = append(messages,
				fmt.Sprintf(`{"role":"assistant","content":"","reasoning_content":%s,"tool_calls":[{"id":%q,"type":"function","function":{"name":"read_file","arguments":"{\"path\":\"a%d\"}"}}]}`, quoted(thought+strings.Repeat("I look. ", 300)), id, n),
				fmt.Sprintf(a.result, id, quoted(g.output(id))))
			post(t, f.url+a.path, a.body(messages, false))
			if sent := up.last(); strings.Contains(sent, `"`+id+`"`) && !strings.Contains(sent, `"reasoning_content":"`+thought) {
				t.Errorf("%d tokens, step %d: %s is sent without what was thought", budget, n, id)
			}
		}
	}
}
