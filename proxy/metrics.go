package proxy

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/internal/lru"
	"github.com/seed-3db51b0e/precis/internal/request"
)

// metrics are the proxy's numbers. No label is a caller's to choose.
type metrics struct {
	http.Handler
	inFlight                                prometheus.Gauge
	calls, passed, failures, overflows      *prometheus.CounterVec
	answers, unanswered, promptTokens, cost *prometheus.CounterVec
	recalls, overQuota                      *prometheus.CounterVec
	preparing                               *prometheus.HistogramVec
}

// newMetrics counts; threads and requests are asked for what is kept in memory of
// conversations in the engines, and of requests as they were decoded.
func newMetrics(threads, requests func() lru.Stats) *metrics {
	reg := prometheus.NewRegistry()
	count := func(name, help string, labels ...string) *prometheus.CounterVec {
		c := prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "precis", Name: name, Help: help}, labels)
		reg.MustRegister(c)
		return c
	}
	m := &metrics{
		Handler:  promhttp.HandlerFor(reg, promhttp.HandlerOpts{}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{Namespace: "precis", Name: "requests_in_flight", Help: "Requests being served."}),

		calls:        count("calls_total", "Calls whose conversation is kept, by how their prompt came to be.", "api", "outcome"),
		passed:       count("untouched_total", "Calls that passed without being looked at, by reason.", "api", "reason"),
		failures:     count("failures_total", "Failures that a call survived, by stage.", "api", "stage"),
		overflows:    count("overflows_total", "Prompts refused as too long, by what became of them.", "api", "result"),
		recalls:      count("recalls_total", "Calls of the recall tools that were answered, by how that went.", "api", "tool", "outcome"),
		overQuota:    count("over_quota_total", "Calls refused because their key's quota is used up, by quota.", "api", "quota"),
		answers:      count("upstream_responses_total", "Answers of providers, by status.", "provider", "status"),
		unanswered:   count("upstream_errors_total", "Requests that no provider answered.", "provider"),
		promptTokens: count("prompt_tokens_total", "Prompt tokens as counted here, before and after compaction.", "api", "of"),
		cost:         count("usage_tokens_total", "Tokens that providers reported.", "api", "kind"),

		preparing: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: "precis", Name: "prepare_seconds", Help: "Time from a call's first byte until its prompt was ready.",
			Buckets: prometheus.ExponentialBuckets(.0005, 2, 15),
		}, []string{"api"}),
	}
	reg.MustRegister(m.inFlight, m.preparing)
	reg.MustRegister(kept("threads", "Conversations", threads)...)
	reg.MustRegister(kept("histories", "Requests", requests)...)
	return m
}

// kept are the numbers of a cache of things.
func kept(name, things string, stats func() lru.Stats) []prometheus.Collector {
	opts := func(what, help string) prometheus.Opts {
		return prometheus.Opts{Namespace: "precis", Subsystem: name, Name: what, Help: things + help}
	}
	return []prometheus.Collector{
		prometheus.NewGaugeFunc(prometheus.GaugeOpts(opts("kept", " in memory.")), func() float64 { return float64(stats().Entries) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts(opts("kept_bytes", " in memory, in bytes, about.")), func() float64 { return float64(stats().Bytes) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts(opts("hits_total", " that went on from what was in memory.")), func() float64 { return float64(stats().Hits) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts(opts("misses_total", " that did not.")), func() float64 { return float64(stats().Misses) }),
	}
}

func (m *metrics) served(api, outcome string, prepared time.Duration) {
	m.calls.WithLabelValues(api, outcome).Inc()
	m.preparing.WithLabelValues(api).Observe(prepared.Seconds())
}

func (m *metrics) planned(api string, original, sent int) {
	m.promptTokens.WithLabelValues(api, "original").Add(float64(original))
	m.promptTokens.WithLabelValues(api, "sent").Add(float64(sent))
}

func (m *metrics) untouched(api, reason string) { m.passed.WithLabelValues(api, reason).Inc() }
func (m *metrics) unreached(provider string)    { m.unanswered.WithLabelValues(provider).Inc() }

func (m *metrics) failed(api string, stage request.Stage) {
	m.failures.WithLabelValues(api, string(stage)).Inc()
}

func (m *metrics) refused(api, quota string) { m.overQuota.WithLabelValues(api, quota).Inc() }

func (m *metrics) recalled(api, tool, outcome string) {
	m.recalls.WithLabelValues(api, tool, outcome).Inc()
}

func (m *metrics) answered(provider string, status int) {
	m.answers.WithLabelValues(provider, strconv.Itoa(status)).Inc()
}

func (m *metrics) overflowed(api string, again bool) {
	result := "given_up"
	if again {
		result = "sent_again"
	}
	m.overflows.WithLabelValues(api, result).Inc()
}

func (m *metrics) used(api string, u codec.Usage) {
	for kind, n := range map[string]int{"input": u.Input, "cache_read": u.CacheRead, "cache_write": u.CacheWrite, "output": u.Output} {
		m.cost.WithLabelValues(api, kind).Add(float64(n))
	}
}
