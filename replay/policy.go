package replay

import (
	"context"

	"github.com/seed-3db51b0e/precis/message"
)

// Policy makes the prompts of runs.
type Policy struct {
	Name string
	// Start begins a run. Its steps are called in order, each with the history
	// so far, one prefix of the run after the other; stop, if not nil, is
	// called after the last.
	Start func(ctx context.Context, s Setup) (next Step, stop func() error, err error)
	// Controlled is set where prompts of other kinds, of as many tokens each, are judged
	// beside this policy's, if Ask wants that.
	Controlled bool
	// Stamp tells this policy from others of its name: its numbers, say.
	Stamp string
}

// Setup holds what a policy may know of a run beforehand.
type Setup struct {
	// Run is the run, but for its messages: those come step by step.
	Run    Run
	Budget int // of a whole request, tokens
	Fixed  int // of a request beside its messages, tokens
	// Count counts a message in tokens; counts are remembered.
	Count func(message.Message) int
	// future is the whole run, for the oracle.
	future *Index
}

// Step gives the prompt for a history. It must not change the history.
type Step func(ctx context.Context, history []message.Message) (Prompt, error)

// Prompt holds what a policy would send.
type Prompt struct {
	Messages []message.Message
	// Pointed are positions of history messages which a pointer, stub or
	// preview of their own stands for in the prompt.
	Pointed []int
	// Lasting is how many messages at the beginning the policy expects to repeat, with a marker after
	// them where the provider's cache takes markers; 0 for none.
	Lasting int
	// Outcome is the policy's own word for what it did, "" if it has none.
	Outcome string
	// Priced holds what the policy reckoned, if it did.
	Priced Priced
	// Find searches the history by words, nil where the policy has no recall.
	Find Finder
}
