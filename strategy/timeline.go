package strategy

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/internal/timeline"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/ref"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/summary/wording"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/tool"
)

// Timeline puts one summary in place of everything before a cut: what lies
// between the last summary and the cut is summarized, the earlier summary is
// carried on, what is recent (Limits.KeepRecent) stays. A turn that the cut falls
// into is split: its prefix is summarized by itself, under TurnContext.
//
// The first user message is not pinned in this design: the summary carries what
// was asked. What a user pinned stands verbatim, in its place.
type Timeline struct {
	// SummaryTokens caps the summary's text, TurnTokens that of a split turn's
	// prefix; 0 is 800 and 400. At most a tenth and a twentieth of the budget.
	SummaryTokens, TurnTokens int
	With                      summary.Summarizer
}

// TurnContext heads the section of a split turn, on a line of its own.
const TurnContext = "Turn Context (split turn)"

// ErrEmptySummary ends a compaction whose summary says nothing:
// nothing stands in for it.
var ErrEmptySummary = errors.New("empty summary")

// Name implements Strategy.
func (Timeline) Name() string { return "timeline" }

// Analyze implements Strategy.
func (s Timeline) Analyze(v *View) []Proposal {
	r := s.Section(v)
	if len(r.fresh()) == 0 {
		return nil
	}
	span := v.spanAt(r.all())
	reason := fmt.Sprintf("all before %s, %s", ref.Message(r.Cut+1), wording.Count(span.Count(), "message"))
	saves := v.costOf(span) - s.rangeCap(v)
	if r.Split > 0 {
		reason += fmt.Sprintf("; turn %d is split", r.Split)
		saves -= s.turnCap(v)
	}
	if r.shorter != "" {
		reason += "; fewer recent messages stay than the policy keeps: " + r.shorter
	}
	return []Proposal{{Strategy: s.Name(), Span: span, Saves: saves, Reason: reason}}
}

// section holds what a compaction would cover. With a Reason it is nothing.
type section struct {
	Reason timeline.Reason
	Cut    int // position of the first entry that stays
	Split  int // user turn that is cut in two, 0 for none

	path    string
	covered []int  // user turns that are covered whole
	shorter string // why less stays than the policy keeps, "" where it does not
	// Positions, in order: under earlier summaries, between the last one and
	// the cut, and of the latter the prefix of the split turn.
	old, history, head []int
}

func (r section) fresh() []int { return slices.Concat(r.history, r.head) }

func (r section) all() []int {
	return slices.Sorted(slices.Values(slices.Concat(r.old, r.history, r.head)))
}

// Section finds the cut on the draft as it is, and what lies before it. A compaction
// that is forced keeps as much at the end as any other, unless the provider refused the
// prompt or nothing could go then.
func (s Timeline) Section(v *View) section {
	keep, least := v.Limits.KeepRecent, v.Limits.RecentTokens
	if least >= keep {
		return s.sectionKeeping(v, least)
	}
	if !v.Refused {
		if r := s.sectionKeeping(v, keep); r.Reason == "" {
			return r
		}
	}
	r := s.sectionKeeping(v, least)
	r.shorter = "else nothing could go"
	if v.Refused {
		r.shorter = "the provider refused the prompt"
	}
	return r
}

func (s Timeline) sectionKeeping(v *View, keep int) section {
	bs := timeline.Blocks(v.T, v.stands, v.shownTokens)
	c := timeline.Choose(bs, keep, v.Over()+s.rangeCap(v))
	if c.Reason != "" {
		return section{Reason: c.Reason}
	}
	r := section{Cut: bs[c.Cut].Entry, Split: c.Split, path: timeline.SummaryPath(v.T.Turn(bs[c.Cut].Entry))}
	turns := timeline.Turns(v.T)
	for _, u := range v.T.Units() {
		if v.coverable(u) {
			for i := u.Start; i < u.End; i++ {
				r.take(v, i, turns[i])
			}
		}
	}
	if len(r.fresh()) == 0 { // all of it is pinned, held or gone
		return section{Reason: timeline.NoBoundaryRoom}
	}
	return r
}

// coverable reports whether nothing in a unit is pinned or held.
func (v *View) coverable(u thread.Unit) bool {
	for i := u.Start; i < u.End; i++ {
		if v.Zones[i] <= Pinned || v.Zones[i] == Held {
			return false
		}
	}
	return true
}

// take adds the entry at position i, of a turn, where it belongs.
func (r *section) take(v *View, i, turn int) {
	rec := v.Whole(i)
	switch {
	case v.T.At(i).Message.Meta || rec != nil && rec.Action == plan.Drop:
		return
	case rec != nil && rec.Action == plan.Summarize:
		if !v.standsBefore(rec, r.Cut) {
			return
		}
		r.old = append(r.old, i)
	case i >= r.Cut:
		return
	case turn == r.Split && turn > 0:
		r.head = append(r.head, i)
	default:
		r.history = append(r.history, i)
	}
	if last := len(r.covered) - 1; turn > 0 && turn != r.Split && (last < 0 || r.covered[last] != turn) {
		r.covered = append(r.covered, turn)
	}
}

// stands says how an entry stands under the draft.
func (v *View) stands(i int) timeline.Stands {
	r := v.Whole(i)
	switch {
	case r == nil || r.Action == plan.Clear || r.Action == plan.Replace:
		return timeline.Shown
	case r.Action == plan.Drop || r.Span.Start() != v.T.At(i).ID:
		return timeline.Gone
	case r.Action == plan.Summarize:
		return timeline.Summary
	}
	return timeline.Shown // a pointer
}

// shownTokens returns what part n (from 1) of entry i costs as it is shown, the
// message's framing with its first part; with n 0 the whole of it.
func (v *View) shownTokens(i, n int) int {
	switch {
	case n == 0 || n == 1 && (len(v.T.At(i).Message.Parts) == 1 || v.Whole(i) != nil):
		return v.Cost(i)
	case v.Whole(i) != nil:
		return 0
	}
	cost := 0
	if n == 1 {
		cost = v.Meter.Overhead.Message
	}
	if p, ok := v.Now(i, n); ok {
		cost += v.Meter.Part(p)
	}
	return cost
}

func (s Timeline) rangeCap(v *View) int { return capped(s.SummaryTokens, 800, v.Limits.Budget/10) }

func (s Timeline) turnCap(v *View) int { return capped(s.TurnTokens, 400, v.Limits.Budget/20) }

// capped is n, or the default where it is 0, within what the budget allows: a
// summary that says anything at all takes some 64 tokens.
func capped(n, standard, most int) int {
	if n == 0 {
		n = standard
	}
	return min(n, max(most, 64))
}

// Execute implements Strategy.
func (s Timeline) Execute(ctx context.Context, v *View, p Proposal) (Result, error) {
	r := s.Section(v)
	if !slices.Equal(v.spanAt(r.all()).IDs, p.Span.IDs) {
		return Result{}, fmt.Errorf("summarize %d messages: the draft has changed", p.Span.Count())
	}
	made, err := s.summarizeRange(ctx, v, r)
	if errors.Is(err, ErrEmptySummary) && len(r.head) > 0 && len(r.history) > 0 { // prior history only
		r.Cut, r.Split, r.head = r.head[0], 0, nil
		made, err = s.summarizeRange(ctx, v, r)
	}
	if err != nil {
		return Result{}, err
	}
	if s.rangeCap(v) >= leastForPath {
		made.text += "\n\n" + v.Limits.behind(r.path)
	}
	rec := plan.Record{Action: plan.Summarize, Span: v.spanAt(r.all()), Text: made.text, Strategy: p.Strategy, Reason: p.Reason}
	if rec.Summary, err = json.Marshal(made.state); err != nil {
		return Result{}, fmt.Errorf("encode summary: %w", err)
	}
	if rec.Meta, err = json.Marshal(v.meta(r)); err != nil {
		return Result{}, fmt.Errorf("encode digest: %w", err)
	}
	return Result{Record: rec}, nil
}

// leastForPath is the least cap of a summary, in tokens, whose text names its path.
const leastForPath = 200

// behind names the path of a summary, and what reading it lists.
func (l Limits) behind(path string) string {
	return fmt.Sprintf("[files, outputs, searches and hidden blocks behind this summary: %s(%q)]", l.Recall, path)
}

// rangeSummary is a summary as it is shown and as it is carried on.
type rangeSummary struct {
	text  string
	state *summary.Structured
}

// summarizeRange writes the summary of a range: of all that lies before the split turn,
// earlier summaries carried on, and apart from it of the turn's prefix.
func (s Timeline) summarizeRange(ctx context.Context, v *View, r section) (rangeSummary, error) {
	head, err := s.write(ctx, v, r.head, nil, summary.TurnHead, s.turnCap(v))
	if err != nil {
		return rangeSummary{}, err
	}
	before := slices.Sorted(slices.Values(slices.Concat(r.old, r.history)))
	previous, err := v.summaries(v.spanAt(before))
	if err != nil {
		return rangeSummary{}, err
	}
	var history *summary.Structured
	if len(previous) == 1 && previous[0].Count == len(before) {
		history = previous[0] // nothing before the turn is new
	} else if history, err = s.write(ctx, v, before, previous, summary.Range, s.rangeCap(v)); err != nil {
		return rangeSummary{}, err
	}
	out := rangeSummary{state: joined(history, head)}
	out.state.Round = v.lastRound(v.spanAt(before)) + 1
	if history != nil {
		if out.text = textOf(withoutSuperseded(history, out.state), s.rangeCap(v), v.Meter.Text); out.text == "" {
			return rangeSummary{}, ErrEmptySummary
		}
	}
	if head != nil {
		text := textOf(head, s.turnCap(v), v.Meter.Text)
		if text == "" {
			return rangeSummary{}, ErrEmptySummary
		}
		out.text = strings.TrimPrefix(out.text+"\n\n"+TurnContext+"\n"+text, "\n\n")
	}
	return out, nil
}

// write has a part of the summary written, nil for no messages.
func (s Timeline) write(ctx context.Context, v *View, at []int, previous []*summary.Structured, part summary.Part, limit int) (*summary.Structured, error) {
	if len(at) == 0 {
		return nil, nil
	}
	return Summarize{With: s.With}.written(ctx, summary.Input{
		Thread: v.T, Span: v.spanAt(at), Previous: previous, Cap: limit, Count: v.Meter.Text,
		Part: part, Instructions: v.Instructions,
	})
}

// joined is the state after both; one of them may be nil.
func joined(history, head *summary.Structured) *summary.Structured {
	var narrative []string
	for _, part := range []*summary.Structured{history, head} {
		if part != nil && part.Narrative != "" {
			narrative = append(narrative, part.Narrative)
		}
	}
	both := summary.Merge(history, head)
	both.Narrative = strings.Join(narrative, "\n\n")
	return both
}

// withoutSuperseded is the history without what the prefix of the turn supersedes.
func withoutSuperseded(history, both *summary.Structured) *summary.Structured {
	h := *history
	h.Facts = common(h.Facts, both.Facts)
	h.Decisions = common(h.Decisions, both.Decisions)
	h.Open = common(h.Open, both.Open)
	return &h
}

func common[T comparable](list, still []T) []T {
	in := make(map[T]bool, len(still))
	for _, x := range still {
		in[x] = true
	}
	return slices.DeleteFunc(slices.Clone(list), func(x T) bool { return !in[x] })
}

// textOf is a summary's text: what a model wrote, where one did, else its structure.
func textOf(s *summary.Structured, limit int, count func(string) int) string {
	if strings.TrimSpace(s.Narrative) != "" {
		return strings.TrimSpace(wording.Handover(s, limit, count))
	}
	return strings.TrimSpace(wording.Text(s, limit, count))
}

// meta notes what a range covers. The digest of an earlier summary is carried
// on where it still speaks of all that the summary covers.
func (v *View) meta(r section) timeline.Meta {
	m := timeline.Meta{Path: r.path, CoveredTurns: r.covered, SplitTurn: r.Split}
	carried := map[*plan.Record]bool{}
	anew := r.fresh()
	for _, i := range r.old {
		rec := v.Whole(i)
		whole, seen := carried[rec]
		if !seen {
			var old timeline.Meta
			whole = json.Unmarshal(rec.Meta, &old) == nil && old.Messages == rec.Span.Count()
			if carried[rec] = whole; whole {
				m.Digest = m.Digest.Then(old.Digest)
			}
		}
		if !whole {
			anew = append(anew, i)
		}
	}
	slices.Sort(anew)
	m.Messages = len(r.old) + len(r.history) + len(r.head)
	m.Digest = m.Digest.Then(timeline.Collect(timeline.Covered{Thread: v.T, At: anew, Record: v.recordOver, Sensitivity: v.sensitivity}))
	return m
}

// recordOver returns the record over part n of entry i, or with n 0 over the whole.
func (v *View) recordOver(i, n int) *plan.Record {
	if n == 0 {
		return v.Whole(i)
	}
	return v.Part(i, n)
}

// sensitivity is that of a tool's results.
func (v *View) sensitivity(name string) string {
	return cmp.Or(tool.Resolve(tool.Envelope{Tool: name}, v.Tools).Sensitivity, string(artifact.Internal))
}
