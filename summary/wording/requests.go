package wording

import (
	"cmp"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/ref"
	"github.com/seed-3db51b0e/precis/summary"
)

// asked is a request and where it stands among the others.
type asked struct {
	*summary.Request
	next int  // the number of the request after it, 0 for none
	last bool // it is told as the last one
}

// requestEnd tells what came of a request, as far as a summary goes. That there is
// no answer yet is told of the last one only: one before it may have been given up for it.
func requestEnd(s *summary.Structured, x asked) string {
	switch {
	case x.Status == summary.Withdrawn:
		return ", withdrawn" + numbered(x.Ended)
	case x.Amid && (x.next > 0 || x.Status == summary.Doing && x.Ended.N > 0):
		if x.Reply.N == 0 {
			return ""
		}
		return repliedTo(x.Request) + commitBehind(s, x.Reply.N, x.next)
	case x.Amid && x.Status == summary.Done:
		return repliedTo(x.Request) + ", the agent's last word" + answerEnd(x)
	case x.Status == summary.Done:
		return ", answered" + answerEnd(x)
	case x.Status == summary.Doing && x.Ended.N > 0:
		return ", in work when the user spoke again, after " + ref.Message(x.Ended.N).String() + commitBehind(s, x.Ended.N, x.next)
	case x.last && x.Then.N > 0:
		return repliedTo(x.Request) + ", then the user spoke again" + numbered(x.Then)
	case x.last && x.Status == summary.Pending && s.To.N > x.From.N:
		return ", no answer up to " + ref.Message(s.To.N).String()
	case x.last && x.Status == summary.Doing:
		return repliedTo(x.Request) + ", the agent at work up to " + ref.Message(s.To.N).String()
	}
	return ""
}

// repliedTo tells where the agent's next message speaks to a request.
func repliedTo(x *summary.Request) string {
	if x.Reply.N == 0 {
		return ""
	}
	return ", replied to in " + ref.Message(x.Reply.N).String()
}

// answerEnd tells where the answer to a request stands, what it comes after, and that it asks for something:
// where the user has spoken since, that it asked.
func answerEnd(x asked) string {
	text := numbered(x.Ended)
	if x.Failed.N > 0 {
		text += " after a call that failed" + numbered(x.Failed)
	}
	switch {
	case x.Asks && x.next == 0 && x.Again == 0:
		text += ", asking back"
	case x.Asks:
		text += " with a question"
	}
	if x.Again > 0 {
		text += "; the user spoke again in " + ref.Message(x.Again).String()
	}
	return text
}

// commitBehind tells the first commit after one message and before another.
func commitBehind(s *summary.Structured, after, before int) string {
	for i := range s.Effects {
		if n := s.Effects[i].From.N; s.Effects[i].Commit != "" && n > after {
			if n < before {
				return "; a commit followed in " + ref.Message(n).String()
			}
			break
		}
	}
	return ""
}

// taskEnd tells what came of the request that was made last, "" where nothing is known.
func taskEnd(s *summary.Structured) string {
	for i := range s.Requests {
		if s.Task != nil && s.Requests[i].From == s.Task.From {
			return requestEnd(s, asked{Request: &s.Requests[i]})
		}
	}
	return ""
}

// requestLines tells what the user asked, in order, and what came of it; the last of it as
// far as there is room. Nothing says that it is the last of all: the user may go on below.
func requestLines(s *summary.Structured) []line {
	var ls []line
	all, rules := s.Requests, rulesByMessage(s.Facts)
	if t := s.Task; t != nil && !slices.ContainsFunc(all, func(x summary.Request) bool { return x.From == t.From }) {
		all = append(slices.Clone(all), summary.Request{Text: t.Text, From: t.From}) // what came of it is not known
		slices.SortStableFunc(all, func(a, b summary.Request) int { return cmp.Compare(a.From.N, b.From.N) })
	}
	for i := range all {
		x := asked{Request: &all[i], last: i == len(all)-1}
		if !x.last {
			x.next = all[i+1].From.N
		}
		end := requestEnd(s, x)
		l := line{section: requests, rank: rankRequest, worth: float64(x.From.N)}
		if s.Task != nil && x.From == s.Task.From {
			text := withoutRules(oneline.Of(s.Task.Text), rules, x.From)
			if x.Again == 0 { // else the newer message of the user is what is in hand
				l.rank = rankTask
			}
			l.text, l.short = item(oneline.ClipMiddle(text, maxTask), x.From)+end, item(oneline.ClipMiddle(text, 3*shortFact), x.From)+end
		} else {
			l.text = item(clipToEnd(withoutRules(oneline.Of(x.Text), rules, x.From), shortFact), x.From) + end
		}
		ls = append(ls, l)
	}
	return ls
}

// clipToEnd cuts a request to about n bytes, before the question at its end, or the order, if what is before
// the cut has none.
func clipToEnd(text string, n int) string {
	cut := clipBehindName(text, n)
	if cut == text || strings.ContainsAny(cut, "?？") {
		return cut
	}
	end := lastSentence(text)
	question := isQuestion(end) && len(end) <= n*2/3
	if !question && (!isOrder(end) || isOrder(cut) || len(end) > n) {
		return cut
	}
	return oneline.Clip(text[:len(text)-len(end)], max(n-len(end)-1, n/3)) + " " + end
}

func isQuestion(sentence string) bool {
	return strings.HasSuffix(sentence, "?") || strings.HasSuffix(sentence, "？")
}

// isOrder reports whether a text asks politely for something.
func isOrder(text string) bool {
	low := " " + strings.ToLower(text) + " "
	return slices.ContainsFunc(politeWords, func(w string) bool { return strings.Contains(low, w) })
}

var politeWords = []string{" please ", " please,", " please.", " bitte ", " por favor", " s'il te plaît", " s'il vous plaît", " per favore", "请"}

// lastSentence returns the sentence at the end of a text.
func lastSentence(text string) string {
	from := 0
	for _, mark := range []string{". ", "! ", "? ", ": ", oneline.Ellipsis + " ", "。", "！", "？"} {
		if i := strings.LastIndex(text[:max(0, len(text)-1)], mark); i >= 0 && i+len(mark) < len(text) {
			from = max(from, i+len(mark))
		}
	}
	return text[from:]
}

// nearName is how many bytes behind a cut a name with digits may end that is kept with what is before it.
const nearName = 36

// clipBehindName cuts a request to about n bytes, and behind a name or number that would follow the cut.
func clipBehindName(text string, n int) string {
	cut := oneline.Clip(text, n)
	head, clipped := strings.CutSuffix(cut, oneline.Ellipsis)
	if !clipped || cut == text {
		return cut
	}
	rest, end := text[len(head):], 0
	for word := range strings.FieldsSeq(rest) {
		end += strings.Index(rest[end:], word) + len(word)
		switch {
		case end > nearName:
			return cut
		case strings.ContainsAny(word, "0123456789") && end == len(rest):
			return text
		case strings.ContainsAny(word, "0123456789"):
			return head + rest[:end] + oneline.Ellipsis
		case endsSentence(word):
			return cut
		}
	}
	return cut
}

// fewWords is the fewest words of a request that are told without its rules.
const fewWords = 4

// rulesByMessage returns what stands under the constraints, by the message that it stands in.
func rulesByMessage(facts []summary.Fact) map[int][]string {
	by := map[int][]string{}
	for i := range facts {
		if f := &facts[i]; f.Kind == summary.Constraint {
			by[f.From.N] = append(by[f.From.N], oneline.Of(f.Text))
		}
	}
	return by
}

// withoutRules returns a request without the sentences that stand whole under the constraints of
// the same message, unless little is left. Preferences stay: their lines may have no room.
func withoutRules(text string, rules map[int][]string, from summary.Source) string {
	left := text
	for _, rule := range rules[from.N] {
		left = withoutSentence(left, rule)
	}
	if words := strings.Fields(strings.ReplaceAll(left, oneline.Ellipsis, "")); len(words) < fewWords {
		return text
	}
	return left
}

// withoutSentence puts a mark in the place of a sentence that ends in a full stop or the like and
// stands between sentences.
func withoutSentence(text, sentence string) string {
	before, after, ok := strings.Cut(text, sentence)
	head := strings.TrimRight(before, " ")
	if !ok || !endsSentence(sentence) || head != "" && !endsSentence(head) || after != "" && after[0] != ' ' {
		return text
	}
	if strings.HasSuffix(head, oneline.Ellipsis) {
		return head + after
	}
	return before + oneline.Ellipsis + after
}

func endsSentence(s string) bool {
	return slices.ContainsFunc([]string{".", "!", "?", ":", oneline.Ellipsis}, func(end string) bool { return strings.HasSuffix(s, end) })
}
