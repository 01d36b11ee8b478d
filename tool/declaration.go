package tool

import (
	"fmt"

	"github.com/seed-3db51b0e/precis/message"
)

// Declaration holds what a tool says about all of its results.
type Declaration struct {
	Name   string
	Policy Policy
	// Capture returns what is known of the source of a result now; nil for
	// nothing, and nil itself where there is no source. It is called with the
	// successful call as Of reads it: filestate.Files makes one for local files.
	Capture func(Envelope) *Determinism
}

// Result makes the result of a call: content is a string, or else its JSON. The
// envelope it declares is e with the policy's durability and what Capture finds
// now where e leaves them open; a zero e is fine. A tool whose source may change
// while it reads hands in in e what it captured before. It fails with
// ErrDeclaration like Declare, and where content is nothing JSON can say.
func (d Declaration) Result(call message.Part, content any, e Envelope) (message.Part, error) {
	text, err := textOf(content)
	if err != nil {
		return message.Part{}, fmt.Errorf("write result of %s: %w: %w", d.Name, ErrDeclaration, err)
	}
	call.Name = d.Name
	p := message.Part{
		Kind: message.Result, CallID: call.CallID, Name: d.Name, Failed: e.Outcome == Failure,
		Parts: []message.Part{{Kind: message.Text, Text: text}},
	}
	if e.Durability == "" {
		e.Durability = d.Policy.Durability
	}
	if e.Determinism == nil && d.Capture != nil && e.Outcome != Failure {
		e.Determinism = d.Capture(Of(call, &p))
	}
	err = Declare(&p, e)
	return p, err
}

func textOf(content any) (string, error) {
	if s, ok := content.(string); ok {
		return s, nil
	}
	b, err := plain(content)
	return string(b), err
}

// Declarations are the tools of an agent.
type Declarations []Declaration

// Policies are the overrides that Resolve and OfWith take; of two declarations
// of one name the later counts.
func (ds Declarations) Policies() map[string]Policy {
	m := make(map[string]Policy, len(ds))
	for _, d := range ds {
		m[d.Name] = d.Policy
	}
	return m
}
