package inspect

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"net/http"
	"time"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/event"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/replay"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/token"
	"github.com/seed-3db51b0e/precis/transcript"
)

func policies() []string { return policy.Names() }

// request is the next request of a thread, without its messages: model, budget, system
// prompt and tools as its last request had them.
func (a *api) request(ctx context.Context, v *view) (precis.Input, error) {
	in := precis.Input{Thread: v.head.Key.Thread, Continue: true, Model: v.model.model}
	if p := v.limitsAt(&step{plan: v.current()}); p != nil {
		in.Budget = p.Inputs.Budget
	}
	var err error
	if in.Meter, err = a.o.Meter(v.model.model); err != nil {
		return in, fmt.Errorf("count for %s: %w", v.model.name(), err)
	}
	around, err := store.LastEnvelope(ctx, a.store, v.head.Key)
	if err != nil {
		return in, fmt.Errorf("read request of %s: %w", v.head.Key.Thread, err)
	}
	if around == nil {
		return in, nil
	}
	var raws [][]byte
	for i := range v.t.Len() {
		if m := v.t.At(i).Message; m.Dialect == v.head.Format() && !m.Meta {
			raws = append(raws, m.Raw)
		}
	}
	if whole, err := transcript.Read(codec.Refill(around, raws), v.head.Format()); err == nil {
		in.System, in.Tools = whole.System, whole.Tools
	}
	return in, nil
}

// Simulate logs a conversation in o.Store as an agent would have sent it, one request
// after the other, and lets the engine compact it on the way. It ends with the request
// that comes next.
func Simulate(ctx context.Context, o precis.Options, in precis.Input) error {
	entries := thread.Extend("", in.Messages)
	t, err := thread.New(entries)
	if err != nil {
		return fmt.Errorf("simulate: %w", err)
	}
	var clock time.Time
	o.Now = func() time.Time {
		if clock.IsZero() {
			return time.Now()
		}
		return clock
	}
	e, err := precis.New(o)
	if err != nil {
		return err
	}
	defer e.Close()
	all, from := in.Messages, 0
	in.Continue = true
	for _, n := range stepsOf(t) {
		in.Messages, in.Client.Idle = all[from:n], idle(all, n)
		in.Mode.CloseOpenCalls = n == len(all)
		if at := all[n-1].Time; at.After(clock) {
			clock = at
		}
		if _, err := e.Prepare(ctx, in); err != nil && !errors.Is(err, precis.ErrImpossible) {
			return fmt.Errorf("simulate request of %d messages: %w", n, err)
		}
		from = n
	}
	return nil
}

// idle is how long a conversation lay still before its n-th message; nobody waits where
// the records do not say.
func idle(all []message.Message, n int) time.Duration {
	if n > 1 && !all[n-1].Time.IsZero() && !all[n-2].Time.IsZero() {
		return max(all[n-1].Time.Sub(all[n-2].Time), 1)
	}
	return 1
}

// WhatIf asks how a thread would have gone.
type WhatIf struct {
	Policy string `json:"policy"`           // "": as it was
	Budget int    `json:"budget,omitempty"` // in tokens; 0: as it was
}

// Experiment is a run of a thread's messages under another policy. Ask for its timeline
// and prompts with ?sim=.
type Experiment struct {
	ID     string  `json:"sim"`
	Policy string  `json:"policy"`
	Budget int     `json:"budget"`
	Was    Summary `json:"was"`
	Is     Summary `json:"is"`
}

type experiment struct {
	id     string
	thread string
	view   *view
}

// maxExperiment is the longest conversation that is run again, in messages.
const maxExperiment = 20_000

// experiment is one that was made, nil if it is gone.
func (vs *views) experiment(name, id string) *view {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	for _, x := range vs.tries {
		if x.id == id && x.thread == name {
			return x.view
		}
	}
	return nil
}

func (vs *views) keep(x experiment) {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	if len(vs.tries) == maxExperiments {
		vs.tries = vs.tries[1:]
	}
	vs.tries = append(vs.tries, x)
}

func (a *api) whatIf(r *http.Request) (any, error) {
	var w WhatIf
	if err := readBody(r, &w); err != nil {
		return nil, badRequest("read experiment: %v", err)
	}
	if w.Budget < 0 {
		return nil, badRequest("budget: want 0 or more, got %d", w.Budget)
	}
	ctx := r.Context()
	v, err := a.views.open(ctx, r.PathValue("thread"))
	if err != nil {
		return nil, err
	}
	o, in, err := a.experimental(ctx, v, &w)
	if err != nil {
		return nil, err
	}
	id := fmt.Sprintf("%s-%d-%.8s", w.Policy, w.Budget, v.head.Tip)
	made := a.views.experiment(v.head.Key.Thread, id)
	if made == nil {
		if made, err = a.simulate(ctx, v, o, in); err != nil {
			return nil, err
		}
		a.views.keep(experiment{id, v.head.Key.Thread, made})
	}
	return Experiment{ID: id, Policy: w.Policy, Budget: w.Budget, Was: a.summary(ctx, v), Is: a.summary(ctx, made)}, nil
}

// experimental is the engine and the request of an experiment, with what w leaves open
// filled in.
func (a *api) experimental(ctx context.Context, v *view, w *WhatIf) (o precis.Options, in precis.Input, err error) {
	if v.t.Len() > maxExperiment {
		return o, in, fault{http.StatusUnprocessableEntity, "too_long", fmt.Sprintf("An experiment runs every request again, for at most %d messages; this thread has %d.", maxExperiment, v.t.Len())}
	}
	if in, err = a.request(ctx, v); err != nil {
		return o, in, err
	}
	if p := v.current(); w.Policy == "" && p != nil {
		w.Policy = p.Policy
	}
	o = a.o.Engine
	o.Tenant, o.Summarizer, o.Hooks, o.Events, o.Background, o.Shadow = "", nil, event.Hooks{}, nil, false, false
	if w.Policy != "" && w.Policy != o.Policy.Name {
		if o.Policy, err = policy.Named(w.Policy); err != nil {
			return o, in, badRequest("policy: %v", err)
		}
	}
	if w.Budget > 0 {
		in.Budget = w.Budget
	}
	if in.Budget == 0 {
		m := v.model.model
		if !v.model.listed {
			return o, in, badRequest("budget: name one; this thread states none")
		}
		in.Budget = o.Policy.Budget(m)
	}
	w.Budget = in.Budget
	return o, in, nil
}

// simulate runs a thread's messages in memory.
func (a *api) simulate(ctx context.Context, v *view, o precis.Options, in precis.Input) (*view, error) {
	s := memory.New() // the view reads its plans
	o.Store, in.Client.Source = s, v.head.Format()
	in.Messages = make([]message.Message, v.t.Len())
	for i := range in.Messages {
		in.Messages[i] = v.t.At(i).Message
	}
	if err := Simulate(ctx, o, in); err != nil {
		return nil, err
	}
	h, err := s.Head(ctx, store.Key{Thread: in.Thread})
	if err != nil {
		return nil, err
	}
	who := a.views.who
	who.Tenant = ""
	made, err := load(ctx, s, h, who, a.o.Engine.Now())
	if err != nil {
		return nil, err
	}
	made.model = v.model
	return made, nil
}

// Verdict holds the results of replay's judges for one policy on a thread. A share is absent
// where there was nothing to share.
type Verdict struct {
	Policy  string `json:"policy"`
	Budget  int    `json:"budget"`
	Entered bool   `json:"entered"` // the thread is long enough to be judged at this budget
	Steps   int    `json:"steps"`
	Active  int    `json:"active_steps"`
	// Literal, Supported and Referenced are percentages of the long-range needs that
	// the prompts met.
	Literal    *float64 `json:"literal_percent,omitempty"`
	Supported  *float64 `json:"supported_percent,omitempty"`
	Referenced *float64 `json:"referenced_percent,omitempty"`
	Needs      int      `json:"needs"`
	// Copied is the share of the text that next actions copied which stood in the
	// prompts whole; True of the state's statements those that the messages bear out;
	// Done of the completed side effects those still shown; Rules of the users' rules
	// those that stood word for word. They were asked at some of the steps.
	Copied     *float64 `json:"copied_percent,omitempty"`
	True       *float64 `json:"true_percent,omitempty"`
	Done       *float64 `json:"done_percent,omitempty"`
	Rules      *float64 `json:"rules_percent,omitempty"`
	Breaks     int      `json:"prefix_breaks"`
	Over       int      `json:"over_budget"`
	Tokens     int      `json:"tokens"`
	Everything int      `json:"everything_tokens"` // had everything been sent
}

// Judged compares the policy of a thread with an experiment's.
type Judged struct {
	Verdicts []Verdict `json:"verdicts"`
}

func (a *api) judge(v *view, r *http.Request) (any, error) {
	q := r.URL.Query()
	budget, err := number(q, "budget", 0, 0, math.MaxInt32)
	if err != nil {
		return nil, err
	}
	out := Judged{Verdicts: []Verdict{}}
	for _, w := range []*WhatIf{{}, {Policy: q.Get("policy"), Budget: budget}} {
		o, in, err := a.experimental(r.Context(), v, w)
		if err != nil {
			return nil, err
		}
		one, err := verdict(r.Context(), v, o, in)
		if err != nil {
			return nil, err
		}
		one.Policy, one.Budget = w.Policy, w.Budget
		out.Verdicts = append(out.Verdicts, one)
	}
	return out, nil
}

// verdict replays a thread under one policy.
func verdict(ctx context.Context, v *view, o precis.Options, in precis.Input) (out Verdict, err error) {
	run := replay.Run{ID: in.Thread, Source: "thread", System: in.System, Tools: in.Tools}
	for i := range v.t.Len() {
		if m := v.t.At(i).Message; !m.Meta {
			run.Messages = append(run.Messages, m)
		}
	}
	engine := replay.Engine(o.Policy.Name, func(context.Context) (*precis.Engine, func() error, error) {
		o.Store = memory.New()
		e, err := precis.New(o)
		return e, func() error { e.Close(); return o.Store.Close() }, err
	}, func() precis.Input { return precis.Input{Model: in.Model, Meter: in.Meter} })
	result, err := replay.Compare(ctx, one(run), replay.Options{
		Judge: replay.Judge{
			Count: in.Meter.Message, Fixed: func(r replay.Run) int { return fixedOf(in) },
			Ask: replay.Ask{Judges: []string{replay.AskReuse, replay.AskTruth, replay.AskRedo, replay.AskRules}, Every: 1 + len(run.Messages)/judgedMessages},
		},
		Policies: []replay.Policy{engine}, Budgets: []int{in.Budget},
	})
	if err != nil {
		return out, fmt.Errorf("judge %s: %w", o.Policy.Name, err)
	}
	for _, cell := range result.Cells {
		s := &cell.Scores[0]
		out.Entered, out.Steps, out.Active, out.Breaks, out.Over, out.Tokens, out.Everything = !s.Left, s.Steps, s.Active, s.Breaks, s.Over, s.Tokens, cell.None.Tokens
	}
	for _, row := range result.Rows {
		if row.Policy == o.Policy.Name {
			rates := row.Recall[replay.LongRangeStrict]
			out.Needs, out.Literal, out.Supported, out.Referenced = rates.Needs, share(rates.Literal), share(rates.Supported), share(rates.Referenced)
			said := map[string]*float64{}
			for _, j := range row.Judges {
				said[j.Judge] = share(j.Percent)
			}
			out.Copied, out.True, out.Done, out.Rules = said[replay.AskReuse], said[replay.AskTruth], said[replay.AskRedo], said[replay.AskRules]
		}
	}
	return out, nil
}

// judgedMessages is for how many messages of a thread the dearer judges are asked once
// more rarely.
const judgedMessages = 100

func share(p replay.Percent) *float64 {
	if n := float64(p); !math.IsNaN(n) {
		return &n
	}
	return nil
}

func one(run replay.Run) iter.Seq2[replay.Run, error] {
	return func(yield func(replay.Run, error) bool) { yield(run, nil) }
}

// fixedOf returns the tokens of a request beside its messages.
func fixedOf(in precis.Input) int {
	tools := make([]token.Tool, len(in.Tools))
	for i, t := range in.Tools {
		tools[i] = token.Tool{Name: t.Name, Description: t.Description, Schema: t.Read()}
	}
	return in.Meter.Overhead.Request + in.Meter.System(in.System) + in.Meter.Tools(tools)
}
