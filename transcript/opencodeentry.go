package transcript

import (
	"fmt"

	"github.com/seed-3db51b0e/precis/message"
)

// openCodeEntry is an entry of a session since version 2. Which fields are set
// follows from Type.
type openCodeEntry struct {
	ID      string         `json:"id"`
	Type    string         `json:"type"`
	Text    string         `json:"text"`
	Command string         `json:"command"`
	Output  string         `json:"output"`
	Summary string         `json:"summary"`
	Files   []openCodeFile `json:"files"`
	Model   struct {
		ID string `json:"id"`
	} `json:"model"`
	Time openCodeTime `json:"time"`
}

type openCodeFile struct {
	Mime string `json:"mime"`
	URI  string `json:"uri"`
}

// openCodeEntry reads an entry of version 2.
func (t *Transcript) openCodeEntry(r *openCodeRecord) {
	r.Info.Time = r.Time
	m := message.Message{Role: message.User}
	switch r.Type {
	case "user":
		m.Parts = r.contentParts()
	case "synthetic":
		m = summaryOf(r.Text)
	case "system":
		m = summaryOf(r.Text)
		m.Role = message.System
	case "shell":
		m = message.TextOf(message.User, fmt.Sprintf("The user ran:\n%s\n\n%s", r.Command, r.Output))
	case "assistant":
		t.openCodeReply(r)
		return
	case "compaction":
		if len(t.Messages) > 0 {
			t.skip(r.at, r.Type, Compaction, "")
			return
		}
		m = summaryOf(r.openCodeEntry.Summary)
	case "agent-switched", "model-switched":
		t.skip(r.at, r.Type, Bookkeeping, "")
		return
	default:
		t.skip(r.at, r.Type, UnknownType, "")
		return
	}
	t.openCodeAdd(r.at, r.at.raw, r.Time.at(), m, r.Type)
}

// contentParts returns the text of a user entry and what is attached to it.
func (e *openCodeEntry) contentParts() []message.Part {
	var parts []message.Part
	if e.Text != "" {
		parts = append(parts, message.Part{Kind: message.Text, Text: e.Text})
	}
	for _, f := range e.Files {
		var n message.Part
		media(&n, f.Mime, f.URI)
		parts = append(parts, n)
	}
	return parts
}
