package replay

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed-3db51b0e/precis/message"
)

// Class is a set of dependencies.
type Class int

// The classes. LR are those whose value was last mentioned more than a quarter
// budget before the step, XLR more than a budget. A strict one was first said
// by the user or a tool and is not common vocabulary.
const (
	All Class = iota
	LR
	LRStrict
	XLR
	XLRStrict
	classes
)

// String names the class as rows do.
func (c Class) String() string {
	return [classes]string{"all", "lr", "lr_strict", "xlr", "xlr_strict"}[c]
}

// Recall counts dependencies, and those the prompt met.
type Recall struct {
	Needs int
	Lit   int // the value is in the prompt
	Sup   int // … beside a word of a line it came from
	Ptr   int // in the prompt, or a pointer to a message that has it is
}

// Score is what one policy did with one run.
type Score struct {
	Run    string
	Steps  int             // assistant messages with a history
	Active int             // those whose whole history is over the budget
	Recall [classes]Recall // over active steps
	// Billed is the input of all steps under Prices, in uncached tokens.
	Billed [len(Prices)]float64
	Tokens int // of all prompts
	Peak   int // tokens of the largest prompt
	Over   int // active steps whose prompt is over the budget
	// Invalid counts steps whose prompt has a call without result or a result
	// without call.
	Invalid int
	Breaks  int // prompts that do not begin with the one before
	// Failed counts steps for which the policy gave no prompt; the history goes
	// out as it is then.
	Failed   int
	Outcomes map[string]int
}

// Watch is called after each step with the prompt shown and its tokens.
type Watch func(step int, p Prompt, tokens int) error

// Replay runs a policy over a run, step by step.
func (x *Index) Replay(ctx context.Context, p Policy, budget int, watch Watch) (s Score, err error) {
	v := newView(x)
	s = Score{Run: x.run.ID, Outcomes: map[string]int{}}
	next, stop, err := p.Start(ctx, Setup{Run: x.run.ID, Budget: budget, Fixed: x.judge.Fixed, Count: v.count})
	if err != nil {
		return s, fmt.Errorf("start %s on %s: %w", p.Name, x.run.ID, err)
	}
	if stop != nil {
		defer func() { err = errors.Join(err, stop()) }()
	}
	for _, st := range x.steps {
		prompt := s.ask(ctx, next, x.run.Messages[:st.at:st.at])
		if err := ctx.Err(); err != nil {
			return s, err
		}
		shared, grown := v.show(prompt)
		s.add(v, st, budget, shared, grown, prompt)
		if watch == nil {
			continue
		}
		if err := watch(st.at, prompt, v.tokens); err != nil {
			return s, fmt.Errorf("watch step %d of %s: %w", st.at, x.run.ID, err)
		}
	}
	return s, nil
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

func (s *Score) add(v *view, st step, budget, shared int, grown bool, p Prompt) {
	s.Steps++
	s.Tokens += v.tokens
	s.Peak = max(s.Peak, v.tokens)
	for i := range Prices {
		s.Billed[i] += Prices[i].bill(v.tokens, shared)
	}
	if !grown {
		s.Breaks++
	}
	if orphaned(p.Messages) {
		s.Invalid++
	}
	if p.Outcome != "" {
		s.Outcomes[p.Outcome]++
	}
	if v.x.sums[st.at] <= budget {
		return
	}
	s.Active++
	if v.tokens > budget {
		s.Over++
	}
	for _, n := range st.needs {
		s.meet(v, st.at, budget, n)
	}
}

func (s *Score) meet(v *view, at, budget int, n need) {
	lit, sup, ptr := v.found(n.value, at)
	for c, in := range n.classes(budget) {
		if in {
			r := &s.Recall[c]
			r.Needs++
			r.Lit += one(lit)
			r.Sup += one(sup)
			r.Ptr += one(ptr)
		}
	}
}

func (n need) classes(budget int) [classes]bool {
	lr, xlr := n.distance*4 > budget, n.distance > budget
	return [classes]bool{All: true, LR: lr, LRStrict: lr && n.strict, XLR: xlr, XLRStrict: xlr && n.strict}
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// orphaned says whether some call has no result after it, or some result no
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
