package proxy

import (
	"context"
	"errors"
	"io"
	"strings"

	"go.opentelemetry.io/otel/attribute"

	"github.com/seed-3db51b0e/precis/internal/request"
	"github.com/seed-3db51b0e/precis/overflow"
	"github.com/seed-3db51b0e/precis/upstream"
)

// delivery is an answer's beginning, and the prompt that it answers.
type delivery struct {
	prompt  prompt
	resp    *upstream.Response
	retried bool // an earlier prompt was refused
}

// errNoCompaction tells that the provider knows no compaction.
var errNoCompaction = errors.New("provider knows no compaction")

// forward is the fifth stage: it sends a prompt. One whose thinking is refused is sent
// again without, once.
func (p *Proxy) forward(ctx context.Context, j job, made prompt) (delivery, error) {
	d := delivery{prompt: made}
	var err error
	if d.resp, err = p.send(ctx, j, made); err != nil {
		return d, err
	}
	if made.Turn != nil && p.noCompaction(j, d.resp) {
		return d, errNoCompaction
	}
	var refused bool
	if refused, d.resp.Body = made.ThinkingRefused(j.request.Body, d.resp.Status, d.resp.Body); !refused {
		return d, nil
	}
	in := made.Input
	in.Mode.DropThinking = true
	next := p.compact(ctx, j, in, made.partial)
	if !next.Differs(made.Prompt) {
		return d, nil
	}
	_ = d.resp.Body.Close() // it was read
	p.metrics.failed(j.codec.Name(), request.Thinking)
	p.log.Warn(request.Thinking.Text(), "api", j.codec.Name(), "thread", next.Turn.Key.Thread)
	d.prompt, d.retried = next, true
	d.resp, err = p.send(ctx, j, next)
	return d, err
}

// shrink makes a shorter prompt of one that was refused, and reports whether there is
// one. It needs no model.
func (p *Proxy) shrink(ctx context.Context, j job, refused prompt, o overflow.Overflow) (prompt, bool) {
	next := p.compact(ctx, j, refused.Shorter(o, &p.limits, j.subject), refused.partial)
	ok := next.Replaces(refused.Prompt, o)
	p.metrics.overflowed(j.codec.Name(), ok)
	return next, ok
}

// betaHeader names what a request uses that is not everybody's.
const betaHeader = "Anthropic-Beta"

// send makes one exchange, up to the answer's header.
func (p *Proxy) send(ctx context.Context, j job, made prompt) (resp *upstream.Response, err error) {
	h := upstream.EndToEnd(j.http.Header)
	h.Del(ThreadHeader)
	if p.opts.Mode == Compact {
		h.Set("Accept-Encoding", "identity")
	}
	if _, ok := h["User-Agent"]; !ok {
		h.Set("User-Agent", "") // none, and not the standard library's
	}
	if had := strings.Join(h.Values(betaHeader), ","); made.beta != "" && !strings.Contains(had, made.beta) {
		h.Set(betaHeader, strings.TrimPrefix(had+","+made.beta, ","))
	}
	ctx, answered := p.tracing.begin(ctx, "upstream", client)
	status := 0
	defer func() {
		answered(attribute.Int("http.response.status_code", status), attribute.Int("http.request.body.size", len(made.Body)))
	}()
	p.tracing.inject(ctx, h)
	resp, err = p.network.client.Do(ctx, upstream.Request{
		Method: j.http.Method, URL: j.endpoint.url(j.http.URL).String(), Header: h, Body: made.Body,
	})
	if err != nil {
		return nil, err
	}
	status = resp.Status
	p.metrics.answered(j.endpoint.Name, resp.Status)
	return resp, nil
}

// noCompaction reports whether an answer refuses a compaction because the provider
// knows none. If so it has been read.
func (p *Proxy) noCompaction(j job, resp *upstream.Response) bool {
	if !j.native.Demand.Direct() || p.opts.Mode != Compact || resp.Status/100 < 4 {
		return false
	}
	said, err := io.ReadAll(io.LimitReader(resp.Body, request.MaxError))
	if err != nil || !j.native.Demand.Unknown(resp.Status, said) {
		resp.Body = request.Joined(said, resp.Body)
		return false
	}
	_ = resp.Body.Close() // why is known
	j.endpoint.noCompaction.Store(true)
	p.log.Info("provider knows no compaction, so the proxy makes it from now on", "provider", j.endpoint.Name, "status", resp.Status)
	return true
}
