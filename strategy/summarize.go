package strategy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/render"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/summary/extract"
	"github.com/seed-3db51b0e/precis/summary/wording"
	"github.com/seed-3db51b0e/precis/thread"
)

// Summarize puts one structured summary in place of the oldest units: the
// fewest that bring the draft to its target. Earlier summaries inside the span
// are merged into it, never stacked.
type Summarize struct {
	From Zone // units of this zone and freer
	With summary.Summarizer
	// Forced takes what an undo gave back, too.
	Forced bool
	// Fill takes all free units at once, and gives the summary all the room there
	// is below the target: one break, and nothing thrown away for want of a cap.
	Fill bool
	// Within gives the summary the room there is below the target, where that holds a state; else its
	// cap, and no lines.
	Within bool
	// Relevance, when set, gives the lines likeliest to be needed again VerbatimShare of
	// the summary's tokens.
	Relevance *Relevance
}

// Name implements Strategy.
func (Summarize) Name() string { return "summarize" }

// Analyze implements Strategy.
func (s Summarize) Analyze(v *View) []Proposal {
	span, cost := s.span(v)
	if len(span.IDs) == 0 {
		return nil
	}
	return []Proposal{{
		Strategy: s.Name(), Span: span, Saves: cost - v.Limits.summaryCap(cost),
		Reason: "the oldest " + wording.Count(len(span.IDs), "message"),
	}}
}

// span collects the oldest free units until what they free is enough. A unit
// under an earlier summary brings all that the summary covers.
func (s Summarize) span(v *View) (plan.Span, int) {
	take := make([]int, 0, v.T.Len())
	cost, within := 0, (*plan.Record)(nil)
	for _, u := range v.T.Units() {
		r := v.Whole(u.Start)
		if r == nil || r != within {
			if !s.Fill && cost-v.Limits.summaryCap(cost) >= v.Over() && cost > 0 {
				break
			}
			within = r
		}
		if !s.takes(v, u) {
			continue
		}
		for i := u.Start; i < u.End; i++ {
			if r := v.Whole(i); r == nil || r.Action != plan.Drop {
				cost += v.Cost(i)
				take = append(take, i)
			}
		}
	}
	return v.spanAt(take), cost
}

// takes reports whether every entry of a unit may be summarized.
func (s Summarize) takes(v *View, u thread.Unit) bool {
	for i := u.Start; i < u.End; i++ {
		r := v.Whole(i)
		under := r != nil && r.Action == plan.Summarize && v.Zones[i] > Pinned
		if v.Zones[i] == Held && !s.Forced || !under && (v.Zones[i] < s.From || v.T.At(i).Message.Meta) {
			return false
		}
	}
	return true
}

const (
	// stateTokens is the share of a summary that its structured part gets before lines do, as far as one
	// part in statePart of the summary goes.
	stateTokens, statePart = 500, 5
	// leastState is that share where such a part is less, as far as a third of the summary goes: what users
	// want, and what was looked up for them, stands in fewer words there than as lines.
	leastState = 300
)

// stateShare returns the tokens that the structured part of a summary of limit tokens gets before lines do.
func stateShare(limit int) int {
	return min(stateTokens, max(limit/statePart, min(leastState, limit/3)))
}

// limit returns how many tokens the summary of units worth cost gets, and whether lines are among them. A
// filling one gets what the target leaves, but at least a fair share of a crowded prompt.
func (s Summarize) limit(v *View, cost int) (tokens int, lines bool) {
	most, room := v.Limits.summaryCap(cost), v.roomBelow(v.Target, cost)
	switch {
	case s.Within && room >= leastState:
		return room, s.Relevance != nil && v.Limits.VerbatimShare > 0
	case s.Within:
		return most, false
	case s.Fill:
		return max(room, min(most, v.Limits.Budget/6+v.Limits.OwnTokens/2)), s.Relevance != nil
	}
	return most, s.Relevance != nil
}

// roomBelow returns the tokens that a target leaves for a summary of units worth cost.
func (v *View) roomBelow(target, cost int) int {
	const framing = 20 // the message
	head := v.Style.Head(&plan.Record{Span: plan.Span{FirstTurn: 1000, LastTurn: 1000}})
	return target - (v.Total() - cost) - framing - v.Meter.Text(head)
}

// summaryCap is the most tokens a summary of units worth cost may take.
func (l Limits) summaryCap(cost int) int {
	c := l.SummaryTokens
	if l.SummaryRatio > 0 {
		c = min(c, max(int(float64(cost)*l.SummaryRatio), 64))
	}
	return c
}

// Execute implements Strategy.
func (s Summarize) Execute(ctx context.Context, v *View, p Proposal) (Result, error) {
	previous, err := v.summaries(p.Span)
	if err != nil {
		return Result{}, err
	}
	standing, rest := s.excerpts(v, p.Span)
	limit, lines := s.limit(v, v.costOf(p.Span))
	beside := v.ExcerptTokens(standing)
	limit -= beside
	kept, notes := v.noted(p.Span, previous, limit)
	limit -= v.Meter.Text(notes)
	in := summary.Input{
		Thread: v.T, Span: p.Span, Previous: previous, Cap: limit, Count: v.Meter.Text, Instructions: v.Instructions,
	}
	var offer func() *lineChooser
	if lines {
		in.Cap = max(int(float64(limit)*(1-v.Limits.VerbatimShare)), min(stateShare(limit+beside), limit))
		reading, stop := context.WithCancel(ctx)
		offer = concurrently(func() *lineChooser { return candidates(reading, v, rest, s.Relevance) })
		defer func() { stop(); offer() }() // it reads the view
	}
	made, err := s.written(ctx, in)
	if err != nil {
		return Result{}, err
	}
	made.Artifacts, made.Notes = v.pointed(p.Span, made.Artifacts), kept
	outdated := v.outdated(standing, made)
	most := v.raised(made, caps{state: in.Cap, all: limit - v.Meter.Text(outdated), beside: beside})
	in.Cap = most.state
	data, err := json.Marshal(made)
	if err != nil {
		return Result{}, fmt.Errorf("encode summary: %w", err)
	}
	text, chosen := textWithLines(v, in, made, most, offer, standing)
	rec := plan.Record{
		Action: plan.Summarize, Span: p.Span, Text: outdated + text + notes, Excerpts: standing, Summary: data,
		Strategy: p.Strategy, Reason: p.Reason,
	}
	v.Limits.lineMode().quote(&rec, chosen)
	if v.Style.Head(&rec)+rec.Text == "" { // a message must say something
		rec.Text = omission
	}
	return Result{Record: rec}, nil
}

// caps are the most tokens of a summary.
type caps struct {
	state, all int // of its structured part, and of all of it
	beside     int // of excerpts that stand: they are room for lines, as all is
	lookups    int // by which its structured part grew for what was looked up
}

// doneShare and lookupShare are the shares of the room for lines by which the structured part of a summary
// may grow for what was done and is not done twice, and for what was looked up.
const doneShare, lookupShare = 5, 2

// raised returns the caps of a summary, raised as far as the user's rules need beside the request in
// hand and what was done: they stand whole while a share of the budget holds them. The structured part
// grows with what was done and looked up, too, and in a small summary for what the user stated.
func (v *View) raised(made *summary.Structured, c caps) caps {
	const header, request = 48, 80 // the request in hand in short
	done := 0
	if c.state < c.all {
		done = min(v.Meter.Text(wording.Done(made)), (c.all+c.beside-c.state)/doneShare, c.all-c.state)
		c.state += done
		c.lookups = min(v.Meter.Text(wording.Found(made)), (c.all-c.state)/lookupShare)
		c.state += c.lookups
	}
	rules := wording.Rules(made, 0, nil)
	switch {
	case rules != "":
		need := min(v.Meter.Text(rules)+done+header+request, max(v.Limits.SummaryTokens, c.all/2))
		c.state, c.all = max(c.state, need), max(c.all, need)
	case slices.ContainsFunc(made.Facts, func(f summary.Fact) bool { return f.Kind == summary.Plain }): // of the user's
		c.state = max(c.state, min(header+request, 2*c.all/3))
	}
	return c
}

// textWithLines writes a summary within its caps: its structure and, where lines are on offer, those
// that fit, beside the excerpts that stand.
func textWithLines(v *View, in summary.Input, made *summary.Structured, most caps, offer func() *lineChooser, standing []string) (text, lines string) {
	shown := *made
	if shown.Apart = v.apart(in.Span, made); offer == nil {
		return wording.Text(&shown, in.Cap, in.Count), ""
	}
	shown.Ledger = nil // the lines say more for the same tokens
	shown.Requests = answers(v.T, made, shown.Apart)
	mode := v.Limits.lineMode()
	if mode == closeBlocks && most.all > in.Cap { // the agent says there itself what it found, among what else it said
		shown.Facts = slices.DeleteFunc(slices.Clone(made.Facts), func(f summary.Fact) bool { return f.Kind == summary.Finding })
	}
	text = wording.Text(&shown, in.Cap, in.Count)
	if most.all <= in.Cap {
		return text, ""
	}
	head, taken := mode.heading()+"\n", v.Meter.Text(text)
	if mode != ladderLines {
		taken += v.Meter.Text(render.ExcerptHead + head)
	}
	k := offer()
	k.showSummary(made, text)
	k.showOthers(v, in.Span)
	for _, e := range standing {
		k.show(e, spoken)
	}
	k.blocks.extra = most.lookups
	if lines = k.choose(most.all - taken); lines != "" {
		lines = head + lines
	}
	return text, lines
}

// apart returns the numbers of messages inside a span's range in which a user speaks or that
// instruct the agent, and that stand in the prompt.
func (v *View) apart(span plan.Span, made *summary.Structured) (numbers []int) {
	covered := make([]bool, v.T.Len())
	for _, i := range v.T.Positions(span.IDs) {
		if i >= 0 {
			covered[i] = true
		}
	}
	for i := made.From.N; i < min(made.To.N, v.T.Len()); i++ {
		if m := v.T.At(i).Message; !covered[i] && v.Whole(i) == nil && (thread.Speaks(m) || m.Role == message.System && !m.Meta) {
			numbers = append(numbers, i+1)
		}
	}
	return numbers
}

// answers returns the requests of a summary, the last one as it was when a user spoke after it in a
// message apart: what the agent did after that message is no answer to the request; what it said
// right before that message is one.
func answers(t *thread.Thread, made *summary.Structured, apart []int) []summary.Request {
	n := len(made.Requests)
	if n == 0 {
		return nil
	}
	last := made.Requests[n-1]
	for _, i := range apart {
		if i <= last.From.N || last.Status == summary.Withdrawn || !thread.Speaks(t.At(i-1).Message) || urgesOn(t, i-1) {
			continue
		}
		if last.Ended.N == 0 || last.Ended.N >= i {
			last.Status, last.Ended, last.Failed, last.Asks = "", summary.Source{}, summary.Source{}, false
			if before := i - 1; before > last.From.N {
				last.Status, last.Ended = summary.Doing, summary.Source{ID: t.ID(before - 1), N: before}
				if m := t.At(before - 1).Message; m.Role == message.Assistant && m.Has(message.Text) && !m.Has(message.Call) {
					last.Status, last.Asks = summary.Done, asks(m)
				}
			}
		}
		if last.Status == summary.Done {
			last.Again = i
		}
		return append(slices.Clone(made.Requests[:n-1]), last)
	}
	return made.Requests
}

// asks reports whether a message of the agent's asks the user for something.
func asks(m message.Message) bool {
	return slices.ContainsFunc(m.Parts, func(p message.Part) bool { return p.Kind == message.Text && extract.AsksBack(p.Text) })
}

// urgesOn reports whether a message of the user's only agrees or urges the agent on to what it had
// not answered yet, or goes on with in calls: what follows is for the same request.
func urgesOn(t *thread.Thread, at int) bool {
	m := &t.At(at).Message
	w := thread.WordsOf(m)
	for i := range m.Parts {
		if m.Parts[i].Kind != message.Text || !w.Note(i) && !extract.Agrees(w.Said(i)) {
			return false
		}
	}
	if before := t.At(at - 1).Message; before.Role != message.Assistant || before.Has(message.Call) {
		return true
	}
	for i := at + 1; i < t.Len() && !thread.Speaks(t.At(i).Message); i++ {
		if t.At(i).Message.Has(message.Call) {
			return true
		}
	}
	return false
}

// omission stands where not a word fits.
const omission = "[nothing of it fits]"

// written is a verified summary that carries the earlier ones on where it can.
func (s Summarize) written(ctx context.Context, in summary.Input) (*summary.Structured, error) {
	made, err := summary.Ask(ctx, s.With, in)
	unsupported := errors.Is(err, summary.ErrUnsupported) || errors.Is(err, summary.ErrLostPin)
	if unsupported && len(in.Previous) > 0 && ctx.Err() == nil { // an earlier summary may speak of what was put back
		in.Previous = nil
		made, err = summary.Ask(ctx, s.With, in)
	}
	if err != nil {
		return nil, summary.Attempted("summarize "+wording.Count(len(in.Span.IDs), "message"), err)
	}
	return made, nil
}

// pointed are artifacts a summary names, and those that pointers in its span
// stood for: the summary takes the pointers' place.
func (v *View) pointed(span plan.Span, have []summary.Artifact) []summary.Artifact {
	named := make(map[string]bool, len(have))
	for i := range have {
		named[have[i].ID] = true
	}
	for at, i := range v.T.Positions(span.IDs) {
		if len(v.cells[i].parts) == 0 {
			continue
		}
		for n := range v.T.At(i).Message.Parts {
			r := v.Part(i, n+1)
			if r == nil || r.Action != plan.Externalize || named[r.Artifact] {
				continue
			}
			named[r.Artifact] = true
			have = append(have, summary.Artifact{
				ID: r.Artifact, Description: clip(r.Text, 80), Hint: r.Hint, From: summary.Source{ID: span.IDs[at], N: i + 1},
			})
		}
	}
	return have
}

// summaries are the structured summaries inside a span, oldest first.
func (v *View) summaries(s plan.Span) ([]*summary.Structured, error) {
	var out []*summary.Structured
	seen, last := map[*plan.Record]bool{}, (*plan.Record)(nil)
	for _, i := range v.T.Positions(s.IDs) {
		r := v.Whole(i)
		if r == last {
			continue
		}
		if last = r; r == nil || seen[r] || r.Action != plan.Summarize || len(r.Summary) == 0 {
			continue
		}
		seen[r] = true
		var st summary.Structured
		err := json.Unmarshal(r.Summary, &st)
		if errors.Is(err, summary.ErrSchema) {
			continue // written anew from the log
		}
		if err != nil {
			return nil, fmt.Errorf("read summary of %s: %w", r.ID, err)
		}
		if st.Count == r.Span.Count() { // else it speaks of messages that were put back: written anew
			out = append(out, &st)
		}
	}
	return out, nil
}
