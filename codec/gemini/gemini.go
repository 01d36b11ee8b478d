// Package gemini speaks the Gemini API: generateContent and its streams.
//
// Use: Codec for requests and replies; ParseContent for records of session files that
// hold the API's contents. Law: what is not edited leaves as it came, in camel case or
// snake case as it was, and what is written obeys the wire rules WG5 to WG18, WG20 and
// WG22. Promise: a signature leaves with the part it came with or not at all, and no call
// is given an id that the provider did not give it.
package gemini

import (
	"bytes"
	"strings"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/internal/convert"
	"github.com/seed-3db51b0e/precis/codec/internal/jsonedit"
)

// Name is the dialect's name.
const Name = "gemini"

// Codec implements codec.Codec and codec.Replier. The API names the model, and whether
// it streams, in the path: see At.
type Codec struct{}

// Name implements codec.Codec.
func (Codec) Name() string { return Name }

// Decode implements codec.Codec. The request's slices alias body, which must
// not be changed afterwards.
func (c Codec) Decode(body []byte) (*codec.Request, error) { return c.DecodeAfter(body, nil) }

// DecodeAfter implements codec.Incremental.
func (Codec) DecodeAfter(body []byte, before codec.Before) (*codec.Request, error) {
	req := &codec.Request{Dialect: Name, UserLeads: true, Body: body}
	err := convert.Decode(req, true, func(r *jsonedit.Reader, name []byte) error { return readMember(r, req, name, before) })
	if err != nil {
		return nil, err
	}
	pair(req.Messages, req.Known)
	return req, nil
}

func readMember(r *jsonedit.Reader, req *codec.Request, name []byte, before codec.Before) error {
	if string(name) == "contents" {
		return convert.Messages(r, req, before, readContent)
	}
	v, err := r.Value()
	switch member := camel(name); member {
	case "model":
		req.Model = modelName(jsonedit.TextOf(v))
	case "systemInstruction":
		req.System = system(v)
	case "generationConfig":
		req.MaxOutput = convert.Limit(get(v, "maxOutputTokens"))
	case "tools":
		req.Tools = tools(v)
	case "cachedContent":
		if jsonedit.TextOf(v) != "" {
			req.State = member
		}
	default:
		if convert.HoldsState(member, v) {
			req.State = member
		}
	}
	return err
}

// system reads the system instruction: a content, of which only the parts count.
func system(raw []byte) (ps parts) {
	c, err := readContent(jsonedit.NewReader(raw))
	if err != nil || jsonedit.IsNull(raw) {
		return nil
	}
	return c.Parts
}

// modelName is a model without the collection that the API writes before it.
func modelName(s string) string {
	if i := strings.LastIndexByte(s, '/'); i >= 0 {
		return s[i+1:]
	}
	return s
}

// camel is a member's name as the API writes it: clients may write it in snake case.
func camel(name []byte) string {
	if bytes.IndexByte(name, '_') < 0 {
		return string(name)
	}
	var b strings.Builder
	up := false
	for _, c := range name {
		switch {
		case c == '_':
			up = b.Len() > 0
		case up && 'a' <= c && c <= 'z':
			b.WriteByte(c - 'a' + 'A')
			up = false
		default:
			b.WriteByte(c)
			up = false
		}
	}
	return b.String()
}

// spelling is how an object writes a member's name: in camel case unless it has the
// member in snake case.
func spelling(raw []byte, name string) string {
	for _, m := range jsonedit.Members(raw) {
		if camel([]byte(m.Name)) == name {
			return m.Name
		}
	}
	return name
}

// get is the value of a member, however its name is written; nil if there is none.
func get(raw []byte, name string) (v []byte) {
	for _, m := range jsonedit.Members(raw) {
		if camel([]byte(m.Name)) == name {
			v = m.Value
		}
	}
	return v
}
