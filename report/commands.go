package report

import (
	"index/suffixarray"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/tool"
)

// lostCommands compares the commands that ran with those that the prompt shows: in a call, or
// in a text, as that of a summary.
func lostCommands(t *precis.Turn) []Loss {
	ran := map[string]*mention{}
	for i := range t.Thread.Len() {
		commands(&t.Thread.At(i).Message, func(line string) {
			if ran[line] == nil {
				ran[line] = &mention{value: line, first: i}
			}
			ran[line].times++
		})
	}
	if len(ran) == 0 {
		return nil
	}
	text, stands := promptText(t.Messages), map[string]bool{}
	shown := suffixarray.New(text)
	for line := range ran {
		stands[line] = slices.ContainsFunc(shown.Lookup([]byte(line), -1), func(at int) bool {
			return (at == 0 || !inWord(text[at-1])) && !inWord(text[at+len(line)])
		})
	}
	out := losses(ran, stands)
	for i := range out {
		out[i].Kind, out[i].first = "command", "" // what begins a line says little in a search
	}
	return out
}

func inWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c|' ' && c|' ' <= 'z'
}

// commands calls f with the first line of each command of a message that has one.
func commands(m *message.Message, f func(line string)) {
	for _, p := range m.Parts {
		if p.Kind != message.Call {
			continue
		}
		line, _, _ := strings.Cut(strings.TrimSpace(tool.Parse(p, nil).Command), "\n")
		if line = strings.TrimSpace(line); line != "" {
			f(line)
		}
	}
}

// promptText is what a prompt shows, with commands as the shell gets them.
func promptText(ms []message.Message) []byte {
	var b strings.Builder
	for i := range ms {
		for _, p := range ms[i].Parts {
			if p.Kind != message.Thinking {
				b.WriteString(p.Body() + "\n")
			}
		}
		commands(&ms[i], func(line string) { b.WriteString(line + "\n") })
	}
	return []byte(b.String())
}
