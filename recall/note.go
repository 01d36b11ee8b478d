package recall

import (
	"encoding/json"
	"strings"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/tool"
)

// maxNoted is the most bytes of a note.
const maxNoted = 2000

// noteDefinition is declared only where somebody asks for it. Its bytes are as constant as
// those of the others.
var noteDefinition = definition{
	name:  tool.NoteName,
	about: `Declares what must stay known once older messages are condensed (a decision and why, a value, what failed), or that a piece of work is done. Call it at the end of one.`,
	schema: `{"type":"object","properties":{` +
		`"text":{"type":"string","description":"What to keep, in a sentence or two."},` +
		`"done":{"type":"boolean","description":"A piece of work ends here."}},` +
		`"additionalProperties":false}`,
	takes: []string{"text", "done"},
	look:  (*toolCall).note,
}

// NoteDefinition declares the tool by which an agent says what to keep and where a piece of
// work ends: precis_note. Its calls are found in the history that Précis is given, and
// quoted by summaries; where they do not stand there, precis.Input has them as Notes.
func NoteDefinition() codec.Tool {
	return codec.Tool{Name: noteDefinition.name, Description: noteDefinition.about, Schema: json.RawMessage(noteDefinition.schema)}
}

// note answers precis_note.
func (l *toolCall) note() (answerWithin, error) {
	text, done := strings.TrimSpace(l.args.text("text", maxNoted)), l.args.flag("done")
	if text == "" && !done {
		l.args.fail("text is missing: what to keep; or done is true")
	}
	if l.args.err != nil {
		return nil, l.args.err
	}
	return func(int) answerText { return answerText{head: "noted"} }, nil
}
