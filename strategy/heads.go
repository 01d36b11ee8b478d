package strategy

import (
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/ref"
)

// heads tells what stands before the first line of each message: its number, and who speaks.
type heads struct {
	speaker map[int32]string // by position, of all messages that were read
	changes *changes         // of the files that results show; nil where none is known
}

// headCost is how many tokens the number and the speaker of a message take.
const headCost = 6

// cost returns the tokens of the head of the message at a position.
func (h heads) cost(at int32) int { return headCost + h.changes.cost(at) }

// of returns the head of a piece: of a result, a tool speaks, whatever the role of its message.
func (h heads) of(p *piece) string {
	speaker := h.speaker[p.message]
	switch {
	case p.result && h.changes.since(p.message):
		speaker = changedSince
	case p.result:
		speaker = speakers[message.Tool]
	}
	return ref.Message(int(p.message)+1).String() + " " + speaker
}
