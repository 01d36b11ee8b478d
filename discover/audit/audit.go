// Package audit reports what agents' sessions on this machine cost, what the agents'
// own compactions lost, and what policies would have kept and cost in their place.
//
// Use: Run, then Findings.Text for people or the Findings as JSON for programs. Law:
// it only reads, and keeps and sends nothing. Promise: what was said in a session is
// in the findings only where Options.Content asks for it.
package audit

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/discover"
	"github.com/seed-3db51b0e/precis/internal/term"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/token"
	"github.com/seed-3db51b0e/precis/token/bpe"
	"github.com/seed-3db51b0e/precis/transcript"
)

// Options say which sessions are read and which policies are tried on them.
type Options struct {
	Places []discover.Place // where sessions are looked for
	Home   string           // written as "~" in paths; may be empty
	Days   int              // how many days back a session may have changed; 0 is any number
	// Policies are tried on the first Limit sessions that need one, the last changed
	// first, up to Steps requests of each; Limit 0 tries none.
	Policies     []policy.Policy
	Limit, Steps int
	Budget       int  // tokens of a request; 0 takes the first policy's budget for each session's model
	Content      bool // also what was said: first messages, values lost and used again
	// Open makes an engine on a store of its own, and what closes both.
	Open func(context.Context, policy.Policy) (*precis.Engine, func() error, error)
	// Progress is told what is being done; nil where nobody wants to know.
	Progress func(string)
}

// audit is one run.
type audit struct {
	Options
	seen  map[string]bool // requests counted
	found Findings
}

// Findings hold what was found; as JSON, for programs.
type Findings struct {
	Sessions   []*Session       `json:"sessions"`
	Unreadable []discover.Fault `json:"unreadable"`
	// Empty counts files in which nothing was said, Other those under --root
	// that are no sessions, or empty.
	Empty  int    `json:"empty"`
	Other  int    `json:"other"`
	Totals Totals `json:"totals"`

	days, steps int
	content     bool
}

// Session is one session.
type Session struct {
	Agent    string    `json:"agent"`
	Project  string    `json:"project"`
	File     string    `json:"file"`
	ID       string    `json:"id,omitempty"`
	SubAgent bool      `json:"sub_agent,omitempty"`
	Model    string    `json:"model"`
	Start    time.Time `json:"start,omitzero"`
	Changed  time.Time `json:"changed"`
	Messages int       `json:"messages"`
	Tokens   int       `json:"tokens"` // of all messages, counted from their text
	Exact    bool      `json:"tokens_exact"`
	Lost     int       `json:"unreadable_records,omitempty"`

	Cost  float64       `json:"cost_usd"`
	By    string        `json:"cost_by"` // "reported", "list prices", "estimate", "unknown"
	Usage discover.Bill `json:"usage"`

	Compactions int           `json:"compactions"`
	Blind       int           `json:"compactions_blind,omitempty"` // of which what they compacted is not in the file
	Loss        discover.Loss `json:"loss"`
	Window      int           `json:"window"`
	Budget      int           `json:"budget"`
	Tried       []Trial       `json:"tried,omitempty"`
	Cut         bool          `json:"cut,omitempty"`     // only its first requests were replayed
	Untried     string        `json:"untried,omitempty"` // why
	Again       []string      `json:"lost_and_used,omitempty"`
	First       string        `json:"first_message,omitempty"`
}

// Trial is what a policy would have done with a session; the first of a session
// is what its agent did.
type Trial struct {
	Policy string `json:"policy"`
	// Steps are requests, Active those whose whole history is over the budget.
	Steps  int `json:"steps"`
	Active int `json:"active"`
	// Needs are values that an active step wrote and that were said before, more
	// than a quarter of the budget away; Kept those that stood in its prompt;
	// Reach those that stood there or behind a pointer.
	Needs int `json:"needs"`
	Kept  int `json:"kept"`
	Reach int `json:"in_reach"`
	// USD is the input of all steps under the provider's caching rules, so net of
	// cache breaks; 0 for models without a price.
	USD     float64 `json:"usd"`
	Breaks  int     `json:"breaks"`
	Over    int     `json:"over"`
	Failed  int     `json:"failed,omitempty"`
	Invalid int     `json:"invalid,omitempty"`
}

// agentTrial is the name of what the agent itself did.
const agentTrial = "agent"

// Totals are sums over sessions.
type Totals struct {
	Sessions    int                `json:"sessions"`
	Messages    int                `json:"messages"`
	Tokens      int                `json:"tokens"`
	Cost        map[string]float64 `json:"cost_usd"`      // by how it is known
	By          map[string]int     `json:"cost_sessions"` // sessions of each
	Copied      int                `json:"requests_counted_elsewhere"`
	Lost        int                `json:"unreadable_records"`
	Compacted   int                `json:"sessions_compacted"`
	Compactions int                `json:"compactions"`
	Blind       int                `json:"compactions_blind"`
	Loss        discover.Loss      `json:"loss"`
	Needed      int                `json:"sessions_longer_than_budget"` // or compacted by their agent
	Tried       int                `json:"sessions_tried"`
	Cut         int                `json:"sessions_cut"` // of these, replayed up to --steps
	Policies    []Trial            `json:"policies"`     // over the sessions tried
}

// Run reads the sessions of all places and tries policies on them. Sessions that
// cannot be read are findings; an error is the context's or a counter's.
func Run(ctx context.Context, o Options) (*Findings, error) {
	d := &audit{Options: o, seen: map[string]bool{}}
	d.found = Findings{Sessions: []*Session{}, Unreadable: []discover.Fault{}, days: o.Days, steps: o.Steps, content: o.Content}
	if d.Progress == nil {
		d.Progress = func(string) {}
	}
	var since time.Time
	if d.Days > 0 {
		since = time.Now().AddDate(0, 0, -d.Days)
	}
	d.Progress("looking for sessions")
	found, faults := discover.Find(ctx, d.Places, since)
	for _, f := range faults {
		d.unreadable(f.Path, f.Why)
	}
	if err := d.read(ctx, found); err != nil {
		return nil, err
	}
	d.sum()
	return &d.found, nil
}

func (d *audit) unreadable(path, why string) {
	d.found.Unreadable = append(d.found.Unreadable, discover.Fault{Path: d.short(path), Why: why})
}

// short writes a path below the home folder with "~".
func (d *audit) short(path string) string {
	if rest, ok := strings.CutPrefix(path, d.Home); ok && d.Home != "" && (rest == "" || os.IsPathSeparator(rest[0])) {
		return "~" + rest
	}
	return path
}

// read reads the sessions one after the other, and tries policies on them beside
// that; so few are held at a time.
func (d *audit) read(ctx context.Context, found []discover.Found) error {
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(max(1, runtime.GOMAXPROCS(0)))
	slots := d.Limit
	for i, f := range found {
		d.Progress(fmt.Sprintf("session %s of %s", term.Comma(i+1), term.Comma(len(found))))
		s, err := f.Read(gctx)
		if gctx.Err() != nil { // the caller's ended, or a try failed
			break
		}
		if err != nil {
			d.refuse(f, err)
			continue
		}
		l, in, err := d.session(s)
		if err != nil {
			return errors.Join(err, g.Wait())
		}
		d.found.Sessions = append(d.found.Sessions, l)
		switch {
		case l.Compactions == l.Blind && l.Tokens <= l.Budget:
			l.Untried = "it fits"
		case slots == 0:
			l.Untried = "limit"
		default:
			slots--
			g.Go(func() error { return d.try(gctx, s, l, in) })
		}
	}
	d.Progress("trying policies")
	return errors.Join(g.Wait(), ctx.Err())
}

// refuse counts a session that is none, or names one that cannot be read.
func (d *audit) refuse(f discover.Found, err error) {
	not := []error{transcript.ErrNoMessages, transcript.ErrFormat, transcript.ErrMany, discover.ErrOther}
	switch {
	case f.Agent == "" && slices.ContainsFunc(not, func(e error) bool { return errors.Is(err, e) }):
		d.found.Other++
	case errors.Is(err, transcript.ErrNoMessages):
		d.found.Empty++
	default:
		d.unreadable(f.Path, discover.Reason(err))
	}
}

// session says of a session what needs no replay.
func (d *audit) session(s *discover.Session) (*Session, precis.Input, error) {
	m, _ := model.Lookup(s.Model)
	meter, err := bpe.Meter(m)
	if err != nil {
		return nil, precis.Input{}, fmt.Errorf("count for %s: %w", s.Model, err)
	}
	l := &Session{
		Agent: s.Agent, Project: d.short(s.Project), File: d.short(s.Path), ID: s.ID, SubAgent: s.Sub, Model: s.Model,
		Start: s.Start, Changed: s.Changed, Messages: len(s.Messages), Exact: meter.Exact(), Lost: s.Lost,
		Compactions: len(s.Compactions), Budget: d.Budget, Loss: discover.NewLoss(),
	}
	for _, msg := range s.Messages {
		l.Tokens += meter.Message(msg)
	}
	for _, c := range s.Compactions {
		if c.Blind {
			l.Blind++
		}
		l.Loss.Add(c.Loss)
	}
	l.Usage.Add(s.Charges, d.seen)
	l.cost(s, meter)
	if l.Usage.Peak > m.Cap() {
		m.Window, m.Input = largeWindow, 0
	}
	if l.Window = m.Cap(); l.Budget == 0 {
		l.Budget = d.Policies[0].Budget(m)
	}
	if d.Content {
		l.Again, l.First = l.Loss.Again, firstWords(s.Messages)
	}
	return l, precis.Input{Model: m, Meter: meter, Client: precis.Client{Source: "discover"}}, nil
}

// largeWindow is that of a session with prompts larger than its model's window:
// the name does not say when a larger one was bought.
const largeWindow = 1_000_000

func (l *Session) cost(s *discover.Session, meter token.Meter) {
	u := l.Usage
	l.Cost = u.Reported + u.Priced
	switch {
	case u.Reported > 0 && u.Priced == 0:
		l.By = "reported"
	case l.Cost > 0 || u.Copied > 0:
		l.By = "list prices"
	default:
		usd, ok := s.Requests().Estimate(meter.Message)
		l.Cost, l.By = usd, "estimate"
		if !ok || u.Requests > 0 {
			l.Cost, l.By = 0, "unknown"
		}
	}
}

func firstWords(ms []message.Message) string {
	for _, m := range ms {
		if m.Role == message.User && len(m.Parts) > 0 {
			return term.Cut(m.Parts[0].Body(), 200)
		}
	}
	return ""
}

// sum adds the sessions up.
func (d *audit) sum() {
	t := &d.found.Totals
	*t = Totals{Sessions: len(d.found.Sessions), Cost: map[string]float64{}, By: map[string]int{}, Loss: discover.NewLoss()}
	for _, l := range d.found.Sessions {
		t.Messages, t.Tokens, t.Copied = t.Messages+l.Messages, t.Tokens+l.Tokens, t.Copied+l.Usage.Copied
		t.Lost += l.Lost
		t.Cost[l.By] += l.Cost
		t.By[l.By]++
		t.Compactions, t.Blind = t.Compactions+l.Compactions, t.Blind+l.Blind
		if l.Compactions > 0 {
			t.Compacted++
		}
		t.Loss.Add(l.Loss)
		if l.Untried != "it fits" {
			t.Needed++
		}
		if len(l.Tried) > 0 {
			t.Tried++
			t.add(l.Tried)
			if l.Cut {
				t.Cut++
			}
		}
	}
}

func (t *Totals) add(tried []Trial) {
	if t.Policies == nil {
		t.Policies = make([]Trial, len(tried))
	}
	for i, r := range tried {
		p := &t.Policies[i]
		p.Policy = r.Policy
		p.Steps, p.Active = p.Steps+r.Steps, p.Active+r.Active
		p.Needs, p.Kept, p.Reach = p.Needs+r.Needs, p.Kept+r.Kept, p.Reach+r.Reach
		p.USD, p.Breaks, p.Over = p.USD+r.USD, p.Breaks+r.Breaks, p.Over+r.Over
		p.Failed, p.Invalid = p.Failed+r.Failed, p.Invalid+r.Invalid
	}
}

// frequent are the kinds of values lost, the most frequent first.
func frequent(counts map[string]int) []string {
	names := slices.Sorted(maps.Keys(counts))
	slices.SortStableFunc(names, func(a, b string) int { return counts[b] - counts[a] })
	return names
}
