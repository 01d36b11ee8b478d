package llm

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/overflow"
	"github.com/seed-3db51b0e/precis/upstream"
)

// What an answer is refused for. A refused answer is never a summary, and its
// cost is counted.
var (
	ErrEmpty     = errors.New("answer is empty")
	ErrTruncated = errors.New("answer was cut at its cap")
	ErrToolCall  = errors.New("answer calls a tool")
	ErrRefused   = errors.New("model refused")
	ErrSchema    = errors.New("answer is not of the form asked for")
	// ErrInvented: too much of the answer is in no message of the span, or
	// nothing is left without it. Errors.Is finds summary.ErrUnsupported too where
	// that was found out by summary.Verify.
	ErrInvented = errors.New("answer says what its messages do not")
)

// What a call fails with: its prompt is too long also when it is halved, or the model
// did not answer within Config.Timeout.
var (
	ErrTooLong = errors.New("prompt is too long for the model")
	ErrTimeout = errors.New("no answer in time")
)

// unusable reports whether the prompt or its answer was at fault, rather than the way
// to the model: another prompt may do.
func unusable(err error) bool {
	var f *codec.Failure
	if errors.As(err, &f) && f.Status == http.StatusBadRequest {
		return true
	}
	for _, is := range []error{ErrEmpty, ErrTruncated, ErrToolCall, ErrSchema, ErrInvented, ErrTooLong, codec.ErrUnpaired} {
		if errors.Is(err, is) {
			return true
		}
	}
	return false
}

// classify gives an error of a call its kind.
func classify(err error) error {
	var f *codec.Failure
	switch {
	case errors.As(err, &f) && tooLong(f):
		return fmt.Errorf("%w: %w", ErrTooLong, err)
	case errors.As(err, &f) && f.Status == http.StatusGatewayTimeout,
		errors.Is(err, upstream.ErrNoAnswer), errors.Is(err, upstream.ErrStalled):
		return fmt.Errorf("%w: %w", ErrTimeout, err)
	}
	return err
}

// tooLong reports whether a provider found the prompt too long.
func tooLong(f *codec.Failure) bool {
	_, ok := overflow.Classify(f.Status, f.Error())
	return ok
}

// secrets returns what must not stand in an error: providers repeat keys they do not
// know.
func secrets(c Config) []string {
	all := []string{c.APIKey}
	for _, vs := range c.Header {
		for _, v := range vs {
			all = append(all, v, strings.TrimPrefix(v, "Bearer "))
		}
	}
	var out []string
	for _, s := range all {
		if len(s) >= 8 && !strings.ContainsAny(s, "/;") { // no media types, no dates
			out = append(out, s)
		}
	}
	return out
}

func (s *Summarizer) redact(text string) string {
	for _, x := range s.secrets {
		text = strings.ReplaceAll(text, x, "[key]")
	}
	return text
}

// safe returns a provider's error without our keys.
func (s *Summarizer) safe(err error) error {
	var f *codec.Failure
	if !errors.As(err, &f) {
		return err
	}
	clean := *f
	clean.Message, clean.Code, clean.Type = s.redact(f.Message), s.redact(f.Code), s.redact(f.Type)
	return &clean
}
