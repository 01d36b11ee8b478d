package upstream

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// overloaded is Anthropic's status for having too much to do.
const overloaded = 529

// again reports whether an answer of this status may be different next time.
func again(status int) bool {
	switch status {
	case http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway,
		http.StatusServiceUnavailable, http.StatusGatewayTimeout, overloaded:
		return true
	}
	return false
}

// transient reports whether an exchange that gave no answer may give one next time.
func transient(ctx context.Context, err error) bool {
	if ctx.Err() != nil || errors.Is(err, ErrNoAnswer) || errors.Is(err, ErrURL) {
		return false
	}
	var cert *tls.CertificateVerificationError
	var dns *net.DNSError
	switch {
	case errors.As(err, &cert):
		return false
	case errors.As(err, &dns):
		return !dns.IsNotFound
	}
	return !strings.Contains(err.Error(), "net/http: invalid ") // a header or method that can never be sent
}

// statusError stands for an answer that is worth another attempt.
type statusError struct{ code int }

func (e *statusError) Error() string { return fmt.Sprintf("status %d", e.code) }

// after is the error of such an answer, with the wait that it asks for.
func after(resp *Response, most time.Duration) error {
	err := error(&statusError{resp.Status})
	if wait := retryAfter(resp.Header, time.Now()); wait > 0 {
		return errors.Join(err, &backoff.RetryAfterError{Duration: min(wait, most)})
	}
	return err
}

// retryAfter reads Retry-After, in seconds or as a date, and its finer
// relative; 0 when there is none that makes sense.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 {
		return seconds(ms / 1000)
	}
	v := strings.TrimSpace(h.Get("Retry-After"))
	if s, err := strconv.ParseFloat(v, 64); err == nil {
		return seconds(s)
	}
	if at, err := http.ParseTime(v); err == nil {
		return max(at.Sub(now), 0)
	}
	return 0
}

// seconds is at most a day, whatever it is given.
func seconds(s float64) time.Duration {
	const day = 24 * 60 * 60
	if !(s > 0) {
		return 0
	}
	return time.Duration(min(s, day) * float64(time.Second))
}
