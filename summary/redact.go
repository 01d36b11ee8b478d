package summary

import (
	"errors"
	"fmt"
	"strings"

	"github.com/seed-3db51b0e/precis/codec"
)

// redacted is an error that may repeat what was said, and tells of itself without it.
type redacted interface {
	error
	Redacted() string
}

// Redact returns an error in words that may be logged: why a summary was not made or not taken
// without what was said.
func Redact(err error) string {
	var r redacted
	if !errors.As(err, &r) {
		return err.Error()
	}
	before, ok := strings.CutSuffix(err.Error(), r.Error())
	if !ok { // it may stand beside others
		return r.Redacted()
	}
	return before + r.Redacted()
}

// attemptError is why a summary was not made, in the words of whoever was to make it.
type attemptError struct {
	doing string
	err   error
}

// Attempted wraps why a summarizer failed: it may repeat what was said to it. doing begins the error.
func Attempted(doing string, err error) error { return &attemptError{doing, err} }

func (e *attemptError) Error() string { return fmt.Sprintf("%s: %v", e.doing, e.err) }

func (e *attemptError) Unwrap() error { return e.err }

// Redacted tells what was done, and a provider's status or what was wrong with the summary.
func (e *attemptError) Redacted() string {
	var f *codec.Failure
	if errors.As(e.err, &f) && f.Status > 0 {
		return fmt.Sprintf("%s: status %d", e.doing, f.Status)
	}
	var r redacted
	if errors.As(e.err, &r) {
		return e.doing + ": " + r.Redacted()
	}
	return e.doing
}
