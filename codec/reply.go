package codec

import (
	"errors"

	"github.com/seed-3db51b0e/precis/message"
)

// ErrCut is wrapped when a stream ended before the reply was complete.
var ErrCut = errors.New("stream was cut")

// Stop says why a reply ended, whatever word its provider has for it.
type Stop string

// The reasons. Nothing of a reply that stopped at Length or Window is executed:
// its last call may be incomplete (rule WE2).
const (
	StopEnd        Stop = "end"        // the model was done
	StopCalls      Stop = "calls"      // it wants tools run
	StopLength     Stop = "length"     // the output cap was reached
	StopWindow     Stop = "window"     // the context window was reached
	StopRefusal    Stop = "refusal"    // refused, or filtered
	StopPause      Stop = "pause"      // to be resumed as it is (rule WE4)
	StopCompaction Stop = "compaction" // the provider compacted
	StopOther      Stop = "other"
)

// Truncated says whether the reply was cut short, so that its last part may be
// incomplete.
func (s Stop) Truncated() bool { return s == StopLength || s == StopWindow }

// Usage is what a reply cost, in tokens; 0 = not reported.
type Usage struct {
	// Input is the whole prompt, cached or not (rule WU1).
	Input      int
	CacheRead  int // of Input: read from a cache
	CacheWrite int // of Input: written to a cache
	Output     int
	Reasoning  int // of Output
}

// Reply is a model's answer, whole or put together from its stream.
type Reply struct {
	ID    string
	Model string
	// Message is the answer as the client will send it back: its Digest is that
	// of the echo in the next request.
	Message message.Message
	Stop    Stop
	Reason  string // the provider's own word for Stop
	Usage   Usage
	// Refusal is the text of a refusal that stands apart from the message.
	Refusal string
}

// Failure is an error body, or an error event inside a stream.
type Failure struct {
	Status  int // HTTP status, 0 inside a stream
	Type    string
	Code    string
	Message string
}

func (f *Failure) Error() string {
	s := f.Message
	for _, w := range []string{f.Code, f.Type} {
		if w != "" {
			return w + ": " + s
		}
	}
	return s
}

// Replier reads the answers of a provider.
type Replier interface {
	// Reply reads a whole answer. An error body is a *Failure; anything else
	// that is no answer wraps ErrMalformed.
	Reply(status int, body []byte) (*Reply, error)
	// Stream begins to put a streamed answer together.
	Stream() Assembler
}

// Assembler puts one streamed answer together from its events. It never needs
// more of the stream than was given, and does not change what it is given.
type Assembler interface {
	// Event takes one server-sent event: its name ("" where the provider sends
	// none) and its data. Unknown events are no error. An error event is a
	// *Failure.
	Event(name string, data []byte) error
	// Reply is the answer so far, a copy; the error wraps ErrCut while the
	// stream has not said that it is complete.
	Reply() (*Reply, error)
}
