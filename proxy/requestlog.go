package proxy

import (
	"context"
	"log/slog"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/seed-3db51b0e/precis/codec"
)

// result tells how a call ended.
type result struct {
	prompt   prompt
	prepared time.Duration // until the prompt was ready
	status   int           // of the last answer, 0 = none
	retried  bool
	usage    codec.Usage
	asked    int // how often the model was asked again after look-ups
	rounds   int // of an answer that look-ups were left out of, else 0
}

// add adds what an answer cost.
func (r *result) add(u codec.Usage) {
	r.usage = codec.Usage{
		Input: r.usage.Input + u.Input, CacheRead: r.usage.CacheRead + u.CacheRead, CacheWrite: r.usage.CacheWrite + u.CacheWrite,
		Output: r.usage.Output + u.Output, Reasoning: r.usage.Reasoning + u.Reasoning, Context: u.Context,
	}
}

// ended logs a call that is over, counts it, and ends its span.
func (t telemetry) ended(ctx context.Context, j job, r result, began time.Time, err error) {
	outcome := "failed"
	attrs := []slog.Attr{
		slog.String("api", j.codec.Name()), slog.String("model", j.request.Model), slog.Bool("stream", j.request.Stream),
		slog.Int("status", r.status), slog.Int("messages", len(j.request.Messages)), slog.Int("budget", r.prompt.Input.Budget),
		slog.Duration("prepared", r.prepared), slog.Duration("took", time.Since(began)),
	}
	if turn := r.prompt.Turn; turn != nil {
		if !r.prompt.unwritten {
			outcome = string(turn.Outcome)
		}
		original := turn.Original - j.recall.cost
		attrs = append(attrs, slog.String("thread", turn.Key.Thread), slog.Int("tokens", original), slog.Int("sent", r.prompt.Tokens))
		if v := turn.Version(); v > 0 {
			attrs = append(attrs, slog.Int("plan", v))
		}
		if s := turn.Shadow; s != nil {
			attrs = append(attrs, slog.String("would", string(s.Outcome)), slog.Int("would_send", s.Compacted))
		}
		t.metrics.planned(j.codec.Name(), original, r.prompt.Tokens)
	}
	t.metrics.served(j.codec.Name(), outcome, r.prepared)
	attrs = append(attrs, slog.String("outcome", outcome))
	if u := r.usage; u.Input > 0 {
		attrs = append(attrs, slog.Int("input", u.Input), slog.Int("cached", u.CacheRead), slog.Int("output", u.Output))
	}
	if r.rounds > 0 {
		attrs = append(attrs, slog.Int("rounds", r.rounds))
	}
	if r.retried {
		attrs = append(attrs, slog.Bool("retried", true))
	}
	if err != nil {
		attrs = append(attrs, slog.String("error", reason(err)))
	}
	if ctx.Err() != nil && (err != nil || r.status == 0) { // before it had its answer
		attrs = append(attrs, slog.Bool("left", true))
	}
	t.log.LogAttrs(ctx, slog.LevelInfo, "call", attrs...)
	r.trace(trace.SpanFromContext(ctx), j, err)
}

// trace puts the result on the span of its call.
func (r result) trace(span trace.Span, j job, err error) {
	if !span.IsRecording() {
		return
	}
	span.SetAttributes(
		attribute.String("precis.api", j.codec.Name()), attribute.Int("precis.messages", len(j.request.Messages)),
		attribute.Int("http.response.status_code", r.status), attribute.Bool("precis.retried", r.retried), attribute.Int("precis.lookups", r.asked),
	)
	span.SetAttributes(r.prompt.attributes()...)
	if err != nil || r.status == 0 {
		span.SetStatus(codes.Error, "")
	}
}

// attributes are the numbers of the answers so far.
func (r result) attributes() []attribute.KeyValue {
	return []attribute.KeyValue{
		attribute.Int("precis.usage.input", r.usage.Input), attribute.Int("precis.usage.cache_read", r.usage.CacheRead),
		attribute.Int("precis.usage.cache_write", r.usage.CacheWrite), attribute.Int("precis.usage.output", r.usage.Output),
	}
}

// attributes are the numbers of a prompt.
func (made prompt) attributes() []attribute.KeyValue {
	t := made.Turn
	if t == nil {
		return []attribute.KeyValue{attribute.String("precis.outcome", "failed")}
	}
	attrs := []attribute.KeyValue{
		attribute.String("precis.outcome", string(t.Outcome)), attribute.Int("precis.budget", made.Input.Budget),
		attribute.Int("precis.tokens.original", t.Original), attribute.Int("precis.tokens.sent", made.Tokens),
		attribute.Int("precis.steps", len(t.Steps)), attribute.Int("precis.failures", len(t.Failures)),
	}
	if t.Plan != nil {
		attrs = append(attrs, attribute.Int("precis.plan.version", t.Version()), attribute.Int("precis.plan.records", len(t.Plan.Records)))
	}
	return attrs
}

// observe is the sixth stage: it takes what an answer cost, nil for none.
func (p *Proxy) observe(ctx context.Context, j job, r result, reply *codec.Reply) result {
	if reply == nil {
		return r
	}
	_, observed := p.tracing.begin(ctx, "observe")
	defer func() { observed(r.attributes()...) }()
	r.add(reply.Usage)
	p.metrics.used(j.codec.Name(), reply.Usage)
	r.prompt.Observe(reply.Usage, &p.limits, j.subject)
	return r
}
