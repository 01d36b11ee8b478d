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

// finder finds the messages that items came from.
type finder struct {
	t    *thread.Thread
	at   []int // positions that count, ascending
	text map[int]string
}

func newFinder(t *thread.Thread, at []int) *finder {
	return &finder{t: t, at: at, text: map[int]string{}}
}

func (f *finder) source(i int) summary.Source {
	return summary.Source{ID: f.t.At(i).ID, N: i + 1}
}

// locate says which message an item came from: number n, unless it is not one of
// the messages at hand or holds none of the values that the texts name while
// another does. Then it is the nearest one that holds them all, or, for words
// without values, most of the words.
func (f *finder) locate(n int, texts ...string) (summary.Source, bool) {
	named := valuesOf(texts)
	at := sort.SearchInts(f.at, n-1)
	have := at < len(f.at) && f.at[at] == n-1
	if have && (len(named) == 0 || f.holds(n-1, named) > 0) {
		return f.source(n - 1), true
	}
	if i, ok := f.nearest(n-1, func(i int) bool { return len(named) > 0 && f.holds(i, named) == len(named) }); ok {
		return f.source(i), true
	}
	if have {
		return f.source(n - 1), true
	}
	words := wordsOf(texts)
	i, ok := f.nearest(n-1, func(i int) bool { return len(words) > 0 && 3*f.holds(i, words) >= 2*len(words) })
	if !ok {
		return summary.Source{}, false
	}
	return f.source(i), true
}

// nearest is the message closest to position n that is as wanted; of two as
// close, the earlier.
func (f *finder) nearest(n int, want func(int) bool) (int, bool) {
	hi := sort.SearchInts(f.at, n)
	lo := hi - 1
	for lo >= 0 || hi < len(f.at) {
		if hi >= len(f.at) || lo >= 0 && n-f.at[lo] <= f.at[hi]-n {
			if want(f.at[lo]) {
				return f.at[lo], true
			}
			lo--
			continue
		}
		if want(f.at[hi]) {
			return f.at[hi], true
		}
		hi++
	}
	return 0, false
}

// holds counts which of the strings stand in message i.
func (f *finder) holds(i int, list []string) (n int) {
	text := f.of(i)
	for _, x := range list {
		if strings.Contains(text, x) {
			n++
		}
	}
	return n
}

// of is all that a reader can see of a message, on one line, in lower case.
func (f *finder) of(i int) string {
	if s, ok := f.text[i]; ok {
		return s
	}
	var b strings.Builder
	m := &f.t.At(i).Message
	for j := range m.Parts {
		p := &m.Parts[j]
		b.WriteString(p.Name + " " + p.Body() + " ")
	}
	f.text[i] = fold(b.String())
	return f.text[i]
}

func fold(s string) string { return strings.ToLower(oneline.Of(s)) }

// valuesOf are the values that texts name, folded.
func valuesOf(texts []string) []string {
	var out []string
	for _, t := range texts {
		identifier.Scan(t, func(_ identifier.Kind, a, b int) { out = append(out, fold(t[a:b])) })
	}
	return out
}

// wordsOf are the words of texts that say something, folded.
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

// said is what a user wrote in a message, folded; "" when no user speaks there.
// Results in a user's message are not the user's words.
func (f *finder) said(src summary.Source) string {
	m := &f.t.At(src.N - 1).Message
	if !thread.Speaks(*m) {
		return ""
	}
	var b strings.Builder
	for j := range m.Parts {
		if m.Parts[j].Kind == message.Text {
			b.WriteString(m.Parts[j].Text + " ")
		}
	}
	return fold(b.String())
}

// spoken says whether a user or the agent says something in a message, rather
// than a tool alone: tools set no goals.
func (f *finder) spoken(src summary.Source) bool {
	m := &f.t.At(src.N - 1).Message
	return m.Role == message.Assistant || thread.Speaks(*m)
}
