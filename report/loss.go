package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/identifier"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/ref"
)

// Loss counts the distinct values of a kind that left the prompt.
type Loss struct {
	Kind     string   `json:"kind"`
	Lost     int      `json:"lost"`
	Of       int      `json:"of"`
	Examples []string `json:"examples"` // the most mentioned first, with their message

	first string // the value of the first example
}

// examples is how many values of each kind a report names.
const examples = 8

// lost compares the values of the log with those of the prompt. What was only thought is not
// counted: thinking leaves prompts whatever is compacted.
func lost(t *precis.Turn) []Loss {
	if t.Plan == nil || len(t.Plan.Records) == 0 {
		return nil
	}
	stands := map[string]bool{}
	for i := range t.Messages {
		scan(t.Messages[i], func(_ identifier.Kind, v string) { stand(stands, v) })
	}
	logged := map[string]*mention{}
	for i := range t.Thread.Len() {
		scan(withoutThinking(t.Thread.At(i).Message), func(k identifier.Kind, v string) {
			if logged[v] == nil {
				logged[v] = &mention{kind: k, value: v, first: i}
			}
			logged[v].times++
		})
	}
	return append(losses(logged, stands), lostCommands(t)...)
}

func withoutThinking(m message.Message) message.Message {
	if m.Has(message.Thinking) {
		m.Parts = slices.DeleteFunc(slices.Clone(m.Parts), func(p message.Part) bool { return p.Kind == message.Thinking })
	}
	return m
}

// stand marks a value, and what a longer one holds: the folders of a path and its file,
// host and path of an address, also without a query, and the day of a time.
func stand(stands map[string]bool, v string) {
	if stands[v] {
		return
	}
	stands[v] = true
	for i := range len(v) {
		switch v[i] {
		case '/':
			stands[v[:i]], stands[v[i:]], stands[v[i+1:]] = true, true, true
		case 'T':
			if i == len("2026-01-31") {
				stands[v[:i]] = true
			}
		}
	}
	if i := strings.LastIndexAny(v, "?#"); i > 0 {
		stand(stands, v[:i])
	}
}

type mention struct {
	kind         identifier.Kind
	value        string
	first, times int
}

// scan calls f for each value of a message: an address of mail without the name that stands
// before it, as in "email=ann@example.org", and a path without "./".
func scan(m message.Message, f func(identifier.Kind, string)) {
	for i := range m.Parts {
		text := m.Parts[i].Body()
		identifier.Scan(text, func(k identifier.Kind, a, b int) {
			v := text[a:b]
			switch k {
			case identifier.Path:
				v = strings.TrimPrefix(v, "./")
			case identifier.Email:
				v = v[strings.LastIndexAny(v[:strings.IndexByte(v, '@')], "=:?&#")+1:]
			}
			f(k, v)
		})
	}
}

// losses counts by kind what is logged and does not stand in the prompt.
func losses(logged map[string]*mention, stands map[string]bool) []Loss {
	byKind := map[identifier.Kind]*Loss{}
	all := slices.SortedFunc(maps.Values(logged), func(a, b *mention) int {
		return cmp.Or(cmp.Compare(b.times, a.times), cmp.Compare(a.first, b.first), cmp.Compare(a.value, b.value))
	})
	for _, m := range all {
		l := byKind[m.kind]
		if l == nil {
			l = &Loss{Kind: m.kind.String()}
			byKind[m.kind] = l
		}
		l.Of++
		if stands[m.value] {
			continue
		}
		l.Lost++
		if len(l.Examples) < examples {
			l.Examples = append(l.Examples, fmt.Sprintf("%s (%s)", m.value, ref.Message(m.first+1)))
			l.first = cmp.Or(l.first, m.value)
		}
	}
	var out []Loss
	for _, k := range slices.Sorted(maps.Keys(byKind)) {
		if byKind[k].Lost > 0 {
			out = append(out, *byKind[k])
		}
	}
	return out
}
