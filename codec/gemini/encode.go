package gemini

import (
	"fmt"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/internal/convert"
	"github.com/seed-3db51b0e/precis/codec/internal/jsonedit"
	"github.com/seed-3db51b0e/precis/message"
)

// Encode implements codec.Codec. A request of another dialect, or one built by
// hand, becomes a new body, in which leading system messages are the system
// instruction. In a body of this dialect only contents and declared tools change.
func (Codec) Encode(req *codec.Request, messages []message.Message) ([]byte, error) {
	spliced := req.Dialect == Name && req.Body != nil
	if spliced && convert.Unchanged(req.Messages, messages) {
		return splice(req), nil
	}
	var system parts
	if !spliced {
		system, messages = takeSystem(req.System, messages)
	}
	messages = convert.Unique(messages, native)
	w := newWriter(req.Model, messages)
	ts, err := w.shape(messages)
	if err != nil {
		return nil, fmt.Errorf("encode gemini request: %w", err)
	}
	elems := make([][]byte, len(ts))
	for i, t := range ts {
		elems[i] = t.write()
	}
	if !spliced {
		return w.newBody(req, system, elems), nil
	}
	return splice(req, codec.Edit{Name: "contents", With: func(old []byte) [][]byte { return jsonedit.Pieces(old, elems) }}), nil
}

// native reports whether a message came as a content of this dialect.
func native(m message.Message) bool { return convert.Native(m, Name) }

// takeSystem takes the system messages that open a conversation.
func takeSystem(system parts, ms []message.Message) (parts, []message.Message) {
	system = system[:len(system):len(system)]
	for len(ms) > 0 && (ms[0].Meta || ms[0].Role == message.System) {
		if !ms[0].Meta {
			system = append(system, ms[0].Parts...)
		}
		ms = ms[1:]
	}
	return system, ms
}

func (w *writer) newBody(req *codec.Request, system parts, contents [][]byte) []byte {
	model := req.Model
	if model != "" {
		model = "models/" + model
	}
	return jsonedit.Build(
		convert.Optional("model", model),
		jsonedit.Member{Name: "systemInstruction", Value: w.systemInstruction(system)},
		jsonedit.Member{Name: "contents", Value: jsonedit.Join(nil, contents)},
		jsonedit.Member{Name: "tools", Value: newTools(req)},
		jsonedit.Member{Name: "generationConfig", Value: generationConfig(req)})
}

func (w *writer) systemInstruction(system parts) []byte {
	var out [][]byte
	for _, p := range w.parts(message.Message{Role: message.System, Parts: system}) {
		out = append(out, p.raw)
	}
	if out == nil {
		return nil
	}
	return jsonedit.Build(jsonedit.Member{Name: "parts", Value: jsonedit.Join(nil, out)})
}

func generationConfig(req *codec.Request) []byte {
	ms := []jsonedit.Member{
		{Name: "temperature", Value: convert.Number(req.Temperature)},
		convert.Count("maxOutputTokens", req.MaxOutput),
	}
	if f := req.Format; f != nil {
		ms = append(ms, convert.String("responseMimeType", "application/json"),
			jsonedit.Member{Name: "responseJsonSchema", Value: convert.Schema(f.Schema)})
	}
	if config := jsonedit.Build(ms...); len(config) > len("{}") {
		return config
	}
	return nil
}
