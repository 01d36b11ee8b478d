package timeline

import (
	"fmt"
	"slices"
	"strings"
)

// Text shows what lies behind a summary, for people and models: a line for each thing,
// with the reference or path that reads it.
func (m Meta) Text() string {
	var b strings.Builder
	messages := "messages"
	if m.Messages == 1 {
		messages = "message"
	}
	fmt.Fprintf(&b, "[%s: %d %s]\n", m.Path, m.Messages, messages)
	if n := len(m.CoveredTurns); n > 0 {
		fmt.Fprintf(&b, "user turns, by the number they begin with: %s", strings.Trim(fmt.Sprint(m.CoveredTurns), "[]"))
		if m.SplitTurn > 0 {
			fmt.Fprintf(&b, "; of turn %d the beginning", m.SplitTurn)
		}
		b.WriteByte('\n')
	}
	d := m.Digest
	section(&b, "files", d.Produced, produced.line)
	section(&b, "outputs of tools", d.Outputs, output.line)
	section(&b, "searches", d.Searches, search.line)
	section(&b, "hidden before", d.Hidden, hidden.line)
	if d.Left > 0 {
		fmt.Fprintf(&b, "and %d more\n", d.Left)
	}
	return b.String()
}

func section[T any](b *strings.Builder, title string, list []T, line func(T) string) {
	if len(list) == 0 {
		return
	}
	b.WriteString(title + ":\n")
	for _, x := range list {
		b.WriteString("- " + line(x) + "\n")
	}
}

func (p produced) line() string {
	about := slices.DeleteFunc([]string{string(p.Done), p.Mime, p.Visibility}, func(s string) bool { return s == "" })
	s := fmt.Sprintf("%s (%s) by %s, %s", p.Path, strings.Join(about, ", "), p.Tool, p.Call)
	if len(p.Sources) > 0 {
		s += "; from " + strings.Join(p.Sources, ", ")
	}
	return s
}

func (o output) line() string {
	s := fmt.Sprintf("%s: %d", o.Tool, o.Count)
	if o.Failed > 0 {
		s += fmt.Sprintf(", %d failed", o.Failed)
	}
	return fmt.Sprintf("%s, the last a %s: %s", s, o.Last, strings.Join(o.Refs, " "))
}

func (s search) line() string {
	line := fmt.Sprintf("%s %q, %s", s.Tool, s.Query, s.Call)
	if len(s.Paths) > 0 {
		line += ": " + strings.Join(s.Paths, ", ")
	}
	return line
}

func (h hidden) line() string {
	text, _, _ := strings.Cut(h.Text, "\n")
	line := fmt.Sprintf("%s (%s), %s", h.Path, h.How, h.Ref)
	if h.ID != "" {
		line += ", artifact " + h.ID
	}
	return line + ": " + text
}
