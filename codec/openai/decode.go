package openai

import (
	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/internal/convert"
	"github.com/seed-3db51b0e/precis/codec/internal/jsonedit"
)

// Codec implements codec.Codec and codec.Replier.
type Codec struct{}

// Name implements codec.Codec.
func (Codec) Name() string { return Name }

// Marker implements codec.Caching.
func (Codec) Marker() codec.Marker {
	return convert.Breakpoints{Form: convert.Form{Dialect: Name, Text: "text"}}
}

// Decode implements codec.Codec. The request's slices alias body, which must
// not be changed afterwards.
func (c Codec) Decode(body []byte) (*codec.Request, error) { return c.DecodeAfter(body, nil) }

// DecodeAfter implements codec.Incremental.
func (Codec) DecodeAfter(body []byte, before codec.Before) (*codec.Request, error) {
	req := &codec.Request{Dialect: Name, ThinkingStays: true, Body: body}
	err := convert.Decode(req, true, func(r *jsonedit.Reader, name []byte) error { return readMember(r, req, name, before) })
	if err != nil {
		return nil, err
	}
	return req, nil
}

func readMember(r *jsonedit.Reader, req *codec.Request, name []byte, before codec.Before) error {
	if string(name) == "messages" {
		return convert.Messages(r, req, before, readMessage)
	}
	v, err := r.Value()
	switch string(name) {
	case "model":
		req.Model = jsonedit.TextOf(v)
	case "max_completion_tokens":
		req.MaxOutput = convert.Limit(v)
	case "max_tokens":
		if req.MaxOutput == 0 {
			req.MaxOutput = convert.Limit(v)
		}
	case "stream":
		req.Stream = jsonedit.True(v)
	case "prompt_cache_key":
		req.CacheKey = jsonedit.TextOf(v)
	case "prompt_cache_options":
		req.CacheLife = convert.Life(jsonedit.Get(v, "ttl"))
	case "prompt_cache_retention":
		req.CacheLife = convert.Retention(v)
	case "user":
		req.User.Name = jsonedit.TextOf(v)
	case "safety_identifier":
		req.User.SafetyIdentifier = jsonedit.TextOf(v)
	case "metadata":
		req.User.Metadata = jsonedit.TextOf(jsonedit.Get(v, "user_id"))
	case "tools":
		for _, e := range jsonedit.Elements(v) {
			req.Tools = append(req.Tools, tool(e))
		}
	default:
		if convert.HoldsState(string(name), v) {
			req.State = string(name)
		}
	}
	return err
}

// tool reads a function tool, or a custom one, which takes free text. Others
// run at the provider and have no schema.
func tool(raw []byte) codec.Tool {
	t := codec.Tool{Raw: raw}
	body := jsonedit.Get(raw, "function")
	if len(body) == 0 {
		if body = jsonedit.Get(raw, "custom"); len(body) > 0 {
			t.Schema = []byte(convert.RawSchema)
		}
	} else {
		t.Schema = convert.Schema(jsonedit.Get(body, "parameters"))
	}
	t.Name = jsonedit.TextOf(jsonedit.Get(body, "name"))
	t.Description = jsonedit.TextOf(jsonedit.Get(body, "description"))
	return t
}
