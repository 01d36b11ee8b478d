package strategy

import (
	"context"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/tool"
)

// lineChooser chooses the lines of a span that are likeliest to be needed again, each as it
// stood: the part of a summary that keeps what no heading foresees. It reads the span
// (candidates), then what else stands in the prompt (showSummary, showOthers), and then
// chooses (choose).
type lineChooser struct {
	mode     lineMode
	minWorth float64         // Limits.MinWorth
	values   *values         // of all texts of the prompt
	pieces   *pieces         // of the span
	heads    heads           // of the span's messages
	results  lastLines       // of the span; empty for ladderLines
	blocks   blocks          // of the span; empty but for closeBlocks
	args     tool.LineReader // of calls, for closeLines
}

// newLineChooser returns a chooser that has read nothing of a thread. count counts the tokens of a
// text.
func newLineChooser(t *thread.Thread, relevance *Relevance, l Limits, count func(string) int) *lineChooser {
	mode, vs := l.lineMode(), newValues(relevance)
	return &lineChooser{
		mode: mode, minWorth: l.MinWorth, values: vs, pieces: newPieces(mode, vs, count),
		heads:  heads{t: t, named: map[int32]int{}},
		blocks: blocks{tokens: l.OwnTokens, shown: map[string]bool{}},
	}
}

// candidates returns a lineChooser with the lines of a span to choose from, as far as it came
// until ctx ended.
func candidates(ctx context.Context, v *View, span plan.Span, relevance *Relevance) *lineChooser {
	k, past := newLineChooser(v.T, relevance, v.Limits, v.Meter.Text), relevance.skipped
	ago, before := v.Uncompacted(), 0 // tokens from the end of message before-1 to that of the last
	for n, i := range v.T.Positions(span.IDs) {
		if n%256 == 0 && ctx.Err() != nil {
			return k
		}
		if i < len(past) && past[i] {
			continue
		}
		for ; before <= i; before++ {
			ago -= v.Original(before)
		}
		k.add(i, ago)
	}
	return k
}

// add offers the lines of the message at a position, which ended so many tokens ago.
func (k *lineChooser) add(at, ago int) {
	t := k.heads.t
	m := &t.At(at).Message
	k.heads.add(int32(at), m, k.pieces.count)
	w := thread.WordsOf(m)
	for n := range m.Parts {
		p, from := &m.Parts[n], len(k.pieces.list)
		note := w.Note(n)
		if p.Kind == message.Thinking || note && thread.Speaks(*m) { // else it would be the user's
			continue
		}
		k.pieces.add(at, k.offered(p, note), bodyOf(t, at, p))
		b := block{from: from, to: len(k.pieces.list), part: n + 1, text: p.Kind == message.Text, ago: ago}
		switch {
		case p.Kind == message.Result && k.mode != ladderLines:
			k.results.add(k.pieces, from)
			if k.mode == closeBlocks {
				k.pieces.raise(from, k.pieces.remarks.ended(t, at, p))
			}
		case k.mode != closeBlocks:
		case m.Role == message.Assistant:
			k.blocks.addOwn(b)
		case b.text && !note && thread.Speaks(*m):
			k.blocks.asked = append(k.blocks.asked, b)
		}
	}
}

// offered returns the text of a part whose lines are offered.
func (k *lineChooser) offered(p *message.Part, note bool) string {
	switch {
	case p.Kind == message.Call && k.mode == closeLines:
		return k.args.Lines(p.Args)
	case note && p.Kind == message.Text:
		return thread.Untagged(p.Text)
	}
	return k.mode.textOf(p)
}

// showSummary marks what stands in the prompt as the text of the summary that the lines belong
// to, and notes what the summary tells of files and decisions.
func (k *lineChooser) showSummary(made *summary.Structured, text string) {
	k.heads.origins = newOrigins(k.heads.t, made, k.mode != ladderLines, k.pieces.count)
	if k.mode == closeBlocks {
		k.blocks.edits, k.blocks.decided = standingEdits(k.heads.t, made.Files), decided(made, text)
	}
	how := bare
	if k.mode == ladderLines {
		how = spoken
	}
	k.show(text, how)
}

// showOthers marks what stands in the prompt beside the span.
func (k *lineChooser) showOthers(v *View, span plan.Span) {
	in := make([]bool, v.T.Len())
	for _, i := range v.T.Positions(span.IDs) {
		in[i] = true
	}
	for i := range in {
		for n := 1; !in[i] && n <= len(v.T.At(i).Message.Parts); n++ {
			if p, ok := v.Now(i, n); ok {
				k.show(k.mode.textOf(&p), spoken)
			}
		}
	}
}

// show marks a text as standing in the prompt.
func (k *lineChooser) show(text string, how presence) {
	k.values.show(text, how)
	if k.mode == closeBlocks {
		k.blocks.show(text)
	}
}

const (
	// lineSlack is how many tokens of the limit stay free.
	lineSlack = 8
	// leastRoom is the fewest tokens left for which more lines are chosen.
	leastRoom = 12
	// The lines of lastLines take at most one part in endShare of the room.
	endShare = 8
)

// choose returns the lines that stay, under the numbers of their messages, in at most limit
// tokens, "" for none.
func (k *lineChooser) choose(limit int) string {
	s := newSelection(k.pieces, k.heads, k.minWorth)
	if k.mode == ladderLines {
		s.pick(limit - lineSlack)
		return s.text()
	}
	return k.fill(s, limit)
}

// fill chooses first the lines that tell how the newest calls went, then blocks, then lines.
// Lines cost less together than one by one, so what is left over is given out again.
func (k *lineChooser) fill(s *selection, limit int) (text string) {
	room := limit - lineSlack
	if spent := k.results.keep(s, room/endShare); spent > 0 {
		text = s.text()
		room -= spent
	}
	if k.mode == closeBlocks && k.blocks.keep(s, limit, room) > 0 {
		text = s.text()
		room = limit - lineSlack - k.pieces.count(text)
	}
	for ; room >= leastRoom && s.pick(room); room = limit - lineSlack - k.pieces.count(text) {
		text = s.text()
	}
	return text
}
