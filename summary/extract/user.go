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
		if s.item && m.lead && kind == summary.Plain || in&(binding|preference) == 0 && (!m.opened && isLabelled(s.text) || isOneTime(low, s.text)) {
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
	if slices.ContainsFunc(permitting, func(p string) bool { return strings.Contains(low, p) }) {
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

// permitting are phrases with which the user allows something, and says what is left as it is.
var permitting = phrases(`you may | you are allowed to | you're allowed to | stay as they are | stays as it is | stay as is`)

// maxRuleWords is how many words a rule has that nothing makes one but a wish: what is longer
// tells of the work.
const maxRuleWords = 18

// leadIns stand before what a user asks for.
var leadIns = phrases(`ok | okay | alright | so | now | also | then | and | but | btw | well | please | yes | yeah | sure | great | just | actually | can you | could you | would you | will you | i want you to | i'd like you to |
	i would like you to | i need you to | i want to | i'd like to | i would like to | i need to | we need to | i actually want you to | i'm looking to | i am looking to | let's | lets | go ahead and | oh | i see | in that case | i'd also like to | hi | hello | hey | there | first`)

// oneTimeVerbs are the verbs of work that is done once.
var oneTimeVerbs = wordSet(`create write implement add remove delete copy fix refactor split read reread look check show tell give book cancel return exchange refund proceed go commit push run rerun test
	investigate continue start propose suggest revert undo kill deploy build explain find search summarize review tackle debug try help open compare rewrite translate draft send`)

// changeVerbs are verbs of such work that may give a value to something.
var changeVerbs = wordSet(`change switch move upgrade downgrade rename`)

// falseDemands are phrases in which what else demands or prefers something does not: the user
// tells of what is not known or possible, of a mistake, or of what the reader may prefer.
var falseDemands = phrases(`i don't have | i do not have | i don't remember | i do not remember | i don't recall | i don't know | i do not know | i don't see | i don't think | i don't understand | i can't find | i can't remember | i cannot find |
	i want to make sure i do it | i need to make sure i do it | i want to make sure i have the | i need to make sure i have the | make sure i do it | make sure i'm doing | make sure i get it right | make sure i have the right | make sure i have the correct | make sure i understand | i must have mixed | i must have misread | i must have forgotten | i must have been | keep an eye |
	i want to make sure nothing slips through | make sure nothing slips through | i want to make sure we don't miss anything | i want to make sure i don't miss anything | make sure we don't miss anything | i know this must be | i know it must be | i've always lived | i have always lived | i've always loved | i've always been |
	plans have changed | plans changed | let me know if you'd prefer | let me know if you prefer | let me know if you'd like | understand the policy | understand your policy | understand the standard policy | your policy | cabin policy |
	you may have | you may want | you may need | you may see | you may notice | you may find | you may remember | you may recall | you may know`)

// fillers stand inside such phrases.
var fillers = strings.Fields(`actually really just currently honestly unfortunately still also`)

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
	if n < 2 || n > 90 || startsAny(low, fragments) || in&binding == 0 && startsAny(low, thanks) || strings.HasSuffix(s.text, ":") || isPasted(s.text) || in&binding == 0 && supposes(low) {
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
	case (startsAny(low, settings) || strings.HasPrefix(s.text, "No, ") && startsAny(strings.TrimPrefix(low, " no"), settings) || in&change != 0) && hasValue(s.text):
		return summary.Constraint, true
	case in&wished != 0 && hasValue(s.text):
		return summary.Preference, true
	case hasValue(s.text) && n > 2 && n < 40 && !isLogLine(s.text) && !isLabelledRequest(s.text) && (low == lowered(s.text) || strings.Contains(low, " but ")) && !startsAny(low, requestStarts) && !startsAny(low, asking):
		return summary.Plain, true
	}
	return "", false
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

// fragments demand nothing without the sentence before them.
var fragments = openings(`no exceptions`)

// thanks begin a sentence that demands nothing.
var thanks = openings(`thanks | thank you`)

// asking begins a question, with its mark or without.
var asking = openings(`why | what | what's | how | who | whose | when | where | which | did | does | do | do you | are you | have you | isn't | aren't | don't | wtf`)

// opinions begin what a user supposes.
var opinions = openings(`iiuc | i think | i thought | i assume | i would assume | i guess | maybe | perhaps | afaik | it seems`)

// supposes reports whether a user supposes something, rather than states it.
func supposes(low string) bool {
	return startsAny(low, opinions) || strings.HasSuffix(low, " i suppose ") || strings.HasSuffix(low, " i guess ") || strings.HasSuffix(low, " i think ")
}

// triedOpenings begin what a user tells of what was done, resultWords what came of it; orderWords show
// that something is to be done, too.
var (
	triedOpenings = openings(`i've turned | i've checked | i've tried | i've run | i ran | i checked | i tried | i turned | i accidentally | i just ran | i just checked | i just tried`)
	resultWords   = phrases(`still | says | shows | said | showed`)
	orderWords    = phrases(`so | please | prefer | only | use | must | never | always`)
)

// reports reports whether a statement tells what was tried and what came of it, or that a program
// cannot do something, rather than what is to be.
func reports(low string) bool {
	has := func(p string) bool { return strings.Contains(low, p) }
	if slices.ContainsFunc(orderWords, has) {
		return false
	}
	return startsAny(low, triedOpenings) && slices.ContainsFunc(resultWords, has) || has(" says it can't ") || has(" says it cannot ") && !has(" cannot be ")
}

// followUps begin what a user asks for beside, or in place of, what was asked before.
var followUps = openings(`now | also | and now | then | next | instead`)

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

// phrase returns words as they are found in a lowered text.
func phrase(words []string) string { return " " + strings.Join(words, " ") + " " }

// urgingEnds is how a text goes on, or begins, that only urges on, or has what was tried done again.
var urgingEnds = phrases(`keep going | carry on | go for it | weiter | mach weiter | sigue | continúa | continuez | 继续 |
	again | try again | try it again | try that again | try once more | once more | one more time | retry | retry it | retry that | do it again | do that again |
	nochmal | noch mal | noch einmal | versuch es nochmal | versuche es noch einmal | versuch es noch einmal | versuchs nochmal | probier es nochmal |
	otra vez | de nuevo | inténtalo de nuevo | inténtalo otra vez | réessaie | réessaye | réessayez | encore | encore une fois | 重试 | 再试一次 | 再试试 | 再来一次 | 请重试 | 请再试一次`)

// agreementEnds is how a text goes on that agrees or thanks.
var agreementEnds = phrases(`do that | do it | do this | do so | for me | fine | would be great | for your help | for the help | for that | to me | what i wanted | what i needed | what i was looking for | work | job | lot | much | much for your help | bunch | with that | with it | with this | with all | with both |
	with the cancellation | with the change | with the changes | with the booking | with the exchange | with the return | with the refund | with the order | with the update | with the upgrade | with the purchase | with the payment`)
