package precis

import (
	"time"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/event"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/plan"
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
	// to carry along.
	FinalTurn bool
	// CloseOpenCalls says that no result will come for calls that are open at the
	// end: the prompt answers them. Leave it false between a call and its result.
	CloseOpenCalls bool
	// DropThinking leaves out all thinking that Messages hold, now and from now on:
	// the provider refused it.
	DropThinking bool
}

// Client is what is known of who asks, and of how the request came.
type Client struct {
	// Envelope is the request around the messages; it is logged as it is.
	Envelope []byte
	// Source names the format that the conversation was read from.
	Source string
	// Idle is how long the conversation lay still before this request, for policies
	// that prune when the provider's cache is cold; 0: since the thread was last
	// written to.
	Idle time.Duration
	// Permissions are those of whoever the prompt is for: see rehydrate.Config.
	Permissions []string
}
