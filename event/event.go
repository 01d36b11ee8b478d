// Package event tells what compaction does while it does it: typed lifecycle
// events, a bus that carries them to subscribers, and the hooks that are asked
// before a compaction and told after it.
//
// Use: Bus.Subscribe and Bus.Emit; JSONL writes a line per event; Hooks.Ask and
// Hooks.Tell. Law: no subscriber and no hook blocks or breaks compaction, and a
// failure in one keeps nothing from another. Promise: events hold ids, names and
// numbers, never what a message says.
package event

import (
	"time"

	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/thread"
)

// Kind names what happened. The names are stable.
type Kind string

// The kinds, in the order in which a compaction may give them.
const (
	CheckStarted      Kind = "compaction_check_started"      // a prompt is over its trigger
	ProposalGenerated Kind = "compaction_proposal_generated" // TokensFreed is an estimate
	ProposalReady     Kind = "proposal_ready"                // prepared in the background

	// One for each record of a plan, when the plan is committed.
	Replaced     Kind = "compaction_replaced"
	Cleared      Kind = "compaction_cleared"
	Summarized   Kind = "compaction_summarized"
	Externalized Kind = "compaction_externalized"
	Dropped      Kind = "compaction_dropped"

	Completed Kind = "compaction_completed"
	Skipped   Kind = "compaction_skipped"  // Outcome: no_gain, within_budget, no_cut_point, not_worth_it, vetoed
	Failed    Kind = "compaction_failed"   // Err says why; the conversation goes on
	Boundary  Kind = "compaction_boundary" // the prompt from here on is compacted
	Session   Kind = "session_start"       // Details.Source is "compact"

	Retrieved          Kind = "compaction_retrieved"  // by recall
	Rehydrated         Kind = "compaction_rehydrated" // back for one turn
	BlockedSensitivity Kind = "rehydration_blocked_sensitivity"
	RehydrationSkipped Kind = "rehydration_skipped" // Details.Reason: cooldown, limit

	PlanRestored Kind = "plan_restored" // an older version is in force again
	PlanExpanded Kind = "plan_expanded" // one record was undone

	ShadowResult  Kind = "shadow_result"  // what would have happened
	WindowLearned Kind = "window_learned" // a provider's error told the model's window

	SubscriberPanicked Kind = "subscriber_panicked" // from the bus itself
)

// KindOf is the kind that tells of a record with this action; "" for Include
// and for actions that do not exist.
func KindOf(a plan.Action) Kind {
	switch a {
	case plan.Replace:
		return Replaced
	case plan.Clear:
		return Cleared
	case plan.Summarize:
		return Summarized
	case plan.Externalize:
		return Externalized
	case plan.Drop:
		return Dropped
	}
	return ""
}

// Event is one thing that happened to one thread. Zero fields do not apply and
// are left out of the JSON. It holds no reference, so it may be kept and passed
// on freely.
type Event struct {
	Kind    Kind      `json:"kind"`
	Time    time.Time `json:"time"` // by the emitter's clock
	Tenant  string    `json:"tenant,omitempty"`
	Thread  string    `json:"thread,omitempty"`
	Version int       `json:"version,omitempty"` // of the plan
	Turn    int       `json:"turn,omitempty"`    // of the thread, counted from 1
	// TokensBefore and TokensAfter are those of the whole request, Budget its
	// hard cap.
	TokensBefore int     `json:"tokens_before,omitempty"`
	TokensAfter  int     `json:"tokens_after,omitempty"`
	Budget       int     `json:"budget,omitempty"`
	Strategy     string  `json:"strategy,omitempty"`
	Span         Span    `json:"span,omitzero"`
	TokensFreed  int     `json:"tokens_freed,omitempty"`
	Outcome      string  `json:"outcome,omitempty"`
	Details      Details `json:"details,omitzero"`
	// Err is the text of an error; whoever emits it keeps content out of it.
	Err string `json:"error,omitempty"`
	// Dropped counts the events right before this one that a subscriber missed
	// because its queue was full. The bus sets it for each subscriber apart.
	Dropped int `json:"dropped,omitempty"`
}

// Span locates the event in the thread; see plan.Span.
type Span struct {
	First     thread.ID `json:"first"`
	Last      thread.ID `json:"last"`
	Count     int       `json:"count"`
	FirstTurn int       `json:"first_turn"`
	LastTurn  int       `json:"last_turn"`
}

// SpanOf is a plan's span as events tell it; zero for an empty one.
func SpanOf(s plan.Span) Span {
	if len(s.IDs) == 0 {
		return Span{}
	}
	return Span{First: s.Start(), Last: s.End(), Count: s.Count(), FirstTurn: s.FirstTurn, LastTurn: s.LastTurn}
}

// Trigger describes what set a compaction off.
type Trigger string

// The triggers.
const (
	Auto     Trigger = "auto"     // the prompt was over the policy's trigger
	Manual   Trigger = "manual"   // a person asked
	Overflow Trigger = "overflow" // the provider refused the prompt as too long
)

// Details holds what only some kinds have. A type of its own rather than a map:
// subscribers share events, and nothing but ids, names and numbers fits in.
type Details struct {
	Record      string  `json:"record,omitempty"`   // id of the plan's record
	Artifact    string  `json:"artifact,omitempty"` // id
	Sensitivity string  `json:"sensitivity,omitempty"`
	Reason      string  `json:"reason,omitempty"` // words of the program's own
	Trigger     Trigger `json:"trigger,omitempty"`
	Source      string  `json:"source,omitempty"` // of a session start
	Policy      string  `json:"policy,omitempty"`
	Model       string  `json:"model,omitempty"`
	Window      int     `json:"window,omitempty"`       // tokens
	Tokens      int     `json:"tokens,omitempty"`       // of what came back by recall or rehydration
	Records     int     `json:"records,omitempty"`      // of the plan
	Messages    int     `json:"messages,omitempty"`     // of the log
	Sent        int     `json:"sent,omitempty"`         // messages of the prompt
	Round       int     `json:"round,omitempty"`        // of the summary, counted from 1
	Summarized  int     `json:"summarized,omitempty"`   // messages that are under a summary only now
	Forced      int     `json:"forced,omitempty"`       // messages an undo had given back and the budget took again
	FromVersion int     `json:"from_version,omitempty"` // the version a restored plan was taken from
	Subscriber  string  `json:"subscriber,omitempty"`   // name of the one that panicked
	// Verdict on the price of a compaction; see plan.Economy. BreakEven is in
	// turns, -1 for never, Remaining the turns that were expected.
	Verdict   string  `json:"verdict,omitempty"`
	BreakEven float64 `json:"break_even_turns,omitempty"`
	Remaining float64 `json:"remaining_turns,omitempty"`
}

// Applied tells of one record of a plan, without its text: kind, strategy, span,
// tokens freed, record and artifact. Time, thread and the like are the caller's.
func Applied(r *plan.Record) Event {
	return Event{
		Kind: KindOf(r.Action), Strategy: r.Strategy, Span: SpanOf(r.Span), TokensFreed: r.Saves,
		Details: Details{Record: r.ID, Artifact: r.Artifact},
	}
}
