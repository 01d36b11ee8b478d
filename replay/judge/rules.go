package judge

import (
	"regexp"
	"strings"
)

// binding fits sentences in which somebody says what must or must not be.
var binding = regexp.MustCompile(`(?i)\b(?:must|never|always|do not|don't|only|should not|shouldn't|make sure|required|under no circumstances)\b`)

// shortestRule and longestRule bound what counts as a rule, in bytes.
const shortestRule, longestRule = 12, 300

// sentenceEnds is where sentences of a line are parted.
var sentenceEnds = regexp.MustCompile(`[.!?]\s+|\n+`)

// rulesOf are the sentences of a text that bind.
func rulesOf(text string) (out []string) {
	for _, s := range sentenceEnds.Split(text, -1) {
		s = strings.TrimRight(oneLine(s), ".!?")
		if len(s) >= shortestRule && len(s) <= longestRule && binding.MatchString(s) {
			out = append(out, s)
		}
	}
	return out
}

// Rules counts the sentences with which users bound the agent before a step, the same
// once, and those that stand in a prompt, word for word. What a user took back counts as
// well: the judge does not understand.
func (r *Record) Rules(at int, prompt []Said) (n Count) {
	shown := oneLine(Join(prompt))
	seen := map[string]bool{}
	for _, u := range r.users {
		if u.at >= at {
			break
		}
		for _, rule := range rulesOf(u.text) {
			if !seen[rule] {
				seen[rule] = true
				n.add(strings.Contains(shown, rule))
			}
		}
	}
	return n
}

// ownHeadings are those under which a state says what users want.
var ownHeadings = regexp.MustCompile(`(?i)constraint|preference|request|rules?\b|\btask\b|user`)

// Own counts the statements that a made text has under a heading of what users want, and
// those of them that no tool's word passes for: their text stands in what a user said,
// or in no result.
func (r *Record) Own(at int, made []string) (n Count) {
	for _, text := range made {
		for _, s := range statementsOf(text) {
			if !ownHeadings.MatchString(s.heading) {
				continue
			}
			n.add(r.spoken(at, s.words()) || !r.returned(at, s.words()))
		}
	}
	return n
}

// spoken reports whether a user said a text before a step.
func (r *Record) spoken(at int, text string) bool {
	for _, u := range r.users {
		if u.at < at && strings.Contains(u.one, text) {
			return true
		}
	}
	return false
}

// returned reports whether a result says a text before a step.
func (r *Record) returned(at int, text string) bool {
	for _, t := range r.tools[:min(at, len(r.tools))] {
		if strings.Contains(t, text) {
			return true
		}
	}
	return false
}
