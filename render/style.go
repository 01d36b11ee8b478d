package render

import (
	"fmt"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/tool"
)

// Version is the version of the wording below. It changes when any byte that
// render adds changes.
const Version = "v1.0"

// Style is how synthetic messages speak: role and wording.
type Style struct {
	Name string
	// Role of summaries and pointers that stand for whole messages.
	Role message.Role
	// Summary heads a summary; its verbs are the first and last turn.
	Summary string
	// Pointer is the text of a pointer; its verbs are artifact id, summary, id.
	pointer string
}

// The styles. Ladder is worded as in its design (SPEC L5).
var styles = map[string]Style{
	"balanced": {
		Name:    "balanced",
		Role:    message.User,
		Summary: "[Précis: turns %d-%d of this conversation, condensed; #n is a message of the full log, precis_read(\"#n\") returns it]\n",
		pointer: "[Précis: content moved out as %s]\n%s\n[precis_read(\"%s\") returns all of it]",
	},
	"ladder": {
		Name:    "ladder",
		Role:    message.Assistant,
		Summary: "[Context Summary - Turns %d-%d]\n",
		pointer: "[Externalized Content - artifact:%s]\nSummary: %s\nTo retrieve full content, call: read_artifact(\"%s\")",
	},
}

// StyleOf returns a style by name; unknown and empty names are balanced.
func StyleOf(name string) Style {
	if s, ok := styles[name]; ok {
		return s
	}
	return styles["balanced"]
}

// Pointer is the text that stands for externalized content.
func (s Style) Pointer(rec *plan.Record) string {
	return fmt.Sprintf(s.pointer, rec.Artifact, rec.Text, rec.Artifact)
}

// Synthetic is the one message that stands for a whole span.
func (s Style) Synthetic(rec *plan.Record) message.Message {
	text := ""
	switch rec.Action {
	case plan.Externalize:
		text = s.Pointer(rec)
	default:
		text = fmt.Sprintf(s.Summary, rec.Span.FirstTurn, rec.Span.LastTurn) + rec.Text
	}
	m := message.TextOf(s.Role, text)
	m.Edited = true
	return m
}

// Cleared is the placeholder of a cleared tool result (SPEC L7).
func Cleared(rec *plan.Record) string {
	return tool.Cleared(rec.Tool, tool.Outcome(rec.Outcome), rec.Fields)
}
