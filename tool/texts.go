package tool

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Text is one of the texts that a call names.
type Text struct {
	Text string
	// Gone says that the call takes it out of a file: its argument is called old, search or find.
	Gone bool
}

// Texts returns the texts of a call's arguments, in order: of an edit what goes and what comes in
// its place, as far as their names tell.
func (r *Reading) Texts() (texts []Text) {
	for i := range r.args {
		texts = appendTexts(texts, r.args[i].name, r.args[i].raw, deepest)
	}
	return texts
}

// deepest is how deep in the arguments texts are read: edits stand in a list of objects.
const deepest = 6

// appendTexts adds the strings of a value that has a name, those within it too, so many levels
// deep.
func appendTexts(texts []Text, name string, v jsontext.Value, levels int) []Text {
	if levels == 0 {
		return texts
	}
	if ms := membersOf(v); ms != nil {
		for i := range ms {
			texts = appendTexts(texts, ms[i].name, ms[i].raw, levels-1)
		}
		return texts
	}
	for _, element := range elements(v) {
		texts = appendTexts(texts, name, element, levels-1)
	}
	if m := memberOf(name, v); m.quoted {
		texts = append(texts, Text{Text: m.text, Gone: isGone(name)})
	}
	return texts
}

// isGone reports whether an argument of this name holds what an edit takes out.
func isGone(name string) bool {
	name = strings.ToLower(name)
	return strings.HasPrefix(name, "old") || strings.HasPrefix(name, "search") || strings.HasPrefix(name, "find")
}
