package extract

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/thread"
)

// isAnswer reports whether a text of the user's only answers a question: it names what that offers, or
// says that the user does not have or know it.
func isAnswer(text, question string) bool {
	said := oneline.Of(text)
	if words(said) > maxAnswerWords || len(said) > maxAnswerText || strings.ContainsAny(said, "?？") || sentenceEnd(said) < len(said) {
		return false
	}
	return picks(lowered(said), question) || denies(said, question)
}

// maxAnswerWords and maxAnswerText are how many words and bytes such a text has.
const (
	maxAnswerWords = 12
	maxAnswerText  = 120
)

// questionBefore returns the agent's text right before a message, in lower case, if it asks for
// something; "" for none.
func questionBefore(t *thread.Thread, at summary.Source) string {
	if at.N < 2 {
		return ""
	}
	m := &t.At(at.N - 2).Message
	if m.Role != message.Assistant {
		return ""
	}
	for _, p := range slices.Backward(m.Parts) {
		if text := prose(p.Text); p.Kind == message.Text && asksBack(text) {
			return lowered(strings.Map(plainMark, strings.ToLower(oneline.Of(text))))
		}
	}
	return ""
}

// plainMark turns what ends a question or part of it into a space.
func plainMark(c rune) rune {
	if c == '?' || c == ';' {
		return ' '
	}
	return c
}

// picks reports whether a lowered message names what a question offers. Who orders the work asks for it
// all the same.
func picks(low, question string) bool {
	said := strings.TrimRight(strings.Join(strings.Fields(low), " "), "。！!")
	first, _, more := strings.Cut(said, " ")
	if oneTimeVerbs[first] || makeVerbs[first] || changeVerbs[first] && !strings.Contains(said, " of ") || !more && len(said) < 4 {
		return false
	}
	return strings.Contains(question, " "+said+" ") || utf8.RuneCountInString(said) < len(said) && strings.Contains(question, said)
}

// denies reports whether a message says that the user does not have or know what a question asks for.
func denies(said, question string) bool {
	low := lowered(strings.ToLower(said))
	if !saysAny(low, denyingAnswers) && !saysAny(low, denyingParts) {
		return false
	}
	named := strings.FieldsFunc(low, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) && c != '\'' })
	named = slices.DeleteFunc(named, func(w string) bool { return len(w) < 4 || denyingWords[w] || utf8.RuneCountInString(w) < len(w) })
	return len(named) == 0 || slices.ContainsFunc(named, func(w string) bool { return strings.Contains(question, " "+w) })
}

// AsksBack reports whether a text of the agent's asks the user for something.
func AsksBack(text string) bool { return asksBack(prose(text)) }

// asksBack reports whether a text of the agent's ends by asking for something, or for one of what it
// lists at its end, or says anywhere that the work waits for what the user is to say.
func asksBack(text string) bool {
	var last, before []string // before: right before the last list
	listed, awaits := false, false
	eachSentence(text, func(x sentence) {
		switch {
		case strings.Contains(x.text, "`") || looksLikeCode(x.text):
			return
		case x.item && !listed:
			before = slices.Clone(lastOf(last, beforeList))
		}
		listed = x.item
		awaits = awaits || awaitsAnswer(x.text)
		last = push(last, x.text, lastSentences)
	})
	if last = lastOf(last, lastSentences); listed {
		last = append(last, before...)
	}
	return awaits || slices.ContainsFunc(last, func(said string) bool {
		low := strings.ToLower(said)
		return strings.HasSuffix(said, "?") && !strings.Contains(said, " = ") || strings.HasSuffix(said, "？") ||
			saysAny(low, askingBack)
	})
}

// awaitsAnswer reports whether a sentence says that something is done when the user has answered, or asks
// the user for what is needed.
func awaitsAnswer(said string) bool {
	low := lowered(said)
	return saysAny(low, awaiting) || strings.HasSuffix(said, "?") && saysAny(strings.ReplaceAll(low, " please ", " "), askingFor)
}

// lastSentences is in how many sentences at its end a text asks back.
const lastSentences = 3

// beforeList is in how many sentences before a list at its end a text asks for one of it.
const beforeList = 2
