package proxy

import (
	"context"

	"github.com/seed-3db51b0e/precis/store"
)

// record keeps what the client was answered, as it was: also of a client that
// leaves with the last word, before the provider's answer has ended.
func (c *call) record(a *answer) {
	if c.turn == nil {
		return
	}
	r := a.said()
	if r == nil || r.Stop == "" { // no answer, or cut
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.r.Context()), min(mostKeeping, c.p.opts.Limits.PrepareTimeout))
	defer cancel()
	if err := c.engine.RecordReply(ctx, c.turn, r.Messages()); err != nil {
		c.failed("record", err)
	}
}

// lost tells of messages that could not be logged: a gap, until the client sends
// its history again (SPEC V9).
func (p *Proxy) lost(k store.Key, err error) {
	p.metrics.failed("", "log")
	p.log.Warn("messages are not logged, the conversation goes on", "thread", k.Thread, "error", err)
}

// Flush waits until what was said is in the store: a call is answered while its
// messages are written.
func (p *Proxy) Flush(ctx context.Context) error { return p.behind.FlushAll(ctx) }
