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

// job is one Summarize.
type job struct {
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

func newJob(s *Summarizer, in summary.Input) *job {
	p, ok := parts[in.Part]
	if !ok {
		p = parts[summary.Structure]
	}
	j := &job{s: s, in: in, part: p, count: in.Count, tools: map[string]string{}}
	if j.count == nil {
		j.count = func(text string) int { return (len(text) + 2) / 3 }
	}
	at := positions(in)
	j.fresh = j.divide(at)
	for _, i := range at {
		for _, p := range in.Thread.At(i).Message.Parts {
			if p.Kind == message.Call {
				j.tools[p.CallID] = p.Name
			}
		}
	}
	return j
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

// divide sorts the earlier summaries and returns the positions of the span that
// none of them covers. One that stands covers as many messages of the span as
// it once did.
func (j *job) divide(at []int) []int {
	covered := map[int]bool{}
	for _, p := range j.in.Previous {
		if p == nil || len(at) == 0 {
			continue
		}
		from, ok1 := j.in.Thread.Find(p.From.ID)
		to, ok2 := j.in.Thread.Find(p.To.ID)
		if !ok1 || !ok2 {
			continue
		}
		if to < at[0] {
			j.before = append(j.before, p)
			continue
		}
		own := slices.DeleteFunc(slices.Clone(at), func(i int) bool { return i < from || i > to || covered[i] })
		if len(own) == 0 || len(own) != p.Count {
			continue
		}
		for _, i := range own {
			covered[i] = true
		}
		j.stands = append(j.stands, p)
	}
	return slices.DeleteFunc(slices.Clone(at), func(i int) bool { return covered[i] })
}

// run writes the summary.
func (j *job) run(ctx context.Context) (*summary.Structured, error) {
	if !j.speaks(j.fresh) && len(j.stands) == 0 {
		return nil, fmt.Errorf("no messages: %w", ErrEmpty)
	}
	j.state = j.standing()
	if !j.speaks(j.fresh) && !j.foldable() {
		return j.finish(j.unread())
	}
	if out, err := j.fromPrefix(ctx); out != nil || err != nil {
		if err != nil {
			return nil, err
		}
		return j.finish(out)
	}
	out, err := j.pieces(ctx)
	if err != nil {
		return nil, err
	}
	return j.finish(out)
}

// standing is what the earlier summaries inside the span say together.
func (j *job) standing() *summary.Structured {
	switch len(j.stands) {
	case 0:
		return nil
	case 1:
		return j.stands[0]
	}
	return summary.Merge(j.stands...)
}

// foldable: several accounts become one.
func (j *job) foldable() bool { return j.part.tells() && len(j.stands) > 1 }

// speaks says whether there is anything to read at the positions.
func (j *job) speaks(at []int) bool { return slices.ContainsFunc(at, j.visible) }

func (j *job) visible(i int) bool {
	m := &j.in.Thread.At(i).Message
	return !m.Meta && m.Role != message.System && len(m.Parts) > 0
}

// unread is the state with messages that say nothing.
func (j *job) unread() *summary.Structured {
	if len(j.fresh) == 0 {
		return j.state
	}
	return summary.Merge(j.state, fill(&answer{}, newFinder(j.in.Thread, j.fresh)).out)
}

// finish checks the whole as those who commit it will.
func (j *job) finish(out *summary.Structured) (*summary.Structured, error) {
	if len(j.stands) == 1 && out == j.stands[0] {
		return out, nil
	}
	made := *out
	made.Round = 1
	for _, p := range j.stands {
		made.Round = max(made.Round, p.Round+1)
	}
	if err := summary.Verify(&made, j.in.Thread, j.in.Span, j.stands...); err != nil {
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

// pieces writes the span piece by piece, each in the light of those before. A
// piece that is too long, or takes too long, is halved with all that follow.
func (j *job) pieces(ctx context.Context) (*summary.Structured, error) {
	queue := j.cutUp(j.fresh, j.room())
	for halvings := 0; len(queue) > 0; {
		out, err := j.write(ctx, queue[0])
		if err == nil {
			j.state = out
			queue = queue[1:]
			continue
		}
		if halvings == maxHalvings || !(errors.Is(err, ErrTooLong) || errors.Is(err, ErrTimeout)) || ctx.Err() != nil {
			return nil, err
		}
		halvings++
		smaller := j.cutUp(slices.Concat(queue...), j.tokens(queue[0])/2)
		if len(smaller) == len(queue) || !j.large(smaller[0]) || !j.large(queue[0][len(smaller[0]):]) {
			return nil, err
		}
		queue = smaller
	}
	return j.state, nil
}

// large says whether a half is above the floors.
func (j *job) large(at []int) bool {
	return len(at) >= leastMessages && j.tokens(at) >= leastTokens
}

// room is what a prompt leaves for messages.
func (j *job) room() int {
	most := j.s.cfg.MaxInput
	rest := most - j.count(j.existing()) - j.count(systemPrompt) - j.count(j.user("", ""))
	return max(rest, most/4)
}

// cutUp cuts positions into pieces of at most so many tokens, between units. A
// unit that is larger stands alone. There is at least one piece.
func (j *job) cutUp(at []int, most int) [][]int {
	var out [][]int
	var piece []int
	size := 0
	for len(at) > 0 {
		u := j.in.Thread.UnitOf(at[0])
		n := 1
		for n < len(at) && at[n] < u.End {
			n++
		}
		cost := j.tokens(at[:n])
		if size > 0 && size+cost > most {
			out, piece, size = append(out, piece), nil, 0
		}
		piece, size, at = append(piece, at[:n]...), size+cost, at[n:]
	}
	return append(out, piece)
}

func (j *job) tokens(at []int) int {
	n := 0
	for _, i := range at {
		n += j.count(j.show([]int{i}, j.part.caps))
	}
	return n
}

// show is what a model reads of messages.
func (j *job) show(at []int, c caps) string {
	var texts []string
	for _, i := range at {
		if j.visible(i) {
			texts = append(texts, c.written(i+1, &j.in.Thread.At(i).Message, func(id string) string { return j.tools[id] }))
		}
	}
	return strings.Join(texts, separator)
}

// fitting shows a piece in a prompt's room, with smaller caps where one unit
// alone is too large.
func (j *job) fitting(at []int) string {
	c := j.part.caps
	text := j.show(at, c)
	for room := j.room(); j.count(text) > room && c.message > minCap; {
		c = c.half()
		text = j.show(at, c)
	}
	return text
}

// existing is the earlier summary as the model reads it: what is written so far,
// else what came before the span.
func (j *job) existing() string {
	s := j.state
	if s == nil && len(j.before) > 0 {
		s = summary.Merge(j.before...)
	}
	if s == nil {
		return ""
	}
	most := j.s.cfg.MaxInput / 5
	text := quiet(s.Narrative)
	if j.count(text) > most {
		text = cut(text, 2*most, "...")
	}
	if rest := quiet(wording.Text(s, most, j.count)); !j.part.tells() || strings.Contains(rest, "\n") {
		text = strings.TrimSpace(text + "\n\n" + rest)
	}
	return text
}

// write asks for one piece and merges it into the state.
func (j *job) write(ctx context.Context, at []int) (*summary.Structured, error) {
	existing := j.existing()
	if len(at) > 0 && !j.speaks(at) {
		return summary.Merge(j.state, fill(&answer{}, newFinder(j.in.Thread, at)).out), nil
	}
	text, err := j.s.ask(ctx, j.request(j.user(existing, j.fitting(at))))
	if err != nil {
		return nil, err
	}
	return j.take(text, at)
}

// take reads an answer about positions and merges it into the state.
func (j *job) take(text string, at []int) (*summary.Structured, error) {
	made, err := j.read(text, at)
	if err != nil {
		j.s.tally(1, 0)
		return nil, err
	}
	j.s.tally(0, made.dropped)
	if len(at) == 0 { // only earlier accounts were read
		folded := *j.state
		folded.Narrative = made.out.Narrative
		return &folded, nil
	}
	out := summary.Merge(j.state, made.out)
	if j.part.tells() {
		out.Narrative = made.out.Narrative
	}
	return out, nil
}

func (j *job) read(text string, at []int) (*filler, error) {
	a, err := parse(text, j.part.fields)
	if err != nil {
		return nil, err
	}
	if len(at) == 0 {
		at = positions(j.in)
	}
	made := fill(a, newFinder(j.in.Thread, at))
	return made, made.check(j.in.Span, j.part.tells())
}
