package strategy

import (
	"fmt"
	"strings"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/ref"
	"github.com/seed-3db51b0e/precis/render"
	"github.com/seed-3db51b0e/precis/token"
)

// Load returns what the draft's messages weigh beside tokens, as they would be sent.
func (d *Draft) Load() (l token.Load) {
	for i := range d.cells {
		l = l.Plus(d.loadOf(i))
	}
	return l
}

// loadOf returns what stands for entry i weighs under the draft, as recount does for tokens.
func (d *Draft) loadOf(i int) (l token.Load) {
	m, c := &d.T.At(i).Message, &d.cells[i]
	dropsThinking := d.noThinking.Holds(i) && m.Has(message.Thinking)
	switch {
	case d.within(i) || m.Meta:
	case c.whole != nil:
		for _, m := range render.One(d.T.At(i), c.whole, d.Style) {
			l = l.Plus(token.LoadOf(m))
		}
	case len(c.parts) == 0 && !dropsThinking:
		l = token.LoadOf(*m)
	default:
		for n := range m.Parts {
			p, ok := d.Now(i, n+1)
			if !ok || dropsThinking && m.Parts[n].Kind == message.Thinking {
				continue
			}
			l = l.Plus(token.LoadOfPart(p))
			if r := d.Part(i, n+1); r != nil && r.Answer != "" {
				l = l.Plus(token.LoadOf(render.Answer(p, r)))
			}
		}
	}
	return l
}

// Within reports whether a load is within what a request may weigh; a limit of 0 is
// none.
func Within(l, most token.Load) bool {
	return (most.Media == 0 || l.Media <= most.Media) && (most.Bytes == 0 || l.Bytes <= most.Bytes)
}

// DropMedia puts pointers in the place of pictures and documents, oldest first, down
// to half of what a request may weigh, so that the next ones do not break the
// prefix again. It spares what is recent, pinned or held unless most itself
// demands it, and what the user said last to the end.
func DropMedia(v *View, most token.Load) (steps []Step) {
	half := token.Load{Media: (most.Media + 1) / 2, Bytes: (most.Bytes + 1) / 2}
	load, last := v.Load(), v.lastUser
	for _, pass := range []struct {
		to  token.Load
		may func(i int) bool
	}{
		{half, func(i int) bool { return v.Zones[i] == Old }},
		{most, func(i int) bool { return v.Zones[i] == Recent || v.Zones[i] == Held }},
		{most, func(i int) bool { return v.Zones[i] <= Newest && v.Zones[i] != Fixed && i != last }},
		{most, func(i int) bool { return i == last }},
	} {
		for i := 0; i < v.T.Len() && !Within(load, pass.to); i++ {
			if pass.may(i) {
				steps = v.dropMedia(i, pass.to, &load, steps)
			}
		}
	}
	return steps
}

// dropMedia does what DropMedia does, for one entry.
func (v *View) dropMedia(i int, to token.Load, load *token.Load, steps []Step) []Step {
	if v.T.At(i).Message.Meta || v.Whole(i) != nil {
		return steps
	}
	for n := 1; n <= len(v.T.At(i).Message.Parts) && !Within(*load, to); n++ {
		p, ok := v.Now(i, n)
		if !ok || token.LoadOfPart(p).Media == 0 {
			continue
		}
		was := v.loadOf(i)
		prop := Proposal{Strategy: "unload", Span: v.partSpan(i, n), Saves: v.Meter.Part(p), Reason: "the request has too many pictures or bytes"}
		how := plan.Hidden
		if p.Kind == message.Result {
			how = plan.Preview
		}
		made := Result{Record: replacement(prop, how, v.described(i, p))}
		freed, ok := v.Apply(made)
		if !ok {
			continue
		}
		*load = load.Less(was).Plus(v.loadOf(i))
		steps = append(steps, Step{Proposal: prop, Record: string(made.Record.Action), Freed: freed})
	}
	return steps
}

// described returns the text that stands in a part's place: its text, and a line for each
// picture or document that says what it was, and how to read it where reading returns more
// than that.
func (v *View) described(i int, p message.Part) string {
	var b strings.Builder
	if text := p.Body(); text != "" {
		b.WriteString(text + "\n")
	}
	parts := p.Parts
	if p.Kind == message.Media {
		parts = []message.Part{p}
	}
	for _, m := range parts {
		if m.Kind != message.Media {
			continue
		}
		size := ""
		if m.Size > 0 {
			size = fmt.Sprintf(", %d bytes", m.Size)
		}
		if p.Kind == message.Result {
			fmt.Fprintf(&b, "[%s%s left out of %s]\n", kindOf(m), size, ref.Message(i+1))
			continue
		}
		fmt.Fprintf(&b, "[%s%s left out; %s(\"%s\") returns it]\n", kindOf(m), size, v.Limits.Recall, ref.Message(i+1))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func kindOf(m message.Part) string {
	if m.MediaType == "" {
		return "picture or document"
	}
	return m.MediaType
}
