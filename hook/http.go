package hook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/seed-3db51b0e/precis/event"
)

// pause is the wait before a second try.
const pause = 200 * time.Millisecond

// ErrRedirect says that an endpoint sent the payload elsewhere.
var ErrRedirect = errors.New("redirected to another place")

// StatusError says that an endpoint answered with another status than 2xx.
type StatusError struct {
	Code int
	Body string // its beginning
}

func (e *StatusError) Error() string {
	if e.Body == "" {
		return fmt.Sprintf("status %d", e.Code)
	}
	return fmt.Sprintf("status %d: %s", e.Code, e.Body)
}

// HTTP posts the payload as JSON to an endpoint, with header (nil: none) added.
// A status of 2xx goes on, with the verdict in the body if there is one; any
// other is a *StatusError. Redirects are followed on the same scheme, host and
// port only, and only those that keep the POST; others are ErrRedirect. Where
// no answer came, or 502, 503 or 504, it is tried a second time and no more: an
// endpoint may get a payload twice. All of it happens within the timeout (0:
// event.DefaultTimeout). Errors do not repeat the address: it may hold secrets.
func HTTP(address string, header http.Header, timeout time.Duration) (event.Hooks, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return event.Hooks{}, errors.New("make hook: address is not an absolute http or https URL")
	}
	e := endpoint{
		url: u.String(), header: header.Clone(), timeout: orDefault(timeout),
		// Calls are rare: no connection is kept.
		client: &http.Client{CheckRedirect: sameEndpoint, Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true}},
	}
	return event.Hooks{Before: e.before, After: e.after, Timeout: e.timeout + margin}, nil
}

type endpoint struct {
	url     string
	header  http.Header
	timeout time.Duration
	client  *http.Client
}

// sameEndpoint allows a redirect that stays where the payload was sent.
func sameEndpoint(next *http.Request, via []*http.Request) error {
	first := via[0]
	if next.Method != first.Method || next.URL.Scheme != first.URL.Scheme || next.URL.Host != first.URL.Host || len(via) > 3 {
		return ErrRedirect
	}
	return nil
}

func (e endpoint) before(ctx context.Context, p event.Payload) (event.Verdict, error) {
	answer, err := e.post(ctx, p)
	if err != nil {
		return event.Verdict{}, err
	}
	if len(answer) > maxOutput {
		return event.Verdict{}, fmt.Errorf("post hook: %w", ErrTooLong)
	}
	return verdict(answer)
}

func (e endpoint) after(ctx context.Context, p event.Payload) error {
	_, err := e.post(ctx, p)
	return err
}

// post posts the payload, at most twice, and returns the answer's body, one
// byte over the bound if it is too long.
func (e endpoint) post(ctx context.Context, p event.Payload) ([]byte, error) {
	body, err := json.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("post hook: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, e.timeout)
	defer cancel()
	answer, err := e.once(ctx, body)
	if retryable(err) && wait(ctx) {
		answer, err = e.once(ctx, body)
	}
	if err != nil {
		return nil, fmt.Errorf("post hook: %w", err)
	}
	return answer, nil
}

func (e endpoint) once(ctx context.Context, body []byte) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if e.header != nil {
		req.Header = e.header.Clone()
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := e.client.Do(req)
	if err != nil {
		return nil, withoutAddress(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxOutput+1))
	if resp.StatusCode/100 != 2 {
		return nil, &StatusError{Code: resp.StatusCode, Body: excerpt(answer)}
	}
	return answer, err
}

// withoutAddress is the error of a request without the request's address.
func withoutAddress(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return err
}

// retryable reports whether a failure may be gone at a second try.
func retryable(err error) bool {
	if status, ok := errors.AsType[*StatusError](err); ok {
		return slices.Contains([]int{http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout}, status.Code)
	}
	return err != nil && !errors.Is(err, ErrRedirect)
}

// wait waits before a second try, and reports whether there is time for one.
func wait(ctx context.Context) bool {
	t := time.NewTimer(pause)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
