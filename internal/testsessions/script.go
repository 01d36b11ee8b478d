package testsessions

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/seed-3db51b0e/precis/codec/anthropic"
	"github.com/seed-3db51b0e/precis/codec/openai"
	"github.com/seed-3db51b0e/precis/message"
)

// script is a session being written: the project as it stands, and what was
// said so far.
type script struct {
	rng      *rand.Rand
	dialect  string
	world    *world
	system   string
	messages []message.Message
	facts    []Fact
	pile     []int // causes of complaints that did not come yet
}

// call is one call and its result.
type call struct {
	tool   string
	args   object
	out    string
	failed bool
}

// object is a JSON object that keeps its order: name, value, name, value.
type object []any

// MarshalJSON writes the members in order.
func (o object) MarshalJSON() ([]byte, error) {
	var b strings.Builder
	b.WriteByte('{')
	for i := 0; i+1 < len(o); i += 2 {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(quote(o[i]) + ":" + quote(o[i+1]))
	}
	b.WriteByte('}')
	return []byte(b.String()), nil
}

// quote is v as JSON, with <, > and & as they are.
func quote(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "null" // strings, numbers and lists of them only: it cannot be
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func newScript(rng *rand.Rand, o Options) *script {
	s := &script{rng: rng, dialect: o.Dialect, world: newWorld(rng)}
	s.system = s.world.fill(systemPrompt)
	if s.dialect == OpenAI {
		s.put(object{"role", "system", "content", s.system})
	}
	return s
}

// put adds a message of the API's own form.
func (s *script) put(o object) {
	parse := anthropic.ParseMessage
	if s.dialect == OpenAI {
		parse = openai.ParseMessage
	}
	m, err := parse([]byte(quote(o)))
	if err != nil {
		panic(fmt.Sprintf("synth: own message does not parse: %v", err))
	}
	s.messages = append(s.messages, m)
}

// ask lets the user speak.
func (s *script) ask(text string) { s.put(object{"role", "user", "content", s.world.fill(text)}) }

// answer lets the agent speak without calling a tool.
func (s *script) answer(text string) {
	text = s.world.fill(text)
	if s.dialect == OpenAI {
		s.put(object{"role", "assistant", "content", text})
		return
	}
	s.put(object{"role", "assistant", "content", []any{object{"type", "text", "text", text}}})
}

// do lets the agent call tools, with a word of explanation or none, and gives
// the results.
func (s *script) do(text string, calls ...call) {
	text = s.world.fill(text)
	ids := make([]string, len(calls))
	for i := range ids {
		ids[i] = s.callID()
	}
	if s.dialect == OpenAI {
		s.doOpenAI(text, ids, calls)
		return
	}
	var blocks, results []any
	if text != "" {
		blocks = append(blocks, object{"type", "text", "text", text})
	}
	for i, c := range calls {
		blocks = append(blocks, object{"type", "tool_use", "id", ids[i], "name", c.tool, "input", c.args})
		r := object{"type", "tool_result", "tool_use_id", ids[i], "content", c.out}
		if c.failed {
			r = append(r, "is_error", true)
		}
		results = append(results, r)
	}
	s.put(object{"role", "assistant", "content", blocks})
	s.put(object{"role", "user", "content", results})
}

func (s *script) doOpenAI(text string, ids []string, calls []call) {
	var list []any
	for i, c := range calls {
		list = append(list, object{"id", ids[i], "type", "function", "function", object{"name", c.tool, "arguments", quote(c.args)}})
	}
	var content any
	if text != "" {
		content = text
	}
	s.put(object{"role", "assistant", "content", content, "tool_calls", list})
	for i, c := range calls {
		s.put(object{"role", "tool", "tool_call_id", ids[i], "content", c.out})
	}
}

func (s *script) callID() string {
	prefix := "toolu_01"
	if s.dialect == OpenAI {
		prefix = "call_"
	}
	return prefix + s.word(alphanumeric, 22)
}

const (
	alphanumeric = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	hexDigits    = "0123456789abcdef"
)

// word draws n characters.
func (s *script) word(from string, n int) string { return draw(s.rng, from, n) }

func draw(rng *rand.Rand, from string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = from[rng.IntN(len(from))]
	}
	return string(b)
}

// one picks one of several ways to say it.
func (s *script) one(of ...string) string { return of[s.rng.IntN(len(of))] }

// plant remembers that the newest message that holds value says it first.
func (s *script) plant(k Kind, value string) int {
	value = s.world.fill(value)
	for i := len(s.messages) - 1; i >= 0; i-- {
		if holds(s.messages[i], value) {
			s.facts = append(s.facts, Fact{Kind: k, Value: value, Message: i, SupersededBy: -1})
			return len(s.facts) - 1
		}
	}
	panic(fmt.Sprintf("synth: %q was not said", value))
}

// need remembers that the newest message that holds the fact's value uses it.
func (s *script) need(fact int) {
	f := &s.facts[fact]
	for i := len(s.messages) - 1; i > f.Message; i-- {
		if holds(s.messages[i], f.Value) {
			f.Needed = append(f.Needed, i)
			return
		}
	}
	panic(fmt.Sprintf("synth: %q was not used again", f.Value))
}

// replace remembers that the fact now took the place of old.
func (s *script) replace(old, now int) { s.facts[old].SupersededBy = now }

// holds reports whether a message says value, in text, arguments or results.
func holds(m message.Message, value string) bool {
	in := strings.Trim(quote(value), `"`)
	for _, p := range m.Parts {
		if strings.Contains(p.Body(), value) || p.Kind == message.Call && strings.Contains(p.Args, in) {
			return true
		}
	}
	return false
}
