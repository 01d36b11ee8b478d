package adk

import (
	"encoding/json"

	"google.golang.org/adk/v2/model"
	"google.golang.org/genai"

	"github.com/seed-3db51b0e/precis/adapt"
	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/gemini"
	"github.com/seed-3db51b0e/precis/message"
)

// dialect names the format of Raw: a content is what the Gemini API takes.
const dialect = gemini.Name

// call is a call of the model: the agent's request, and its contents as the API's body,
// nil where they could not be read.
type call struct {
	own  *model.LLMRequest
	body *codec.Request
}

// body is the JSON of contents.
type body struct {
	Contents []json.RawMessage `json:"contents"`
}

// read reads a request in neutral words. One that cannot be read has no messages.
func read(own *model.LLMRequest, name string) (call, adapt.Request) {
	c := call{own: own}
	asked := adapt.Request{Framework: dialect, Model: name}
	if own.Config != nil {
		asked.MaxOutput = int(own.Config.MaxOutputTokens)
		asked.System = system(own.Config.SystemInstruction)
		asked.Tools = tools(own.Config.Tools)
	}
	raw, err := json.Marshal(map[string]any{"contents": own.Contents})
	if err != nil {
		return c, asked
	}
	req, err := gemini.Codec{}.Decode(raw)
	if err != nil || len(req.Messages) != len(own.Contents) {
		return c, asked
	}
	c.body, asked.Messages = req, req.Messages
	return c, asked
}

func system(c *genai.Content) (ps []message.Part) {
	if c == nil {
		return nil
	}
	for _, p := range c.Parts {
		if p != nil && p.Text != "" {
			ps = append(ps, message.Part{Kind: message.Text, Text: p.Text})
		}
	}
	return ps
}

func tools(list []*genai.Tool) (ts []codec.Tool) {
	for _, t := range list {
		if t == nil {
			continue
		}
		for _, f := range t.FunctionDeclarations {
			made := codec.Tool{Name: f.Name, Description: f.Description}
			var schema any = f.ParametersJsonSchema
			if schema == nil && f.Parameters != nil {
				schema = f.Parameters
			}
			if schema != nil {
				made.Schema, _ = json.Marshal(schema) // one that is no JSON counts nothing
			}
			ts = append(ts, made)
		}
	}
	return ts
}

// shown is the request with the contents that a prompt leaves of it: the agent's own
// where they stand as they came.
func (c call) shown(prompt []adapt.Message) *model.LLMRequest {
	contents, ok := c.contents(prompt)
	if !ok {
		return c.own
	}
	shown := *c.own
	shown.Contents = contents
	return &shown
}

func (c call) contents(prompt []adapt.Message) ([]*genai.Content, bool) {
	if c.body == nil {
		return nil, false
	}
	whole := len(prompt) == len(c.own.Contents)
	ms := make([]message.Message, len(prompt))
	for i, m := range prompt {
		ms[i], whole = m.Message, whole && m.Whole
	}
	if whole {
		return nil, false
	}
	raw, err := gemini.Codec{}.Encode(c.body, ms)
	var made body
	if err != nil || json.Unmarshal(raw, &made) != nil {
		return nil, false
	}
	own := map[string]*genai.Content{}
	for i, m := range c.body.Messages {
		own[string(m.Raw)] = c.own.Contents[i]
	}
	out := make([]*genai.Content, len(made.Contents))
	for i, e := range made.Contents {
		if out[i] = own[string(e)]; out[i] != nil {
			continue
		}
		out[i] = new(genai.Content)
		if json.Unmarshal(e, out[i]) != nil {
			return nil, false
		}
	}
	return out, true
}
