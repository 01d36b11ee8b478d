package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	api "go.opentelemetry.io/otel/trace"
)

// tracesPath is where a collector takes traces, below its endpoint.
const tracesPath = "/v1/traces"

// traces is where spans go: the endpoint of --otlp or of the standard variables;
// nil for none. stop sends what is left.
func traces(ctx context.Context, endpoint string) (p api.TracerProvider, stop func(context.Context) error, err error) {
	if endpoint == "" && os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") == "" && os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") == "" {
		return nil, func(context.Context) error { return nil }, nil
	}
	var o []otlptracehttp.Option
	if endpoint != "" {
		if u, err := url.Parse(endpoint); err == nil && (u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
			return nil, nil, fmt.Errorf("%q is no http or https URL", u.Redacted())
		}
		at, err := url.JoinPath(strings.TrimSuffix(strings.TrimSuffix(endpoint, "/"), tracesPath), tracesPath)
		if err != nil {
			return nil, nil, fmt.Errorf("trace: %w", unnamed(err))
		}
		o = append(o, otlptracehttp.WithEndpointURL(at))
	}
	to, err := otlptracehttp.New(ctx, o...)
	if err != nil {
		return nil, nil, fmt.Errorf("trace: %w", unnamed(err))
	}
	about, err := resource.New(ctx, resource.WithFromEnv(), resource.WithTelemetrySDK())
	if err != nil {
		return nil, nil, fmt.Errorf("trace: %w", err)
	}
	provider := sdk.NewTracerProvider(sdk.WithBatcher(to), sdk.WithResource(about))
	return provider, provider.Shutdown, nil
}

// unnamed is an error without the URL that it is about, which may hold a password.
func unnamed(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}
