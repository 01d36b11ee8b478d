package report

import (
	"index/suffixarray"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/tool"
)

// leftCommands compares the commands that ran with those that the prompts show: in a call, or
// in a text, as that of a summary.
func leftCommands(log *thread.Thread, before, now []message.Message) []Left {
	ran := map[string]*mention{}
	for i := range log.Len() {
		commands(&log.At(i).Message, func(line string) {
			if ran[line] == nil {
				ran[line] = &mention{value: line, first: i}
			}
			ran[line].times++
		})
	}
	if before != nil {
		keep(ran, shown(ran, before))
	}
	out := left(ran, shown(ran, now))
	for i := range out {
		out[i].Kind = command
	}
	return out
}

// shown marks the commands that a prompt shows.
func shown(ran map[string]*mention, prompt []message.Message) map[string]bool {
	stands := map[string]bool{}
	if len(ran) == 0 {
		return stands
	}
	text := promptText(prompt)
	index := suffixarray.New(text)
	for line := range ran {
		stands[line] = slices.ContainsFunc(index.Lookup([]byte(line), -1), func(at int) bool {
			return (at == 0 || !inWord(text[at-1])) && !inWord(text[at+len(line)])
		})
	}
	return stands
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
