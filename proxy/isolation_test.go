package proxy_test

import (
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-3db51b0e/precis/internal/fakeprovider"
	"github.com/seed-3db51b0e/precis/internal/hostile"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/proxy"
	"github.com/seed-3db51b0e/precis/store/memory"
)

// A request that is the beginning of somebody's long conversation goes up as it came,
// without tools that read the rest. With tools on always, they find nothing of it.
//
// SPEC: V10, V11
func TestPrefixIsItsOwnView(t *testing.T) {
	for _, a := range apis {
		for _, recall := range []proxy.Recall{proxy.RecallWithPlan, proxy.RecallAlways} {
			t.Run(a.name+"/"+string(recall), func(t *testing.T) {
				up := newProvider(t)
				o := options(up.url)
				o.Budget, o.Prompt.Recall = budget, recall
				f := serve(t, o)
				long := newAgent(t, a, f.url, false)
				for f.plans(t) == 0 {
					long.step()
				}
				long.step()
				stranger := newAgent(t, a, f.url, false)
				if recall == proxy.RecallWithPlan {
					stranger.step()
					if up.last() != stranger.sent {
						t.Errorf("%d bytes became %d", len(stranger.sent), len(up.last()))
					}
					return
				}
				up.speak(a, looksFor(look("r1", `{"query":"step_call_0001_3"}`), [3]string{"r2", "precis_read", `{"id":"#3"}`}, [3]string{"r3", "precis_list", `{}`}))
				stranger.step()
				if body := up.last(); !strings.Contains(body, `"r2"`) || strings.Contains(strings.ReplaceAll(body, `"step_call_0001_3`, ""), "step_call") {
					t.Errorf("the look-up showed %s", body[len(body)-2000:])
				}
			})
		}
	}
}

// looksFor makes the calls, then answers.
func looksFor(calls ...[3]string) func(string) *line {
	asked := false
	return func(string) *line {
		if asked {
			return &line{text: "Done."}
		}
		asked = true
		return &line{calls: calls}
	}
}

// talker is one conversation of a population: its messages, and the values that it
// holds.
type talker struct{ messages []string }

func (c talker) says(a api, text string) talker {
	return talker{append(slices.Clip(c.messages), userSays(a, text))}
}

// population is many conversations behind one key, that begin alike, repeat
// themselves, go back and are rewritten.
type population struct {
	t       *rapid.T
	api     api
	front   *proxy.Proxy
	talkers []talker
	values  []string
	client  string // what the current request holds
	turns   int
	tools   int // how often they were declared
}

var planted = regexp.MustCompile(`VAL[0-9]+X`)

// filler is text that all conversations share.
var filler = strings.Repeat("The general terms apply to every order and every customer alike. ", 60)

// A value that one conversation holds never appears in a prompt, in a look-up or in an
// answer of one that does not.
//
// SPEC: V10
func TestPopulationsStayApart(t *testing.T) {
	var now *population
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { now.provide(w, r) }))
	t.Cleanup(up.Close)
	tools := 0
	attack := hostile.Begin(t, "isolation", 100, 3000)
	attack.Rapid()
	attack.Found("populations of conversations that begin alike; no value in a prompt or look-up of one that does not hold it")
	rapid.Check(t, func(rt *rapid.T) {
		o := options(up.URL)
		o.Engine.Store, o.Budget = memory.New(), budget
		o.Prompt.Recall = rapid.SampledFrom([]proxy.Recall{proxy.RecallWithPlan, proxy.RecallWithPlan, proxy.RecallAlways}).Draw(rt, "recall")
		var err error
		if o.Engine.Policy, err = policy.Named(rapid.SampledFrom(policy.Names()).Draw(rt, "policy")); err != nil {
			rt.Fatal(err)
		}
		p, err := proxy.New(o)
		if err != nil {
			rt.Fatal(err)
		}
		defer p.Close()
		now = &population{t: rt, api: rapid.SampledFrom(apis).Draw(rt, "api"), front: p}
		for range rapid.IntRange(10, 45).Draw(rt, "requests") {
			now.act()
		}
		tools += now.tools
	})
	if tools == 0 && !testing.Short() { // the few populations of the short form may all be without
		t.Error("no request declared the tools")
	}
}

// act is one request: of a new conversation, or of one that goes on, repeats itself,
// goes back, is rewritten, or parts in two.
func (p *population) act() {
	kind := "new"
	if len(p.talkers) > 0 {
		kind = rapid.SampledFrom([]string{"new", "on", "on", "on", "on", "on", "on", "repeat", "back", "rewrite", "part"}).Draw(p.t, "act")
	}
	if kind == "new" {
		first := p.api.first
		if rapid.Bool().Draw(p.t, "other") {
			first = strings.Replace(first, "Find out", "Say", 1)
		}
		p.talkers = append(p.talkers, talker{[]string{first}})
		p.ask(len(p.talkers) - 1)
		return
	}
	n := rapid.IntRange(max(0, len(p.talkers)-3), len(p.talkers)-1).Draw(p.t, "who")
	c := p.talkers[n]
	switch kind {
	case "on":
		p.talkers[n] = c.says(p.api, p.text())
	case "back":
		c.messages = c.messages[:rapid.IntRange(1, len(c.messages)).Draw(p.t, "to")]
		p.talkers[n] = c.says(p.api, p.text())
	case "rewrite":
		c.messages = slices.Clone(c.messages)
		if at := rapid.IntRange(0, len(c.messages)-1).Draw(p.t, "at"); at > 0 {
			c.messages[at] = planted.ReplaceAllString(c.messages[at], "REWRITTEN")
		}
		p.talkers[n] = c.says(p.api, p.text())
	case "part":
		c.messages = c.messages[:rapid.IntRange(1, len(c.messages)).Draw(p.t, "to")]
		p.talkers = append(p.talkers, c)
		n = len(p.talkers) - 1
	}
	p.ask(n)
}

// text is what a user says: what others say too, or a value of their own, in words
// that summaries keep.
func (p *population) text() string {
	value := fmt.Sprintf("VAL%dX", 1000+len(p.values))
	text := rapid.SampledFrom([]string{
		"Go on.", "Thanks. What now?", filler, "My card number is %s. " + filler, "You must never ship to %s. " + filler,
		"Please edit /srv/%s.go. " + filler, "We decided to use %s instead. Error: %s failed with exit code 1. " + filler,
	}).Draw(p.t, "text")
	if strings.Contains(text, "%s") {
		p.values = append(p.values, value)
		text = strings.ReplaceAll(text, "%s", value)
	}
	return text
}

// ask sends a conversation, and adds the answer.
func (p *population) ask(n int) {
	c := &p.talkers[n]
	p.client = p.api.body(c.messages, false)
	r := httptest.NewRequest(http.MethodPost, p.api.path, strings.NewReader(p.client))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer one key for all")
	w := httptest.NewRecorder()
	p.front.ServeHTTP(w, r)
	p.holds("answer", w.Body.String())
	reply, err := p.api.codec.Reply(w.Code, w.Body.Bytes())
	if err != nil || w.Code != http.StatusOK {
		p.t.Fatalf("status %d, %v: %s", w.Code, err, w.Body)
	}
	for _, m := range reply.Messages() {
		c.messages = append(slices.Clip(c.messages), string(m.Raw))
	}
}

// holds fails where a text has a value that the client did not send.
func (p *population) holds(what, text string) {
	for _, v := range planted.FindAllString(text, -1) {
		if !strings.Contains(p.client, v) {
			at := strings.Index(text, v)
			p.t.Errorf("%s: %s of another conversation in the %s: …%s…", p.api.name, v, what, text[max(0, at-300):min(len(text), at+200)])
			return
		}
	}
}

// provide answers as a model does that is curious about other people: what follows
// from the request alone.
func (p *population) provide(w http.ResponseWriter, r *http.Request) {
	b, _ := io.ReadAll(r.Body)
	body := string(b)
	p.holds("prompt", body)
	h := fnv.New32()
	_, _ = h.Write(b)
	dice := h.Sum32()
	p.turns++
	answer := fakeprovider.Reply{ID: fmt.Sprintf("r%d", dice%9999), Model: p.api.model, Text: []string{"How can I help?", "Noted.", "Fine. " + filler}[dice%3], Input: 10, Output: 3}
	declared := strings.Contains(body, `"precis_grep"`)
	if declared {
		p.tools++
	}
	if own := planted.FindString(body); own != "" && dice%5 == 0 {
		answer.Text += " You said " + own + "."
	}
	if declared && dice%2 == 0 {
		lookups := [][2]string{
			{"precis_grep", `{"query":"VAL"}`},
			{"precis_list", `{}`},
			{"precis_read", fmt.Sprintf(`{"id":"#%d"}`, 1+dice%60)},
			{"precis_describe", fmt.Sprintf(`{"id":"#%d"}`, 1+dice%60)},
			{"precis_grep", `{"query":"card number"}`},
		}
		for i := range 3 {
			l := lookups[(int(dice/8)+i)%len(lookups)]
			answer.Calls = append(answer.Calls, fakeprovider.Call{ID: fmt.Sprintf("look_%d_%d", p.turns, i), Name: l[0], Args: l[1]})
		}
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, answer.Whole(p.api.name))
}
