package precis

import (
	"errors"
	"fmt"
	"time"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/event"
	"github.com/seed-3db51b0e/precis/internal/engine/planner"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/token"
)

// Input is one conversation as its client sees it now. Thread and Messages are
// required; Model, or else Budget, says how long a prompt may be. The zero value
// of every other field is the usual case.
type Input struct {
	// Thread is the key of the conversation.
	Thread string
	// Messages are the whole history, oldest first.
	Messages []message.Message
	// System and Tools go out with the messages; they count against Budget and
	// are never changed.
	System []message.Part
	Tools  []codec.Tool
	// Model is who the prompt is for; zero: model.Unknown, which states no window.
	Model model.Model
	// Budget is the hard cap of the whole request in tokens; 0: the model's soft
	// threshold.
	Budget int

	// Meter counts tokens; zero: by Model, without exact counts.
	Meter token.Meter
	// Continue says that Messages are only what is new: the history is the log's,
	// and the prompt begins with the summary of what is old. Repeating such a call
	// logs the messages again.
	Continue bool
	// Pins are messages marked by the user: they are kept from now on.
	Pins []plan.Ref
	// Notes are what the agent declared about its own work, beside its calls of
	// precis_note in Messages: summaries quote them.
	Notes []plan.Note
	// Instructions are added to what a summarizer with a model is asked.
	Instructions string

	Limits Limits
	Mode   Mode
	Client Client
}

// Limits are caps of a request beside Input.Budget.
type Limits struct {
	// Payload caps pictures and documents, and the bytes of the request, of which
	// Client.Envelope takes its part. Zero fields are no limit.
	Payload token.Load
	// MaxOutput is the cap of the reply in tokens, where Budget is a window that
	// prompt and reply share: a Loop takes it off a Budget that is set. Prepare
	// does not read it.
	MaxOutput int
}

// Mode changes how one request is treated.
type Mode struct {
	// Force compacts whatever the trigger: a person asked, or the provider refused
	// the prompt. Trigger tells hooks and events which of them; it follows from
	// Force when empty.
	Force   bool
	Trigger event.Trigger
	// NoCompact leaves the prompt as the plan in force makes it, whatever its size:
	// somebody else compacts this conversation.
	NoCompact bool
	// FinalTurn says that no turn is known to follow: what fits stays as it is, and
	// a compaction that has to be keeps what there is room for, whatever that costs
	// to carry along. Where the conversation went on since its last plan, it may go on
	// again: then a compaction leaves room, as any does.
	FinalTurn bool
	// CloseOpenCalls says that no result will come for calls that are open at the
	// end: the prompt answers them. Leave it false between a call and its result.
	CloseOpenCalls bool
	// NoPrefetch prepares nothing ahead: it is not known yet whether the request counts.
	NoPrefetch bool
	// DropThinking leaves out all thinking that Messages hold, now and from now on:
	// the provider refused it.
	DropThinking bool
	// Above makes a compaction leave this message and all after it as they are, as far
	// as the budget allows; "" leaves that to the policy.
	Above thread.ID
}

// Client describes who asks, and how the request came.
type Client struct {
	// Envelope is the request around the messages; it is logged as it is.
	Envelope []byte
	// Source names the format that the conversation was read from.
	Source string
	// User says for whom the client asks, "" where nothing does. A conversation goes on
	// from another one only for the same user.
	User string
	// Idle is how long the conversation lay still before this request, for policies
	// that prune when the provider's cache is cold; 0: since the thread was last
	// written to.
	Idle time.Duration
	// CallsApart says that the provider takes the result of a call anywhere after it, not
	// only right behind it, as OpenAI Responses does: such results stay as they came.
	CallsApart bool
	// ThinkingLeads says that the provider refuses an open tool loop in which no round begins
	// with thinking, as Anthropic does where thinking has a budget: one that does stays.
	ThinkingLeads bool
	// ThinkingStays says that the provider refuses an open tool round without what was thought
	// in it, as Anthropic and DeepSeek do: while such a round is shown, its thinking is, too.
	ThinkingStays bool
	// UserLeads says that the request is written with a message of the user's before a summary
	// in the assistant's name, as Anthropic and Gemini want it: the budget has room for that.
	UserLeads bool
	// CachePoints says that the request is sent with a marker behind the last excerpt, as
	// Turn.CachePoints has it. A provider's cache that stores nothing without markers holds the
	// beginning of a prompt only then.
	CachePoints bool
	// Permissions are those of whoever the prompt is for: see rehydrate.Config.
	Permissions []string
}

// complete fills in what an input leaves to its model and policy: model and meter also
// where it fails.
func (in *Input) complete(p policy.Policy) error {
	if in.Model == (model.Model{}) {
		in.Model = model.Unknown
	}
	if in.Meter.Counter == nil {
		m, err := token.For(in.Model, nil)
		if err != nil {
			return fmt.Errorf("prepare: %w", err)
		}
		in.Meter = m
	}
	if err := in.validate(); err != nil {
		return err
	}
	if in.Budget == 0 {
		if in.Budget = p.Budget(in.Model); in.Budget <= 0 {
			return errors.New("prepare: Input.Budget is 0 and the model states no window")
		}
	}
	return nil
}

// validate names the first field that is missing or out of its range.
func (in *Input) validate() error {
	if in.Thread == "" {
		return errors.New("prepare: Input.Thread is empty")
	}
	for _, f := range []struct {
		name  string
		value int
	}{
		{"Budget", in.Budget},
		{"Limits.MaxOutput", in.Limits.MaxOutput},
		{"Limits.Payload.Media", in.Limits.Payload.Media},
		{"Limits.Payload.Bytes", in.Limits.Payload.Bytes},
	} {
		if f.value < 0 {
			return fmt.Errorf("prepare: Input.%s must not be negative, got %d", f.name, f.value)
		}
	}
	if in.Client.Idle < 0 {
		return fmt.Errorf("prepare: Input.Client.Idle must not be negative, got %v", in.Client.Idle)
	}
	switch in.Mode.Trigger {
	case "", event.Auto, event.Manual, event.Overflow:
		return nil
	}
	return fmt.Errorf("prepare: Input.Mode.Trigger is %q: there are %s, %s, %s", in.Mode.Trigger, event.Auto, event.Manual, event.Overflow)
}

// request returns the part of a complete input that planning reads.
func (in *Input) request() planner.Request {
	tools := make([]token.Tool, len(in.Tools))
	for i, t := range in.Tools {
		tools[i] = token.Tool{Name: t.Name, Description: t.Description, Schema: t.Read()}
	}
	return planner.Request{
		Model: in.Model, Meter: in.Meter, System: in.Meter.System(in.System), Tools: in.Meter.Tools(tools),
		Budget: in.Budget, Payload: in.Limits.Payload, Envelope: len(in.Client.Envelope), Idle: in.Client.Idle, Pins: in.Pins, Notes: in.Notes,
		Force: in.Mode.Force, Refused: in.Mode.Trigger == event.Overflow, NoCompact: in.Mode.NoCompact,
		FinalTurn: in.Mode.FinalTurn, CloseOpenCalls: in.Mode.CloseOpenCalls, DropThinking: in.Mode.DropThinking,
		Above: in.Mode.Above, CallsApart: in.Client.CallsApart, CachePoints: in.Client.CachePoints, ThinkingLeads: in.Client.ThinkingLeads,
		ThinkingStays: in.Client.ThinkingStays, UserLeads: in.Client.UserLeads,
	}
}

// fixed returns the cost of a complete input beside its messages, in tokens.
func (in *Input) fixed() int {
	r := in.request()
	return r.Fixed()
}

// trigger returns the reason of a compaction.
func (in *Input) trigger() event.Trigger {
	if in.Mode.Trigger != "" {
		return in.Mode.Trigger
	}
	if in.Mode.Force {
		return event.Manual
	}
	return event.Auto
}
