package extract

import (
	"slices"
	"strings"
)

// Agrees reports whether a message asks and states nothing: it is empty, agrees or urges on.
func Agrees(text string) bool {
	body := ask(text, maxTaskText)
	return body == "" || isAck(body)
}

// isAck reports whether a text only agrees, thanks or greets: "yes, please proceed with the
// cancellation" agrees to what the agent has said.
func isAck(body string) bool {
	if len(body) > maxAck {
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

// maxAck is how many bytes such a text has.
const maxAck = 80

// plainComma turns the marks of Chinese and Spanish between words into spaces.
func plainComma(c rune) rune {
	if strings.ContainsRune("，。！、¡¿", c) {
		return ' '
	}
	return c
}

// phrase returns words as they are found in a lowered text.
func phrase(words []string) string { return " " + strings.Join(words, " ") + " " }
