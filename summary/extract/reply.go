package extract

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/tool"
)

// answered forgets what the user asked: the agent has reacted.
func (r *reader) answered() { r.ask = r.ask[:0] }

// replied marks the last request as answered by a text of the agent; a call after it, which
// has none, shows that the agent is still at work.
func (r *reader) replied(at summary.Source, text string) {
	n := len(r.out.Requests)
	if n == 0 || r.out.Requests[n-1].Status == summary.Withdrawn || r.out.Requests[n-1].Then.N > 0 {
		return
	}
	x := &r.out.Requests[n-1]
	switch {
	case r.agents: // which of them answers is not known
		x.Status = summary.Doing
	case strings.TrimSpace(text) != "":
		x.Status, x.Ended, x.Failed, x.Asks = summary.Done, at, r.lastFailed(), asksBack(text)
	default:
		x.Status, x.Ended, x.Failed, x.Asks = summary.Doing, summary.Source{}, summary.Source{}, false
	}
}

// came notes how a call ended.
func (r *reader) came(name string, outcome tool.Outcome, round int, at summary.Source) {
	switch {
	case outcome == "":
		return
	case outcome == tool.Failure:
		r.failed = failed{round, at}
		if tool.ActsByName(name) {
			r.acts[name] = at
		}
	case round > r.failed.round:
		r.failed = failed{}
	}
	if outcome != tool.Failure {
		delete(r.acts, name)
	}
}

// lastFailed returns where a call failed that the agent's answer comes after: one of its last,
// or one that was to change something and did not since.
func (r *reader) lastFailed() summary.Source {
	last := r.failed.at
	for _, at := range r.acts {
		if at.N > last.N {
			last = at
		}
	}
	return last
}

// prose returns what a text in JSON tells in words, each string in lines of its own, and as it is
// one that tells nothing so, and any other.
func prose(text string) string {
	if body := strings.TrimSpace(text); body == "" || body[0] != '{' && body[0] != '[' || !jsontext.Value(body).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
		return text
	}
	d := jsontext.NewDecoder(strings.NewReader(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	var b strings.Builder
	for {
		t, err := d.ReadToken()
		switch {
		case err != nil && b.Len() == 0:
			return text
		case err != nil:
			return b.String()
		case t.Kind() == '"' && !wasName(d) && isProse(t.String()):
			b.WriteString(t.String() + "\n")
		}
	}
}

// isProse reports whether a string of JSON is more than a name or a number: some languages part no
// words.
func isProse(s string) bool {
	return strings.Contains(s, " ") || strings.ContainsFunc(s, func(c rune) bool { return c >= utf8.RuneSelf })
}

// asksBack reports whether a text of the agent's ends by asking for something.
func asksBack(text string) bool {
	var last []string
	eachSentence(text, func(x sentence) {
		if !strings.Contains(x.text, "`") && !looksLikeCode(x.text) {
			last = push(last, x.text, lastSentences)
		}
	})
	return slices.ContainsFunc(lastOf(last, lastSentences), func(said string) bool {
		low := strings.ToLower(said)
		return strings.HasSuffix(said, "?") && !strings.Contains(said, " = ") || strings.HasSuffix(said, "？") ||
			slices.ContainsFunc(askingBack, func(p string) bool { return strings.Contains(low, p) })
	})
}

// lastSentences is in how many sentences at its end a text asks back.
const lastSentences = 3

// askingBack are phrases with which the agent waits for the user.
var askingBack = []string{
	"please confirm", "please provide", "please specify", "please choose", "please share", "please reply", "please select", "please tell me", "let me know which", "let me know whether", "reply yes", "reply with",
	"bitte bestätige", "bitte geben sie", "bitte gib", "bitte wähle", "por favor confirm", "por favor indi", "请确认", "请提供", "请选择", "请回复",
}

// reacts notes what the n-th sentence of a text says of what the agent just saw.
func (r *reader) reacts(s sentence, low string, n int, at summary.Source) {
	failed, head := &r.work.errors, n <= mostReaction
	if len(failed.fresh) > 0 && n == 1 && startsAny(low, approving) && claims(lowered(s.line)) {
		failed.approved(spoken{s.line, at}.note())
	}
	if len(failed.fresh) == 0 && (len(r.work.fresh) == 0 || !head) || !explains(s.text, low) {
		return
	}
	note := spoken{s.text, at}.note
	failed.explained(low, head, note)
	if head && len(r.work.fresh) > 0 {
		r.work.spokenOf(note())
	}
}

// approving begins what the agent says where all is well, if it claims so.
var approving = openings(`good | great | perfect | excellent | wonderful`)
