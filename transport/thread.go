package transport

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/thread"
)

// ThreadHeader names a request's conversation. It is not sent on.
const ThreadHeader = "X-Precis-Thread"

// longestKey is the most bytes of a caller's own name for a conversation that are
// taken as they are.
const longestKey = 128

// conversation is the key of the call's thread: what the caller says, else a
// digest of the system prompt and of all up to the first user message. It is the
// key that the proxy gives the same request.
func (c *call) conversation() string {
	if c.t.opts.Key != nil {
		if name := c.t.opts.Key(c.r); name != "" {
			return bounded(name)
		}
	}
	if name := c.r.Header.Get(ThreadHeader); name != "" {
		return bounded(name)
	}
	system := message.Message{Role: message.System, Parts: c.req.System}
	first := 1
	for i := range c.req.Messages {
		if c.req.Messages[i].Role == message.User {
			first = i + 1
			break
		}
	}
	es := thread.Extend(thread.Chain("", system.Digest()), c.req.Messages[:first])
	return string(es[first-1].ID[:16])
}

func bounded(name string) string {
	if len(name) <= longestKey {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	return hex.EncodeToString(sum[:])
}
