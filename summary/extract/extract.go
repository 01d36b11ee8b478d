package extract

import (
	"context"
	"fmt"

	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/summary/internal/reach"
	"github.com/seed-3db51b0e/precis/thread"
)

// Summarizer is the deterministic summarizer. The zero value is ready and safe
// for concurrent use.
type Summarizer struct{}

// Name identifies the extractor and its version.
func (Summarizer) Name() string { return "extract/22" }

// Summarize reads what the span adds to the earlier summaries and merges it
// into them. An earlier summary that does not stand in the span any more is
// ignored and its messages are read again. It fails only when ctx ends.
func (Summarizer) Summarize(ctx context.Context, in summary.Input) (*summary.Structured, error) {
	reach := reach.Of(in.Thread, in.Span)
	if len(reach) > 0 && ctx.Err() != nil {
		return nil, fmt.Errorf("extract summary: %w", ctx.Err())
	}
	previous, left := standing(in.Previous, in.Thread, reach)
	old := merged(previous)
	r := newReader(in.Thread, old, left)
	read := 0
	for _, x := range left {
		r.overhear(read, x.From)
		read = x.To
		for i := x.From; i < x.To; i++ {
			if r.out.Count%256 == 255 && ctx.Err() != nil {
				return nil, fmt.Errorf("extract summary: %w", ctx.Err())
			}
			r.message(i)
		}
	}
	r.overhear(read, in.Thread.Len())
	fresh := r.finish()
	if fresh.Count == 0 && len(previous) > 0 {
		return old, nil
	}
	return summary.Merge(append(previous, fresh)...), nil
}

// merged returns what the earlier summaries say together.
func merged(previous []*summary.Structured) *summary.Structured {
	if len(previous) == 1 {
		return previous[0]
	}
	return summary.Merge(previous...)
}

// standing picks the earlier summaries that cover messages of the span, all of
// those they once covered, and says which entries are left.
func standing(previous []*summary.Structured, t *thread.Thread, left reach.Reach) ([]*summary.Structured, reach.Reach) {
	var out []*summary.Structured
	for _, p := range previous {
		if p == nil {
			continue
		}
		from, ok1 := t.Find(p.From.ID)
		to, ok2 := t.Find(p.To.ID)
		if !ok1 || !ok2 {
			continue
		}
		if rest, taken := left.Without(reach.Stretch{From: from, To: to + 1}); taken == p.Count {
			out, left = append(out, p), rest
		}
	}
	return out, left
}
