package replay

import (
	"context"
	"strings"

	"github.com/seed-3db51b0e/precis/message"
)

// The baselines that take results out and leave the rest.

// mask10 masks all but the ten newest results.
var mask10 = baseline("mask10", func(s Setup) Step {
	return func(_ context.Context, h []message.Message) (Prompt, error) {
		masked := map[int]bool{}
		maskAllBut(h, 10, masked)
		return stubbed(h, 0, 0, masked), nil
	}
})

// maskBatched masks in batches of ten.
var maskBatched = baseline("mask-batched", func(s Setup) Step {
	masked := map[int]bool{}
	return func(_ context.Context, h []message.Message) (Prompt, error) {
		if results(h)-len(masked) >= 20 {
			maskAllBut(h, 10, masked)
		}
		return stubbed(h, 0, 0, masked), nil
	}
})

// prune masks what is older than the newest 0.4 of the budget in results.
var prune = baseline("prune", func(s Setup) Step {
	masked := map[int]bool{}
	return func(_ context.Context, h []message.Message) (Prompt, error) {
		old, freed := s.beyond(h, s.Budget*4/10, masked)
		if freed > s.Budget*2/10 {
			for _, i := range old {
				masked[i] = true
			}
		}
		return stubbed(h, 0, 0, masked), nil
	}
})

// beyond are the results before the newest ones that take room tokens, and what
// they take.
func (s Setup) beyond(h []message.Message, room int, masked map[int]bool) (old []int, tokens int) {
	for i := len(h) - 1; i >= 0; i-- {
		if !h[i].Has(message.Result) || masked[i] {
			continue
		}
		n := s.Count(h[i])
		if room -= n; room < 0 {
			old, tokens = append(old, i), tokens+n
		}
	}
	return old, tokens
}

// clearToolUses masks all but three results of a history over the budget.
var clearToolUses = baseline("clear-tool-uses", func(s Setup) Step {
	return func(_ context.Context, h []message.Message) (Prompt, error) {
		masked := map[int]bool{}
		if s.Fixed+s.sum(h) > s.Budget {
			maskAllBut(h, 3, masked)
		}
		return stubbed(h, 0, 0, masked), nil
	}
})

// clearAtLeast clears only where it pays.
var clearAtLeast = baseline("clear-at-least", func(s Setup) Step {
	masked := map[int]bool{}
	return func(_ context.Context, h []message.Message) (Prompt, error) {
		p := stubbed(h, 0, 0, masked)
		if s.Fixed+s.sum(p.Messages) <= s.Budget {
			return p, nil
		}
		more := map[int]bool{}
		maskAllBut(h, 3, more)
		q := stubbed(h, 0, 0, more)
		if s.sum(p.Messages)-s.sum(q.Messages) < s.Budget/4 {
			return p, nil
		}
		masked = more
		return q, nil
	}
})

func results(h []message.Message) int {
	n := 0
	for i := range h {
		n += one(h[i].Has(message.Result))
	}
	return n
}

// maskAllBut adds all messages with results but the newest keep to masked.
func maskAllBut(h []message.Message, keep int, masked map[int]bool) {
	for i := len(h) - 1; i >= 0; i-- {
		if !h[i].Has(message.Result) {
			continue
		}
		if keep--; keep < 0 {
			masked[i] = true
		}
	}
}

// externalizePreview previews large results as they arrive and files the rest.
var externalizePreview = baseline("externalize-preview", func(s Setup) Step {
	e := externalizer{s: s}
	return e.step
})

type externalizer struct {
	s    Setup
	from int // first message that is not in the file
}

func (e *externalizer) step(_ context.Context, h []message.Message) (Prompt, error) {
	head := pins(h, message.User)
	p := e.prompt(h, head)
	if e.s.Fixed+e.s.sum(p.Messages) > e.s.Budget*85/100 {
		e.from = e.tail(h)
		p = e.prompt(h, head)
	}
	return p, nil
}

// tail returns where the newest tenth begins, counted as shown.
func (e *externalizer) tail(h []message.Message) int {
	shown := make([]message.Message, len(h))
	for i := range h {
		shown[i], _ = e.shown(h[i])
	}
	return e.s.newest(shown, units(h), e.s.Budget/10)
}

func (e *externalizer) prompt(h []message.Message, head int) Prompt {
	var p Prompt
	for i := range h {
		if i >= head && i < e.from {
			continue
		}
		if i == max(e.from, head) && e.from > head {
			p.Messages = append(p.Messages, message.TextOf(message.User, "[earlier conversation saved to /conversation_history/session.md]"))
		}
		m, cut := e.shown(h[i])
		p.Messages = append(p.Messages, m)
		if cut {
			p.Pointed = append(p.Pointed, i)
		}
	}
	return p
}

// shown is a message, its results previewed if it is large.
func (e *externalizer) shown(m message.Message) (message.Message, bool) {
	if !m.Has(message.Result) || e.s.Count(m) <= e.s.Budget/8 {
		return m, false
	}
	return rewritten(m, func(body string) string {
		l := strings.Split(body, "\n")
		if len(l) <= 10 {
			return cut(body, 5*longestLine) + "\n[… saved to /large_tool_results]"
		}
		for i := range l {
			l[i] = cut(l[i], longestLine)
		}
		return strings.Join(l[:5], "\n") + "\n[… saved to /large_tool_results …]\n" + strings.Join(l[len(l)-5:], "\n")
	}), true
}

func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "")
}
