package strategy

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/ref"
	"github.com/seed-3db51b0e/precis/tool"
)

// verbatim writes the lines of a span that are likeliest to be needed again, each
// as it stood, under the number of its message: the part of a summary that keeps
// what no heading foresees. It takes at most limit tokens. For how closely it
// chooses see lineChooser.
func (k *lineChooser) verbatim(v *View, span plan.Span, limit int, said string) string {
	k.minWorth = v.Limits.MinWorth
	if k.closely {
		k.shows(said, bare)
	} else {
		k.shows(said, spoken)
	}
	k.showsOthers(v, span)
	if k.closely {
		return k.fill(limit, v.Meter.Text)
	}
	k.pick(limit-8, headCost)
	return k.write("\n… ")
}

// showsOthers marks what stands in the prompt beside the span.
func (k *lineChooser) showsOthers(v *View, span plan.Span) {
	in := make([]bool, v.T.Len())
	for _, i := range v.T.Positions(span.IDs) {
		in[i] = true
	}
	for i := range in {
		for n := 1; !in[i] && n <= len(v.T.At(i).Message.Parts); n++ {
			if p, ok := v.Now(i, n); ok {
				k.shows(p.Body(), spoken)
			}
		}
	}
}

// candidates returns a lineChooser with the lines of a span to choose from, as far as it came
// until ctx ended.
func candidates(ctx context.Context, v *View, span plan.Span, heat *Relevance) *lineChooser {
	k, past := newLineChooser(heat, v.Limits.Close), heat.skipped
	var args tool.LineReader
	for n, i := range v.T.Positions(span.IDs) {
		if n%256 == 0 && ctx.Err() != nil {
			return k
		}
		if i < len(past) && past[i] {
			continue
		}
		k.speaker[int32(i)] = speakers[v.T.At(i).Message.Role]
		parts := v.T.At(i).Message.Parts
		for n := range parts {
			switch p := &parts[n]; {
			case p.Kind == message.Thinking:
			case p.Kind == message.Call && k.closely:
				k.add(i, args.Lines(p.Args), v.Meter.Text)
			default:
				from := len(k.pieces)
				k.add(i, p.Body(), v.Meter.Text)
				if p.Kind == message.Result && k.closely {
					k.addEnd(from)
				}
			}
		}
	}
	return k
}

// verbatimHead stands above the lines of a summary.
func verbatimHead(closely bool) string {
	if closely {
		return "Lines of the log, as they stood; an empty line is what was between:"
	}
	return "Lines of the log, as they stood:"
}

// fill writes as many pieces as the limit takes, the last lines of the newest results
// first. Lines cost less together than one by one, so what is left over is given out
// again.
func (k *lineChooser) fill(limit int, count func(string) int) (text string) {
	room := limit - 8
	if spent := k.keepEnds(room / 8); spent > 0 {
		text = k.write("\n\n")
		room -= spent
	}
	for ; room >= 12 && k.pick(room, headCost); room = limit - 8 - count(text) {
		text = k.write("\n\n")
	}
	return text
}

// headCost is how many tokens the number and the speaker of a message take.
const headCost = 6

// write writes the pieces that stay under the numbers and speakers of their messages,
// with between where something is left out.
func (k *lineChooser) write(between string) string {
	var b strings.Builder
	last, gap := int32(-1), false
	for i := range k.pieces {
		p := &k.pieces[i]
		if !k.take[i] {
			gap = true
			continue
		}
		switch {
		case p.owner != last:
			speaker := k.speaker[p.owner]
			if k.changes.since(p.owner) {
				speaker = changedSince
			}
			fmt.Fprintf(&b, "\n%s %s", ref.Message(int(p.owner)+1), speaker)
		case gap:
			b.WriteString(between)
		default:
			b.WriteByte('\n')
		}
		b.WriteString(p.text)
		last, gap = p.owner, false
	}
	return strings.TrimPrefix(b.String(), "\n")
}
