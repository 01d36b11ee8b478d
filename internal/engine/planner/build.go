package planner

import (
	"slices"
	"time"

	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/thread"
)

// Build returns the draft's plan of a thread, the version after old (nil: none).
func (pl *Planner) Build(d *Draft, name string, old *plan.Plan, now time.Time) (*plan.Plan, error) {
	r, fixed := &d.Request, d.Request.Fixed()
	next := plan.Plan{
		Thread: name, Base: d.Thread.Tip(), Version: 1, ThreadVersion: d.Thread.Len(),
		CreatedAt: now.UTC(), Policy: pl.Policy.Name, Style: d.Style,
		Records: d.Records(), Pins: d.Pins, Holds: d.StandingHolds(),
		Original: d.Uncompacted(), Compacted: d.Prompt(),
		Inputs: plan.Inputs{
			Model: r.Model.Name, Counter: r.Meter.Name(), Factor: r.Meter.Factor, Budget: r.Budget,
			Images: r.Payload.Media, Bytes: r.Payload.Bytes, Rest: int(r.Idle.Seconds()),
			Soft: pl.Policy.Trigger(r.Budget, fixed), Low: pl.Policy.Target(r.Budget, fixed), Detail: pl.Policy.Detail, Overhead: r.System + r.Tools,
		},
	}
	if old != nil {
		next.Version = old.Version + 1
	}
	p, err := plan.Build(next, d.Thread)
	if err != nil {
		return nil, err
	}
	if r.Model.Thinking == model.Bound || old != nil && old.NoThinking != (plan.Range{}) {
		p.NoThinking = WithoutThinking(old, p, d.Thread, d.Thread.Len())
	}
	if r.DropThinking {
		p.NoThinking = plan.Range{From: 0, Until: d.Thread.Len()}
	}
	return p, nil
}

// WithoutThinking returns where thinking goes when next replaces old (nil: none):
// from the first message whose rendering changes to the position until, which follows the
// last that was thought under old, and wherever it went before.
func WithoutThinking(old, next *plan.Plan, t *thread.Thread, until int) plan.Range {
	was, first := plan.Range{From: t.Len(), Until: t.Len()}, t.Len()
	if old != nil && old.NoThinking != (plan.Range{}) {
		was = old.NoThinking
	}
	added, removed := plan.Diff(old, next)
	if old != nil && old.Style != next.Style { // other words for the same
		added, removed = next.Records, old.Records
	}
	for _, rec := range slices.Concat(added, removed) {
		if i, ok := t.Find(rec.Span.Start()); ok {
			first = min(first, i)
		}
	}
	if first == t.Len() {
		return was
	}
	return plan.Range{From: min(was.From, first), Until: until}
}
