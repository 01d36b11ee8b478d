package gemini

import (
	"bytes"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/internal/convert"
	"github.com/seed-3db51b0e/precis/codec/internal/jsonedit"
)

// tools reads the declared tools: the functions of all, and each tool that runs at the
// provider, which is named by its member and has no schema.
func tools(raw []byte) []codec.Tool {
	var ts []codec.Tool
	for _, e := range jsonedit.Elements(raw) {
		for _, m := range jsonedit.Members(e) {
			if name := camel([]byte(m.Name)); name != "functionDeclarations" {
				ts = append(ts, codec.Tool{Name: name, Raw: e})
				continue
			}
			for _, f := range jsonedit.Elements(m.Value) {
				ts = append(ts, function(f))
			}
		}
	}
	return ts
}

func function(raw []byte) codec.Tool {
	t := codec.Tool{Raw: raw}
	var schema []byte
	for _, m := range jsonedit.Members(raw) {
		switch camel([]byte(m.Name)) {
		case "name":
			t.Name = jsonedit.TextOf(m.Value)
		case "description":
			t.Description = jsonedit.TextOf(m.Value)
		case "parametersJsonSchema":
			schema = m.Value
		case "parameters":
			schema = lowered(m.Value)
		}
	}
	t.Schema = convert.Schema(schema)
	return t
}

// schemaTypes are the types of the API's own schemas, which it writes in capitals.
var schemaTypes = [][]byte{[]byte(`"OBJECT"`), []byte(`"STRING"`), []byte(`"ARRAY"`), []byte(`"INTEGER"`), []byte(`"NUMBER"`), []byte(`"BOOLEAN"`), []byte(`"NULL"`)}

// lowered is a schema of the API's own as a JSON schema.
func lowered(raw []byte) []byte {
	capital := func(v []byte) bool {
		return slices.ContainsFunc(schemaTypes, func(t []byte) bool { return bytes.Contains(v, t) })
	}
	if !capital(raw) {
		return raw
	}
	var es []jsonedit.Member
	for _, m := range jsonedit.Members(raw) {
		switch {
		case m.Name == "type" && m.Value[0] == '"' && capital(m.Value):
			es = append(es, convert.String("type", strings.ToLower(jsonedit.TextOf(m.Value))))
		case m.Value[0] == '{' && capital(m.Value):
			es = append(es, jsonedit.Member{Name: m.Name, Value: lowered(m.Value)})
		case m.Value[0] == '[' && capital(m.Value):
			list := jsonedit.Elements(m.Value)
			for i := range list {
				list[i] = lowered(list[i])
			}
			es = append(es, jsonedit.Member{Name: m.Name, Value: jsonedit.Join(m.Value, list)})
		}
	}
	return jsonedit.Set(raw, es...)
}

// declaration writes a tool as a function that the client runs.
func declaration(t codec.Tool) []byte {
	return jsonedit.Build(convert.String("name", toolName(t.Name)), convert.Optional("description", t.Description),
		jsonedit.Member{Name: "parametersJsonSchema", Value: convert.Schema(t.Schema)})
}

// functions wraps declarations in a tool.
func functions(declarations []byte) []byte {
	return jsonedit.Build(jsonedit.Member{Name: "functionDeclarations", Value: declarations})
}

// newTools writes the tools of a request as a new array, nil if there are none.
func newTools(req *codec.Request) []byte {
	all := *req
	all.Tools = slices.DeleteFunc(slices.Clone(req.Tools), func(t codec.Tool) bool { return t.Raw != nil && t.Schema == nil })
	list := convert.Tools(&all, Name, declaration)
	if list == nil {
		return nil
	}
	return jsonedit.Join(nil, [][]byte{functions(list)})
}

// Declare is a request that Encode writes with more functions, after those of its body.
// It reports false where a request may not have them: with a cached content, or with
// tools that run at the provider and no functions. All other bytes stay; the same tools
// give the same bytes each time.
func (Codec) Declare(req *codec.Request, tools []codec.Tool) (*codec.Request, bool) {
	hosted := func(t codec.Tool) bool { return t.Raw != nil && t.Schema == nil }
	if req.State != "" || len(req.Tools) > 0 && !slices.ContainsFunc(req.Tools, func(t codec.Tool) bool { return !hosted(t) }) {
		return req, false
	}
	return convert.Declare(req, tools), true
}

// splice writes the body with some of its members replaced, and with the functions that
// are declared besides: among those it declares, as several lists are not taken
// everywhere.
func splice(req *codec.Request, edits ...codec.Edit) []byte {
	if len(req.More) > 0 {
		edits = append(edits, codec.Edit{Name: "tools", With: func(old []byte) [][]byte { return withFunctions(old, req.More) }})
	}
	if len(edits) == 0 {
		return req.Body
	}
	return req.Splice(edits...)
}

func withFunctions(old []byte, more []codec.Tool) [][]byte {
	var added [][]byte
	for _, t := range more {
		added = append(added, declaration(t))
	}
	list := jsonedit.Elements(old)
	for i := len(list) - 1; i >= 0; i-- {
		if get(list[i], "functionDeclarations") == nil {
			continue
		}
		list[i] = inside(list[i], "functionDeclarations", func(was []byte) []byte {
			return jsonedit.Join(was, append(jsonedit.Elements(was), added...))
		})
		return jsonedit.Pieces(old, list)
	}
	return jsonedit.Pieces(old, append(list, functions(jsonedit.Join(nil, added))))
}
