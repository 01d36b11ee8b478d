package summary

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/seed-3db51b0e/precis/internal/guard"
)

// ErrNone is the error of a summarizer that returned neither a summary nor an error.
var ErrNone = errors.New("summarizer returned no summary")

// Ask has a summary written and verifies it. What a summarizer leaves out of what the
// input says (schema, round, first and last message, count) is filled in, so that a
// Narrative alone is a summary. A panic is an error like another.
func Ask(ctx context.Context, with Summarizer, in Input) (made *Structured, err error) {
	err = guard.Call(func() (err error) {
		if made, err = with.Summarize(ctx, in); err != nil {
			return err
		}
		if made == nil {
			return ErrNone
		}
		made = completed(made, in)
		return Verify(made, in.Thread, in.Span, in.Previous...)
	})
	if err != nil {
		return nil, err
	}
	return made, nil
}

// completed is a summary with what its input says.
func completed(s *Structured, in Input) *Structured {
	if len(in.Span.IDs) == 0 || s.Schema != 0 && s.Round != 0 && s.Count != 0 {
		return s
	}
	c := *s
	c.Schema = cmp.Or(c.Schema, Schema)
	if c.Round == 0 {
		for _, p := range in.Previous {
			if p != nil {
				c.Round = max(c.Round, p.Round)
			}
		}
		c.Round++
	}
	if c.Count == 0 && c.From == (Source{}) && c.To == (Source{}) {
		from, _ := in.Thread.Find(in.Span.Start())
		to, _ := in.Thread.Find(in.Span.End())
		c.From, c.To, c.Count = Source{in.Span.Start(), from + 1}, Source{in.Span.End(), to + 1}, in.Span.Count()
	}
	return &c
}

// Empty reports whether a summary says nothing.
func Empty(s *Structured) bool {
	said := len(s.Facts) + len(s.Plan) + len(s.Open) + len(s.Errors) + len(s.Files) + len(s.Decisions) +
		len(s.Commands) + len(s.Outcomes) + len(s.Artifacts) + len(s.Ledger) + len(s.Requests) + len(s.Effects) + len(s.Notes)
	return said == 0 && s.Task == nil && s.LastDone == nil && s.Folder == "" && s.Stands == "" && strings.TrimSpace(s.Narrative) == ""
}
