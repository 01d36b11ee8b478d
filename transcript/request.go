package transcript

import (
	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/anthropic"
	"github.com/seed-3db51b0e/precis/codec/gemini"
	"github.com/seed-3db51b0e/precis/codec/openai"
	"github.com/seed-3db51b0e/precis/codec/responses"
)

// request decodes a request body with the codec that t.Format names.
func (t *Transcript) request(data []byte) error {
	var c codec.Codec
	switch t.Format {
	case OpenAI:
		c = openai.Codec{}
	case Responses:
		c = responses.Codec{}
	case Gemini:
		c = gemini.Codec{}
	default:
		c = anthropic.Codec{}
	}
	req, err := c.Decode(data)
	if err != nil {
		return err
	}
	t.Request, t.Model, t.System, t.Tools = req, req.Model, req.System, req.Tools
	for _, m := range req.Messages {
		t.add(line{}, m, "")
	}
	return nil
}
