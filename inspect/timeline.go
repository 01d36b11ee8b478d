package inspect

import (
	"net/http"
	"time"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/thread"
)

// The layers of a prompt, from the bottom of a column up.
var layers = []string{"system", "summary", "user", "assistant", "tool", "thinned", "pointer", "came_back"}

const (
	layerSystem = iota
	layerSummary
	layerUser
	layerAssistant
	layerTool
	layerThinned
	layerPointer
	layerReturned
)

// The layers of what is not in the prompt: tokens of the log that it leaves out.
var absent = []string{"thinned", "summarized", "cleared", "externalized", "dropped"}

// step is one request, as the log and the plan of then make it.
type step struct {
	messages int // it held
	tokens   int
	logged   int    // tokens with nothing left out
	sent     [8]int // by layer
	left     [5]int // by layer of absent
	plan     *sketch
	commit   bool // the plan was new
	shared   int  // tokens at its head that the request before had, too
	last     message.Message
	bill     *bill // nil: no prices are known
}

// timeline computes all requests of a thread, at the cost of a pass over the messages
// for every version of the plan.
func (v *view) timeline() []step {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.columns != nil || len(v.steps) == 0 {
		return v.columns
	}
	var before *step
	var p, older *sketch
	var at step // adds up while the plan stands
	counted := 0
	for _, n := range v.steps {
		now := v.inForce(n)
		commit := now != p
		if commit || before == nil {
			older, p = p, now
			at = v.fixed(now)
			v.add(&at, stands(v.t, now, older, n), 0)
		} else {
			v.addWhole(&at, counted, n)
		}
		counted = n
		at.messages, at.plan, at.commit, at.shared = n, now, commit, 0
		if before != nil {
			at.shared = before.tokens
			if commit {
				at.shared = min(before.tokens, v.kept(older, now))
			}
		}
		at.last = v.t.At(n - 1).Message
		v.columns = append(v.columns, at)
		before = &v.columns[len(v.columns)-1]
	}
	v.price(v.columns)
	return v.columns
}

// fixed is a column that holds what a request costs beside its messages, as far as a
// plan recorded it.
func (v *view) fixed(p *sketch) (at step) {
	if p == nil && len(v.plans) > 0 {
		p = v.plans[0]
	}
	if p != nil {
		n := v.overhead(p)
		at.sent[layerSystem], at.tokens, at.logged = n, n, n
	}
	return at
}

// overhead returns the tokens of a request beside its messages: system prompt and tools as the
// plan recorded them, and the provider's framing.
func (v *view) overhead(p *sketch) int { return p.Inputs.Overhead + v.framing() }

// mostFraming is more than the framing of a request costs, in tokens.
const mostFraming = 16

// framingOf returns the tokens of the provider's framing of a request, which totals of plans
// have beyond system prompt, tools and messages; 0 where no plan tells. A total may be from
// before a message was erased, or of other counts than those of the messages.
func framingOf(t *thread.Thread, plans []*sketch) int {
	sums := make([]int, t.Len()+1) // of the tokens of the first messages
	for i := range t.Len() {
		sums[i+1] = sums[i] + t.At(i).Tokens
	}
	for _, x := range plans {
		n := x.Original - x.Inputs.Overhead - sums[min(x.ThreadVersion, t.Len())]
		if n >= 0 && n <= mostFraming {
			return n
		}
	}
	return 0
}

func (v *view) add(at *step, all []stand, from int) {
	for i := from; i < len(all); i++ {
		v.put(at, i, all[i])
	}
}

func (v *view) addWhole(at *step, from, to int) {
	for i := from; i < to; i++ {
		v.put(at, i, stand{state: Whole, tokens: v.t.At(i).Tokens})
	}
}

func (v *view) put(at *step, i int, s stand) {
	e := v.t.At(i)
	if e.Message.Meta {
		return
	}
	at.tokens += s.tokens
	at.logged += e.Tokens
	at.sent[layerOf(s, e.Message)] += s.tokens
	switch gone := max(e.Tokens-s.tokens, 0); s.state {
	case Thinned:
		at.left[0] += gone
	case Summarized:
		at.left[1] += e.Tokens
	case Cleared:
		at.left[2] += gone
	case Externalized:
		at.left[3] += gone
	case Dropped:
		at.left[4] += gone
	}
}

func layerOf(s stand, m message.Message) int {
	switch s.state {
	case Thinned, Cleared:
		return layerThinned
	case Summarized:
		return layerSummary
	case Externalized:
		return layerPointer
	case Returned:
		return layerReturned
	}
	switch role(m) {
	case message.System:
		return layerSystem
	case message.User:
		return layerUser
	case message.Assistant:
		return layerAssistant
	}
	return layerTool
}

// kept is how many tokens at the head of a prompt two plans have in common: those
// before the first message that they treat differently.
func (v *view) kept(a, b *sketch) int {
	n, _, _ := differs(a, b, v.t.Len())
	head := v.fixed(b)
	v.add(&head, stands(v.t, b, a, n), 0)
	return head.tokens
}

// Column is one or more requests that follow each other, drawn as one: it shows the
// largest of them. All sizes are tokens.
type Column struct {
	Step     int       `json:"step"` // the request shown, counted from 1
	First    int       `json:"first_step"`
	Last     int       `json:"last_step"`
	Turn     int       `json:"turn"`
	Messages int       `json:"messages"`
	Tokens   int       `json:"tokens"`
	Sent     [8]int    `json:"sent"`
	Left     [5]int    `json:"left"`
	Version  int       `json:"plan_version"`
	Owner    string    `json:"plan_thread,omitempty"` // whose plan it is, of a fork's request before the fork
	Commits  []int     `json:"commits,omitempty"`     // versions that came into force
	Budget   int       `json:"budget,omitempty"`
	Trigger  int       `json:"trigger,omitempty"`
	Shared   int       `json:"shared"` // of All
	All      int       `json:"all"`    // tokens of all requests of the column
	Hit      *int      `json:"cache_hit,omitempty"`
	USD      *float64  `json:"usd,omitempty"`
	Uncached *float64  `json:"uncached_usd,omitempty"` // at the plain price of input
	Time     time.Time `json:"time,omitzero"`
}

// Timeline shows the requests of a thread.
type Timeline struct {
	Steps   int      `json:"steps"` // of the thread
	First   int      `json:"first_step"`
	Last    int      `json:"last_step"`
	Layers  []string `json:"layers"`
	Absent  []string `json:"absent"`
	Columns []Column `json:"columns"`
	// Model is whose prices and caching rules the bill follows, "" where none is known.
	Model string `json:"model,omitempty"`
}

// maxColumns is more than a screen has room for.
const maxColumns = 2000

func timelineOf(v *view, r *http.Request) (any, error) {
	all, q := v.timeline(), r.URL.Query()
	first, err := number(q, "first", 1, 1, max(len(all), 1))
	if err != nil {
		return nil, err
	}
	last, err := number(q, "last", len(all), 1, max(len(all), 1))
	if err != nil {
		return nil, err
	}
	most, err := number(q, "columns", 800, 1, maxColumns)
	if err != nil {
		return nil, err
	}
	out := Timeline{Steps: len(all), First: first, Last: last, Layers: layers, Absent: absent, Model: v.model.name(), Columns: []Column{}}
	if len(all) == 0 || last < first {
		return out, nil
	}
	per := (last - first + most) / most
	for from := first - 1; from < last; from += per {
		out.Columns = append(out.Columns, v.column(all, from, min(from+per, last)))
	}
	return out, nil
}

// column joins the requests [from, to).
func (v *view) column(all []step, from, to int) Column {
	at := from
	c := Column{First: from + 1, Last: to}
	for i := from; i < to; i++ {
		s := &all[i]
		if s.tokens >= all[at].tokens {
			at = i
		}
		if s.commit && s.plan != nil {
			c.Commits = append(c.Commits, s.plan.Version)
		}
		c.Shared += s.shared
		c.All += s.tokens
		if s.bill != nil {
			c.Hit, c.USD, c.Uncached = plus(c.Hit, s.bill.hit), plus(c.USD, s.bill.usd), plus(c.Uncached, s.bill.raw)
		}
	}
	s := &all[at]
	c.Step, c.Turn, c.Messages, c.Tokens = at+1, v.t.Turn(s.messages-1), s.messages, s.tokens
	c.Sent, c.Left, c.Time = s.sent, s.left, s.last.Time
	if s.plan != nil {
		c.Version, c.Owner = s.plan.Version, s.plan.of
	}
	if p := v.limitsAt(s); p != nil {
		c.Budget, c.Trigger = p.Inputs.Budget, p.Inputs.Soft
	}
	return c
}

// limitsAt is the plan whose budget held for a request: its own or, before there was
// one, the first.
func (v *view) limitsAt(s *step) *sketch {
	if s.plan != nil && s.plan.Inputs.Budget > 0 {
		return s.plan
	}
	for i := len(v.plans) - 1; i >= 0; i-- {
		if p := v.plans[i]; p.Inputs.Budget > 0 && (s.plan != nil && p.Version <= s.plan.Version) {
			return p
		}
	}
	for _, p := range v.plans {
		if p.Inputs.Budget > 0 {
			return p
		}
	}
	return nil
}

func plus[N int | float64](sum *N, more N) *N {
	if sum != nil {
		more += *sum
	}
	return &more
}
