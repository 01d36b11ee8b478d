package proxy

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/seed-3db51b0e/precis/upstream"
)

// connect makes the client of calls and the way through for the rest, over the
// same connections.
func (p *Proxy) connect() (err error) {
	if p.opts.Upstream.Transport == nil {
		t := &http.Transport{
			Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, DisableCompression: true,
			MaxIdleConns: 256, MaxIdleConnsPerHost: 64, IdleConnTimeout: 90 * time.Second, TLSHandshakeTimeout: 15 * time.Second,
		}
		p.opts.Upstream.Transport, p.idle = t, t
	}
	p.through = &httputil.ReverseProxy{
		Transport: p.opts.Upstream.Transport, FlushInterval: -1, Rewrite: rewrite,
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			p.unreached(w, r, sideOf(r.Context()), err)
		},
		ModifyResponse: func(r *http.Response) error {
			p.metrics.answered(sideOf(r.Request.Context()).Name, r.StatusCode)
			trace.SpanFromContext(r.Request.Context()).SetAttributes(attribute.Int("http.response.status_code", r.StatusCode))
			return nil
		},
	}
	p.client, err = upstream.New(p.opts.Upstream)
	return err
}

type sideKey struct{}

func sideOf(ctx context.Context) *side {
	s, _ := ctx.Value(sideKey{}).(*side)
	return s
}

// pass forwards a request as it is, and its answer as it comes.
func (p *Proxy) pass(w http.ResponseWriter, r *http.Request, s *side) {
	w.Header()["Content-Type"] = nil // the provider's own, or none
	p.through.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), sideKey{}, s)))
}

// rewrite gives a request its address. What the standard library takes out of a
// forwarded request on its own account is put back.
func rewrite(r *httputil.ProxyRequest) {
	s := sideOf(r.In.Context())
	r.Out.URL = s.url(r.In.URL)
	r.Out.Host = ""
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"} {
		if v, ok := r.In.Header[name]; ok {
			r.Out.Header[name] = v
		}
	}
	r.Out.Header.Del(ThreadHeader)
}

// url is where a request to the proxy goes.
func (s *side) url(in *url.URL) *url.URL {
	u := *in
	u.Scheme, u.Host, u.User, u.Fragment = s.base.Scheme, s.base.Host, nil, ""
	u.Path, u.RawPath = s.base.Path+in.Path, s.base.EscapedPath()+in.EscapedPath()
	return &u
}

// unreached answers for a provider that does not, and returns the status.
func (p *Proxy) unreached(w http.ResponseWriter, r *http.Request, s *side, err error) int {
	if r.Context().Err() != nil {
		return 0 // nobody is there to be told
	}
	p.metrics.unreached(s.Name)
	p.log.Warn("provider does not answer", "provider", s.Name, "host", s.base.Host, "error", reason(err))
	status, kind := http.StatusBadGateway, "api_error"
	if errors.Is(err, upstream.ErrNoAnswer) {
		status, kind = http.StatusGatewayTimeout, "timeout_error"
	}
	fail(w, s.Name, status, kind, fmt.Sprintf("precis: no answer from %s: %s", s.base.Host, reason(err)))
	return status
}

// reason is an error without the URL that it may hold.
func reason(err error) string {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	text := err.Error()
	if _, after, ok := strings.Cut(text, "send request to "); ok {
		if _, why, ok := strings.Cut(after, ": "); ok {
			return why
		}
	}
	return text
}

const anthropicName = "anthropic"

// fail answers with an error of the proxy's own, in the form that the provider's
// clients read.
func fail(w http.ResponseWriter, provider string, status int, kind, text string) {
	type inner struct {
		Type    string  `json:"type"`
		Message string  `json:"message"`
		Param   *string `json:"param,omitempty"`
		Code    string  `json:"code,omitempty"`
	}
	body := map[string]any{"error": inner{Type: kind, Message: text, Code: "precis_upstream"}}
	if provider == anthropicName {
		body = map[string]any{"type": "error", "error": inner{Type: kind, Message: text}}
	}
	b, err := json.Marshal(body)
	if err != nil {
		b = []byte(`{}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(b)))
	w.WriteHeader(status)
	_, _ = w.Write(b) // who asked may have left
}

// again gives a request back the body that was read of it, and what was not.
func again(r *http.Request, read []byte) *http.Request {
	rest := r.Body
	r = r.Clone(r.Context())
	r.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(read), rest), rest}
	return r
}
