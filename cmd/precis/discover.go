package main

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

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	precis "github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/discover"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/replay"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/token"
	"github.com/seed-3db51b0e/precis/token/bpe"
	"github.com/seed-3db51b0e/precis/transcript"
)

const discoverLong = `Discover finds the sessions that Claude Code, Codex, pi, opencode and gemini-cli
left on this machine and says what each cost, how often its agent compacted and
what that lost, and what policies of precis would have kept and cost in its
place. It only reads, keeps nothing, and sends nothing anywhere. What was said
in a session is not shown unless --content asks for it.

It looks where the agents keep their sessions, or where CLAUDE_CONFIG_DIR,
CODEX_HOME, PI_CODING_AGENT_DIR, XDG_DATA_HOME, OPENCODE_DB and GEMINI_CLI_HOME
say; --root looks in other folders instead.

Policies are tried on sessions that are longer than the budget, by default 85 %
of what the model's window leaves beside the reply, or that their agent
compacted. System prompt and tools are in no session's file: the numbers are of
the conversation alone.`

// discovery is one run of the command: its flags, then what it found.
type discovery struct {
	*app
	roots            []string
	days             int
	budget, policies string
	limit, steps     int
	content          bool

	home   string
	tokens int // --budget, 0 for each model's own
	chosen []policy.Policy
	seen   map[string]bool // requests counted
	found  findings
}

// findings are what discover found, for programs.
type findings struct {
	Sessions   []*sessionLine   `json:"sessions"`
	Unreadable []discover.Fault `json:"unreadable"`
	// Empty counts files in which nothing was said, Other those under --root
	// that are no sessions, or empty.
	Empty  int    `json:"empty"`
	Other  int    `json:"other"`
	Totals totals `json:"totals"`
}

// sessionLine is a session for programs.
type sessionLine struct {
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
	Tried       []trial       `json:"tried,omitempty"`
	Cut         bool          `json:"cut,omitempty"`     // only its first requests were replayed
	Untried     string        `json:"untried,omitempty"` // why
	Again       []string      `json:"lost_and_used,omitempty"`
	First       string        `json:"first_message,omitempty"`
}

// trial is what a policy would have done with a session; the first of a session
// is what its agent did.
type trial struct {
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

// totals are sums over sessions.
type totals struct {
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
	Policies    []trial            `json:"policies"`     // over the sessions tried
}

func (a *app) discoverCommand() *cobra.Command {
	d := &discovery{app: a, seen: map[string]bool{}}
	c := &cobra.Command{
		Use: "discover", Short: "what the sessions on this machine cost, lost, and would have kept",
		Long: discoverLong, Args: want(0, 0),
		Example: "  precis discover\n  precis discover --days 0 --policy balanced,ladder --limit 20\n  precis discover --root ~/backup/sessions --json | jq .totals",
		RunE:    func(c *cobra.Command, _ []string) error { return d.run(c.Context()) },
	}
	f := c.Flags()
	f.StringArrayVar(&d.roots, "root", nil, "look in a `folder` instead of the agents' own (repeatable)")
	f.IntVar(&d.days, "days", 30, "sessions that changed in so many `days`; 0 is all")
	f.StringVar(&d.policies, "policy", "balanced", "`names` of policies to try, with commas: "+strings.Join(policy.Names(), ", "))
	f.StringVarP(&d.budget, "budget", "b", "", "`tokens` of a request (default: by each session's model)")
	f.IntVar(&d.limit, "limit", 20, "try policies on so many `sessions`, the last changed first; 0 is none")
	f.IntVar(&d.steps, "steps", 1000, "replay so many `requests` of a session, its first")
	f.BoolVar(&d.content, "content", false, "show what was said: first messages, values lost and used again")
	complete(c, "policy", policy.Names())
	return c
}

func (d *discovery) run(ctx context.Context) error {
	if err := d.check(); err != nil {
		return err
	}
	defer d.progress("")
	var since time.Time
	if d.days > 0 {
		since = time.Now().AddDate(0, 0, -d.days)
	}
	d.found.Sessions, d.found.Unreadable = []*sessionLine{}, []discover.Fault{}
	d.progress("looking for sessions")
	found, faults := discover.Find(ctx, d.places(), since)
	for _, f := range faults {
		d.unreadable(f.Path, f.Why)
	}
	if err := d.read(ctx, found); err != nil {
		return err
	}
	d.progress("")
	d.sum()
	if d.json {
		return d.object(d.found)
	}
	fmt.Fprint(d.page, d.found.page(d))
	return nil
}

func (d *discovery) check() (err error) {
	for _, name := range strings.Split(d.policies, ",") {
		p, err := policyNamed(name)
		if err != nil {
			return err
		}
		d.chosen = append(d.chosen, p)
	}
	if d.days < 0 || d.limit < 0 || d.steps < 1 {
		return usage("precis discover --help shows how", "read --days, --limit, --steps: a number is too small")
	}
	if d.budget != "" {
		d.tokens, err = tokens(d.budget)
	}
	return err
}

func (d *discovery) places() []discover.Place {
	// Without a home folder the environment may still name places.
	d.home, _ = os.UserHomeDir()
	if len(d.roots) == 0 {
		return discover.Places(discover.Env{Home: d.home, GOOS: runtime.GOOS, Getenv: os.Getenv})
	}
	var places []discover.Place
	for _, dir := range d.roots {
		places = append(places, discover.Place{Dir: dir, Asked: true})
	}
	return places
}

func (d *discovery) unreadable(path, why string) {
	d.found.Unreadable = append(d.found.Unreadable, discover.Fault{Path: d.short(path), Why: why})
}

// short writes a path below the home folder with "~".
func (d *discovery) short(path string) string {
	if rest, ok := strings.CutPrefix(path, d.home); ok && d.home != "" && (rest == "" || os.IsPathSeparator(rest[0])) {
		return "~" + rest
	}
	return path
}

// read reads the sessions one after the other, and tries policies on them beside
// that; so few are held at a time.
func (d *discovery) read(ctx context.Context, found []discover.Found) error {
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(max(1, runtime.GOMAXPROCS(0)))
	slots := d.limit
	for i, f := range found {
		d.progress(fmt.Sprintf("session %s of %s", commas(i+1), commas(len(found))))
		s, err := f.Read(ctx)
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			d.refuse(f, err)
			continue
		}
		l, in, err := d.line(s)
		if err != nil {
			return err
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
	d.progress("trying policies")
	return errors.Join(g.Wait(), ctx.Err())
}

// refuse counts a session that is none, or names one that cannot be read.
func (d *discovery) refuse(f discover.Found, err error) {
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

// line says of a session what needs no replay.
func (d *discovery) line(s *discover.Session) (*sessionLine, precis.Input, error) {
	m, _ := model.Lookup(s.Model)
	meter, err := bpe.Meter(m)
	if err != nil {
		return nil, precis.Input{}, fmt.Errorf("count for %s: %w", s.Model, err)
	}
	l := &sessionLine{
		Agent: s.Agent, Project: d.short(s.Project), File: d.short(s.Path), ID: s.ID, SubAgent: s.Sub, Model: s.Model,
		Start: s.Start, Changed: s.Changed, Messages: len(s.Messages), Exact: meter.Exact(), Lost: s.Lost,
		Compactions: len(s.Compactions), Budget: d.tokens, Loss: discover.NewLoss(),
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
		l.Budget = d.chosen[0].Budget(m)
	}
	if d.content {
		l.Again, l.First = l.Loss.Again, firstWords(s.Messages)
	}
	return l, precis.Input{Model: m, Meter: meter, Client: precis.Client{Source: "discover"}}, nil
}

// largeWindow is that of a session with prompts larger than its model's window:
// the name does not say when a larger one was bought.
const largeWindow = 1_000_000

func (l *sessionLine) cost(s *discover.Session, meter token.Meter) {
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
			return line(m.Parts[0].Body(), 200)
		}
	}
	return ""
}

// try replays a session as its agent went about it and under each policy.
func (d *discovery) try(ctx context.Context, s *discover.Session, l *sessionLine, in precis.Input) error {
	m := in.Model
	price, priced := replay.Prices[0], m.Price.In > 0
	if priced {
		price = replay.Price{Name: s.Model, Model: &m}
	}
	all := s.Requests()
	run := replay.Run{ID: s.ID, Source: s.Agent, Messages: firstSteps(all.Messages, d.steps)}
	l.Cut = len(run.Messages) < len(all.Messages)
	x := replay.NewIndex(run, replay.Judge{Count: in.Meter.Message, Prices: []replay.Price{price}})
	for _, p := range append([]replay.Policy{agentPolicy(all)}, d.engines(in)...) {
		score, err := x.Replay(ctx, p, l.Budget, nil)
		if err != nil {
			return fmt.Errorf("try %s: %w", p.Name, err)
		}
		r := score.Recall[replay.LongRange]
		t := trial{
			Policy: p.Name, Steps: score.Steps, Active: score.Active, Needs: r.Needs, Kept: r.Literal, Reach: r.Referenced,
			Breaks: score.Breaks, Over: score.Over, Failed: score.Failed, Invalid: score.Invalid,
		}
		if priced {
			t.USD = score.Billed[0]
		}
		l.Tried = append(l.Tried, t)
	}
	return nil
}

// firstSteps is a conversation up to its n-th reply.
func firstSteps(ms []message.Message, n int) []message.Message {
	for i, m := range ms {
		if m.Role != message.Assistant {
			continue
		}
		if n--; n < 0 {
			return ms[:i]
		}
	}
	return ms
}

// agentPolicy sends what the agent sent.
func agentPolicy(s *discover.Session) replay.Policy {
	return replay.Policy{Name: agentTrial, Start: func(context.Context, replay.Setup) (replay.Step, func() error, error) {
		return func(_ context.Context, history []message.Message) (replay.Prompt, error) {
			return replay.Prompt{Messages: s.Prompt(history)}, nil
		}, nil, nil
	}}
}

// engines are the chosen policies, each run on a store of its own in memory.
func (d *discovery) engines(in precis.Input) []replay.Policy {
	var all []replay.Policy
	for _, p := range d.chosen {
		open := func(context.Context) (*precis.Engine, func() error, error) {
			s := memory.New()
			e, err := precis.New(precis.Options{Store: s, Policy: p})
			if err != nil {
				return nil, nil, err
			}
			return e, func() error { e.Close(); return s.Close() }, nil
		}
		all = append(all, replay.Engine(p.Name, open, func() precis.Input { return in }))
	}
	return all
}

// sum adds the sessions up.
func (d *discovery) sum() {
	t := &d.found.Totals
	*t = totals{Sessions: len(d.found.Sessions), Cost: map[string]float64{}, By: map[string]int{}, Loss: discover.NewLoss()}
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

func (t *totals) add(tried []trial) {
	if t.Policies == nil {
		t.Policies = make([]trial, len(tried))
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
