package replay

import (
	"slices"
	"strings"
	"sync"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/message"
)

// Run is one recorded conversation.
type Run struct {
	ID       string
	Source   string // where it was recorded: runs of one source are judged together
	Messages []message.Message
	System   []message.Part // a system prompt kept apart from the messages
	Tools    []codec.Tool
	Ref      Ref // where it was read from
}

// Judge describes how runs are read.
type Judge struct {
	// Count counts a message in tokens, framing included. Required.
	Count func(message.Message) int
	// Fixed returns what every request of a run costs beside its messages, in
	// tokens; nil is nothing.
	Fixed func(Run) int
	// Common holds values that are common vocabulary: never strict.
	Common map[string]bool
	// Prices are the price lists to give costs under; empty for the list Prices.
	Prices []Price
	// Encode writes a prompt as the body of a request, which Dialect names, to
	// be checked and dumped. Without it a prompt is only checked for calls and
	// results that were parted.
	Encode  func(Run, []message.Message) ([]byte, error)
	Dialect string
	// Ask names further judges.
	Ask Ask
	// Keep, if set, is given prompts that lack something, a few of each run, and says
	// where they are then. It is called from several goroutines.
	Keep func(Kept) (file string, err error)
}

func (j Judge) prices() []Price {
	if len(j.Prices) == 0 {
		return Prices
	}
	return j.Prices
}

func (j Judge) fixed(r Run) int {
	if j.Fixed == nil {
		return 0
	}
	return j.Fixed(r)
}

// Index is a run read once: its values, where they are mentioned, and what
// every step needs. Immutable but for what its sampler remembers; safe for concurrent
// use.
type Index struct {
	run   Run
	judge Judge
	fixed int // tokens of a request beside its messages
	keys  []key
	sums  []int // tokens of a request with messages [0:i]
	ids   map[string]int32
	words map[string]int32
	facts map[key]*facts
	first []int32           // by value: position of its first mention
	kinds []valueKind       // by value
	lines []map[int32]int32 // by value: content word of a line it stood on → first position
	steps []step
	asked []string // texts of questions
	head  int      // tokens of the leading system messages and the first user message

	spelled sync.Once
	values  []string // by value, once spelled
	sampler *sampler // nil where no further judges are asked
}

// step is an assistant message about to be produced.
type step struct {
	at    int
	needs []need
	asked []question
}

// need is a dependency: a value the step uses that was said before.
type need struct {
	value    int32
	distance int  // tokens between the value's last mention and the step
	last     int  // message of that mention
	strict   bool // see Class
}

// NewIndex reads a run.
func NewIndex(r Run, j Judge) *Index {
	x := &Index{run: r, judge: j, fixed: j.fixed(r), ids: map[string]int32{}, words: map[string]int32{}, facts: map[key]*facts{}}
	excluded := x.excluded()
	x.sums = append(x.sums, x.fixed)
	var last []int // by value: position of its last mention
	asks := asker{ids: map[string]int32{}}
	for t, m := range r.Messages {
		ms := mentions(m, true)
		f := x.log(t, m, ms, excluded)
		if x.isStep(t) {
			x.steps = append(x.steps, step{t, x.needs(t, f, last), asks.questions()})
		}
		for len(last) < len(x.first) {
			last = append(last, t)
		}
		for _, v := range f.values {
			last[v] = t
		}
		x.sums = append(x.sums, x.sums[t]+f.tokens)
		asks.read(m)
	}
	x.asked = asks.texts
	x.mark()
	x.head = x.headTokens()
	if len(j.Ask.Judges) > 0 {
		x.sampler = newSampler(x)
	}
	return x
}

// isStep reports whether message t is a reply that a prompt was sent for: an
// assistant message with a history, and not the next record of the same reply,
// as session files hold them block by block.
func (x *Index) isStep(t int) bool {
	ms := x.run.Messages
	if t == 0 || ms[t].Role != message.Assistant {
		return false
	}
	return ms[t-1].Role != message.Assistant || !x.run.Ref.session
}

// excluded returns what no step depends on: names of tools and of their arguments,
// and what the system prompt says.
func (x *Index) excluded() map[string]bool {
	set := map[string]bool{}
	system := func(m message.Message) {
		for _, a := range mentions(m, false) {
			set[a.value.Text] = true
		}
	}
	system(message.Message{Parts: x.run.System})
	for _, m := range x.run.Messages {
		for i := range m.Parts {
			if m.Parts[i].Kind == message.Call {
				set[m.Parts[i].Name] = true
				argumentNames(m.Parts[i].Args, set)
			}
		}
		if m.Role == message.System {
			system(m)
		}
	}
	return set
}

// log notes message t and its mentions.
func (x *Index) log(t int, m message.Message, ms []mention, excluded map[string]bool) *facts {
	k := keyOf(m)
	x.keys = append(x.keys, k)
	ms = slices.DeleteFunc(ms, func(a mention) bool { return excluded[a.value.Text] })
	for _, a := range ms {
		v := x.intern(a.value, t)
		for _, w := range a.line {
			id := x.word(w.text)
			if _, ok := x.lines[v][id]; !ok {
				x.lines[v][id] = int32(t)
			}
		}
		for _, w := range a.near {
			x.word(w.text)
		}
	}
	f, ok := x.facts[k]
	if !ok {
		f = x.gather(m, ms)
		f.logged = t
		x.facts[k] = f
	}
	return f
}

func (x *Index) intern(v value, t int) int32 {
	id, ok := x.ids[v.Text]
	if !ok {
		id = int32(len(x.ids))
		x.ids[v.Text] = id
		x.kinds = append(x.kinds, v.Kind)
		x.first = append(x.first, int32(t))
		x.lines = append(x.lines, map[int32]int32{})
	}
	return id
}

func (x *Index) word(w string) int32 {
	id, ok := x.words[w]
	if !ok {
		id = int32(len(x.words))
		x.words[w] = id
	}
	return id
}

// gather sums mentions up into facts. It only looks up: what the log never
// said does not matter.
func (x *Index) gather(m message.Message, ms []mention) *facts {
	f := &facts{tokens: x.judge.Count(m), logged: -1, blocks: len(m.Parts), role: m.Role, text: said(m)}
	if m.Has(message.Result) {
		f.role = message.Tool
	}
	f.arguments = f.tokens * argumentBytes(m) / max(len(f.text), 1)
	near := map[int32][]int32{}
	for _, a := range ms {
		v, ok := x.ids[a.value.Text]
		if !ok {
			continue
		}
		ws := near[v]
		for _, w := range a.near {
			if id, ok := x.words[w.text]; ok {
				ws = append(ws, id)
			}
		}
		near[v] = ws
	}
	for v := range near {
		f.values = append(f.values, v)
	}
	slices.Sort(f.values)
	for _, v := range f.values {
		slices.Sort(near[v])
		f.near = append(f.near, slices.Compact(near[v]))
	}
	return f
}

// needs are the values of step t that were mentioned before it.
func (x *Index) needs(t int, f *facts, last []int) []need {
	var ns []need
	for _, v := range f.values {
		if int(v) >= len(last) {
			continue
		}
		ns = append(ns, need{v, x.sums[t] - x.sums[last[v]+1], last[v], false})
	}
	return ns
}

// strictPrefixes open names that belong to a language, not to a run.
var strictPrefixes = []string{
	"self.", "this.", "cls.", "os.", "sys.", "re.", "np.", "pd.", "json.", "math.",
	"JSON.", "Math.", "Object.", "Array.", "Promise.", "console.", "process.", "window.", "document.",
}

// mark decides which values are strict and notes it on the needs.
func (x *Index) mark() {
	strict := make([]bool, len(x.first))
	for s, v := range x.ids {
		m := x.run.Messages[x.first[v]]
		said := m.Role == message.User || m.Role == message.Tool
		own := !slices.ContainsFunc(strictPrefixes, func(p string) bool { return strings.HasPrefix(s, p) })
		strict[v] = said && own && !x.judge.Common[s]
	}
	for i := range x.steps {
		for j := range x.steps[i].needs {
			n := &x.steps[i].needs[j]
			n.strict = strict[n.value]
		}
	}
}

// speaker is who said a value first: user, tool or agent.
func (x *Index) speaker(v int32) string {
	switch m := x.run.Messages[x.first[v]]; {
	case m.Has(message.Result) || m.Role == message.Tool:
		return "tool"
	case m.Role == message.Assistant:
		return "agent"
	}
	return "user"
}

func (x *Index) headTokens() int {
	n := x.fixed
	for i, m := range x.run.Messages {
		if m.Role != message.System && m.Role != message.User {
			continue
		}
		n += x.sums[i+1] - x.sums[i]
		if m.Role == message.User {
			break
		}
	}
	return n
}

// tokens is the cost of the whole run as one request.
func (x *Index) tokens() int { return x.sums[len(x.sums)-1] }

// enters reports whether the run is judged at a budget: it is clearly longer than that, and what is
// pinned at its head takes no more than half of it.
func (x *Index) enters(budget int) bool {
	return exceeds(x.tokens(), budget) && x.head*2 <= budget
}

// exceeds reports whether a history of so many tokens is clearly longer than a budget: than 1.05 of it.
func exceeds(tokens, budget int) bool { return tokens*100 > budget*105 }
