package main

import (
	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/anthropic"
	"github.com/seed-3db51b0e/precis/codec/gemini"
	"github.com/seed-3db51b0e/precis/codec/openai"
	"github.com/seed-3db51b0e/precis/codec/responses"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/transcript"
)

// codecs are the providers a request can be written for, the default first.
var codecs = []codec.Codec{openai.Codec{}, anthropic.Codec{}, responses.Codec{}, gemini.Codec{}}

func dialects() []string {
	var names []string
	for _, c := range codecs {
		names = append(names, c.Name())
	}
	return names
}

// dialect is the provider a transcript's request is for: the input's own, or the one
// whose words a session file holds.
func dialect(t *transcript.Transcript) string {
	switch {
	case t.Request != nil:
		return t.Request.Dialect
	case t.Format == transcript.ClaudeCode:
		return anthropic.Name
	case t.Format == transcript.GeminiCLI:
		return gemini.Name
	case t.API != "":
		return t.API
	}
	return spoken(t.Messages)
}

// spoken is the codec that most parts came in, openai where none did.
func spoken(ms []message.Message) string {
	count := map[string]int{}
	for i := range ms {
		count[ms[i].Dialect]++
		for _, p := range ms[i].Parts {
			count[p.Dialect]++
		}
	}
	best := dialects()[0]
	for _, name := range dialects() {
		if count[name] > count[best] {
			best = name
		}
	}
	return best
}

// encode writes the prompt for the target. What no plan touches in a request of
// the same provider stays as it came.
func (c *compaction) encode() ([]byte, error) {
	req := c.input.Request
	if req == nil {
		req = &codec.Request{System: c.input.System, Tools: c.input.Tools, Messages: c.input.Messages}
	}
	if req.Dialect == c.target && (c.asItCame() || req.State != "") {
		return c.data, nil
	}
	if req.Dialect != c.target {
		r := *req
		r.Model = c.known.Name
		req = &r
	}
	for _, to := range codecs {
		if to.Name() == c.target {
			return to.Encode(req, c.turn.Messages)
		}
	}
	return nil, codec.ErrMalformed // check lets no other name through
}

// asItCame reports whether the prompt is the input.
func (c *compaction) asItCame() bool {
	if len(c.turn.Messages) != len(c.input.Messages) {
		return false
	}
	for i := range c.turn.Messages {
		if c.turn.Messages[i].Edited {
			return false
		}
	}
	return true
}
