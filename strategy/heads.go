package strategy

import (
	"path"
	"strings"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/ref"
)

// speakers are the words for who a line of the log comes from.
var speakers = map[message.Role]string{message.User: "user: ", message.Assistant: "agent: ", message.Tool: "tool: ", message.System: "system: "}

// heads tells what stands before the first line of each message: its number, who speaks, and where
// a result comes from.
type heads struct {
	speaker map[int32]string // by position, of all messages that were read
	origins *origins         // of results; nil where nothing is known of them
}

// headCost is how many tokens the number and the speaker of a message take.
const headCost = 6

// cost returns the tokens of the head of the message at a position.
func (h heads) cost(at int32) int { return headCost + h.origins.at(at).cost }

// headWriter writes the heads of messages, in the order of the log.
type headWriter struct {
	heads heads
	paths map[string]bool // files whose whole path stands in a head
}

// head returns the head of a piece below what was written of the message above, which may have the
// call that the piece answers. Of a result, a tool speaks, whatever the role of its message.
func (w *headWriter) head(p *piece, above string) string {
	number := ref.Message(int(p.message)+1).String() + " "
	if !p.result {
		return number + w.heads.speaker[p.message]
	}
	x := w.heads.origins.at(p.message)
	of := x.of
	switch {
	case strings.Contains(above, of):
		of = ""
	case x.file && w.paths[of]:
		of = path.Base(of)
	case x.file:
		w.paths[of] = true
	}
	return number + x.speaker(of)
}
