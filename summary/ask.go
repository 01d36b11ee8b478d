package summary

import (
	"context"
	"errors"
	"strings"

	"github.com/seed-3db51b0e/precis/internal/guard"
)

// ErrNone is the error of a summarizer that returned neither a summary nor an error.
var ErrNone = errors.New("summarizer returned no summary")

// Ask has a summary written and verifies it. A panic is an error like another.
func Ask(ctx context.Context, with Summarizer, in Input) (made *Structured, err error) {
	err = guard.Call(func() (err error) {
		if made, err = with.Summarize(ctx, in); err != nil {
			return err
		}
		if made == nil {
			return ErrNone
		}
		return Verify(made, in.Thread, in.Span, in.Previous...)
	})
	if err != nil {
		return nil, err
	}
	return made, nil
}

// Empty reports whether a summary says nothing.
func Empty(s *Structured) bool {
	said := len(s.Facts) + len(s.Plan) + len(s.Open) + len(s.Errors) + len(s.Files) + len(s.Decisions) +
		len(s.Commands) + len(s.Outcomes) + len(s.Artifacts) + len(s.Ledger)
	return said == 0 && s.Task == nil && s.LastDone == nil && strings.TrimSpace(s.Narrative) == ""
}
