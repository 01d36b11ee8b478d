package proxy

import (
	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/message"
)

// marker is a codec whose requests can say where to cache them. Room is how many
// places a request has left; Mark names some.
type marker interface {
	Room(req *codec.Request, ms []message.Message) int
	Mark(ms []message.Message, points []codec.Point) []message.Message
}

// points are a turn's messages, which say where to cache them if that was asked
// for and the model knows such places (SPEC T7).
func (c *call) points(turn *precis.Turn) []message.Message {
	m, ok := c.codec.(marker)
	if !ok || !c.p.opts.Prompt.CachePoints || c.in.Model.Cache.Breakpoints == 0 {
		return turn.Messages
	}
	var ps []codec.Point
	for _, at := range turn.CachePoints(m.Room(c.req, turn.Messages)) {
		ps = append(ps, codec.Point{Message: at.Message, Part: at.Part})
	}
	return m.Mark(turn.Messages, ps)
}
