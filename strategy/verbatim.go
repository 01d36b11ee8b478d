package strategy

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/ref"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/tool"
)

// verbatim writes the lines of a span that are likeliest to be needed again, each
// as it stood, under the number of its message: the part of a summary that keeps
// what no heading foresees. It takes at most limit tokens. For how closely it
// chooses see lineChooser. decided is what the agent decided, the newest first.
func (k *lineChooser) verbatim(v *View, span plan.Span, limit int, said string, decided []summary.Decision) string {
	k.minWorth, k.decided = v.Limits.MinWorth, decided
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
				k.shows(k.textOf(&p), spoken)
			}
		}
	}
}

// textOf returns what a part says. A call in a block says its name, too.
func (k *lineChooser) textOf(p *message.Part) string {
	switch {
	case p.Kind != message.Call || k.said == nil:
		return p.Body()
	case jsontext.Value(p.Args).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)):
		return p.Name + " " + unescaped.Replace(p.Args)
	}
	return p.Name + " " + p.Args
}

// unescaped reads the strings of JSON as far as blocks of code need: they have lines and
// quotes. The rest stays as it was written.
var unescaped = strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\t`, "\t", `\"`, `"`)

// candidates returns a lineChooser with the lines of a span to choose from, as far as it came
// until ctx ended.
func candidates(ctx context.Context, v *View, span plan.Span, heat *Relevance) *lineChooser {
	k, past := newLineChooser(heat, v.Limits.Close), heat.skipped
	if k.ownTokens = v.Limits.OwnTokens; k.ownTokens > 0 && k.closely {
		k.said = map[string]bool{}
	}
	var args tool.LineReader
	ago, before := v.Uncompacted(), 0 // tokens from the end of message before-1 to that of the last
	for n, i := range v.T.Positions(span.IDs) {
		if n%256 == 0 && ctx.Err() != nil {
			return k
		}
		if i < len(past) && past[i] {
			continue
		}
		k.speaker[int32(i)] = speakers[v.T.At(i).Message.Role]
		for ; before <= i; before++ {
			ago -= v.Original(before)
		}
		m := &v.T.At(i).Message
		for n := range m.Parts {
			p, from := &m.Parts[n], len(k.pieces)
			switch {
			case p.Kind == message.Thinking:
				continue
			case p.Kind == message.Call && k.closely && k.said == nil:
				k.add(i, args.Lines(p.Args), matter, v.Meter.Text)
			default:
				k.add(i, k.textOf(p), bodyOf(v.T, i, p), v.Meter.Text)
			}
			switch {
			case p.Kind == message.Result && k.closely:
				k.addEnd(from)
			case m.Role == message.Assistant && k.said != nil:
				k.addOwn(from, n+1, ago, p.Kind == message.Text)
			case p.Kind == message.Text && k.said != nil && thread.Speaks(*m) && !thread.Note(*p):
				k.asked = append(k.asked, ownBlock{from: from, to: len(k.pieces), text: true})
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

// fill writes as many pieces as the limit takes, first the last lines of the newest
// results, then the agent's own newest words in blocks. Lines cost less together than one
// by one, so what is left over is given out again.
func (k *lineChooser) fill(limit int, count func(string) int) (text string) {
	room := limit - 8
	if spent := k.keepEnds(room / 8); spent > 0 {
		text = k.write("\n\n")
		room -= spent
	}
	asked := k.said != nil && k.keepAsked(int(float64(limit)*askedShare))
	if k.keepOwn(int(float64(limit)*ownShare)) || asked {
		text = k.write("\n\n")
		room = limit - 8 - count(text)
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
		case p.joins:
		default:
			b.WriteByte('\n')
		}
		b.WriteString(p.text)
		last, gap = p.owner, false
	}
	return strings.TrimPrefix(b.String(), "\n")
}
