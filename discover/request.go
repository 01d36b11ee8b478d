package discover

import (
	"encoding/json"
	"slices"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/transcript"
)

// Requests is the session with one message a reply: Claude Code and Codex write a
// line for each piece of it. The messages made so have no Raw.
func (s *Session) Requests() *Session {
	out := *s
	out.Messages, out.Compactions = nil, slices.Clone(s.Compactions)
	place := make([]int, 0, len(s.Messages)+1) // of each message the one it is in
	last := ""
	for i, m := range s.Messages {
		id := s.reply(m)
		n := len(out.Messages)
		if id != "" && id == last && !s.cut(i) {
			whole := &out.Messages[n-1]
			whole.Parts = slices.Concat(whole.Parts, m.Parts)
			whole.Raw = nil
			place = append(place, n-1)
			continue
		}
		last = id
		out.Messages = append(out.Messages, m)
		place = append(place, n)
	}
	place = append(place, len(out.Messages))
	for i := range out.Compactions {
		c := &out.Compactions[i]
		c.At, c.From = place[c.At], place[c.From]
	}
	return &out
}

// reply names the reply that a message is a piece of, "" if it is none or whole.
func (s *Session) reply(m message.Message) string {
	if m.Role != message.Assistant {
		return ""
	}
	switch s.Agent {
	case transcript.Codex:
		return transcript.Codex // pieces follow each other until a result comes
	case transcript.ClaudeCode:
		var r struct {
			Message struct {
				ID string `json:"id"`
			} `json:"message"`
		}
		_ = json.Unmarshal(m.Raw, &r) // without an id it is whole
		return r.Message.ID
	}
	return ""
}

// cut reports whether a compaction stands right before a message, or keeps it first.
func (s *Session) cut(at int) bool {
	return slices.ContainsFunc(s.Compactions, func(c Compaction) bool { return c.At == at || c.From == at })
}
