package replay

import (
	"cmp"
	"hash/fnv"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed-3db51b0e/precis/message"
)

// A control is a plain way to fill a prompt of as many tokens as a policy's: system
// prompt and first user message, then what is short of older messages, then as many of
// the newest as have room, the oldest of them from its middle on. Nobody sends such a
// prompt, so calls may stand without their results.
type control struct {
	name string
	// short returns what takes the place of an older message, nil for nothing.
	short func(p *sampler, i int) []message.Part
	// random takes rounds by chance, and no more.
	random bool
}

var controls = []control{
	{name: AskRecency},
	{name: "random-rounds", random: true},
	{name: "no-tools", short: withoutTools},
	{name: "skeleton", short: skeleton},
	{name: "anchors", short: anchors},
}

// controlled is a control at the size of one policy.
type controlled struct {
	control
	view *view
	into *Sampled
}

// shorts are the short forms of a run's messages, as far as they were asked for.
type shorts struct {
	ms     []message.Message
	tokens []int
}

// filled is the control's prompt for a step, of no more tokens than limit where the head
// leaves room.
func (p *sampler) filled(c *controlled, at, limit int) []message.Message {
	h := p.x.run.Messages[:at]
	head := pins(h, message.User)
	room := limit - p.x.sums[head]
	if c.random {
		return slices.Concat(h[:head], p.byChance(h, head, room))
	}
	s := p.shortened(c, at)
	used := 0
	for _, n := range s.tokens[head:at] {
		used += n
	}
	from := at // whole from here on
	for from > head && used-s.tokens[from-1]+p.whole(from-1) <= room {
		from--
		used += p.whole(from) - s.tokens[from]
	}
	out := slices.Clone(h[:head])
	first := head
	for ; first < from && used > room; first++ {
		used -= s.tokens[first]
	}
	for i := first; i < from; i++ {
		if i == from-1 {
			if m, ok := tail(h[i], room-used+s.tokens[i], p.whole(i)); ok && c.view.count(m) <= room-used+s.tokens[i] {
				out = append(out, m)
				continue
			}
		}
		if len(s.ms[i].Parts) > 0 {
			out = append(out, s.ms[i])
		}
	}
	return append(out, h[from:]...)
}

// whole is the tokens of message i.
func (p *sampler) whole(i int) int { return p.x.sums[i+1] - p.x.sums[i] }

// tail is the end of a message of so many tokens, cut to about room of them.
func tail(m message.Message, room, tokens int) (message.Message, bool) {
	const least = 20 // tokens that are worth a cut
	text := said(m)
	n := len(text) * (room - 8) / max(tokens, 1) * 9 / 10
	if room < least || n <= 0 || n >= len(text) {
		return m, false
	}
	cut := text[len(text)-n:]
	for len(cut) > 0 && !utf8.RuneStart(cut[0]) {
		cut = cut[1:]
	}
	return message.TextOf(m.Role, cut), true
}

// shortened are the short forms of the messages before a step.
func (p *sampler) shortened(c *controlled, at int) *shorts {
	s := p.shorts[c.name]
	if s == nil {
		s = &shorts{}
		p.shorts[c.name] = s
	}
	for i := len(s.ms); i < at; i++ {
		m, tokens := message.Message{Role: p.x.run.Messages[i].Role}, 0
		if c.short != nil {
			m.Parts = c.short(p, i)
		}
		if len(m.Parts) > 0 {
			tokens = c.view.count(m)
		}
		s.ms, s.tokens = append(s.ms, m), append(s.tokens, tokens)
	}
	return s
}

// byChance are rounds that fit, in an order that is the same at every step.
func (p *sampler) byChance(h []message.Message, head, room int) (out []message.Message) {
	us := slices.DeleteFunc(units(h), func(u unit) bool { return u.start < head })
	rank := func(u unit) uint32 {
		f := fnv.New32a()
		_, _ = f.Write([]byte{byte(u.start), byte(u.start >> 8), byte(u.start >> 16)}) // a hash takes everything
		_, _ = f.Write([]byte(p.x.run.ID))
		return f.Sum32()
	}
	slices.SortFunc(us, func(a, b unit) int { return cmp.Compare(rank(a), rank(b)) })
	var taken []unit
	for _, u := range us {
		if n := p.x.sums[u.end] - p.x.sums[u.start]; n <= room {
			room -= n
			taken = append(taken, u)
		}
	}
	slices.SortFunc(taken, func(a, b unit) int { return cmp.Compare(a.start, b.start) })
	for _, u := range taken {
		out = append(out, h[u.start:u.end]...)
	}
	return out
}

// withoutTools returns the text of users and of the agent.
func withoutTools(p *sampler, i int) (parts []message.Part) {
	for _, part := range p.x.run.Messages[i].Parts {
		if part.Kind == message.Text && part.Text != "" {
			parts = append(parts, message.Part{Kind: message.Text, Text: part.Text})
		}
	}
	return parts
}

// lineBytes is the most of a line in a skeleton.
const lineBytes = 120

// skeleton is a line for each call and text.
func skeleton(p *sampler, i int) []message.Part {
	var lines []string
	for _, part := range p.x.run.Messages[i].Parts {
		switch part.Kind {
		case message.Call:
			lines = append(lines, part.Name+" "+firstLine(decoded(part.Args).s))
		case message.Text:
			lines = append(lines, firstLine(part.Text))
		}
	}
	return textParts(strings.Join(lines, "\n"))
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return cut(s, lineBytes)
}

// anchors are the values that a message is the first to say.
func anchors(p *sampler, i int) []message.Part {
	var said []string
	for _, id := range p.x.facts[p.x.keys[i]].values {
		if int(p.x.first[id]) == i {
			said = append(said, p.x.text(id))
		}
	}
	return textParts(strings.Join(said, " "))
}

func textParts(s string) []message.Part {
	if strings.TrimSpace(s) == "" {
		return nil
	}
	return []message.Part{{Kind: message.Text, Text: s}}
}
