package codec

import (
	"errors"

	"github.com/seed-3db51b0e/precis/message"
)

// ErrCut is wrapped when a stream ended before the reply was complete.
var ErrCut = errors.New("stream was cut")

// Stop is the reason why a reply ended, whatever its provider calls it. It is ""
// where a stream was cut before it named one.
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

// Truncated reports whether the reply was cut short, so that its last part may be
// incomplete.
func (s Stop) Truncated() bool { return s == StopLength || s == StopWindow }

// Usage counts the tokens of a reply; 0 = not reported. Where a provider
// worked in several steps (rule WU2) it is their sum.
type Usage struct {
	// Input is the whole prompt, cached or not (rule WU1).
	Input      int
	CacheRead  int // of Input: read from a cache
	CacheWrite int // of Input: written to a cache
	Output     int
	Reasoning  int // of Output
	// Context is the size of the prompt that the answer was given to: Input, but
	// for several steps, where it is that of the last that wrote a message. It is
	// 0 where none did, as for a compaction on demand, and where the provider cleared a part
	// of the prompt first: what it counted is then not what it was sent.
	Context int
}

// Reply is a model's answer, whole or put together from its stream.
type Reply struct {
	ID    string
	Model string
	// Message is the answer in one piece, to be read. Where Items is nil it is
	// also what the client will send back: its Digest is that of the echo in the
	// next request.
	Message message.Message
	// Items is the answer as the client will send it back in a dialect where
	// that is several messages (Responses: one an item), else nil. Message then
	// has the parts of all, and no Raw if it is more than one.
	Items  []message.Message
	Stop   Stop
	Reason string // the provider's own word for Stop
	Usage  Usage
	// Refusal is the text of a refusal, or what the provider explains about it.
	Refusal string
	// Transformations lists the changes the provider reports (rule WT9).
	Transformations []Transformation
}

// Transformation is one change that a provider made to the prompt it was sent.
type Transformation struct {
	Type   string
	Path   string // of the block, in the request
	Reason string
}

// Messages is the answer as the client will send it back, and as the log keeps
// it.
func (r *Reply) Messages() []message.Message {
	if r.Items != nil {
		return r.Items
	}
	return []message.Message{r.Message}
}

// Replier reads the answers of a provider.
type Replier interface {
	// Reply reads a whole answer. An error body is a *Failure, whatever the
	// status says; anything else that is no answer wraps ErrMalformed. The
	// reply's slices may alias body, which must not be changed afterwards.
	Reply(status int, body []byte) (*Reply, error)
	// Stream begins to put a streamed answer together.
	Stream() Assembler
}

// Assembler puts one streamed answer together from its events. It never needs
// more of the stream than was given, and neither changes nor keeps what it is
// given.
type Assembler interface {
	// Event takes one server-sent event: its name ("" where the provider sends
	// none) and its data. Unknown events are no error. An error event is a
	// *Failure; data that is not JSON wraps ErrMalformed and is passed over.
	Event(name string, data []byte) error
	// Reply is the answer so far, a copy; the error wraps ErrCut while the
	// stream has not said that it is complete. A call whose arguments were cut
	// has them as far as they came; its Raw holds them in a form that can be
	// sent.
	Reply() (*Reply, error)
}
