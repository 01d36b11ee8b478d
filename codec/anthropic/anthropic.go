// Package anthropic speaks the Anthropic Messages API.
//
// Use: Codec for requests and replies; ParseMessage and ParseBlocks for records
// of session files that hold the API's objects. Law: what is not edited leaves
// as it came, and what is written obeys the wire rules WA1 to WA8 and WA10.
// Promise: thinking of this dialect is copied byte for byte, or not sent; only where a
// log holds its text and signature without the block, the block is made of these.
package anthropic

import (
	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/internal/convert"
	"github.com/seed-3db51b0e/precis/codec/internal/jsonedit"
)

// Name is the dialect's name.
const Name = "anthropic"

// Codec implements codec.Codec and codec.Replier.
type Codec struct{}

// Name implements codec.Codec.
func (Codec) Name() string { return Name }

// Decode implements codec.Codec. The request's slices alias body, which must
// not be changed afterwards.
func (c Codec) Decode(body []byte) (*codec.Request, error) { return c.DecodeAfter(body, nil) }

// DecodeAfter implements codec.Incremental.
func (Codec) DecodeAfter(body []byte, before codec.Before) (*codec.Request, error) {
	req := &codec.Request{Dialect: Name, UserLeads: true, ThinkingStays: true, Body: body}
	err := convert.Decode(req, true, func(r *jsonedit.Reader, name []byte) error { return readMember(r, req, name, before) })
	if err != nil {
		return nil, err
	}
	req.CacheLife = convert.Life(jsonedit.Get(endMark(req), "ttl"))
	return req, nil
}

func readMember(r *jsonedit.Reader, req *codec.Request, name []byte, before codec.Before) (err error) {
	switch string(name) {
	case "messages":
		return convert.Messages(r, req, before, readMessage)
	case "system":
		req.System, err = readContent(r)
		return err
	}
	v, err := r.Value()
	switch string(name) {
	case "model":
		req.Model = jsonedit.TextOf(v)
	case "max_tokens":
		req.MaxOutput = convert.Limit(v)
	case "stream":
		req.Stream = jsonedit.True(v)
	case "tools":
		req.Tools = tools(v)
	case "thinking":
		kind := jsonedit.TextOf(jsonedit.Get(v, "type")) // WT2
		req.ThinkingLeads, req.ThinkingStays = kind == "enabled", kind != "disabled"
	case "metadata":
		req.User.Metadata = jsonedit.TextOf(jsonedit.Get(v, "user_id"))
	case "compaction", "context_management":
		req.Compacts = req.Compacts || compacts(string(name), v)
	default:
		if convert.HoldsState(string(name), v) {
			req.State = string(name)
		}
	}
	return err
}

// tools reads the declared tools. Those that run at the provider have no
// schema.
func tools(raw []byte) []codec.Tool {
	var ts []codec.Tool
	for _, e := range jsonedit.Elements(raw) {
		t := codec.Tool{Raw: e}
		for _, m := range jsonedit.Members(e) {
			switch m.Name {
			case "name":
				t.Name = jsonedit.TextOf(m.Value)
			case "description":
				t.Description = jsonedit.TextOf(m.Value)
			case "input_schema":
				t.Schema = m.Value
			}
		}
		ts = append(ts, t)
	}
	return ts
}
