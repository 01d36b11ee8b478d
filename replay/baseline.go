package replay

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/message"
)

// Baselines are simple policies to compare with, after the published rules of
// other products, their numbers scaled to the budget.
//
//	none                everything
//	window              system messages and the newest units that fit, every step anew (LangChain trim_messages)
//	mask10              all but the ten newest results masked, every step anew (SWE-agent)
//	mask-batched        twenty results build up, then all but ten are masked, until the next time
//	prune               results before the newest 0.4 of the budget go, if that frees 0.2 (opencode)
//	clear-tool-uses     over the budget: all but the three newest results go, every step anew (Anthropic)
//	clear-at-least      clear-tool-uses, only if it frees 0.25 of the budget, until the next time
//	dropmid40           over the budget: pins and the newest 40 % stay, until the next time (goat)
//	dropmid40-ledger    dropmid40, and a list of the values dropped, up to 15 %: how literal recall is gamed
//	externalize-preview results over 1/8 of the budget become previews when they arrive; at 0.85 all but
//	                    the newest tenth goes to a file (deepagents, without its summary)
//	strawman            over the budget: stub the oldest results down to 60 %, then drop the oldest units
//	oracle              over the budget: what later steps need stays, by need for each token; the ceiling
var Baselines = []Policy{
	nonePolicy, window, mask10, maskBatched, prune, clearToolUses, clearAtLeast,
	dropMiddle40, dropMiddle40Ledger, externalizePreview, strawmanPolicy, oraclePolicy,
}

// Baseline finds one by its name.
func Baseline(name string) (Policy, bool) {
	i := slices.IndexFunc(Baselines, func(p Policy) bool { return p.Name == name })
	if i < 0 {
		return Policy{}, false
	}
	return Baselines[i], true
}

// baseline is a policy that cannot fail.
func baseline(name string, start func(Setup) Step) Policy {
	return Policy{Name: name, Start: func(_ context.Context, s Setup) (Step, func() error, error) { return start(s), nil, nil }}
}

// nonePolicy sends everything.
var nonePolicy = baseline("none", func(s Setup) Step {
	return func(_ context.Context, h []message.Message) (Prompt, error) { return Prompt{Messages: h}, nil }
})

// window trims to the newest units that fit.
var window = baseline("window", func(s Setup) Step {
	return func(_ context.Context, h []message.Message) (Prompt, error) {
		head := pins(h, message.System)
		us := units(h)
		from := s.newest(h, us, s.Budget-s.Fixed-s.sum(h[:head]))
		return Prompt{Messages: slices.Concat(h[:head], h[max(from, head):])}, nil
	}
})

// dropMiddle40 keeps the pins and the newest 40 %.
var dropMiddle40 = baseline("dropmid40", func(s Setup) Step {
	d := dropMiddle{s: s}
	return d.step
})

// dropMiddle40Ledger shows how literal recall can be gamed.
var dropMiddle40Ledger = baseline("dropmid40-ledger", func(s Setup) Step {
	d := dropMiddle{s: s, ledger: s.Budget * 15 / 100}
	return d.step
})

type dropMiddle struct {
	s      Setup
	ledger int // tokens it may take
	from   int // first message of the tail
	note   []message.Message
}

func (d *dropMiddle) step(_ context.Context, h []message.Message) (Prompt, error) {
	head := pins(h, message.User)
	if p := d.prompt(h, head); d.s.Fixed+d.s.sum(p) <= d.s.Budget {
		return Prompt{Messages: p}, nil
	}
	room := d.s.Budget * 4 / 10
	d.from = max(d.s.newest(h, units(h), room), head)
	if d.ledger > 0 {
		d.note = d.s.ledgerOf(h[head:d.from], d.ledger)
	}
	return Prompt{Messages: d.prompt(h, head)}, nil
}

func (d *dropMiddle) prompt(h []message.Message, head int) []message.Message {
	return slices.Concat(h[:head], d.note, h[max(d.from, head):])
}

// ledgerOf lists the values of messages, newest first, within a cap of tokens.
func (s Setup) ledgerOf(h []message.Message, limit int) []message.Message {
	var b strings.Builder
	b.WriteString("Identifiers seen earlier:")
	seen := map[string]bool{}
	for i := len(h) - 1; i >= 0; i-- {
		for _, m := range mentions(h[i], false) {
			if v := m.value.Text; !seen[v] && (b.Len()+len(v)+2)/4 < limit {
				seen[v] = true
				b.WriteString("\n" + v)
			}
		}
	}
	return []message.Message{message.TextOf(message.User, b.String())}
}

// strawmanPolicy stubs results, then drops units.
var strawmanPolicy = baseline("strawman", func(s Setup) Step {
	w := strawman{s: s, stubs: map[int]bool{}}
	return w.step
})

type strawman struct {
	s     Setup
	stubs map[int]bool
	from  int
}

func (w *strawman) step(_ context.Context, h []message.Message) (Prompt, error) {
	head := pins(h, message.User)
	p := stubbed(h, head, w.from, w.stubs)
	if w.s.Fixed+w.s.sum(p.Messages) > w.s.Budget {
		w.compact(h, head)
		p = stubbed(h, head, w.from, w.stubs)
	}
	return p, nil
}

func (w *strawman) compact(h []message.Message, head int) {
	us := units(h)
	target := w.s.Budget * 6 / 10
	recent := w.s.newest(h, us, w.s.Budget*3/10)
	total := w.s.Fixed + w.s.sum(stubbed(h, head, w.from, w.stubs).Messages)
	for i := max(head, w.from); i < recent && total > target; i++ {
		if !h[i].Has(message.Result) || w.stubs[i] {
			continue
		}
		if saved := w.s.Count(h[i]) - w.s.Count(stub(h[i])); saved > 0 {
			w.stubs[i] = true
			total -= saved
		}
	}
	for _, u := range us {
		if u.start < max(head, w.from) || u.start >= recent || total <= target {
			continue
		}
		total -= w.s.sum(stubbed(h[:u.end], 0, u.start, w.stubs).Messages)
		w.from = u.end
	}
}

// stubbed is the head and the tail of h with some messages as stubs.
func stubbed(h []message.Message, head, from int, stubs map[int]bool) Prompt {
	var p Prompt
	for i := range h {
		switch {
		case i >= head && i < from:
		case stubs[i]:
			p.Messages = append(p.Messages, stub(h[i]))
			p.Pointed = append(p.Pointed, i)
		default:
			p.Messages = append(p.Messages, h[i])
		}
	}
	return p
}

// stub is a message whose results are gone.
func stub(m message.Message) message.Message {
	return rewritten(m, func(body string) string {
		return fmt.Sprintf("[output omitted: %d lines]", strings.Count(body, "\n")+1)
	})
}

// rewritten is a message with other texts in its results.
func rewritten(m message.Message, f func(body string) string) message.Message {
	parts := slices.Clone(m.Parts)
	for i, p := range parts {
		if p.Kind == message.Result {
			p.Parts, p.Raw, p.Edited = []message.Part{{Kind: message.Text, Text: f(p.Body())}}, nil, true
			parts[i] = p
		}
	}
	m.Parts, m.Edited = parts, true
	return m
}

// pins is the end of the head of h: leading system messages and, if last is
// User, the first user message.
func pins(h []message.Message, last message.Role) int {
	n := 0
	for n < len(h) && h[n].Role == message.System {
		n++
	}
	if last == message.User && n < len(h) && h[n].Role == message.User {
		n++
	}
	return n
}

// unit is a stretch of messages that stays together: assistant messages with
// the results of their calls, or any other message.
type unit struct{ start, end int }

func units(h []message.Message) []unit {
	var us []unit
	for i := 0; i < len(h); {
		u := unit{i, i + 1}
		for open := calls(h[i]); open > 0 && u.end < len(h) && follows(h[u.end]); u.end++ {
			open += calls(h[u.end]) - len(h[u.end].Results())
		}
		for u.end < len(h) && calls(h[i]) > 0 && h[u.end].Has(message.Result) {
			u.end++ // a result that was said twice
		}
		us = append(us, u)
		i = u.end
	}
	return us
}

func calls(m message.Message) int { return len(m.Calls()) }

// follows reports whether a message may stand between a call and its result.
func follows(m message.Message) bool {
	return m.Has(message.Result) || m.Role == message.Assistant
}

// newest is the start of the longest run of newest units within room tokens.
// The last unit always stays.
func (s Setup) newest(h []message.Message, us []unit, room int) int {
	from := len(h)
	for i := len(us) - 1; i >= 0; i-- {
		room -= s.sum(h[us[i].start:us[i].end])
		if room < 0 && i < len(us)-1 {
			break
		}
		from = us[i].start
	}
	return from
}

func (s Setup) sum(h []message.Message) int {
	n := 0
	for i := range h {
		n += s.Count(h[i])
	}
	return n
}
