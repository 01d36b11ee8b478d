package extract

import (
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/identifier"
	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/summary/contradict"
)

// uttered is what the statements of a user's message come to.
type uttered struct {
	asks   bool // it is about what to do
	works  bool // it asks for something, rather than states it
	opened bool // it has said more than yes and the like
	rules  bool // it demands or prefers something
	states bool // it states what is kept
	lead   bool // the last line that is no item asks for what is listed under it
}

// user reads what a user wrote: constraints, preferences and facts verbatim,
// what is left for later, and the current task.
func (r *reader) user(who, text string, at summary.Source) {
	var m uttered
	eachStatement(text, func(s sentence) { r.statement(s, &m, who, at) })
	body := ask(text, maxTaskText)
	switch {
	case isObserved(text):
		return
	case Agrees(text):
		r.urge(at)
		return
	case m.works || withdraws(text) || !r.takes(&m):
		r.request(text, at)
	default:
		r.spoke(at)
		if !m.asks && r.out.Task != nil && words(body) < 12 {
			return
		}
	}
	if t := r.out.Task; t != nil && t.From == at {
		body = oneline.Clip(joined(t.Text, body), maxTaskText)
	}
	r.out.Task = &summary.Note{Text: body, From: at}
	r.out.EndTask()
	if n := len(r.ask); n > 0 && r.ask[n-1].From == at {
		r.ask[n-1] = *r.out.Task
	} else if who == "" {
		r.ask = append(r.ask, *r.out.Task)
	}
}

// statement reads one statement of a user's.
func (r *reader) statement(s sentence, m *uttered, who string, at summary.Source) {
	low := withoutFalseDemands(lowered(s.text))
	in, n := triggersIn(low), words(s.text)
	if r.in.foreign(s.text) {
		m.asks, m.works = true, true
		if demands(s.text) && n <= 90 && !isPasted(s.text) && !strings.HasSuffix(s.text, "?") && !strings.HasSuffix(s.text, "？") {
			r.fact(summary.Constraint, s.text, who, at)
		}
		return
	}
	if bans(s.text) || orders(s.text) {
		in |= binding
	}
	m.asks = m.asks || isRequest(s.text, in, n) || in&binding != 0 || startsAny(low, followUps)
	m.works = m.works || isRequest(s.text, in, n) && (in&binding == 0 || asksToMake(low))
	if !s.item {
		m.lead = strings.HasSuffix(s.text, ":") && asksForList(low)
	}
	if kind, ok := factKind(s, low, in, n); ok {
		if s.item && m.lead && kind == summary.Plain || in&(binding|preference) == 0 && m.asksOnce(s.text, low) {
			m.works = true
		} else {
			m.states, m.rules = true, m.rules || kind != summary.Plain
			r.fact(kind, s.text, who, at)
		}
	}
	m.opened = m.opened || !isAck(s.text)
	if s.box == ' ' || in&later != 0 && n < 40 && !strings.HasSuffix(s.text, "?") {
		r.out.Open = push(r.out.Open, summary.OpenItem{Text: oneline.Clip(oneline.Of(s.text), maxItemText), Priority: summary.Medium, Status: summary.Pending, From: at}, maxOpenItems)
	}
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
	if words(text) > maxRuleWords {
		return true
	}
	verb, rest, _ := strings.Cut(low[1:], " ")
	switch verb {
	case "remember":
		return !strings.HasPrefix(rest, "that ")
	case "know":
		return startsAny(" "+rest, asking)
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

// fact adds what a user stated.
func (r *reader) fact(kind summary.FactKind, text, who string, at summary.Source) {
	r.out.Facts = push(r.out.Facts, summary.Fact{Kind: kind, Text: oneline.Clip(oneline.Of(text), maxFactText), Who: who, From: at}, maxFacts)
}

// isObserved reports whether a message as a whole is what a tool or a program wrote.
func isObserved(text string) bool {
	return startsAny(lowered(oneline.Clip(strings.TrimSpace(text), 80)), observed)
}

// ask returns a user's message on one line and in at most n bytes, as far as the user
// wrote it.
func ask(text string, n int) string {
	var b strings.Builder
	own, pasted, last := 0, false, ""
	ownLines(text, func(line string) {
		if b.Len() <= n && (line != oneline.Ellipsis || last != line) {
			oneline.Append(&b, 0, line)
		}
		if last = line; line == oneline.Ellipsis {
			pasted = true
		} else {
			own += words(line)
		}
	})
	if own == 0 || pasted && own < leastOwn && strings.HasPrefix(b.String(), oneline.Ellipsis) {
		return pastedText
	}
	return oneline.Clip(b.String(), n)
}

// pastedText stands for a message of which the user wrote nothing.
const pastedText = "[pasted text]"

// leastOwn is how many words behind a paste are the user's; fewer are the end of it.
const leastOwn = 4

const (
	maxFactText    = 600  // bytes of a statement
	maxItemText    = 300  // bytes of an open item
	maxTaskText    = 2000 // bytes of the current task
	maxRequestText = 400  // bytes of a request
)

// factKind reports whether a statement of a user is kept, and as what.
func factKind(s sentence, low string, in triggers, n int) (summary.FactKind, bool) {
	if n < 2 || n > 90 || isFragment(s.text, low) || in&binding == 0 && demandsNothing(low) {
		return "", false
	}
	if in&binding == 0 && reports(low) {
		in = 0
	}
	question := strings.HasSuffix(s.text, "?")
	switch {
	case question && in&change == 0:
		return "", false
	case question:
		return summary.Plain, hasValue(s.text)
	case in&binding != 0:
		return summary.Constraint, true
	case in&weakly != 0 && hasValue(s.text):
		return summary.Constraint, true
	case in&preference != 0:
		return summary.Preference, true
	case (in&change != 0 || isSetting(s.text, low)) && hasValue(s.text):
		return summary.Constraint, true
	case in&wished != 0 && hasValue(s.text):
		return summary.Preference, true
	case isPlainFact(s.text, low, n):
		return summary.Plain, true
	}
	return "", false
}

// isFragment reports whether a statement says nothing by itself: it needs what stands before or behind
// it, or is pasted.
func isFragment(text, low string) bool {
	return startsAny(low, fragments) || strings.HasSuffix(text, ":") || isPasted(text)
}

// demandsNothing reports whether a statement thanks or supposes.
func demandsNothing(low string) bool { return startsAny(low, thanks) || supposes(low) }

// isSetting reports whether a statement begins with an imperative that sets something.
func isSetting(text, low string) bool {
	return startsAny(low, settings) || strings.HasPrefix(text, "No, ") && startsAny(strings.TrimPrefix(low, " no"), settings)
}

// isPlainFact reports whether a statement of n words tells something particular that is: it asks for
// nothing, and is no line of a log. low is without what demands nothing, behind which a "but" tells.
func isPlainFact(text, low string, n int) bool {
	if n <= 2 || n >= 40 || !hasValue(text) || isLogLine(text) || asksFor(text, low) {
		return false
	}
	return low == lowered(text) || strings.Contains(low, " but ")
}

// asksFor reports whether a statement begins as a request or a question, with or without a label.
func asksFor(text, low string) bool {
	return isLabelledRequest(text) || startsAny(low, requestStarts) || startsAny(low, asking)
}

// isLabelledRequest reports whether a statement asks for something behind a label: "Request 3: please
// read the file".
func isLabelledRequest(text string) bool {
	label, rest, ok := strings.Cut(text, ": ")
	if !ok || words(label) > maxLabelWords {
		return false
	}
	low := lowered(rest)
	first, _, _ := strings.Cut(low[1:], " ")
	return startsAny(low, requestStarts) || oneTimeVerbs[first] || makeVerbs[first] || first == "please"
}

// isLogLine reports whether a statement is a line of a log or of a listing: it begins with a position in
// a file, a time or the number of a line, or is an arrow between names.
func isLogLine(text string) bool {
	first, rest, _ := strings.Cut(text, " ")
	next, _, _ := strings.Cut(rest, " ")
	name, at, ok := strings.Cut(first, ":")
	switch {
	case ok && at != "" && isDigit(at[0]) && strings.Contains(name, "."), logLineWords[first]:
		return true
	case len(first) >= len("2006-01-02") && first[4] == '-' && first[7] == '-' && isDigit(first[0]) && (len(first) > len("2006-01-02") || next != "" && isDigit(next[0])):
		return true
	case strings.EqualFold(first, "line") && strings.HasSuffix(next, ":") && isDigit(next[0]):
		return true
	}
	return next == "->" && words(text) <= 4
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// supposes reports whether a user supposes something, rather than states it.
func supposes(low string) bool {
	return startsAny(low, opinions) || strings.HasSuffix(low, " i suppose ") || strings.HasSuffix(low, " i guess ") || strings.HasSuffix(low, " i think ")
}

// reports reports whether a statement tells what was tried and what came of it, or that a program
// cannot do something, rather than what is to be.
func reports(low string) bool {
	has := func(p string) bool { return strings.Contains(low, p) }
	if saysAny(low, orderWords) {
		return false
	}
	return startsAny(low, triedOpenings) && saysAny(low, resultWords) || has(" says it can't ") || has(" says it cannot ") && !has(" cannot be ")
}

// hasValue reports whether a text names something particular: an identifier, a
// number, or a name written with a capital inside the sentence.
func hasValue(s string) bool {
	found := false
	identifier.Scan(s, func(identifier.Kind, int, int) { found = true })
	if found {
		return true
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= '0' && c <= '9' || c == '`' || c == '"':
			return true
		case c >= 'A' && c <= 'Z' && i > 1 && s[i-1] == ' ' && i+1 < len(s) && s[i+1] >= 'A':
			return true
		}
	}
	return false
}

// isPasted reports whether a line is one of code, output or a stack trace.
func isPasted(s string) bool {
	if strings.HasPrefix(s, "at ") && strings.ContainsAny(s, "(<:") || strings.HasPrefix(s, "{") || strings.Contains(s, `":`) ||
		strings.HasPrefix(s, "Error: ") || strings.HasPrefix(s, "File \"") || strings.HasPrefix(s, "Traceback") {
		return true
	}
	return looksLikeCode(s)
}

// looksLikeCode reports whether a text has more marks than prose.
func looksLikeCode(s string) bool {
	marks := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '{', '}', ';', '|', '\\', '<', '>', '=', '$', '(', ')', '[', ']':
			marks++
		}
	}
	return marks*10 > len(s) && marks > 4
}

// isRequest reports whether a sentence asks for something.
func isRequest(s string, in triggers, n int) bool {
	return strings.HasSuffix(s, "?") || in&request != 0 || n > 25
}

// plainComma turns the marks of Chinese and Spanish between words into spaces.
func plainComma(c rune) rune {
	if strings.ContainsRune("，。！、¡¿", c) {
		return ' '
	}
	return c
}

// Agrees reports whether a message asks and states nothing: it is empty, agrees or urges on.
func Agrees(text string) bool {
	body := ask(text, maxTaskText)
	return body == "" || isAck(body)
}

// isAck reports whether a text only agrees, thanks or greets: "yes, please proceed with the
// cancellation" agrees to what the agent has said.
func isAck(body string) bool {
	if len(body) > 80 {
		return false
	}
	words := strings.Fields(strings.Map(plainComma, lowered(strings.ToLower(body))))
	for i, w := range words {
		words[i] = strings.Trim(w, "?;-'~")
	}
	isOther := func(w string) bool { return !ackWords[w] }
	i := slices.IndexFunc(words, isOther)
	if i < 0 {
		return true
	}
	rest, end := phrase(words[i:]), len(words)
	for !isOther(words[end-1]) {
		end--
	}
	return slices.Contains(urgingEnds, rest) || slices.Contains(urgingEnds, phrase(words[i:end])) || i > 0 && slices.Contains(agreementEnds, rest)
}
