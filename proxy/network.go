package proxy

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/proxy/intake"
	"github.com/seed-3db51b0e/precis/proxy/native"
	"github.com/seed-3db51b0e/precis/upstream"
)

// endpoint is a provider with its address parsed.
type endpoint struct {
	Provider
	base *url.URL
	// noCompaction is set when the provider knows no compaction: the proxy makes it.
	noCompaction atomic.Bool
}

// codec is the one of a call's path, or of the path below it where OpenAI's clients
// have conversations compacted; nil for what is no call.
func (e *endpoint) codec(path string) Codec {
	if c, a := e.addressed(); a != nil {
		if _, _, ok := a.At(path); ok {
			return c
		}
		return nil
	}
	if c := e.Calls[path]; c != nil {
		return c
	}
	above, below := strings.CutSuffix(path, native.CompactPath)
	if c := e.Calls[above]; below && c != nil && c.Name() == responsesName {
		return c
	}
	return nil
}

// addressed is the codec of a provider whose paths name the model; nil for others.
func (e *endpoint) addressed() (Codec, codec.Addressed) {
	for _, c := range e.Calls {
		if a, ok := c.(codec.Addressed); ok {
			return c, a
		}
	}
	return nil, nil
}

// owns reports whether a path is the provider's.
func (e *endpoint) owns(path string) bool {
	if _, a := e.addressed(); a != nil {
		if _, _, call := a.At(path); call || a.CountAt(path) {
			return true
		}
	}
	for call := range e.Calls {
		if path == call || strings.HasPrefix(path, call+"/") {
			return true
		}
	}
	return false
}

// url is where a request to the proxy goes.
func (e *endpoint) url(in *url.URL) *url.URL {
	u := *in
	u.Scheme, u.Host, u.User, u.Fragment = e.base.Scheme, e.base.Host, nil, ""
	u.Path, u.RawPath = e.base.Path+in.Path, e.base.EscapedPath()+in.EscapedPath()
	return &u
}

// network holds the providers and the connections to them.
type network struct {
	endpoints []*endpoint
	client    *upstream.Client       // of calls
	through   *httputil.ReverseProxy // of all else, over the same connections
	idle      interface{ CloseIdleConnections() }
	telemetry
}

// connect makes the connections to the providers.
func connect(o Options, t telemetry) (n network, err error) {
	n.telemetry = t
	for _, v := range o.Providers {
		u, err := base(v.URL)
		if err != nil {
			return n, err
		}
		n.endpoints = append(n.endpoints, &endpoint{Provider: v, base: u})
	}
	if o.Upstream.Transport == nil {
		t := upstream.NewTransport()
		o.Upstream.Transport, n.idle = t, t
	}
	n.through = &httputil.ReverseProxy{
		Transport: o.Upstream.Transport, FlushInterval: -1, Rewrite: rewrite, ErrorLog: log.New(passLog{t.log}, "", 0),
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			if errors.Is(err, intake.ErrSlow) || r.Context().Err() != nil { // that ends with the body; who left reads nothing
				n.unread(w, endpointOf(r.Context()), intake.ErrSlow)
				return
			}
			n.unreached(w, r, endpointOf(r.Context()), err)
		},
		ModifyResponse: func(r *http.Response) error {
			n.metrics.answered(endpointOf(r.Request.Context()).Name, r.StatusCode)
			trace.SpanFromContext(r.Request.Context()).SetAttributes(attribute.Int("http.response.status_code", r.StatusCode))
			return nil
		},
	}
	n.client, err = upstream.New(o.Upstream)
	return n, err
}

// passLog takes what the reverse proxy would write to standard error: that an answer which
// passes broke off.
type passLog struct{ log *slog.Logger }

// Write implements io.Writer.
func (l passLog) Write(line []byte) (int, error) {
	why := strings.TrimSpace(string(line))
	if i := strings.LastIndex(why, "copy: "); i >= 0 {
		why = why[i+len("copy: "):]
	}
	l.log.Warn("an answer that passes broke off", "error", why)
	return len(line), nil
}

// clientHeaders are sent by all clients of a provider, and by no others.
var clientHeaders = []struct{ header, provider string }{
	{"Anthropic-Version", anthropicName}, {"X-Goog-Api-Key", geminiName}, {"X-Goog-Api-Client", geminiName},
}

// endpoint finds the provider of a request: by its path, else by a header that its
// clients send.
func (n network) endpoint(r *http.Request) *endpoint {
	for _, e := range n.endpoints {
		if e.owns(r.URL.Path) {
			return e
		}
	}
	for _, known := range clientHeaders {
		for _, e := range n.endpoints {
			if e.Name == known.provider && r.Header.Get(known.header) != "" {
				return e
			}
		}
	}
	return n.endpoints[0]
}

type endpointKey struct{}

func endpointOf(ctx context.Context) *endpoint {
	e, _ := ctx.Value(endpointKey{}).(*endpoint)
	return e
}

// pass forwards a request as it is, and its answer as it comes. The server must not
// close the request's body when the answer begins: the transport looks for its end once
// more, and would take that for a broken request.
func (n network) pass(w http.ResponseWriter, r *http.Request, e *endpoint) {
	conn := http.NewResponseController(w)
	_ = conn.EnableFullDuplex() // HTTP/2 is so anyway
	defer func() {              // the server reads on only where the end of the body is known
		if r.Body != nil && r.Body.Close() != nil {
			_ = conn.Flush()
			panic(http.ErrAbortHandler)
		}
	}()
	w.Header()["Content-Type"] = nil // the provider's own, or none
	n.through.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), endpointKey{}, e)))
}

// rewrite gives a request its address. What the standard library takes out of a
// forwarded request on its own account is put back.
func rewrite(r *httputil.ProxyRequest) {
	r.Out.URL = endpointOf(r.In.Context()).url(r.In.URL)
	r.Out.Host = ""
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"} {
		if v, ok := r.In.Header[name]; ok {
			r.Out.Header[name] = v
		}
	}
	r.Out.Header.Del(ThreadHeader)
}

// unread answers a client whose request could not be read.
func (n network) unread(w http.ResponseWriter, e *endpoint, err error) {
	switch {
	case errors.Is(err, intake.ErrFull):
		n.log.Warn("no room for a request", "error", err)
		w.Header().Set("Retry-After", "5")
		fail(w, e.Name, http.StatusServiceUnavailable, "overloaded_error", "precis: "+err.Error())
	case errors.Is(err, intake.ErrSlow):
		w.Header().Set("Connection", "close")
		fail(w, e.Name, http.StatusRequestTimeout, "timeout_error", "precis: "+err.Error())
	default:
		fail(w, e.Name, http.StatusBadRequest, "invalid_request_error", "precis: could not read the request body")
	}
}

// unreached answers for a provider that does not, and returns the status.
func (n network) unreached(w http.ResponseWriter, r *http.Request, e *endpoint, err error) int {
	if r.Context().Err() != nil {
		return 0 // nobody is there to be told
	}
	n.metrics.unreached(e.Name)
	n.log.Warn("provider does not answer", "provider", e.Name, "host", e.base.Host, "error", reason(err))
	status, kind := http.StatusBadGateway, "api_error"
	if errors.Is(err, upstream.ErrNoAnswer) {
		status, kind = http.StatusGatewayTimeout, "timeout_error"
	}
	fail(w, e.Name, status, kind, fmt.Sprintf("precis: no answer from %s: %s", e.base.Host, reason(err)))
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

// The names of the wire formats that are told apart.
const (
	anthropicName = "anthropic"
	responsesName = "responses"
	geminiName    = "gemini"
)

// geminiStatuses are the words of Google's APIs for what went wrong.
var geminiStatuses = map[int]string{
	http.StatusBadRequest: "INVALID_ARGUMENT", http.StatusForbidden: "PERMISSION_DENIED", http.StatusRequestTimeout: "CANCELLED",
	http.StatusInternalServerError: "INTERNAL", http.StatusGatewayTimeout: "DEADLINE_EXCEEDED",
}

// ownCodes are the codes of the proxy's own errors: they say that the provider did not
// answer so.
var ownCodes = map[int]string{
	http.StatusBadRequest: "precis_unreadable", http.StatusForbidden: "precis_refused", http.StatusRequestTimeout: "precis_slow_request",
	http.StatusTooManyRequests: "precis_quota", http.StatusInternalServerError: "precis_compaction", http.StatusServiceUnavailable: "precis_busy",
	http.StatusBadGateway: "precis_upstream", http.StatusGatewayTimeout: "precis_upstream",
}

// fail answers with an error of the proxy's own, in the form that the provider's
// clients read.
func fail(w http.ResponseWriter, provider string, status int, kind, text string) {
	type inner struct {
		Type    string  `json:"type"`
		Message string  `json:"message"`
		Param   *string `json:"param,omitempty"`
		Code    string  `json:"code,omitempty"`
	}
	body := map[string]any{"error": inner{Type: kind, Message: text, Code: ownCodes[status]}}
	switch provider {
	case anthropicName:
		body = map[string]any{"type": "error", "error": inner{Type: kind, Message: text}}
	case geminiName:
		body = map[string]any{"error": map[string]any{"code": status, "message": text, "status": cmp.Or(geminiStatuses[status], "UNAVAILABLE")}}
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
