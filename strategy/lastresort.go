package strategy

import (
	"context"
	"slices"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/thread"
)

// LastResort returns the rungs that end every ladder: whatever the budget, they
// bring the request down to system, tools and the last user message, giving up the
// least needed first. It spares no recency and no hold; pins become previews
// first, and leave last. Previews are as small as the budget forces, or larger as far as a
// request of fill tokens has room for them: 0 where turns that follow need that room.
func LastResort(budget, fill int, relevance *Relevance, with summary.Summarizer) Ladder {
	l := Ladder{previewLarge{relevance, fill}, Summarize{From: Recent, Forced: true, With: with, Within: true, Relevance: relevance}}
	cut := func(zone Zone, to ...int) {
		for _, n := range to {
			l = append(l, cutParts{zone, n, fill, relevance})
		}
	}
	cut(Newest, budget/2, budget/4)
	cut(Pinned, budget/2, budget/4, budget/8)
	cut(Newest, budget/8, 400)
	cut(Pinned, 400)
	l = append(l, rewriteSummaries{with, 4})
	cut(Newest, 120)
	cut(Pinned, 120)
	l = append(l, rewriteSummaries{with, 16})
	cut(Newest, 40)
	cut(Pinned, 40, 18)
	return append(l, dropUnits{Recent}, dropUnits{Newest}, dropUnits{Pinned})
}

// lastResort is the name under which records of the last resort are kept.
const lastResort = "last_resort"

// cutParts cuts every part in its zone and freer ones to a preview, largest first.
type cutParts struct {
	zone      Zone
	to        int // tokens of a preview
	fill      int // tokens of the whole request that a preview may fill up to; 0: it stays as small as to
	relevance *Relevance
}

func (cutParts) Name() string { return lastResort }

func (s cutParts) Analyze(v *View) []Proposal {
	var out []Proposal
	last, demanded := v.lastUser, v.demandedAt()
	for i := range v.T.Len() {
		if v.Zones[i] < s.zone || i == last || v.T.At(i).Message.Meta {
			continue
		}
		for n := 1; n <= len(v.T.At(i).Message.Parts); n++ {
			if p, ok := v.Now(i, n); ok && s.cuts(v, p) && !(p.Kind == message.Thinking && slices.Contains(demanded, i)) {
				out = append(out, Proposal{Strategy: s.Name(), Span: v.partSpan(i, n), Saves: v.Meter.Part(p) - s.to, Reason: "the budget forces it"})
			}
		}
	}
	return largestFirst(out)
}

func (s cutParts) cuts(v *View, p message.Part) bool {
	half := p.Kind == message.Opaque && p.CallID != "" // of what goes out together
	return !half && v.Meter.Part(p) > s.to+20
}

func (s cutParts) Execute(ctx context.Context, v *View, p Proposal) (Result, error) {
	part, i := v.part(p.Span)
	switch part.Kind {
	case message.Call:
		return Args{Above: s.to / 2, To: s.to, Relevance: s.relevance, all: s.to + s.to/2}.Execute(ctx, v, p)
	case message.Thinking:
		return Result{Record: plan.Record{Action: plan.Drop, Span: p.Span, Strategy: p.Strategy, Reason: p.Reason}}, nil
	case message.Media, message.Opaque:
		return Result{Record: replacement(p, plan.Hidden, v.Limits.pointer(i, 1, string(part.Kind)+" item"))}, nil
	}
	return Result{Record: replacement(p, plan.Preview, s.text(v, p.Span.Part, part, i))}, nil
}

// text is a preview of a part of entry i: of the rung's size, or larger as far as the rung's fill has
// room for it beside the rest of the prompt.
func (s cutParts) text(v *View, n int, part message.Part, i int) string {
	const slack = 32 // of what frames a message
	now, _ := v.Now(i, n)
	room := s.fill - (v.Total() - v.Meter.Part(now)) - slack
	for to := room; to > max(s.to, room*7/8); to -= to / 32 { // marks of what is missing take more than was thought
		if text := preview(v, s.relevance, part, i, to); v.Meter.Text(text) <= room {
			return text
		}
	}
	return preview(v, s.relevance, part, i, s.to)
}

// rewriteSummaries writes the summaries again at a fraction of their size.
type rewriteSummaries struct {
	with    summary.Summarizer
	divisor int // of Limits.SummaryTokens
}

func (rewriteSummaries) Name() string { return lastResort }

func (s rewriteSummaries) Analyze(v *View) []Proposal {
	var out []Proposal
	for i := range v.T.Len() {
		if r := v.Whole(i); r != nil && r.Action == plan.Summarize && r.Span.Start() == v.T.At(i).ID {
			out = append(out, Proposal{Strategy: s.Name(), Span: r.Span, Saves: v.Cost(i), Reason: "the budget forces it"})
		}
	}
	return out
}

func (s rewriteSummaries) Execute(ctx context.Context, v *View, p Proposal) (Result, error) {
	w := *v
	w.Limits.SummaryTokens, w.Limits.SummaryRatio = max(v.Limits.SummaryTokens/s.divisor, 24), 0
	return Summarize{With: s.with, Forced: true}.Execute(ctx, &w, p)
}

// dropUnits drops whole units, oldest first: what is left when even previews do not
// fit.
type dropUnits struct{ zone Zone }

func (dropUnits) Name() string { return lastResort }

func (s dropUnits) Analyze(v *View) []Proposal {
	var out []Proposal
	last, demanded, done := v.lastUser, v.demandedAt(), map[*plan.Record]bool{}
	for _, u := range v.T.Units() {
		if u.Holds(last) || slices.ContainsFunc(demanded, u.Holds) || !s.reaches(v, u) {
			continue
		}
		for _, span := range v.stillShown(u, done) {
			out = append(out, Proposal{Strategy: s.Name(), Span: span, Saves: 1, Reason: "the budget leaves no room"})
		}
	}
	return out
}

// stillShown are the spans that still show something of a unit: the summaries
// that start in it, and its uncovered entries together.
func (v *View) stillShown(u thread.Unit, done map[*plan.Record]bool) []plan.Span {
	var spans []plan.Span
	var bare []int
	for i := u.Start; i < u.End; i++ {
		switch r := v.Whole(i); {
		case r == nil:
			bare = append(bare, i)
		case r.Action != plan.Drop && !done[r]:
			done[r] = true
			spans = append(spans, r.Span)
		}
	}
	if len(bare) > 0 {
		spans = append(spans, v.spanAt(bare))
	}
	return spans
}

func (s dropUnits) reaches(v *View, u thread.Unit) bool {
	for i := u.Start; i < u.End; i++ {
		if v.Zones[i] < s.zone {
			return false
		}
	}
	return true
}

func (dropUnits) Execute(_ context.Context, v *View, p Proposal) (Result, error) {
	rec := plan.Record{Action: plan.Drop, Span: p.Span, Strategy: p.Strategy, Reason: p.Reason}
	last := v.T.Tip()
	if i := v.lastUser; i >= 0 {
		last = v.T.At(i).ID
	}
	if p.Span.Contains(last) {
		// a prompt must say something: where no user spoke, or what was said last
		// is under a summary, an omission line stands
		rec.Action, rec.Text = plan.Summarize, omission
	}
	return Result{Record: rec}, nil
}
