package proxy

import (
	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/overflow"
	"github.com/seed-3db51b0e/precis/token"
)

// weight is what a request may weigh beside its tokens.
func (c *call) weight(m model.Model) token.Load {
	return token.Load{Media: most(c.p.opts.Limits.Images, m.Images), Bytes: c.p.lessons.Weight(c.subject, most(c.p.opts.Limits.Bytes, m.Bytes))}
}

// most is the limit that was asked for, else the one that is known; 0 = none.
func most(asked, known int) int {
	switch {
	case asked < 0:
		return 0
	case asked > 0:
		return asked
	}
	return known
}

// lighten lowers what a request may weigh after a provider refused its bytes, and
// says whether pictures and documents can make up for that: their tokens are few.
func (c *call) lighten(in *precis.Input, o overflow.Overflow) bool {
	heavy := 0
	for i := range c.turn.Messages {
		if l := token.LoadOf(c.turn.Messages[i]); l.Media > 0 {
			heavy += l.Bytes
		}
	}
	if heavy < len(c.out)/2 {
		return false
	}
	in.Limits.Payload.Bytes = c.p.lessons.TooHeavy(c.subject, o, len(c.out))
	return true
}
