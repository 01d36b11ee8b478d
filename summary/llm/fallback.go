package llm

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed-3db51b0e/precis/summary"
)

// Fallback makes a summarizer that uses second where first fails, and tells of
// each such failure: it is never silent. When the context is over nothing is
// written. None of the arguments may be nil.
func Fallback(first, second summary.Summarizer, tell func(error)) (summary.Summarizer, error) {
	if first == nil || second == nil || tell == nil {
		return nil, errors.New("fallback: needs two summarizers and a func to tell of failures")
	}
	return fallback{first, second, tell}, nil
}

type fallback struct {
	first, second summary.Summarizer
	tell          func(error)
}

// Name names both: it cannot be known beforehand which of them writes.
func (f fallback) Name() string { return f.first.Name() + "," + f.second.Name() }

func (f fallback) Summarize(ctx context.Context, in summary.Input) (*summary.Structured, error) {
	out, err := f.first.Summarize(ctx, in)
	if err == nil || ctx.Err() != nil {
		return out, err
	}
	f.tell(fmt.Errorf("fall back to %s: %w", f.second.Name(), err))
	return f.second.Summarize(ctx, in)
}
