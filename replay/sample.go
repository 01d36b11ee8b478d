package replay

import (
	"hash/fnv"
	"sync"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/replay/judge"
)

// Sampled adds up what the judges found at the steps at which they were asked.
type Sampled struct {
	Steps  int
	Tokens int // of the prompts of these steps
	Recall [classes]Recall
	// Copied counts the characters that actions copy, by who said them last and how
	// long ago ("assistant <1/4").
	Copied map[string]judge.Copied `json:",omitempty"`
	Bits   Bits
	// State counts, by judge, statements, side effects and rules, and those that are as
	// they should be. The kinds of truth are judges of their own.
	State map[string]judge.Count `json:",omitempty"`
	// Untrue are some of the statements that were not true.
	Untrue []Untrue `json:",omitempty"`
}

// Untrue is a statement of a state that the messages do not bear out.
type Untrue struct {
	Run  string `json:"run"`
	Step int    `json:"step"`
	Kind string `json:"kind"`
	Text string `json:"text"`
}

// mostUntrue is how many are kept of a run and kind.
const mostUntrue = 3

// untrue keeps a statement, unless there are enough of its kind.
func (s *Sampled) untrue(u Untrue) {
	n := 0
	for i := range s.Untrue {
		if s.Untrue[i].Text == u.Text {
			return
		}
		n += one(s.Untrue[i].Kind == u.Kind)
	}
	if n < mostUntrue {
		s.Untrue = append(s.Untrue, u)
	}
}

// Bits are the costs of the actions after the whole history, after its first two and last
// two messages, and after the prompts.
type Bits struct{ Whole, Floor, Prompt float64 }

func (s *Sampled) join(o *Sampled) {
	s.Steps += o.Steps
	s.Tokens += o.Tokens
	for c := range s.Recall {
		s.Recall[c].join(o.Recall[c])
	}
	for k, n := range o.Copied {
		if s.Copied == nil {
			s.Copied = map[string]judge.Copied{}
		}
		was := s.Copied[k]
		s.Copied[k] = judge.Copied{All: was.All + n.All, Whole: was.Whole + n.Whole, Any: was.Any + n.Any}
	}
	for k, n := range o.State {
		s.count(k, n)
	}
	s.Bits = Bits{s.Bits.Whole + o.Bits.Whole, s.Bits.Floor + o.Bits.Floor, s.Bits.Prompt + o.Bits.Prompt}
}

func (s *Sampled) count(name string, n judge.Count) {
	if n.All == 0 {
		return
	}
	if s.State == nil {
		s.State = map[string]judge.Count{}
	}
	was := s.State[name]
	s.State[name] = judge.Count{All: was.All + n.All, Right: was.Right + n.Right}
}

// copied is the sum over all sources.
func (s *Sampled) copied() (n judge.Copied) {
	for _, c := range s.Copied {
		n = judge.Copied{All: n.All + c.All, Whole: n.Whole + c.Whole, Any: n.Any + c.Any}
	}
	return n
}

// sampler knows of a run what the judges of every policy need. Its methods want the
// lock held.
type sampler struct {
	x      *Index
	ask    Ask
	offset int // tells runs apart, so that not all are asked at their first steps
	mu     sync.Mutex
	said   []judge.Said // the history, a system prompt of its own in front
	system int          // 1 where there is one
	model  *judge.Model
	bits   map[int]Bits // by step: Whole and Floor
	copies map[int]judge.Copies
	record *judge.Record
	shorts map[string]*shorts // by name of the control
}

func newSampler(x *Index) *sampler {
	p := &sampler{x: x, ask: x.judge.Ask, bits: map[int]Bits{}, copies: map[int]judge.Copies{}, shorts: map[string]*shorts{}}
	p.ask.Every = max(p.ask.Every, 1)
	h := fnv.New32a()
	_, _ = h.Write([]byte(x.run.ID)) // a hash takes everything
	p.offset = int(h.Sum32() % uint32(p.ask.Every))
	return p
}

// history is all that was said before a step.
func (p *sampler) history(at int) []judge.Said {
	if p.said == nil {
		p.said = p.shown(p.x.run.Messages)
		p.system = len(p.said) - len(p.x.run.Messages)
	}
	return p.said[:at+p.system]
}

// shown returns the text of a prompt.
func (p *sampler) shown(ms []message.Message) (said []judge.Said) {
	if len(p.x.run.System) > 0 {
		said = append(said, judge.SaidOf(message.Message{Role: message.System, Parts: p.x.run.System}))
	}
	for i := range ms {
		said = append(said, judge.SaidOf(ms[i]))
	}
	return said
}

func (p *sampler) action(at int) judge.Said { return judge.SaidOf(p.x.run.Messages[at]) }

// bounds are the bits of a step's action after the whole history and after the floor.
func (p *sampler) bounds(at int) Bits {
	b, ok := p.bits[at]
	if ok {
		return b
	}
	if p.model == nil {
		p.model = p.ask.Primers.modelFor(p.x.run)
	}
	h, a := p.history(at), p.action(at).Text
	b.Whole = p.model.Bits(judge.Join(h), a)
	b.Floor = p.model.Bits(judge.Join(h[:min(2, len(h))])+judge.Join(h[min(max(2, len(h)-2), len(h)):]), a)
	p.bits[at] = b
	return b
}

// sampling asks the judges about the prompts of one policy. A nil one asks nothing.
type sampling struct {
	*sampler
	budget   int
	seen     int
	own      *Sampled
	controls []*controlled
}

// sampling begins for a policy; what it finds out is in s.
func (x *Index) sampling(s *Score, p Policy, budget int) *sampling {
	if x.sampler == nil || p.measures() {
		return nil
	}
	g := &sampling{sampler: x.sampler, budget: budget, own: &Sampled{}}
	s.Sampled = g.own
	if p.Controlled {
		s.Controls = map[string]*Sampled{}
		for _, c := range controls {
			if !g.ask.wants(AskControls) && !(c.name == AskRecency && g.ask.wants(AskRecency)) {
				continue
			}
			s.Controls[c.name] = &Sampled{}
			g.controls = append(g.controls, &controlled{control: c, view: newView(x), into: s.Controls[c.name]})
		}
	}
	return g
}

// step asks, if this step is one of those.
func (g *sampling) step(st step, ms []message.Message, v *view) {
	if g == nil || !exceeds(g.x.sums[st.at], g.budget) {
		return
	}
	if g.seen++; (g.seen+g.offset)%g.ask.Every != 0 {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.measure(g.own, st, ms, v)
	for _, c := range g.controls {
		ms := g.filled(c, st.at, v.tokens)
		c.view.show(Prompt{Messages: ms})
		g.measure(c.into, st, ms, c.view)
	}
}

// measure asks every judge about one prompt, which v shows.
func (g *sampling) measure(into *Sampled, st step, ms []message.Message, v *view) {
	into.Steps++
	into.Tokens += v.tokens
	for _, n := range st.needs {
		lit, sup, ptr := v.found(n.value, st.at)
		for c, in := range n.classes(g.budget) {
			if in {
				into.Recall[c].count(lit, sup, ptr)
			}
		}
	}
	shown := g.shown(ms)
	g.state(into, st.at, shown, v)
	if g.ask.wants(AskReuse) {
		copies, ok := g.copies[st.at]
		if !ok {
			copies = judge.CopiesOf(g.history(st.at), g.action(st.at))
			g.copies[st.at] = copies
		}
		found := map[judge.Source]judge.Copied{}
		copies.Held(found, shown, g.budget)
		into.reused(found)
	}
	if g.ask.wants(AskBits) {
		b := g.bounds(st.at)
		b.Prompt = g.model.Bits(judge.Join(shown), g.action(st.at).Text)
		into.join(&Sampled{Bits: b})
	}
}

// state asks what needs a record of the run: truth, redo, rules.
func (g *sampling) state(into *Sampled, at int, shown []judge.Said, v *view) {
	if g.record == nil {
		g.record = judge.RecordOf(g.x.run.Messages)
	}
	var made []string // by the policy
	for _, f := range v.shown {
		if f.logged < 0 {
			made = append(made, f.text)
		}
	}
	if g.ask.wants(AskTruth) {
		for _, c := range g.record.Truth(at, made) {
			n := judge.Count{All: 1, Right: one(c.Right)}
			into.count(c.Kind, n)
			into.count(AskTruth, n)
			if !c.Right {
				into.untrue(Untrue{g.x.run.ID, at, c.Kind, cut(c.Text, longestLine)})
			}
		}
	}
	if g.ask.wants(AskRedo) {
		into.count(AskRedo, g.record.Redo(at, shown))
	}
	if g.ask.wants(AskRules) {
		into.count(AskRules, g.record.Rules(at, shown))
		into.count(unforged, g.record.Own(at, made))
	}
}

// unforged are the statements about what users want that no tool made.
const unforged = "unforged"

func (s *Sampled) reused(found map[judge.Source]judge.Copied) {
	named := &Sampled{Copied: map[string]judge.Copied{}}
	for source, n := range found {
		named.Copied[source.String()] = n
	}
	s.join(named)
}
