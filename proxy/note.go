package proxy

import (
	"log/slog"
	"time"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/summary"
)

// note is what is told of a call when it is over.
type note struct {
	began    time.Time
	prepared time.Duration // until the prompt was ready
	status   int           // of the last answer, 0 = none
	retried  bool
	usage    codec.Usage
}

// failed tells of a failure that the call survives.
func (c *call) failed(stage string, err error) {
	c.p.metrics.failed(c.codec.Name(), stage)
	if c.r.Context().Err() == nil {
		c.p.log.Warn("compaction failed, the call goes on", "api", c.codec.Name(), "stage", stage, "thread", c.in.Thread, "error", summary.Redact(err))
	}
}

// tell logs the call, without content, and counts it.
func (c *call) tell(err error) {
	outcome := "failed"
	attrs := []slog.Attr{
		slog.String("api", c.codec.Name()), slog.String("model", c.req.Model), slog.Bool("stream", c.req.Stream),
		slog.Int("status", c.status), slog.Int("messages", len(c.req.Messages)), slog.Int("budget", c.in.Budget),
		slog.Duration("prepared", c.prepared), slog.Duration("took", time.Since(c.began)),
	}
	if t := c.turn; t != nil {
		outcome = string(t.Outcome)
		attrs = append(attrs, slog.String("thread", t.Key.Thread), slog.Int("tokens", t.Original-c.looks.cost), slog.Int("sent", c.sent))
		if t.Plan != nil {
			attrs = append(attrs, slog.Int("plan", t.Plan.Version))
		}
		if s := t.Shadow; s != nil {
			attrs = append(attrs, slog.String("would", string(s.Outcome)), slog.Int("would_send", s.Compacted))
		}
		c.p.metrics.planned(c.codec.Name(), t.Original-c.looks.cost, c.sent)
	}
	c.p.metrics.served(c.codec.Name(), outcome, c.prepared)
	attrs = append(attrs, slog.String("outcome", outcome))
	if u := c.usage; u.Input > 0 {
		attrs = append(attrs, slog.Int("input", u.Input), slog.Int("cached", u.CacheRead), slog.Int("output", u.Output))
	}
	if c.looks.hides {
		attrs = append(attrs, slog.Int("rounds", len(c.looks.rounds)))
	}
	if c.retried {
		attrs = append(attrs, slog.Bool("retried", true))
	}
	if err != nil {
		attrs = append(attrs, slog.String("error", reason(err)))
	}
	if c.r.Context().Err() != nil && (err != nil || c.status == 0) { // before it had its answer
		attrs = append(attrs, slog.Bool("left", true))
	}
	c.p.log.LogAttrs(c.r.Context(), slog.LevelInfo, "call", attrs...)
}
