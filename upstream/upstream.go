// Package upstream sends requests to model providers.
//
// Use: New, then Do; read the Response's body as it streams and close it. Law:
// nothing is sent again once a response has been handed out, and credentials go
// to the host of the request and to no other: redirects are handed out, not
// followed. Promise: attempts, waits and silence are bounded, the caller's
// context ends everything at once, and no error or notice holds a header, a
// query or a body.
package upstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// What a call fails with, beside errors of the network and of its context.
var (
	// ErrNoAnswer: the response's header did not come in time. Not tried again,
	// since the provider may still be at work.
	ErrNoAnswer = errors.New("no answer in time")
	// ErrStalled is returned by a body that was silent for too long.
	ErrStalled = errors.New("stream stalled")
	// ErrOpen: the host failed so often that it is left alone for a while.
	ErrOpen = errors.New("circuit is open")
	// ErrURL: the request's URL is not an http or https one with a host.
	ErrURL = errors.New("unusable url")
)

// Options are the limits of a Client. The zero value is ready for use.
type Options struct {
	// Transport makes the connections; nil = one of the client's own, made by
	// NewTransport.
	Transport http.RoundTripper
	// Attempts is how often a request is sent at most; 0 = 4, 1 = never again.
	Attempts int
	// Backoff is the wait before the second attempt, doubled and jittered for
	// each further one; 0 = 500 ms.
	Backoff time.Duration
	// MaxWait bounds one wait, also one that a Retry-After asks for; 0 = 60 s.
	MaxWait time.Duration
	// Total bounds all attempts and waits up to the response's header; 0 = 15 min.
	Total time.Duration
	// HeaderTimeout bounds one attempt up to the response's header, which for an
	// answer that is not streamed is the time the model takes; 0 = 10 min.
	HeaderTimeout time.Duration
	// IdleTimeout bounds the silence while a body is being read; 0 = 5 min.
	IdleTimeout time.Duration
	// Failures in a row open the circuit of a host; 0 = it never opens.
	// Cooldown is how long it stays so before one request tries again; 0 = 30 s.
	Failures int
	Cooldown time.Duration
	// OnRetry is told before each wait; nil = nobody is.
	OnRetry func(Retry)
}

// Retry says why a request is sent again.
type Retry struct {
	Host    string
	Attempt int           // the one that failed, counted from 1
	Status  int           // 0 when there was no answer
	Err     error         // nil when there was one
	Wait    time.Duration // until the next attempt
}

// Validate names the field that cannot be used.
func (o Options) Validate() error {
	if o.Attempts < 0 {
		return fmt.Errorf("upstream options: attempts %d: must not be negative", o.Attempts)
	}
	if o.Failures < 0 {
		return fmt.Errorf("upstream options: failures %d: must not be negative", o.Failures)
	}
	for _, d := range []struct {
		name string
		time.Duration
	}{
		{"backoff", o.Backoff},
		{"max wait", o.MaxWait},
		{"total", o.Total},
		{"header timeout", o.HeaderTimeout},
		{"idle timeout", o.IdleTimeout},
		{"cooldown", o.Cooldown},
	} {
		if d.Duration < 0 {
			return fmt.Errorf("upstream options: %s %v: must not be negative", d.name, d.Duration)
		}
	}
	return nil
}

func (o Options) withDefaults() Options {
	o.Attempts = or(o.Attempts, 4)
	o.Backoff = or(o.Backoff, 500*time.Millisecond)
	o.MaxWait = or(o.MaxWait, time.Minute)
	o.Total = or(o.Total, 15*time.Minute)
	o.HeaderTimeout = or(o.HeaderTimeout, 10*time.Minute)
	o.IdleTimeout = or(o.IdleTimeout, 5*time.Minute)
	o.Cooldown = or(o.Cooldown, 30*time.Second)
	if o.Transport == nil {
		o.Transport = NewTransport()
	}
	return o
}

func or[T int | time.Duration](v, otherwise T) T {
	if v == 0 {
		return otherwise
	}
	return v
}

// dialTimeout bounds the time in which a connection comes about: an address that answers
// nothing is tried for minutes by the system.
var dialTimeout = 10 * time.Second

// NewTransport returns a transport that obeys the proxy variables of the environment and
// neither asks for compression nor undoes it. It bounds the time in which a connection comes
// about, and none of what passes over it.
func NewTransport() *http.Transport {
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: dialTimeout}).DialContext,
		ForceAttemptHTTP2:   true,
		DisableCompression:  true,
		MaxIdleConns:        256,
		MaxIdleConnsPerHost: 64,
		IdleConnTimeout:     90 * time.Second,
		TLSHandshakeTimeout: 15 * time.Second,
	}
}

// Client sends requests. Make it with New; it is safe for concurrent use.
type Client struct {
	opts  Options
	mu    sync.Mutex
	hosts map[string]*Breaker
}

// New makes a client.
func New(o Options) (*Client, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	return &Client{opts: o.withDefaults(), hosts: map[string]*Breaker{}}, nil
}

// Close closes idle connections. Responses that are being read go on.
func (c *Client) Close() {
	if t, ok := c.opts.Transport.(interface{ CloseIdleConnections() }); ok {
		t.CloseIdleConnections()
	}
}

// Request is one request. It is sent as it is: see EndToEnd for headers that
// came from another connection.
type Request struct {
	Method string // "" = POST
	URL    string
	Header http.Header
	Body   []byte // sent anew with each attempt; must not be changed meanwhile
}

// Response is an answer, whatever its status. Close its Body.
type Response struct {
	Status int
	Header http.Header
	// Body streams. Its Read fails with ErrStalled when the other side is silent
	// for too long, and with the context's cause when that ends.
	Body     io.ReadCloser
	Attempts int
}

// Do sends a request until an answer is worth handing out: one that is not 429,
// 500, 502, 503, 504 or 529, or the last that the limits allow. Errors are those
// of the last attempt, of the context, or ErrOpen, ErrNoAnswer, ErrURL. The
// context governs the body too.
func (c *Client) Do(ctx context.Context, r Request) (*Response, error) {
	u, err := url.Parse(r.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("send request: %w", ErrURL) // a URL may hold a key
	}
	done, err := c.allow(u)
	if err != nil {
		return nil, fmt.Errorf("send request to %s: %w", u.Host, err)
	}
	call := &call{client: c, request: r, url: u, start: time.Now()}
	resp, err := call.retry(ctx)
	done(call.verdict(ctx, resp, err))
	if err != nil {
		return nil, fmt.Errorf("send request to %s: %w", u.Host, err)
	}
	return resp, nil
}

// allow asks the host's breaker. The answer must be told how the request went.
func (c *Client) allow(u *url.URL) (func(Verdict), error) {
	if c.opts.Failures == 0 {
		return func(Verdict) {}, nil
	}
	c.mu.Lock()
	b := c.hosts[u.Host]
	if b == nil {
		b = NewBreaker(c.opts.Failures, c.opts.Cooldown)
		c.hosts[u.Host] = b
	}
	c.mu.Unlock()
	return b.Allow()
}

// call is one Do.
type call struct {
	client  *Client
	request Request
	url     *url.URL
	start   time.Time
	tries   int
	last    *Response // of the attempt before; nil when it failed
}

// retry runs attempts. Beside an error there is no response.
func (c *call) retry(ctx context.Context) (*Response, error) {
	o := c.client.opts
	b := &backoff.ExponentialBackOff{InitialInterval: o.Backoff, RandomizationFactor: .25, Multiplier: 2, MaxInterval: o.MaxWait}
	resp, err := backoff.Retry(ctx, func() (*Response, error) { return c.attempt(ctx) },
		backoff.WithBackOff(b), backoff.WithMaxTries(uint(o.Attempts)),
		backoff.WithMaxElapsedTime(o.Total), backoff.WithNotify(c.notify))
	var status *statusError
	switch {
	case err == nil || errors.As(err, &status):
		return resp, nil
	case resp != nil:
		_ = resp.Body.Close() // the context ended during a wait
	}
	return nil, err
}

// attempt sends the request once. An answer that is worth another attempt comes
// with a *statusError.
func (c *call) attempt(ctx context.Context) (*Response, error) {
	if c.last != nil {
		_ = c.last.Body.Close()
		c.last = nil
	}
	c.tries++
	resp, err := c.send(ctx)
	if err != nil {
		if !transient(ctx, err) {
			err = backoff.Permanent(err)
		}
		return nil, err
	}
	resp.Attempts = c.tries
	if !again(resp.Status) {
		return resp, nil
	}
	c.last = resp
	return resp, after(resp, c.client.opts.MaxWait)
}

// send makes the exchange up to the response's header.
func (c *call) send(ctx context.Context) (*Response, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	req, err := http.NewRequestWithContext(ctx, c.method(), c.url.String(), bytes.NewReader(c.request.Body))
	if err != nil {
		cancel(nil)
		return nil, fmt.Errorf("%s: %w", c.method(), ErrURL)
	}
	if len(c.request.Body) == 0 {
		req.Body, req.GetBody = http.NoBody, nil
	}
	if h := c.request.Header; h != nil {
		req.Header = h.Clone()
	}
	o := c.client.opts
	limit := min(o.HeaderTimeout, o.Total-time.Since(c.start))
	timer := time.AfterFunc(limit, func() { cancel(ErrNoAnswer) })
	resp, err := o.Transport.RoundTrip(req)
	if !timer.Stop() && err == nil {
		_ = resp.Body.Close()
		err = ErrNoAnswer
	}
	if err != nil {
		cause := context.Cause(ctx)
		cancel(nil)
		if cause != nil {
			return nil, cause
		}
		return nil, err
	}
	return &Response{
		Status: resp.StatusCode, Header: resp.Header,
		Body: newBody(ctx, cancel, resp.Body, o.IdleTimeout),
	}, nil
}

func (c *call) method() string {
	if c.request.Method == "" {
		return http.MethodPost
	}
	return c.request.Method
}

func (c *call) notify(err error, wait time.Duration) {
	if c.client.opts.OnRetry == nil {
		return
	}
	r := Retry{Host: c.url.Host, Attempt: c.tries, Wait: wait}
	var status *statusError
	if errors.As(err, &status) {
		r.Status = status.code
	} else {
		r.Err = err
	}
	c.client.opts.OnRetry(r)
}

// verdict returns what the exchange says of the host.
func (c *call) verdict(ctx context.Context, resp *Response, err error) Verdict {
	switch {
	case ctx.Err() != nil, resp != nil && resp.Status == http.StatusTooManyRequests:
		return Neither
	case err != nil, again(resp.Status):
		return Failed
	}
	return Worked
}
