package extract

import (
	"strings"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/thread"
)

// agentsTalk reports whether the first n messages of a thread are a talk of several agents, as
// AutoGen writes it: the model's messages bear names, and the first of the user's bears none
// but a person's. What speaks under another name in the user's role is then an agent or a tool.
func agentsTalk(t *thread.Thread, n int) bool {
	person := false
	for i := range n {
		switch m := &t.At(i).Message; {
		case m.Role == message.User && !person:
			if isAgent(m.Name) {
				return false
			}
			person = true
		case m.Role == message.Assistant && m.Name != "":
			return person
		}
	}
	return false
}

// isAgent reports whether a name in the user's role is not a person's.
func isAgent(name string) bool {
	switch strings.ToLower(name) {
	case "", "user", "human":
		return false
	}
	return true
}
