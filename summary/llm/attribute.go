package llm

import (
	"sort"
	"strings"

	"github.com/seed-3db51b0e/precis/identifier"
	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/thread"
)

// attributor finds the messages that items came from.
type attributor struct {
	t    *thread.Thread
	at   []int // positions that count, ascending
	text map[int]string
}

func newAttributor(t *thread.Thread, at []int) *attributor {
	return &attributor{t: t, at: at, text: map[int]string{}}
}

func (a *attributor) source(i int) summary.Source {
	return summary.Source{ID: a.t.At(i).ID, N: i + 1}
}

// attribute returns which message an item came from: number n, unless it is not one of
// the messages at hand or holds none of the values that the texts name while another
// does. Then it is the nearest one that holds them all, or, for words without values,
// most of the words.
func (a *attributor) attribute(n int, texts ...string) (summary.Source, bool) {
	named := valuesOf(texts)
	at := sort.SearchInts(a.at, n-1)
	have := at < len(a.at) && a.at[at] == n-1
	if have && (len(named) == 0 || a.holds(n-1, named) > 0) {
		return a.source(n - 1), true
	}
	if i, ok := a.nearest(n-1, func(i int) bool { return len(named) > 0 && a.holds(i, named) == len(named) }); ok {
		return a.source(i), true
	}
	if have {
		return a.source(n - 1), true
	}
	words := wordsOf(texts)
	i, ok := a.nearest(n-1, func(i int) bool { return len(words) > 0 && 3*a.holds(i, words) >= 2*len(words) })
	if !ok {
		return summary.Source{}, false
	}
	return a.source(i), true
}

// nearest returns the message closest to position n that is as wanted; of two as
// close, the earlier.
func (a *attributor) nearest(n int, want func(int) bool) (int, bool) {
	hi := sort.SearchInts(a.at, n)
	lo := hi - 1
	for lo >= 0 || hi < len(a.at) {
		if hi >= len(a.at) || lo >= 0 && n-a.at[lo] <= a.at[hi]-n {
			if want(a.at[lo]) {
				return a.at[lo], true
			}
			lo--
			continue
		}
		if want(a.at[hi]) {
			return a.at[hi], true
		}
		hi++
	}
	return 0, false
}

// holds counts which of the strings stand in message i.
func (a *attributor) holds(i int, list []string) (n int) {
	text := a.textOf(i)
	for _, x := range list {
		if strings.Contains(text, x) {
			n++
		}
	}
	return n
}

// textOf returns all that a reader can see of a message, on one line, in lower case.
func (a *attributor) textOf(i int) string {
	if s, ok := a.text[i]; ok {
		return s
	}
	var b strings.Builder
	m := &a.t.At(i).Message
	for j := range m.Parts {
		p := &m.Parts[j]
		b.WriteString(p.Name + " " + p.Body() + " ")
	}
	a.text[i] = fold(b.String())
	return a.text[i]
}

func fold(s string) string { return strings.ToLower(oneline.Of(s)) }

// valuesOf returns the values that texts name, folded.
func valuesOf(texts []string) []string {
	var out []string
	for _, t := range texts {
		identifier.Scan(t, func(_ identifier.Kind, a, b int) { out = append(out, fold(t[a:b])) })
	}
	return out
}

// wordsOf returns the words of texts that say something, folded.
func wordsOf(texts []string) []string {
	var out []string
	for _, t := range texts {
		for w := range strings.FieldsSeq(fold(t)) {
			if w = strings.Trim(w, ".,;:!?()\"'`"); len(w) > 3 {
				out = append(out, w)
			}
		}
	}
	return out
}

// userText returns what a user wrote in a message, folded; "" when no user speaks
// there. Results in a user's message are not the user's words.
func (a *attributor) userText(src summary.Source) string {
	m := &a.t.At(src.N - 1).Message
	if !thread.Speaks(*m) {
		return ""
	}
	var b strings.Builder
	w := thread.WordsOf(m)
	for j := range m.Parts {
		b.WriteString(w.Said(j) + " ")
	}
	return fold(b.String())
}

// isSpoken reports whether a user or the agent says something in a message, rather
// than a tool alone: tools set no goals.
func (a *attributor) isSpoken(src summary.Source) bool {
	m := &a.t.At(src.N - 1).Message
	return m.Role == message.Assistant || thread.Speaks(*m)
}
