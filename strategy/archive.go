package strategy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/summary/wording"
	"github.com/seed-3db51b0e/precis/thread"
)

// Archive summarizes everything before a cut in batches of so many messages, each on its
// own, and shows the first and last of them in one message. When there are many, the
// older ones are summarized again, one level deeper. Batches are disjoint and in the
// order of the log.
type Archive struct {
	Keep  int // messages that stay at the end
	Chunk int // messages a batch covers
	// First and Last are how many batches are shown from either end.
	First, Last int
	Search      string // tool that searches what is not shown
	With        summary.Summarizer
}

// Name implements Strategy.
func (Archive) Name() string { return "archive" }

// Analyze implements Strategy.
func (s Archive) Analyze(v *View) []Proposal {
	return propose(v, s.Name(), SummarizePrefix{Keep: s.Keep}.cutPoint(v))
}

// Execute implements Strategy.
func (s Archive) Execute(ctx context.Context, v *View, p Proposal) (Result, error) {
	a, rest := v.archived(p.Span)
	made, err := s.extended(ctx, v, p.Span, a, rest)
	if errors.Is(err, summary.ErrOrder) && len(a.Batches) > 0 { // something older came free: all anew
		made, err = s.extended(ctx, v, p.Span, summary.Archive{}, positions(v, p.Span))
	}
	if err != nil {
		return Result{}, err
	}
	data, err := json.Marshal(made)
	if err != nil {
		return Result{}, fmt.Errorf("encode archive: %w", err)
	}
	text := wording.Archive(made, wording.ArchiveOptions{First: s.First, Last: s.Last, SearchTool: s.Search, Cap: v.Limits.Budget / 2, Count: v.Meter.Text})
	if text == "" {
		return Result{}, ErrEmptySummary
	}
	return Result{Record: plan.Record{
		Action: plan.Summarize, Span: p.Span, Summary: data, Text: text, Strategy: p.Strategy, Reason: p.Reason,
	}}, nil
}

// extended adds batches for the entries at the positions, and folds the old ones
// when that is due. The new stand before any old one goes: a is not changed.
func (s Archive) extended(ctx context.Context, v *View, span plan.Span, a summary.Archive, at []int) (summary.Archive, error) {
	us := v.unitsOf(at)
	for _, c := range summary.Chunks(us, s.Chunk) {
		from, until := us[c[0]][0], us[c[1]-1][1]
		b, err := s.batch(ctx, v, at[from:until], states(a.Batches))
		if err != nil {
			return a, err
		}
		if b.Start.Before(began(a)) {
			b.Start, b.End = time.Time{}, time.Time{}
		}
		if a, err = a.Replace(len(a.Batches), len(a.Batches), b); err != nil {
			return a, err
		}
	}
	return s.folded(ctx, v, a, positions(v, span))
}

// folded summarizes the older batches again where there are too many.
func (s Archive) folded(ctx context.Context, v *View, a summary.Archive, at []int) (summary.Archive, error) {
	from, until, ok := a.Due(s.First, s.Last)
	if !ok {
		return a, nil
	}
	hull, _ := a.Fold(from, until)
	at = slices.DeleteFunc(slices.Clone(at), func(i int) bool { return i+1 > hull.To.N })
	made, err := s.batch(ctx, v, at, states(a.Batches[from:until]))
	if err != nil {
		return a, err
	}
	hull.Summary, hull.Text = made.Summary, made.Text
	return a.Replace(from, until, hull)
}

// states are the batches' summaries.
func states(bs []summary.Batch) []*summary.Structured {
	out := make([]*summary.Structured, len(bs))
	for i := range bs {
		out[i] = bs[i].Summary
	}
	return out
}

// batch summarizes the entries at the positions; depth and place are theirs.
func (s Archive) batch(ctx context.Context, v *View, at []int, previous []*summary.Structured) (summary.Batch, error) {
	span, limit := v.spanAt(at), v.Limits.SummaryTokens
	in := summary.Input{
		Thread: v.T, Span: span, Previous: previous, Cap: limit, Count: v.Meter.Text,
		Part: summary.Chunk, Instructions: v.Instructions,
	}
	made, err := Summarize{With: s.With}.written(ctx, in)
	if err != nil {
		return summary.Batch{}, err
	}
	first, last := v.T.At(at[0]), v.T.At(at[len(at)-1])
	start, end := first.Message.Time, last.Message.Time
	if start.IsZero() || end.Before(start) { // a clock that is missing or went back
		start, end = time.Time{}, time.Time{}
	}
	return summary.Batch{
		Start: start, End: end, Count: len(at),
		From:    summary.Source{ID: first.ID, N: at[0] + 1},
		To:      summary.Source{ID: last.ID, N: at[len(at)-1] + 1},
		Summary: made, Text: wording.Handover(withoutRules(made), limit, v.Meter.Text),
	}, nil
}

// withoutRules returns a summary without what the user demands and prefers, which stands once
// above all batches.
func withoutRules(s *summary.Structured) *summary.Structured {
	rest := *s
	rest.Facts = slices.DeleteFunc(slices.Clone(s.Facts), func(f summary.Fact) bool {
		return f.Pinned || f.Kind == summary.Constraint || f.Kind == summary.Preference
	})
	return &rest
}

// began returns when the newest batch with a time began.
func began(a summary.Archive) time.Time {
	for i := len(a.Batches) - 1; i >= 0; i-- {
		if at := a.Batches[i].Start; !at.IsZero() {
			return at
		}
	}
	return time.Time{}
}

// archived is the archive that stands in a span, and the positions it does not
// hold. One that speaks of messages that were put back is written anew.
func (v *View) archived(s plan.Span) (summary.Archive, []int) {
	var a summary.Archive
	held := map[thread.ID]bool{}
	var last *plan.Record
	for _, id := range s.IDs {
		i, _ := v.T.Find(id)
		r := v.Whole(i)
		if r == nil || r == last || r.Action != plan.Summarize || len(held) > 0 {
			continue
		}
		last = r
		if json.Unmarshal(r.Summary, &a) != nil || a.Count() != r.Span.Count() {
			a = summary.Archive{}
			continue
		}
		for _, id := range r.Span.IDs {
			held[id] = true
		}
	}
	var rest []int
	for _, i := range positions(v, s) {
		if !held[v.T.At(i).ID] {
			rest = append(rest, i)
		}
	}
	return a, rest
}
