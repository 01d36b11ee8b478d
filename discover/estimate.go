package discover

import (
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/model"
)

// Estimate returns what a session cost by the list prices of its model, in USD, where
// the agent wrote no usage down; false if there are none. Each reply was one
// request for the agent's own prompt; what it shared with the request before came
// from the cache, whatever its age. System prompt and tools are not known.
func (s *Session) Estimate(count func(message.Message) int) (usd float64, ok bool) {
	if m, known := model.Lookup(s.Model); !known || m.Price.In <= 0 {
		return 0, false
	}
	next, context, cached := 0, 0, 0
	for i, m := range s.Messages {
		for next < len(s.Compactions) && s.Compactions[next].At <= i {
			c := s.Compactions[next]
			if !c.Blind {
				context, cached = count(message.TextOf(message.User, c.Summary)), 0
				for _, k := range s.Messages[c.From:c.At] {
					context += count(k)
				}
			}
			next++
		}
		n := count(m)
		if m.Role == message.Assistant {
			request := Charge{Model: s.Model, Read: cached, Write: context - cached, Output: n}
			price, _ := request.Price() // the model has one
			usd, cached = usd+price, context
		}
		context += n
	}
	return usd, true
}
