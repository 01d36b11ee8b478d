package proxy

import (
	"net/http"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
)

// tracing makes the spans of requests. Their attributes are counts and words of
// our own: nothing that a client or a provider wrote.
type tracing struct {
	trace.Tracer
	on bool
}

// wire is how a trace goes on over HTTP.
var wire propagation.TraceContext

func newTracing(p trace.TracerProvider) tracing {
	on := p != nil
	if !on {
		p = noop.NewTracerProvider()
	}
	return tracing{p.Tracer("github.com/seed-3db51b0e/precis/proxy"), on}
}

// request begins the span of a client's request, in the client's trace if it is
// in one. Without tracing the request is as it came, its trace headers included.
func (t tracing) request(r *http.Request) (*http.Request, trace.Span) {
	if !t.on {
		return r, noop.Span{}
	}
	ctx := wire.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
	ctx, span := t.Start(ctx, "precis request", trace.WithSpanKind(trace.SpanKindServer))
	r = r.Clone(ctx)
	wire.Inject(ctx, propagation.HeaderCarrier(r.Header))
	return r, span
}

// begin begins a span within the call's, and makes it the one that what follows
// is part of until it is ended.
func (c *call) begin(name string, o ...trace.SpanStartOption) (end func(...attribute.KeyValue)) {
	if !c.p.tracing.on {
		return func(...attribute.KeyValue) {}
	}
	outer := c.r
	ctx, span := c.p.tracing.Start(outer.Context(), name, o...)
	c.r = outer.WithContext(ctx)
	return func(attrs ...attribute.KeyValue) {
		span.SetAttributes(attrs...)
		span.End()
		c.r = outer
	}
}

// client is the kind of a span of a request that we make.
var client = trace.WithSpanKind(trace.SpanKindClient)

// inject has a request to a provider go on in the span that it is part of.
func (c *call) inject(h http.Header) {
	if c.p.tracing.on {
		wire.Inject(c.r.Context(), propagation.HeaderCarrier(h))
	}
}

// traced are the numbers of a prompt.
func (c *call) traced() []attribute.KeyValue {
	if c.turn == nil {
		return []attribute.KeyValue{attribute.String("precis.outcome", "failed")}
	}
	attrs := []attribute.KeyValue{
		attribute.String("precis.outcome", string(c.turn.Outcome)), attribute.Int("precis.budget", c.in.Budget),
		attribute.Int("precis.tokens.original", c.turn.Original), attribute.Int("precis.tokens.sent", c.sent),
		attribute.Int("precis.steps", len(c.turn.Steps)), attribute.Int("precis.failures", len(c.turn.Failures)),
	}
	if c.turn.Plan != nil {
		attrs = append(attrs, attribute.Int("precis.plan.version", c.turn.Plan.Version), attribute.Int("precis.plan.records", len(c.turn.Plan.Records)))
	}
	return attrs
}

// answered are the numbers of an answer.
func (c *call) answered() []attribute.KeyValue {
	return []attribute.KeyValue{
		attribute.Int("precis.usage.input", c.usage.Input), attribute.Int("precis.usage.cache_read", c.usage.CacheRead),
		attribute.Int("precis.usage.cache_write", c.usage.CacheWrite), attribute.Int("precis.usage.output", c.usage.Output),
	}
}

// told is what the span of a call says when it is over.
func (c *call) told(err error) {
	span := trace.SpanFromContext(c.r.Context())
	if !span.IsRecording() {
		return
	}
	span.SetAttributes(
		attribute.String("precis.api", c.codec.Name()), attribute.Int("precis.messages", len(c.req.Messages)),
		attribute.Int("http.response.status_code", c.status), attribute.Bool("precis.retried", c.retried), attribute.Int("precis.lookups", c.looks.seen),
	)
	span.SetAttributes(c.traced()...)
	if err != nil || c.status == 0 {
		span.SetStatus(codes.Error, "")
	}
}
