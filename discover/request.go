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
	last, cut := "", s.cuts()
	joined := -1 // the message whose parts are its own, and not the session's
	for i, m := range s.Messages {
		id, n := s.reply(m), len(out.Messages)
		if id == "" || id != last || cut[i] {
			last = id
			out.Messages = append(out.Messages, m)
			place = append(place, n)
			continue
		}
		whole := &out.Messages[n-1]
		if joined != n-1 {
			joined, whole.Parts, whole.Raw = n-1, slices.Clip(whole.Parts), nil
		}
		whole.Parts = append(whole.Parts, m.Parts...)
		place = append(place, n-1)
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

// cuts are the messages that a compaction stands right before, or keeps first.
func (s *Session) cuts() map[int]bool {
	at := map[int]bool{}
	for _, c := range s.Compactions {
		at[c.At], at[c.From] = true, true
	}
	return at
}
