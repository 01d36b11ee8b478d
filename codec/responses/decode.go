package responses

import (
	"errors"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/internal/convert"
	"github.com/seed-3db51b0e/precis/codec/internal/jsonedit"
	"github.com/seed-3db51b0e/precis/message"
)

// Codec implements codec.Codec and codec.Replier.
type Codec struct{}

// Name implements codec.Codec.
func (Codec) Name() string { return Name }

// Marker implements codec.Caching.
func (Codec) Marker() codec.Marker {
	return convert.Breakpoints{Form: convert.Form{Dialect: Name, Text: "input_text"}}
}

// Decode implements codec.Codec. A request without input has no messages. The
// request's slices alias body, which must not be changed afterwards.
func (c Codec) Decode(body []byte) (*codec.Request, error) { return c.DecodeAfter(body, nil) }

// DecodeAfter implements codec.Incremental.
func (Codec) DecodeAfter(body []byte, before codec.Before) (*codec.Request, error) {
	req := &codec.Request{Dialect: Name, Body: body, Stored: true, CallsApart: true}
	err := convert.Decode(req, false, func(r *jsonedit.Reader, name []byte) error { return readMember(r, req, name, before) })
	if err != nil {
		return nil, err
	}
	for i := range req.Messages {
		if convert.Whole(req.Messages[i]) && itemType(req.Messages[i].Raw) == "item_reference" {
			req.State = "item_reference"
		}
	}
	if n := len(req.Messages); n > 0 && itemType(req.Messages[n-1].Raw) == "compaction_trigger" {
		req.Compacts = true
	}
	return req, nil
}

func readMember(r *jsonedit.Reader, req *codec.Request, name []byte, before codec.Before) error {
	if string(name) == "input" {
		return readInput(r, req, before)
	}
	v, err := r.Value()
	switch string(name) {
	case "model":
		req.Model = jsonedit.TextOf(v)
	case "instructions":
		req.System = convert.Plain(v, Name)
	case "max_output_tokens":
		req.MaxOutput = convert.Limit(v)
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
	case "context_management":
		req.Compacts = compacts(v)
	case "store":
		req.Stored = string(v) != "false"
	case "previous_response_id", "conversation":
		if !jsonedit.IsNull(v) {
			req.State = string(name)
		}
	case "tools":
		for _, e := range jsonedit.Elements(v) {
			req.Tools = append(req.Tools, tool(e))
		}
		req.Within = within(v)
	default:
		if convert.HoldsState(string(name), v) {
			req.State = string(name)
		}
	}
	return err
}

func readInput(r *jsonedit.Reader, req *codec.Request, before codec.Before) error {
	if r.Kind() == jsonedit.Array {
		err := convert.Messages(r, req, before, readItem)
		if len(req.Messages) == 0 {
			req.Messages = nil
		}
		return err
	}
	req.Messages, req.Known = nil, 0
	m, err := readItem(r)
	if err != nil || jsonedit.IsNull(m.Raw) {
		return err
	}
	if m.Raw[0] != '"' {
		return errors.New("input is neither string nor array")
	}
	req.Messages = []message.Message{m}
	req.From, req.Until = r.Offset()-len(m.Raw), r.Offset()
	return nil
}

// within are the names of the tools that other tools hold, such as a namespace.
func within(tools []byte) (names []string) {
	for _, t := range jsonedit.Elements(tools) {
		inner := jsonedit.Get(t, "tools")
		for _, e := range jsonedit.Elements(inner) {
			names = append(names, jsonedit.TextOf(jsonedit.Get(e, "name")))
		}
		names = append(names, within(inner)...)
	}
	return names
}

// tool reads a function tool, or a custom one, which takes free text. Others
// run at the provider, are named by their type and have no schema.
func tool(raw []byte) codec.Tool {
	t := codec.Tool{Raw: raw}
	var kind string
	var schema []byte
	for _, m := range jsonedit.Members(raw) {
		switch m.Name {
		case "type":
			kind = jsonedit.TextOf(m.Value)
		case "name":
			t.Name = jsonedit.TextOf(m.Value)
		case "description":
			t.Description = jsonedit.TextOf(m.Value)
		case "parameters":
			schema = m.Value
		}
	}
	switch kind {
	case "function":
		t.Schema = convert.Schema(schema)
	case "custom":
		t.Schema = []byte(convert.RawSchema)
	default:
		if t.Name == "" {
			t.Name = kind
		}
	}
	return t
}
