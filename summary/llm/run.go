package llm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/summary/wording"
)

// run is one call of Summarize.
type run struct {
	s     *Summarizer
	in    summary.Input
	part  part
	count func(string) int
	// before are earlier summaries that end before the span: context alone.
	before []*summary.Structured
	// stands are those inside the span; fresh are the positions that none holds.
	stands []*summary.Structured
	fresh  []int
	// state is what is written so far: the standing summaries and the pieces.
	state *summary.Structured
	tools map[string]string // call id → tool
}

func newRun(s *Summarizer, in summary.Input) *run {
	p, ok := parts[in.Part]
	if !ok {
		p = parts[summary.Structure]
	}
	r := &run{s: s, in: in, part: p, count: in.Count, tools: map[string]string{}}
	if r.count == nil {
		r.count = func(text string) int { return (len(text) + 2) / 3 }
	}
	at := positions(in)
	r.fresh = r.uncovered(at)
	for _, i := range at {
		for _, p := range in.Thread.At(i).Message.Parts {
			if p.Kind == message.Call {
				r.tools[p.CallID] = p.Name
			}
		}
	}
	return r
}

func positions(in summary.Input) []int {
	if in.Thread == nil {
		return nil
	}
	var at []int
	for _, id := range in.Span.IDs {
		if i, ok := in.Thread.Find(id); ok {
			at = append(at, i)
		}
	}
	slices.Sort(at)
	return slices.Compact(at)
}

// uncovered sorts the earlier summaries and returns the positions of the span that
// none of them covers. One that stands covers as many messages of the span as
// it once did.
func (r *run) uncovered(at []int) []int {
	covered := map[int]bool{}
	for _, p := range r.in.Previous {
		if p == nil || len(at) == 0 {
			continue
		}
		from, ok1 := r.in.Thread.Find(p.From.ID)
		to, ok2 := r.in.Thread.Find(p.To.ID)
		if !ok1 || !ok2 {
			continue
		}
		if to < at[0] {
			r.before = append(r.before, p)
			continue
		}
		own := slices.DeleteFunc(slices.Clone(at), func(i int) bool { return i < from || i > to || covered[i] })
		if len(own) == 0 || len(own) != p.Count {
			continue
		}
		for _, i := range own {
			covered[i] = true
		}
		r.stands = append(r.stands, p)
	}
	return slices.DeleteFunc(slices.Clone(at), func(i int) bool { return covered[i] })
}

// summarize writes the summary.
func (r *run) summarize(ctx context.Context) (*summary.Structured, error) {
	if !r.anyVisible(r.fresh) && len(r.stands) == 0 {
		return nil, fmt.Errorf("no messages: %w", ErrEmpty)
	}
	r.state = r.standing()
	if !r.anyVisible(r.fresh) && !r.foldable() {
		return r.finish(r.unread())
	}
	if out, err := r.askAfterPrefix(ctx); out != nil || err != nil {
		if err != nil {
			return nil, err
		}
		return r.finish(out)
	}
	out, err := r.writePieces(ctx)
	if err != nil {
		return nil, err
	}
	return r.finish(out)
}

// standing returns what the earlier summaries inside the span say together.
func (r *run) standing() *summary.Structured {
	switch len(r.stands) {
	case 0:
		return nil
	case 1:
		return r.stands[0]
	}
	return summary.Merge(r.stands...)
}

// foldable reports whether several accounts are to become one.
func (r *run) foldable() bool { return r.part.narrates() && len(r.stands) > 1 }

// anyVisible reports whether there is anything to read at the positions.
func (r *run) anyVisible(at []int) bool { return slices.ContainsFunc(at, r.visible) }

func (r *run) visible(i int) bool {
	m := &r.in.Thread.At(i).Message
	return !m.Meta && m.Role != message.System && len(m.Parts) > 0
}

// unread returns the state with messages that say nothing.
func (r *run) unread() *summary.Structured {
	if len(r.fresh) == 0 {
		return r.state
	}
	return summary.Merge(r.state, parse(&answer{}, newAttributor(r.in.Thread, r.fresh)).out)
}

// finish checks the whole as those who commit it will.
func (r *run) finish(out *summary.Structured) (*summary.Structured, error) {
	if len(r.stands) == 1 && out == r.stands[0] {
		return out, nil
	}
	made := *out
	made.Round = 1
	for _, p := range r.stands {
		made.Round = max(made.Round, p.Round+1)
	}
	if err := summary.Verify(&made, r.in.Thread, r.in.Span, r.stands...); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvented, err)
	}
	return &made, nil
}

// maxHalvings bounds how often a job makes its pieces smaller.
const maxHalvings = 4

// Floors of a half.
const (
	leastMessages = 2
	leastTokens   = 1_000
)

// writePieces writes the span piece by piece, each in the light of those before. A
// piece that is too long is halved with all that follow.
func (r *run) writePieces(ctx context.Context) (*summary.Structured, error) {
	queue := r.split(r.fresh, r.room())
	for halvings := 0; len(queue) > 0; {
		out, err := r.writePiece(ctx, queue[0])
		if err == nil {
			r.state = out
			queue = queue[1:]
			continue
		}
		if halvings == maxHalvings || !errors.Is(err, ErrTooLong) || ctx.Err() != nil {
			return nil, err
		}
		halvings++
		smaller := r.split(slices.Concat(queue...), r.tokens(queue[0])/2)
		if len(smaller) == len(queue) || !r.large(smaller[0]) || !r.large(queue[0][len(smaller[0]):]) {
			return nil, err
		}
		queue = smaller
	}
	return r.state, nil
}

// large reports whether a half is above the floors.
func (r *run) large(at []int) bool {
	return len(at) >= leastMessages && r.tokens(at) >= leastTokens
}

// room returns what a prompt leaves for messages.
func (r *run) room() int {
	most := r.s.cfg.MaxInput
	rest := most - r.count(r.earlier()) - r.count(systemPrompt) - r.count(r.user("", ""))
	return max(rest, most/4)
}

// split cuts positions into pieces of at most so many tokens, between units. A
// unit that is larger stands alone. There is at least one piece.
func (r *run) split(at []int, most int) [][]int {
	var out [][]int
	var piece []int
	size := 0
	for len(at) > 0 {
		u := r.in.Thread.UnitOf(at[0])
		n := 1
		for n < len(at) && at[n] < u.End {
			n++
		}
		cost := r.tokens(at[:n])
		if size > 0 && size+cost > most {
			out, piece, size = append(out, piece), nil, 0
		}
		piece, size, at = append(piece, at[:n]...), size+cost, at[n:]
	}
	return append(out, piece)
}

func (r *run) tokens(at []int) int {
	n := 0
	for _, i := range at {
		n += r.count(r.format([]int{i}, r.part.caps))
	}
	return n
}

// format returns what a model reads of messages.
func (r *run) format(at []int, c caps) string {
	var texts []string
	for _, i := range at {
		if r.visible(i) {
			texts = append(texts, c.written(i+1, &r.in.Thread.At(i).Message, func(id string) string { return r.tools[id] }))
		}
	}
	return strings.Join(texts, separator)
}

// formatToFit shows a piece in a prompt's room, with smaller caps where one unit
// alone is too large.
func (r *run) formatToFit(at []int) string {
	c := r.part.caps
	text := r.format(at, c)
	for room := r.room(); r.count(text) > room && c.message > minCap; {
		c = c.half()
		text = r.format(at, c)
	}
	return text
}

// earlier returns the earlier summary as the model reads it: what is written so far,
// else what came before the span.
func (r *run) earlier() string {
	s := r.state
	if s == nil && len(r.before) > 0 {
		s = summary.Merge(r.before...)
	}
	if s == nil {
		return ""
	}
	most := r.s.cfg.MaxInput / 5
	text := escape(s.Narrative)
	if r.count(text) > most {
		text = cut(text, 2*most, "...")
	}
	if rest := escape(wording.Text(s, most, r.count)); !r.part.narrates() || strings.Contains(rest, "\n") {
		text = strings.TrimSpace(text + "\n\n" + rest)
	}
	return text
}

// writePiece asks for one piece and merges it into the state.
func (r *run) writePiece(ctx context.Context, at []int) (*summary.Structured, error) {
	existing := r.earlier()
	if len(at) > 0 && !r.anyVisible(at) {
		return summary.Merge(r.state, parse(&answer{}, newAttributor(r.in.Thread, at)).out), nil
	}
	text, err := r.s.ask(ctx, r.request(r.user(existing, r.formatToFit(at))))
	if err != nil {
		return nil, err
	}
	return r.merge(text, at)
}

// merge reads an answer about positions and merges it into the state.
func (r *run) merge(text string, at []int) (*summary.Structured, error) {
	made, err := r.parse(text, at)
	if err != nil {
		r.s.tally(1, 0)
		return nil, err
	}
	r.s.tally(0, made.dropped)
	if len(at) == 0 { // only earlier accounts were read
		folded := *r.state
		folded.Narrative = made.out.Narrative
		return &folded, nil
	}
	out := summary.Merge(r.state, made.out)
	if r.part.narrates() {
		out.Narrative = made.out.Narrative
	}
	return out, nil
}

func (r *run) parse(text string, at []int) (*parser, error) {
	a, err := r.decode(text)
	if err != nil {
		return nil, err
	}
	if len(at) == 0 {
		at = positions(r.in)
	}
	made := parse(a, newAttributor(r.in.Thread, at))
	return made, made.check(r.in.Span, r.part.narrates())
}
