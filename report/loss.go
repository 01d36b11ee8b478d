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
	"github.com/seed-3db51b0e/precis/thread"
)

// Loss counts the distinct values of a kind that left the prompt.
type Loss struct {
	Kind     string   `json:"kind"`
	Lost     int      `json:"lost"`
	Of       int      `json:"of"`
	Examples []string `json:"examples"` // the most mentioned first, with their message

	first string // the value of the first example
}

// Left are the distinct values of a kind that stood, and do not stand in a prompt any more.
type Left struct {
	Kind     string
	Lost, Of int
	Values   []Value // the most mentioned first, eight at most
}

// Value is a path, a number, an id, a command, with the message of the log that has it first.
type Value struct {
	Text    string
	Message int // counted from 1
}

// examples is how many values of each kind are named.
const examples = 8

// command is the kind of what ran; those of other values are package identifier's.
const command = "command"

// lost compares the values of the log with those of the prompt.
func lost(t *precis.Turn) []Loss {
	if t.Plan == nil || len(t.Plan.Records) == 0 {
		return nil
	}
	var out []Loss
	for _, left := range LeftSince(t.Thread, nil, t.Messages) {
		l := Loss{Kind: left.Kind, Lost: left.Lost, Of: left.Of}
		for _, v := range left.Values {
			l.Examples = append(l.Examples, fmt.Sprintf("%s (%s)", v.Text, ref.Message(v.Message)))
		}
		if left.Kind != command { // what begins a line says little in a search
			l.first = left.Values[0].Text
		}
		out = append(out, l)
	}
	return out
}

// LeftSince tells which values of a log stood in one prompt of it and do not stand in a later
// one, by kind. With nil for the earlier prompt, all values of the log stood. What was only
// thought is not counted: thinking leaves prompts whatever is compacted.
func LeftSince(log *thread.Thread, before, now []message.Message) []Left {
	logged := map[string]*mention{}
	for i := range log.Len() {
		scan(withoutThinking(log.At(i).Message), func(k identifier.Kind, v string) {
			if logged[v] == nil {
				logged[v] = &mention{kind: k, value: v, first: i}
			}
			logged[v].times++
		})
	}
	if before != nil {
		keep(logged, standing(before))
	}
	return append(left(logged, standing(now)), leftCommands(log, before, now)...)
}

// standing marks the values that a prompt shows.
func standing(prompt []message.Message) map[string]bool {
	stands := map[string]bool{}
	for i := range prompt {
		scan(prompt[i], func(_ identifier.Kind, v string) { stand(stands, v) })
	}
	return stands
}

// keep removes the values that do not stand.
func keep(logged map[string]*mention, stands map[string]bool) {
	maps.DeleteFunc(logged, func(v string, _ *mention) bool { return !stands[v] })
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

// left counts by kind what is logged and does not stand in the prompt.
func left(logged map[string]*mention, stands map[string]bool) []Left {
	byKind := map[identifier.Kind]*Left{}
	all := slices.SortedFunc(maps.Values(logged), func(a, b *mention) int {
		return cmp.Or(cmp.Compare(b.times, a.times), cmp.Compare(a.first, b.first), cmp.Compare(a.value, b.value))
	})
	for _, m := range all {
		l := byKind[m.kind]
		if l == nil {
			l = &Left{Kind: m.kind.String()}
			byKind[m.kind] = l
		}
		l.Of++
		if stands[m.value] {
			continue
		}
		l.Lost++
		if len(l.Values) < examples {
			l.Values = append(l.Values, Value{m.value, m.first + 1})
		}
	}
	var out []Left
	for _, k := range slices.Sorted(maps.Keys(byKind)) {
		if byKind[k].Lost > 0 {
			out = append(out, *byKind[k])
		}
	}
	return out
}
