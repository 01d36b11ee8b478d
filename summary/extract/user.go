package extract

import (
	"cmp"
	"strings"

	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/summary/contradict"
	"github.com/seed-3db51b0e/precis/thread"
)

// uttered is what the statements of a user's message come to.
type uttered struct {
	asks   bool // it is about what to do
	works  bool // it asks for something, rather than states it
	opened bool // it has said more than yes and the like
	rules  bool // it demands or prefers something
	states bool // it states what is kept
	lead   bool // the last line that is no item asks for what is listed under it
	order  bool // it says what to do with an order, of which the parts are listed under it
	stated int  // how many facts were kept of the last statement

	heard map[string]bool // the lines of the agent's message before it, nil until one is asked for
}

// repeats reports whether a statement is a line of the agent's message right before it, but for its marks: the
// user speaks of it.
func (m *uttered) repeats(text string, t *thread.Thread, at summary.Source) bool {
	if m.heard == nil {
		m.heard = map[string]bool{}
		if at.N > 1 && t.At(at.N-2).Message.Role == message.Assistant {
			for i := range t.At(at.N - 2).Message.Parts {
				for line := range strings.SplitSeq(t.At(at.N - 2).Message.Parts[i].Text, "\n") {
					line, _, _ = bullet(strings.TrimSpace(line))
					m.heard[unmarked(line)] = true
				}
			}
		}
	}
	return m.heard[unmarked(text)]
}

// unmarked returns a line without the marks of code and bold text in it.
func unmarked(line string) string {
	return strings.TrimRight(strings.NewReplacer("`", "", "*", "").Replace(line), ". ")
}

// user reads what a user wrote: constraints, preferences and facts verbatim,
// what is left for later, and the current task.
func (r *reader) user(who, text string, at summary.Source) {
	var m uttered
	eachStatement(text, func(s sentence) {
		r.decisions.settled.forbids(s.own, at)
		r.restated(s, &m, who, at)
	})
	if saysSuccess(text) {
		r.work.lists.tried(at)
	}
	body := ask(text, maxTaskText)
	switch {
	case isObserved(text):
		return
	case Agrees(text):
		r.requests.urge(at)
		return
	case r.answers(text, &m, at):
		r.requests.spoke(at)
		return
	case m.works || withdraws(text) || !r.requests.onlyStates(&m):
		r.requests.add(text, !r.agents && amidWork(r.t, at), at)
	default:
		r.requests.spoke(at)
		if !m.asks && r.out.Task != nil && words(body) < leastTaskWords {
			return
		}
	}
	if t := r.out.Task; t != nil && t.From == at {
		body = oneline.ClipMiddle(joined(t.Text, body), maxTaskText)
	}
	r.out.Task = &summary.Note{Text: body, From: at}
	r.out.EndTask()
	r.requests.asked(*r.out.Task, who)
}

// answers reports whether a message of the user's only answers what the agent's message right before it
// asks. What states something answers, too, where the request that it belongs to is not in the span.
func (r *reader) answers(text string, m *uttered, at summary.Source) bool {
	if r.agents || m.rules || withdraws(text) {
		return false
	}
	question := questionBefore(r.t, at)
	if question == "" {
		return false
	}
	return r.requests.last() == nil && m.states && !m.works || isAnswer(text, question)
}

// restated reads one statement of a user's, which may take back the one before it in the message: that does
// not stand.
func (r *reader) restated(s sentence, m *uttered, who string, at summary.Source) {
	if n := len(r.out.Facts) - m.stated; m.stated > 0 && n >= 0 && takesBack(s.text, r.out.Facts[len(r.out.Facts)-1].Text) {
		r.out.Facts = r.out.Facts[:n]
	}
	before := len(r.out.Facts)
	r.statement(s, m, who, at)
	m.stated = max(0, len(r.out.Facts)-before)
}

// statement reads one statement of a user's.
func (r *reader) statement(s sentence, m *uttered, who string, at summary.Source) {
	low := withoutFalseDemands(lowered(s.text))
	in, quotes := s.ownTriggers(triggersIn(low))
	n := words(s.text)
	if r.in.foreign(s.text) {
		m.asks, m.works = true, true
		if demands(s.own) && n <= maxFactWords && !isPasted(s.text) && !givesReason(s.text, low) && !strings.HasSuffix(s.text, "?") && !strings.HasSuffix(s.text, "？") {
			r.fact(summary.Constraint, s.text, who, at)
		}
		return
	}
	if rule := takenOn(s.text, low, in); rule != "" {
		m.asks, m.works, m.opened = true, true, true
		r.fact(summary.Constraint, rule, who, at)
		return
	}
	if orders(s.own) {
		in |= binding | stays
	} else if bans(s.own) {
		in |= binding
	}
	m.asks = m.asks || isRequest(s.text, in, n) || in&binding != 0 || startsAny(low, followUps)
	m.works = m.works || isRequest(s.text, in, n) && (in&binding == 0 || asksToMake(low) || strings.HasSuffix(s.text, "?"))
	if !s.item {
		leads := strings.HasSuffix(s.text, ":")
		m.lead, m.order = leads && asksForList(low), leads && changesOrder(low)
	}
	if kind, ok := factKind(s, low, in, n); ok && (kind != summary.Plain || !quotes && !m.repeats(s.text, r.t, at)) {
		if s.item && m.lists(kind, in) || in&(binding|preference) == 0 && m.asksOnce(s.text, low) {
			m.works = true
		} else {
			m.states, m.rules = true, m.rules || kind != summary.Plain
			r.fact(kind, s.text, who, at)
		}
	}
	m.opened = m.opened || !isAck(s.text)
	if s.box == ' ' || in&later != 0 && n <= maxOpenWords && !strings.HasSuffix(s.text, "?") {
		r.leaveOpen(s.text, summary.Medium, summary.Pending, at)
	}
}

// lists reports whether an item of a list is part of what its lead asks for, and no rule by itself.
func (m *uttered) lists(kind summary.FactKind, in triggers) bool {
	return m.lead && kind == summary.Plain || m.order && in&binding == 0
}

// asksOnce reports whether the next statement, which is no rule, asks for one piece of work.
func (m *uttered) asksOnce(text, low string) bool {
	return !m.opened && isLabelled(text) || isOneTime(low, text)
}

// isOneTime reports whether a statement asks for one piece of work: it is a request, done some
// day, and no rule. What gives a value to something stands.
func isOneTime(low, text string) bool {
	for more := true; more; {
		more = false
		for _, p := range leadIns {
			if rest, ok := strings.CutPrefix(low, p); ok {
				low, more = " "+rest, true
			}
		}
	}
	if saysAny(low, permitting) {
		return false
	}
	if saysAny(low, wantedOnce) {
		return true
	}
	if words(text[:sentenceEnd(text)]) > maxRuleWords { // a proviso stands behind that
		return true
	}
	verb, rest, _ := strings.Cut(low[1:], " ")
	switch verb {
	case "remember":
		return !strings.HasPrefix(rest, "that ")
	case "know":
		return startsAny(" "+rest, asking)
	case "leave":
		return startsAny(" "+rest, departing) || departs(rest)
	}
	return oneTimeVerbs[verb] || changeVerbs[verb] && contradict.Substance(text) < 2
}

// maxRuleWords is how many words a rule has that nothing makes one but a wish: what is longer
// tells of the work.
const maxRuleWords = 18

// withoutFalseDemands returns a lowered statement without such phrases.
func withoutFalseDemands(low string) string {
	if strings.Contains(low, "dont ") {
		low = strings.ReplaceAll(low, " dont ", " don't ")
	}
	short, found := low, false
	for _, w := range fillers {
		short = strings.ReplaceAll(short, " i "+w+" ", " i ")
	}
	for _, p := range falseDemands {
		if strings.Contains(short, p) {
			short, found = strings.ReplaceAll(short, p, " i "), true
		}
	}
	if !found {
		return low
	}
	return strings.NewReplacer(" change of plans ", " ", " change of mind ", " ", " change of heart ", " ").Replace(short)
}

// fact adds what a user stated, as far as one message has room.
func (r *reader) fact(kind summary.FactKind, text, who string, at summary.Source) {
	if n := len(r.out.Facts) - maxFactsApiece; n >= 0 && r.out.Facts[n].From == at {
		return
	}
	r.out.Facts = push(r.out.Facts, summary.Fact{Kind: kind, Text: factText(text), Who: who, From: at}, maxFacts)
}

// ask returns a user's message on one line and in at most n bytes, as far as the user
// wrote it.
func ask(text string, n int) string {
	var b strings.Builder
	own, pasted, last, first := 0, false, "", ""
	ownLines(text, func(line string) {
		if line != oneline.Ellipsis || last != line {
			oneline.Append(&b, 0, line)
		}
		if last = line; line == oneline.Ellipsis {
			pasted = true
		} else {
			own, first = own+words(line), cmp.Or(first, line)
		}
	})
	if own == 0 || pasted && own < leastOwn && strings.HasPrefix(b.String(), oneline.Ellipsis) && !isBehindMark(text, first) {
		return titled(text)
	}
	return oneline.ClipMiddle(b.String(), n)
}

// factText returns a statement as it is told.
func factText(text string) string { return oneline.Clip(oneline.Of(text), maxFactText) }

// itemText returns what is open, or a step, as it is told.
func itemText(text string) string { return oneline.Clip(oneline.Of(text), maxItemText) }

const (
	maxFactText    = 600  // bytes of a statement
	maxItemText    = 300  // bytes of an open item
	maxTaskText    = 2000 // bytes of the current task
	maxRequestText = 400  // bytes of a request
	maxFactsApiece = 200  // facts of a message
)

// leastTaskWords is how many words a message has that asks for nothing and still is the task.
const leastTaskWords = 12

// isRequest reports whether a sentence asks for something.
func isRequest(s string, in triggers, n int) bool {
	return strings.HasSuffix(s, "?") || in&request != 0 || n > maxToldWords
}

// maxToldWords is how many words a sentence has that only tells something: a longer one tells of what to do.
const maxToldWords = 25
