package proxy

import (
	"context"
	"log/slog"
	"net/http"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/seed-3db51b0e/precis/internal/request"
	"github.com/seed-3db51b0e/precis/summary"
)

// telemetry is where a proxy reports what happens, without content.
type telemetry struct {
	metrics *metrics
	tracing tracing
	log     *slog.Logger
}

// failed reports a failure that a call of an API survives, nil for none.
func (t telemetry) failed(ctx context.Context, api, thread string, stage request.Stage, err error) {
	if err == nil {
		return
	}
	t.metrics.failed(api, stage)
	if ctx.Err() == nil {
		t.log.Warn(stage.Text(), "api", api, "stage", stage, "thread", thread, "error", summary.Redact(err))
	}
}

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

// begin begins a span; what is done with ctx is part of it until it is ended.
func (t tracing) begin(outer context.Context, name string, o ...trace.SpanStartOption) (ctx context.Context, end func(...attribute.KeyValue)) {
	if !t.on {
		return outer, func(...attribute.KeyValue) {}
	}
	ctx, span := t.Start(outer, name, o...)
	return ctx, func(attrs ...attribute.KeyValue) {
		span.SetAttributes(attrs...)
		span.End()
	}
}

// client is the kind of a span of a request that we make.
var client = trace.WithSpanKind(trace.SpanKindClient)

// inject has a request to a provider go on in the span that it is part of.
func (t tracing) inject(ctx context.Context, h http.Header) {
	if t.on {
		wire.Inject(ctx, propagation.HeaderCarrier(h))
	}
}
