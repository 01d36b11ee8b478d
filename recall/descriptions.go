package recall

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/ref"
)

// describe answers precis_describe.
func (l *toolCall) describe() (answerWithin, error) {
	p, err := l.find()
	if err != nil {
		return nil, err
	}
	c, err := l.r.Describe(l.ctx, l.r.nameOf(p))
	if err != nil {
		return nil, err
	}
	text := strings.Join(facts(c), "\n") + "\n"
	for _, part := range c.Parts {
		text += descriptionLine(part) + "\n"
	}
	if c.Now != "" {
		text += "in its place now:\n" + c.Now
	}
	text, _ = legible(text)
	return func(room int) answerText {
		s := answerText{head: c.Ref + ", " + c.Kind, body: text, refs: []string{c.Ref}}
		if len(text) > room {
			s.body = text[:border(text, room)]
			s.tail = many(len(text)-len(s.body), "byte") + " more of this description"
		}
		return s
	}, nil
}

func many(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// facts are the fields of a Description that say something, one to a line.
func facts(c Description) []string {
	var out []string
	add := func(name, value string) {
		if value != "" && value != "0" {
			out = append(out, name+": "+window(oneLine(value), 0, 0, hitWidth))
		}
	}
	count := func(name string, n int) { add(name, strconv.Itoa(n)) }
	date := func(name string, t time.Time) {
		if !t.IsZero() {
			add(name, t.UTC().Format("2006-01-02 15:04:05 UTC"))
		}
	}
	if c.Kind != "message" || c.To > 0 {
		count("message", c.Number)
	}
	count("to message", c.To)
	count("turn", c.Turn)
	count("to turn", c.ToTurn)
	add("role", string(c.Role))
	add("type", c.Type)
	add("tool", c.Tool)
	add("call", c.CallID)
	if c.Failed {
		add("outcome", "failed")
	}
	count("tokens", c.Tokens)
	add("size", many(c.Bytes, "byte")+" in "+many(c.Lines, "line"))
	add("in the prompt", c.State)
	add("records", strings.Join(c.Records, " "))
	add("action", c.Action)
	add("why", c.Reason)
	count("tokens it frees", c.Saves)
	count("plan", c.Version)
	add("artifact", c.Artifact)
	add("sensitivity", c.Sensitivity)
	date("made", c.Created)
	date("expires", c.Expires)
	count("other raw forms", c.Variants)
	add("begins", c.First)
	return out
}

// list answers precis_list.
func (l *toolCall) list() (answerWithin, error) {
	kind := l.args.choice("kind", "messages", "records", "artifacts")
	from, limit := l.args.number("from", 1, 1<<30, 1), l.args.number("limit", 1, 200, 50)
	if l.args.err != nil {
		return nil, l.args.err
	}
	cards, err := l.r.List(kind, from-1, limit)
	if err != nil {
		return nil, err
	}
	if len(cards.Cards) == 0 && cards.Total > 0 {
		return nil, &refusal{Miss, fmt.Sprintf("there are %d %s: from is at most that", cards.Total, kind)}
	}
	var lines []string
	for _, c := range cards.Cards {
		lines = append(lines, descriptionLine(c))
	}
	return func(room int) answerText {
		if len(lines) == 0 {
			return answerText{head: kind + ": there are none"}
		}
		s := answerText{}
		var n int
		s.body, n = joinLines(lines, room)
		s.body, _ = legible(s.body)
		for _, c := range cards.Cards[:n] {
			s.refs = append(s.refs, c.Ref)
		}
		s.head = fmt.Sprintf("%s %d-%d of %d", kind, from, from+n-1, cards.Total)
		if next := from + n; next <= cards.Total {
			s.tail = fmt.Sprintf("%d more: from %d goes on", cards.Total-next+1, next)
		} else if kind == "messages" {
			s.tail = l.r.earlierNote()
		}
		return s
	}, nil
}

// descriptionLine is a Description on one line: what it is, how large, what stands for it.
func descriptionLine(c Description) string {
	var b strings.Builder
	b.WriteString(c.Ref)
	word := func(s string) {
		if s != "" {
			b.WriteString(" " + s)
		}
	}
	switch c.Kind {
	case "record":
		word(c.Action)
		word(fmt.Sprintf("%s-%s", ref.Message(c.Number), ref.Message(c.To)))
	case "artifact":
		if c.Number > 0 {
			word("from " + ref.Message(c.Number).String())
		}
		word(c.Sensitivity)
	}
	word(string(c.Role))
	if c.Type == string(message.Text) {
		c.Type = ""
	}
	word(label(c.Type))
	word(label(c.Tool))
	if c.Bytes > 0 {
		word(many(c.Bytes, "byte") + " in " + many(c.Lines, "line"))
	}
	if c.Saves > 0 {
		word("frees " + many(c.Saves, "token"))
	}
	b.WriteString(stateNote(c.State, c.Records))
	if c.Reason != "" {
		b.WriteString(", " + oneLine(window(c.Reason, 0, 0, 120)))
	}
	if c.First != "" {
		b.WriteString(": " + oneLine(c.First))
	}
	return b.String()
}
