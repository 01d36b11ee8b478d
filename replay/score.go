package replay

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/replay/judge"
	"github.com/seed-3db51b0e/precis/wirecheck"
)

// Class is a set of dependencies.
type Class int

// The classes. LongRange are those whose value was last mentioned more than a quarter
// budget before the step, ExtraLongRange more than a budget. A strict one was first said
// by the user or a tool and is not common vocabulary.
const (
	All Class = iota
	LongRange
	LongRangeStrict
	ExtraLongRange
	ExtraLongRangeStrict
	classes
)

// String names the class as rows do.
func (c Class) String() string {
	return [classes]string{"all", "lr", "lr_strict", "xlr", "xlr_strict"}[c]
}

// Recall counts dependencies, and those the prompt met.
type Recall struct {
	Needs      int
	Literal    int // the value is in the prompt
	Supported  int // … beside a word of a line it came from
	Referenced int // in the prompt, or a pointer to a message that has it is
}

func (r *Recall) count(lit, sup, ptr bool) {
	r.Needs++
	r.Literal += one(lit)
	r.Supported += one(sup)
	r.Referenced += one(ptr)
}

func (r *Recall) join(o Recall) {
	r.Needs += o.Needs
	r.Literal += o.Literal
	r.Supported += o.Supported
	r.Referenced += o.Referenced
}

// Tally counts questions and those answered yes.
type Tally struct{ Asked, Met int }

// spend holds what tokens of prompts were spent on.
type spend int

// The spends. Made counts what the policy wrote: summaries, previews, stubs.
const (
	spentSystem spend = iota
	spentUser
	spentAssistant
	spentArguments
	spentResults
	spentMade
	spends
)

// Spends names what tokens are spent on, as rows do, in the order shown.
var Spends = [spends]string{"system", "user", "assistant", "arguments", "results", "made"}

func (s spend) String() string { return Spends[s] }

// Trace is a run's prompts, step by step.
type Trace struct {
	Step   []int  // index of the assistant message about to be produced
	Tokens []int  // of the prompt
	Broke  []bool // the prompt does not begin with the one before
}

// Score holds what one policy did with one run.
type Score struct {
	Run string
	// Left says that the run was left out: it does not enter at the budget.
	Left   bool            `json:",omitempty"`
	Steps  int             // assistant messages with a history
	Active int             // those whose whole history is over the budget
	Recall [classes]Recall // over active steps
	// Lost counts strict long-range dependencies by kind of value.
	Lost map[string]Tally
	// Probes are over active steps.
	Probes [probes]Tally
	// Billed is the input of all steps, under each of the judge's prices.
	Billed []float64
	Tokens int         // of all prompts
	Spent  [spends]int // Tokens by what they were spent on
	Peak   int         // tokens of the largest prompt
	Over   int         // active steps whose prompt is over the budget
	// Invalid counts steps whose prompt its provider would refuse; Fault is the
	// first reason.
	Invalid int
	Fault   string `json:",omitempty"`
	Breaks  int    // prompts that do not begin with the one before
	// Failed counts steps for which the policy gave no prompt; the history goes
	// out as it is then.
	Failed   int
	Outcomes map[string]int
	// Verdicts on the price of compactions, and how they came out.
	Verdicts map[string]Judged `json:",omitempty"`
	// Search counts strict long-range needs that were not in the prompt, and those
	// that a search by the step's own words finds; Named those that one finds that has
	// the names of the step, too, which the prompt shows or nobody said before.
	Search, Named Tally
	// Sampled holds what the judges of Ask found, Controls the same of plain prompts
	// of as many tokens, by name.
	Sampled  *Sampled            `json:",omitempty"`
	Controls map[string]*Sampled `json:",omitempty"`
	// Spoken counts needs by who said the value first and how long ago it was said last
	// ("tool <1/4"), over active steps.
	Spoken map[string]Recall `json:",omitempty"`
	Wear   Wear
	// Misses are some of the strict long-range needs that were not met, if Keep is set.
	Misses []Miss `json:",omitempty"`
	Timed  bool   // the records say when
	Trace  Trace

	open   []pending
	sought sought
	kept   int // prompts
}

// Watch is called after each step with the body of its request and the tokens
// of its prompt.
type Watch func(step int, body []byte, tokens int) error

// Replay runs a policy over a run, step by step. watch may be nil; it needs a
// judge that encodes.
func (x *Index) Replay(ctx context.Context, p Policy, budget int, watch Watch) (s Score, err error) {
	v := newView(x)
	s = Score{Run: x.run.ID, Outcomes: map[string]int{}, Lost: map[string]Tally{}, Spoken: map[string]Recall{}}
	set := Setup{Run: x.run, Budget: budget, Fixed: x.fixed, Count: v.count, future: x}
	set.Run.Messages = nil
	next, stop, err := p.Start(ctx, set)
	if err != nil {
		return s, fmt.Errorf("start %s on %s: %w", p.Name, x.run.ID, err)
	}
	if stop != nil {
		defer func() { err = errors.Join(err, stop()) }()
	}
	bills, judges := x.caches(), x.sampling(&s, p, budget)
	s.Billed = make([]float64, len(bills))
	for _, st := range x.steps {
		prompt := s.ask(ctx, next, x.run.Messages[:st.at:st.at])
		if err := ctx.Err(); err != nil {
			return s, err
		}
		r := v.show(prompt)
		r.at = x.run.Messages[st.at].Time
		s.Timed = s.Timed || !r.at.IsZero()
		for i := range bills {
			s.Billed[i] += bills[i].bill(&r)
		}
		s.noteVerdict(prompt.Priced, s.Steps)
		s.add(ctx, v, st, budget, prompt)
		judges.step(st, prompt.Messages, v)
		if err := s.missed(v, p, st, budget); err != nil {
			return s, err
		}
		if p.measures() {
			continue
		}
		body := s.check(x, prompt.Messages)
		if watch == nil || body == nil {
			continue
		}
		if err := watch(st.at, body, v.tokens); err != nil {
			return s, fmt.Errorf("watch step %d of %s: %w", st.at, x.run.ID, err)
		}
	}
	s.judgeOpen()
	return s, nil
}

func (x *Index) caches() []cache {
	var cs []cache
	for _, p := range x.judge.prices() {
		cs = append(cs, cache{price: p, used: map[key]time.Time{}})
	}
	return cs
}

// ask gets the prompt for a history: the history itself when the policy fails.
func (s *Score) ask(ctx context.Context, next Step, history []message.Message) Prompt {
	p, err := next(ctx, history)
	if err == nil {
		return p
	}
	s.Failed++
	return Prompt{Messages: history, Outcome: "error: " + err.Error()}
}

// add counts a step whose prompt the view shows.
func (s *Score) add(ctx context.Context, v *view, st step, budget int, p Prompt) {
	if !v.grown && s.Steps > 0 {
		s.Wear.compacted(st.at, v.tokens, s.Trace.Tokens[s.Steps-1]+v.x.sums[st.at]-v.x.sums[s.Trace.Step[s.Steps-1]])
	}
	s.Steps++
	s.Tokens += v.tokens
	s.Peak = max(s.Peak, v.tokens)
	for i, n := range v.spent() {
		s.Spent[i] += n
	}
	if !v.grown {
		s.Breaks++
	}
	if p.Outcome != "" {
		s.Outcomes[p.Outcome]++
	}
	s.Trace.Step = append(s.Trace.Step, st.at)
	s.Trace.Tokens = append(s.Trace.Tokens, v.tokens)
	s.Trace.Broke = append(s.Trace.Broke, !v.grown)
	if v.x.sums[st.at] <= budget {
		return
	}
	s.Active++
	if v.tokens > budget {
		s.Over++
	}
	for _, n := range st.needs {
		if in, lit := s.meet(v, st.at, budget, n); in && !lit {
			s.searchFor(ctx, v, st.at, n.value, p.Find)
		}
	}
	for _, q := range st.asked {
		s.Probes[q.probe].Asked++
		s.Probes[q.probe].Met += one(v.says(q.text))
	}
}

// meet counts a need; it reports whether it is a strict long-range one, and met
// literally.
func (s *Score) meet(v *view, at, budget int, n need) (strict, met bool) {
	lit, sup, ptr := v.found(n.value, at)
	in := n.classes(budget)
	for c := range in {
		if in[c] {
			s.Recall[c].count(lit, sup, ptr)
		}
	}
	k := v.x.speaker(n.value) + " " + string(judge.AgoOf(n.distance, budget))
	r := s.Spoken[k]
	r.count(lit, sup, ptr)
	s.Spoken[k] = r
	if in[LongRangeStrict] {
		s.Wear.need(n.last, lit)
		k := string(v.x.kinds[n.value])
		t := s.Lost[k]
		s.Lost[k] = Tally{t.Asked + 1, t.Met + one(lit)}
	}
	return in[LongRangeStrict], lit
}

func (n need) classes(budget int) [classes]bool {
	lr, xlr := n.distance*4 > budget, n.distance > budget
	return [classes]bool{All: true, LongRange: lr, LongRangeStrict: lr && n.strict, ExtraLongRange: xlr, ExtraLongRangeStrict: xlr && n.strict}
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// check counts a prompt that a provider would refuse, and gives its body.
func (s *Score) check(x *Index, ms []message.Message) []byte {
	if x.judge.Encode == nil {
		if orphaned(ms) {
			s.refuse("a call or a result is alone")
		}
		return nil
	}
	body, err := x.judge.Encode(x.run, ms)
	if err != nil {
		s.refuse(err.Error())
		return nil
	}
	if fs := wirecheck.Check(x.judge.Dialect, body, wirecheck.Options{}); len(fs) > 0 {
		s.refuse(fs[0].String())
	}
	return body
}

// sampled returns what the judges of Ask found, empty where they were not asked.
func (s *Score) sampled() *Sampled {
	if s.Sampled == nil {
		return &Sampled{}
	}
	return s.Sampled
}

func (s *Score) refuse(why string) {
	if s.Invalid++; s.Invalid == 1 {
		s.Fault = strings.ToValidUTF8(why, "?")
	}
}

// orphaned reports whether some call has no result after it, or some result no
// call before it.
func orphaned(ms []message.Message) bool {
	open := map[string]bool{}
	for _, m := range ms {
		for i := range m.Parts {
			p := &m.Parts[i]
			switch p.Kind {
			case message.Call:
				open[p.CallID] = true
			case message.Result:
				if !open[p.CallID] {
					return true
				}
				delete(open, p.CallID)
			}
		}
	}
	return len(open) > 0
}
