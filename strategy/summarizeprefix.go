package strategy

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/ref"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/summary/extract"
	"github.com/seed-3db51b0e/precis/summary/wording"
	"github.com/seed-3db51b0e/precis/thread"
)

// SummarizePrefix puts one summary in place of everything before a cut, however much that
// frees: the way of the designs that keep the last messages and summarize the
// rest. An earlier summary is found by its record and carried on.
type SummarizePrefix struct {
	// Keep states how many messages stay, counted in what the prompt shows; Share,
	// where Keep is 0, the share of them that stays, rounded down.
	Keep  int
	Share float64
	// Part is the text that is written: summary.Session or summary.Handover.
	Part summary.Part
	With summary.Summarizer
	// Truncate stands a placeholder in where no summary can be had.
	Truncate bool
}

// Name implements Strategy.
func (SummarizePrefix) Name() string { return "fold" }

// Analyze implements Strategy.
func (s SummarizePrefix) Analyze(v *View) []Proposal {
	return propose(v, s.Name(), s.cutPoint(v))
}

// propose is the one proposal of a design that summarizes all before a cut; none
// when there is nothing new before it.
func propose(v *View, name string, cut int) []Proposal {
	span, fresh := v.spanBefore(cut)
	if fresh == 0 {
		return nil
	}
	cost := v.costOf(span)
	return []Proposal{{
		Strategy: name, Span: span, Saves: cost - v.Limits.summaryCap(cost),
		Reason: "all but the last " + wording.Count(v.T.Len()-cut, "message"),
	}}
}

// cutPoint is the position of the first message that stays: so many messages from
// the end, moved earlier while it would part a call from its result.
func (s SummarizePrefix) cutPoint(v *View) int {
	shown := v.shown()
	keep := s.Keep
	if keep == 0 {
		keep = int(float64(shown.total) * s.Share)
	}
	at := v.T.Len()
	if keep >= len(shown.at) {
		return 0
	}
	if keep > 0 {
		at = shown.at[len(shown.at)-keep]
	}
	return v.unitStart(at)
}

// shown are the positions of the messages that stand as logged or edited, and
// how many messages the prompt shows, system messages aside.
type shown struct {
	at    []int
	total int
}

func (v *View) shown() (s shown) {
	for i := range v.T.Len() {
		m := v.T.At(i).Message
		if m.Meta || m.Role == message.System {
			continue
		}
		switch r := v.Whole(i); {
		case r == nil || r.Action == plan.Clear || r.Action == plan.Replace:
			s.at = append(s.at, i)
			s.total++
		case r.Span.Start() == v.T.At(i).ID && r.Action != plan.Drop:
			s.total += len(v.Style.Synthetic(r))
		}
	}
	return s
}

// unitStart moves a cut to the start of the unit it falls into; the newest unit
// always stays.
func (v *View) unitStart(at int) int {
	us := v.T.Units()
	if len(us) == 0 {
		return 0
	}
	if last := us[len(us)-1].Start; at >= last {
		return last
	}
	return v.T.UnitOf(at).Start
}

// spanBefore is the span of all that may be folded before a cut, with the whole of
// each earlier summary it meets, and how many of its messages no summary holds
// yet. A unit with a pin or a hold stays as a whole.
func (v *View) spanBefore(cut int) (plan.Span, int) {
	var take []int
	fresh := 0
	for _, u := range v.T.Units() {
		if !(Summarize{From: Newest}).takes(v, u) {
			continue
		}
		for i := u.Start; i < u.End; i++ {
			r := v.Whole(i)
			folded := r != nil && r.Action == plan.Summarize
			if i >= cut && !(folded && v.standsBefore(r, cut)) || r != nil && r.Action == plan.Drop {
				continue
			}
			take = append(take, i)
			if !folded {
				fresh++
			}
		}
	}
	return v.spanAt(take), fresh
}

// standsBefore reports whether a record's message stands before a position.
func (v *View) standsBefore(r *plan.Record, at int) bool {
	i, ok := v.T.Find(r.Span.Start())
	return ok && i < at
}

// Execute implements Strategy.
func (s SummarizePrefix) Execute(ctx context.Context, v *View, p Proposal) (Result, error) {
	previous, err := v.summaries(p.Span)
	if err != nil {
		return Result{}, err
	}
	limit := v.Limits.summaryCap(v.costOf(p.Span))
	kept, notes := v.noted(p.Span, previous, limit)
	limit -= v.Meter.Text(notes)
	in := summary.Input{
		Thread: v.T, Span: p.Span, Previous: previous, Cap: limit, Count: v.Meter.Text,
		Part: s.Part, Instructions: v.Instructions,
	}
	if s.Part == summary.Session {
		_, in.Task = task(v.T)
	}
	rec := plan.Record{Action: plan.Summarize, Span: p.Span, Strategy: p.Strategy, Reason: p.Reason}
	err = s.write(ctx, v, &rec, in, kept)
	if err != nil && s.Truncate && ctx.Err() == nil {
		rec.Text = wording.Placeholder(p.Span.Count(), wording.Topics(v.T, p.Span))
		rec.Reason += "; no summary could be had"
		return Result{Record: rec, Failed: err}, nil
	}
	rec.Text += notes
	return Result{Record: rec}, err
}

// write puts a summary and its text into the record.
func (s SummarizePrefix) write(ctx context.Context, v *View, rec *plan.Record, in summary.Input, notes []summary.Note) error {
	made, err := Summarize{With: s.With}.written(ctx, in)
	if err != nil {
		return err
	}
	made.Round = v.lastRound(in.Span) + 1
	made.Artifacts, made.Notes = v.pointed(in.Span, made.Artifacts), notes
	text := s.text(v, in.Span, made, in.Cap)
	if text == "" {
		return ErrEmptySummary
	}
	data, err := json.Marshal(made)
	if err != nil {
		return fmt.Errorf("encode summary: %w", err)
	}
	rec.Text, rec.Summary = text, data
	return nil
}

func (s SummarizePrefix) text(v *View, span plan.Span, made *summary.Structured, limit int) string {
	if s.Part == summary.Session {
		id, text := task(v.T)
		return wording.Session(made, wording.SessionOptions{
			Task: text, TaskID: id, Round: made.Round, Cap: limit, Count: v.Meter.Text, SearchTool: searchTool,
		})
	}
	if made.Narrative != "" {
		return wording.Handover(made, limit, v.Meter.Text)
	}
	asked := requests(v, span, limit/4)
	text := wording.Handover(made, limit-v.Meter.Text(asked), v.Meter.Text)
	if text == "" {
		return ""
	}
	return text + asked
}

// requests are the beginnings of what users asked in a span, the newest ones
// that fit into limit tokens, oldest first: where no model tells the story, they
// are its chapters.
func requests(v *View, span plan.Span, limit int) string {
	var lines []string
	for n := len(span.IDs) - 1; n >= 0; n-- {
		i, _ := v.T.Find(span.IDs[n])
		if m := v.T.At(i).Message; thread.Speaks(m) {
			first := extract.FirstLine(words(m))
			if first == "" {
				continue
			}
			line := fmt.Sprintf("\n- %s (%s)", clip(first, 100), ref.Message(i+1))
			if limit -= v.Meter.Text(line); limit < 16 {
				break
			}
			lines = append(lines, line)
		}
	}
	if len(lines) < 2 {
		return ""
	}
	slices.Reverse(lines)
	return "\nAsked so far:" + strings.Join(lines, "")
}

// task is the first thing a user said, verbatim; "" when nobody did.
func task(t *thread.Thread) (thread.ID, string) {
	for i := range t.Len() {
		if e := t.At(i); thread.Speaks(e.Message) {
			return e.ID, words(e.Message)
		}
	}
	return "", ""
}

// words is the text of a message, its blocks on lines of their own.
func words(m message.Message) string {
	var texts []string
	for i := range m.Parts {
		if m.Parts[i].Kind == message.Text {
			texts = append(texts, m.Parts[i].Text)
		}
	}
	return strings.Join(texts, "\n")
}

// lastRound is the highest round among the summaries inside a span.
func (v *View) lastRound(s plan.Span) (n int) {
	var last *plan.Record
	for _, i := range v.T.Positions(s.IDs) {
		r := v.Whole(i)
		if r == nil || r == last || r.Action != plan.Summarize {
			continue
		}
		last = r
		var head struct {
			Round int `json:"round"`
		}
		if json.Unmarshal(r.Summary, &head) == nil {
			n = max(n, head.Round)
		}
	}
	return n
}
