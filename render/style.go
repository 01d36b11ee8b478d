package render

import (
	"fmt"
	"strings"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/tool"
)

// Style holds the role and wording of synthetic messages.
type Style struct {
	Name string
	// Role of summaries and pointers that stand for whole messages.
	Role message.Role
	// head is the text before a summary's; its verbs, if it has any, are the
	// first and last turn.
	head string
	// reply, when set, is the assistant's acknowledgement after a summary.
	reply string
	// pointer is the text of a pointer; its verbs are artifact id, summary, id.
	pointer string
}

const pointer = "[Précis: content moved out as %s]\n%s\n[precis_read(\"%s\") returns all of it]"

// lookUpHint ends a summary's head: what can be looked up, and how.
const lookUpHint = ", precis_grep(\"words\") finds the rest: files read and edited, output of commands, what was said"

// The styles, one a design. Session's and clip's summaries have heads of their
// own. Clip's archive speaks as the user: a system message in the middle of a
// conversation would be privileged, and no provider takes it everywhere.
var styles = map[string]Style{
	"balanced": {
		Name: "balanced", Role: message.User, pointer: pointer,
		head: "[Précis: turns %d-%d of this conversation, condensed; #n is a message of the full log, precis_read(\"#n\") returns it" + lookUpHint + "]\n",
	},
	"ladder": {
		Name: "ladder", Role: message.Assistant, head: "[Context Summary - Turns %d-%d]\n",
		pointer: "[Externalized Content - artifact:%s]\nSummary: %s\nTo retrieve full content, call: read_artifact(\"%s\")",
	},
	"session":  {Name: "session", Role: message.Assistant, pointer: pointer},
	"timeline": {Name: "timeline", Role: message.User, head: "[Conversation summary: turns %d-%d]\n", pointer: pointer},
	"truncate": {Name: "truncate", Role: message.User, head: "[COMPACT SUMMARY]\n", reply: "Understood.", pointer: pointer},
	"clip":     {Name: "clip", Role: message.User, pointer: pointer},
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

// ExcerptHead stands before each excerpt of a summary: the user did not write it.
const ExcerptHead = "[Précis] "

// Synthetic is the message that stands for a whole span, after its excerpts, and in a style that
// has one the acknowledgement after it.
func (s Style) Synthetic(rec *plan.Record) []message.Message {
	if rec.Action == plan.Externalize {
		return []message.Message{edited(s.Role, s.Pointer(rec))}
	}
	out := make([]message.Message, 0, len(rec.Excerpts)+2)
	for _, e := range rec.Excerpts {
		out = append(out, edited(s.Role, ExcerptHead+e))
	}
	out = append(out, edited(s.Role, s.Head(rec)+rec.Text))
	if s.reply != "" {
		out = append(out, edited(message.Assistant, s.reply))
	}
	return out
}

// Head returns the text before a summary's.
func (s Style) Head(rec *plan.Record) string {
	if !strings.Contains(s.head, "%d") {
		return s.head
	}
	return fmt.Sprintf(s.head, rec.Span.FirstTurn, rec.Span.LastTurn)
}

func edited(r message.Role, text string) message.Message {
	m := message.TextOf(r, text)
	m.Edited = true
	return m
}

// clearedText returns the placeholder of a cleared tool result.
func clearedText(rec *plan.Record) string {
	return tool.Cleared(rec.Tool, tool.Outcome(rec.Outcome), rec.Fields)
}
