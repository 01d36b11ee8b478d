package precis

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/seed-3db51b0e/precis/cachecost"
	"github.com/seed-3db51b0e/precis/event"
	"github.com/seed-3db51b0e/precis/internal/engine/planner"
	"github.com/seed-3db51b0e/precis/internal/engine/session"
	"github.com/seed-3db51b0e/precis/internal/timeline"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/rehydrate"
	"github.com/seed-3db51b0e/precis/render"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/strategy"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/token"
)

// Outcome says how a Prepare ended.
type Outcome string

// The outcomes.
const (
	Compacted    Outcome = "compacted"     // a new plan was committed
	Pruned       Outcome = "pruned"        // old blocks were hidden while the provider's cache was cold
	Repaired     Outcome = "repaired"      // within budget, but the history had to be repaired
	WithinBudget Outcome = "within_budget" // nothing new to do
	NoGain       Outcome = "no_gain"       // what may be compacted would free nothing
	NoCutPoint   Outcome = "no_cut_point"  // everything is pinned, recent or held
	NotWorthIt   Outcome = "not_worth_it"  // the rewrite would cost more than it saves
	Vetoed       Outcome = "vetoed"        // a hook objected
	Shadowed     Outcome = "observed"      // shadow mode: see Turn.Shadow
	Failed       Outcome = "failed"        // SafeCompact: the last good plan was used, else the messages are as they came
)

// ErrImpossible is wrapped by ImpossibleError.
var ErrImpossible = errors.New("budget is impossible")

// ImpossibleError says that what no plan takes away exceeds the budget. All numbers are
// tokens.
type ImpossibleError struct {
	Budget int
	// Floor is the least that any plan makes: all that is named below, the provider's
	// framing and the pointers to what is left out.
	Floor int
	// System is the system prompt; SystemMessages is the part of it that stands among the
	// other messages.
	System, SystemMessages int
	// Tools is the tools' declarations.
	Tools int
	// LastUser is the last message in which the user speaks.
	LastUser int
	// Unknown is what no codec knows, which stays as its client wrote it.
	Unknown int
	// Thinking is what the provider demands of an open tool loop: see Client.ThinkingLeads and
	// Client.ThinkingStays.
	Thinking int
}

func (e *ImpossibleError) Error() string {
	unit := "tokens"
	if e.Budget == 1 {
		unit = "token"
	}
	text := fmt.Sprintf("budget is impossible: %s %s, but system prompt %s, tools %s",
		grouped(e.Budget), unit, grouped(e.System-e.SystemMessages), grouped(e.Tools))
	for _, n := range []struct {
		name   string
		tokens int
	}{{"system messages", e.SystemMessages}, {"what is not known", e.Unknown}, {"thinking that must stay", e.Thinking}} {
		if n.tokens > 0 {
			text += ", " + n.name + " " + grouped(n.tokens)
		}
	}
	rest := e.Floor - e.System - e.Tools - e.Unknown - e.Thinking - e.LastUser
	return text + fmt.Sprintf(", the last user message %s and framing with pointers %s make %s", grouped(e.LastUser), grouped(rest), grouped(e.Floor))
}

func (e *ImpossibleError) Unwrap() error { return ErrImpossible }

// grouped writes a count as people read it: 60,009.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Turn is a prepared prompt and how it came to be.
type Turn struct {
	Key      store.Key         // of the thread, or of the branch that has Plan
	Thread   *thread.Thread    // as the client sees it
	Plan     *plan.Plan        // that Messages follow; nil if none
	Messages []message.Message // the prompt; edited ones are marked Edited
	Origins  []render.Origin   // where each comes from
	Outcome  Outcome
	// Uncommitted says that Plan was made for this prompt alone and is not kept: the log
	// holds a longer conversation than Thread, whose plan stays as it is, and Plan only
	// repairs the end of Thread, or there are too many branches already. No record of Plan
	// can be undone then, and no later Prepare finds it.
	Uncommitted bool
	// Original is the whole request without a plan, in tokens.
	Original int
	// Before is the whole request under the plan that this Prepare found in force, repairs
	// included, in tokens; it is Original where a larger budget made planning start anew.
	Before int
	// Compacted is the whole request as it is sent, in tokens.
	Compacted int
	// Budget is the cap of the whole request, in tokens.
	Budget int
	// Overhead is the part of the request that no plan changes: system prompt, tools and
	// framing, in tokens.
	Overhead int
	// Veto is what a hook objected with, its Instructions left out; the zero Verdict if none
	// did. Where the Outcome is not Vetoed, the budget forced a compaction all the same.
	Veto event.Verdict
	// Outgrew is the budget of the plan that was found where that was clearly smaller, so
	// that planning started anew: what there is room for came back. 0 otherwise.
	Outgrew int
	// Forced counts messages that an undo had given back and the budget forced
	// out again.
	Forced int
	// Steps lists what this Prepare did, in order; Failures what it could not do.
	Steps    []strategy.Step
	Failures []error
	// Rehydrated is the content that came back for this turn, at the end of
	// Messages; RehydrationSkipped is what was wanted and did not, with the reason.
	Rehydrated         []rehydrate.Shown
	RehydrationSkipped []rehydrate.Skip
	// Economy estimates what a compaction costs and saves, whether it was
	// done or not; nil where none was considered or planning started anew, and for policies
	// that do not ask.
	Economy *plan.Economy
	// Shadow holds the turn that shadow mode did not send; nil otherwise.
	Shadow *Shadow
	// Earlier are the threads that this one goes on from, the nearest first: its client
	// compacted the conversation itself. recall.View takes them.
	Earlier []store.Origin

	meter   token.Meter
	spacing cachecost.Spacing // of cache points
	user    string            // Client.User of the input
}

// Version returns the version of the plan that the log keeps for this prompt; 0 where
// there is none.
func (t *Turn) Version() int {
	if t.Plan == nil || t.Uncommitted {
		return 0
	}
	return t.Plan.Version
}

// WithoutRecall returns Messages for a model that has no tools to read back what left
// the prompt, and how many tokens fewer than Compacted they have: no text of the plan's
// tells it to call the tool of that name, a policy's Recall.
func (t *Turn) WithoutRecall(tool string) (ms []message.Message, fewer int) {
	if t.Thread == nil || t.Plan == nil && len(t.Rehydrated) == 0 {
		return t.Messages, 0
	}
	ms, changed := render.WithoutRecall(t.Thread, t.Plan, tool, render.Result{Messages: t.Messages, Origins: t.Origins})
	for _, i := range changed {
		if t.meter.Counter != nil {
			fewer += t.meter.Messages(t.Messages[i:i+1]) - t.meter.Messages(ms[i:i+1])
		}
	}
	return ms, fewer
}

// Counter is the name of the counter that the turn's tokens are of, and whether it
// counts exactly; else the counts carry a margin. A turn of View has none: "".
func (t *Turn) Counter() (name string, exact bool) {
	if t.meter.Counter == nil {
		return "", false
	}
	return t.meter.Counter.Name(), t.meter.Exact()
}

// MessageTokens counts the message at position i of the log as the turn was counted, which
// may be otherwise than when it was logged: another model may have been asked then.
func (t *Turn) MessageTokens(i int) int {
	e := t.Thread.At(i)
	if t.meter.Counter == nil || e.Counter == t.meter.Name() {
		return e.Tokens
	}
	return t.meter.Message(e.Message)
}

// PlannedAlike reports whether the plan's numbers were counted as the turn's are.
func (t *Turn) PlannedAlike() bool {
	return t.Plan == nil || t.meter.Counter == nil || t.Plan.Inputs.Counter == "" || t.Plan.Inputs.Counter == t.meter.Name()
}

// Shadow holds the turn that was planned and not sent: in shadow mode the engine plans as
// ever but commits nothing, and the caller's messages go out as they came.
type Shadow struct {
	Outcome   Outcome
	Plan      *plan.Plan        // that would be in force
	Messages  []message.Message // that would have been sent
	Compacted int               // their tokens, as a whole request

	origins []render.Origin
}

// Planned is the turn as it would have been outside shadow mode; elsewhere t itself.
func (t *Turn) Planned() *Turn {
	if t.Shadow == nil {
		return t
	}
	would := *t
	would.Shadow, would.Outcome, would.Plan = nil, t.Shadow.Outcome, t.Shadow.Plan
	would.Messages, would.Origins, would.Compacted = t.Shadow.Messages, t.Shadow.origins, t.Shadow.Compacted
	return &would
}

// shadowed returns the turn as shadow mode hands it out: what it would have been
// stays in Turn.Shadow, and nothing of it reaches the prompt.
func (t *Turn) shadowed(in Input) *Turn {
	t.Shadow = &Shadow{Outcome: t.Outcome, Plan: t.Plan, Messages: t.Messages, Compacted: t.Compacted, origins: t.Origins}
	t.Messages, t.Origins = in.Messages, nil
	t.Plan, t.Uncommitted, t.Outcome, t.Before, t.Compacted = nil, false, Shadowed, t.Original, t.Original
	return t
}

// CachePoints returns the places of the prompt where a provider's cache is best told to keep
// what comes before, most worth having first: the end, the last excerpt of a summary, the end
// of the turn before the current one, and a place some rounds before the end
// (Policy.CacheOffset). room is how many markers may be set: cachecost.Breakpoints less the
// client's own. They are computed for the prompt as it is; setting the markers is up to who
// sends it.
func (t *Turn) CachePoints(room int) []cachecost.Point {
	if t.Thread == nil || len(t.Origins) != len(t.Messages) {
		return nil
	}
	of, turns := timeline.Turns(t.Thread), make([]int, len(t.Origins))
	for i, o := range t.Origins {
		switch {
		case o.First < 0:
			turns[i] = -1
		case o.Record != nil && o.Record.Action == plan.Summarize:
			turns[i] = 0
		default:
			turns[i] = of[o.First]
		}
	}
	return cachecost.Points(t.Messages, turns, t.Lasting(), room, t.spacing)
}

// Lasting returns how many messages at the beginning of the prompt end with the last excerpt of a
// summary, which later prompts repeat; 0 where there is none.
func (t *Turn) Lasting() (n int) {
	for i, o := range t.Origins {
		if o.Record == nil || len(o.Record.Excerpts) == 0 {
			continue
		}
		if n++; n == len(o.Record.Excerpts) {
			return i + 1
		}
	}
	return 0
}

// preparation is a turn in the making.
type preparation struct {
	in      Input
	request planner.Request
	session *session.Session
	thread  *thread.Thread // as the client sees it
	earlier []store.Origin
	found   *plan.Plan // in force when it began; nil: none
	base    *plan.Plan // what planning starts from; nil: none
	behind  bool       // the client sees less than the log holds
	freeKey store.Key  // of the branch that its next plan makes; zero: none
	draft   *planner.Draft
	turn    *Turn
	needed  int // tokens of the request under base, as it is written
	beside  int // tokens of it that are written beside summaries, for no message of the prompt
}
