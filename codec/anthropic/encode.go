package anthropic

import (
	"fmt"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/internal/convert"
	"github.com/seed-3db51b0e/precis/codec/internal/jsonedit"
	"github.com/seed-3db51b0e/precis/message"
)

// defaultMax is the reply cap of a request that states none: the API requires
// one.
const defaultMax = 4096

// Encode implements codec.Codec. A request of another dialect, or one built by
// hand, becomes a new body; leading system messages then go to the top-level
// system prompt. In a body of this dialect only messages changes.
func (Codec) Encode(req *codec.Request, messages []message.Message) ([]byte, error) {
	native := req.Dialect == Name && req.Body != nil
	if native && convert.Unchanged(req.Messages, messages) {
		return convert.Splice(req, tool), nil
	}
	var system []message.Part
	if !native {
		system, messages = takeSystem(req.System, messages)
	}
	ts, err := shape(convert.Unique(messages, never), req.Model)
	if err != nil {
		return nil, fmt.Errorf("encode anthropic request: %w", err)
	}
	limitMarks(ts, fixedMarks(req))
	if !native {
		return newBody(req, system, ts), nil
	}
	return convert.Splice(req, tool, codec.Edit{Name: "messages", With: func(old []byte) [][]byte { return jsonedit.Pieces(old, writeAll(ts)) }}), nil
}

// never: the API never accepts an id twice, whoever wrote it.
func never(message.Message) bool { return false }

// takeSystem takes the system messages that open a conversation.
func takeSystem(system []message.Part, ms []message.Message) ([]message.Part, []message.Message) {
	system = system[:len(system):len(system)]
	for len(ms) > 0 && (ms[0].Meta || ms[0].Role == message.System && ms[0].Dialect != Name) {
		if !ms[0].Meta {
			system = append(system, ms[0].Parts...)
		}
		ms = ms[1:]
	}
	return system, ms
}

func writeAll(ts []*turn) [][]byte {
	elems := make([][]byte, len(ts))
	for i, t := range ts {
		elems[i] = t.write()
	}
	return elems
}

func newBody(req *codec.Request, system []message.Part, ts []*turn) []byte {
	limit := req.MaxOutput
	if limit <= 0 {
		limit = defaultMax
	}
	return jsonedit.Build(
		convert.String("model", req.Model),
		convert.Count("max_tokens", limit),
		jsonedit.Member{Name: "system", Value: systemValue(system)},
		jsonedit.Member{Name: "tools", Value: convert.Tools(req, Name, tool)},
		jsonedit.Member{Name: "messages", Value: jsonedit.Join(nil, writeAll(ts))},
		jsonedit.Member{Name: "temperature", Value: convert.Number(req.Temperature)},
		jsonedit.Member{Name: "output_config", Value: outputConfig(req.Format)},
		convert.Flag("stream", req.Stream))
}

// outputConfig asks for JSON of a schema. The API has no name for it.
func outputConfig(f *codec.Format) []byte {
	if f == nil {
		return nil
	}
	return jsonedit.Build(jsonedit.Member{Name: "format", Value: jsonedit.Build(
		convert.Type("json_schema"),
		jsonedit.Member{Name: "schema", Value: convert.Schema(f.Schema)})})
}

func systemValue(system []message.Part) []byte {
	bs := blocks(message.Message{Role: message.System, Parts: system})
	switch {
	case len(bs) == 0:
		return nil
	case len(bs) == 1 && bs[0].str != nil:
		return bs[0].str
	}
	return jsonedit.Join(nil, raws(bs))
}

func tool(t codec.Tool) []byte {
	return jsonedit.Build(convert.String("name", toolName(t.Name)), convert.Optional("description", t.Description),
		jsonedit.Member{Name: "input_schema", Value: convert.Schema(t.Schema)})
}

func toolName(s string) string { return convert.Fit(s, 128) }
