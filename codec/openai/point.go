package openai

import (
	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/internal/convert"
	"github.com/seed-3db51b0e/precis/message"
)

// Caches reports whether the end of the conversation is cached, as OpenAI does unasked, and
// breakpoints may be added.
func (Codec) Caches(req *codec.Request, host string) (end, more bool) {
	takes := convert.Breaks(req, host)
	return takes, takes
}

// Room is how many breakpoints a request with these messages has left beside the client's
// own.
func (Codec) Room(_ *codec.Request, ms []message.Message) int { return convert.BreakpointsLeft(ms) }

// Mark puts breakpoints at points of messages that the client did not write, and at those
// right before them.
func (Codec) Mark(_ *codec.Request, ms []message.Message, points []codec.Point) []message.Message {
	return convert.Form{Dialect: Name, Text: "text"}.Break(ms, points)
}
