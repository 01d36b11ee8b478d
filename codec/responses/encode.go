package responses

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/internal/convert"
	"github.com/seed-3db51b0e/precis/codec/internal/jsonedit"
	"github.com/seed-3db51b0e/precis/message"
)

// Encode implements codec.Codec. A request of another dialect, or one built by
// hand, becomes a new body, its system prompt the instructions. In a body of
// this dialect only input changes.
func (Codec) Encode(req *codec.Request, messages []message.Message) ([]byte, error) {
	spliced := req.Dialect == Name && req.Body != nil
	if spliced && convert.Unchanged(req.Messages, messages) {
		return convert.Splice(req, function), nil
	}
	messages = convert.Unique(messages, native)
	w := newWriter(messages)
	for _, m := range messages {
		if !m.Meta {
			w.add(m)
		}
	}
	if w.err != nil {
		return nil, fmt.Errorf("encode responses request: %w", w.err)
	}
	items := dropOrphanReasoning(w.items, boundIDs(req.Messages))
	if err := paired(items, spliced && req.State != ""); err != nil {
		return nil, fmt.Errorf("encode responses request: %w", err)
	}
	if !spliced {
		return newBody(req, bytes.Join(input(nil, items), nil)), nil
	}
	return convert.Splice(req, function, codec.Edit{Name: "input", With: func(old []byte) [][]byte { return input(old, items) }}), nil
}

// native reports whether a message came as an item of this dialect.
func native(m message.Message) bool { return convert.Native(m, Name) }

// input writes the items: as the string it was if nothing else is left.
func input(orig []byte, items []item) [][]byte {
	if len(items) == 1 && len(orig) > 0 && orig[0] == '"' && items[0].str != nil && items[0].role == message.User {
		return [][]byte{items[0].str}
	}
	out := make([][]byte, len(items))
	for i, it := range items {
		out[i] = it.raw
	}
	return jsonedit.Pieces(orig, out)
}

// dropOrphanReasoning drops reasoning that nothing follows any more, and removes the
// id of items whose reasoning is gone: the API looks up the one by the other (WO3).
func dropOrphanReasoning(items []item, bound map[string]bool) []item {
	var out []item
	reasoned, follows := false, followed(items)
	for i, it := range items {
		if it.kind == message.Thinking {
			if !follows[i] {
				continue
			}
			reasoned = true
		} else if it.role != message.Assistant {
			reasoned = false
		} else if !reasoned && it.kind != message.Fixed && len(bound) > 0 && bound[itemID(it.raw)] {
			it.raw = jsonedit.Set(it.raw, jsonedit.Member{Name: "id"})
		}
		out = append(out, it)
	}
	return out
}

// followed reports of each item whether what comes next, but for reasoning, is of a reply.
func followed(items []item) []bool {
	out, reply := make([]bool, len(items)), false
	for i, it := range slices.Backward(items) {
		out[i] = reply
		if it.kind != message.Thinking {
			reply = it.role == message.Assistant
		}
	}
	return out
}

func itemID(raw []byte) string { return jsonedit.TextOf(jsonedit.Get(raw, "id")) }

// boundIDs are the ids of items that reasoning comes before in the same reply.
func boundIDs(ms []message.Message) map[string]bool {
	ids := map[string]bool{}
	reasoned := false
	for _, m := range ms {
		switch {
		case m.Role != message.Assistant:
			reasoned = false
		case m.Has(message.Thinking):
			reasoned = true
		case reasoned && m.Dialect == Name:
			if id := itemID(m.Raw); id != "" {
				ids[id] = true
			}
		}
	}
	return ids
}

var async = []byte(`"async"`)

// paired checks that every call has one output after it, and every output a
// call (WO2).
func paired(items []item, stateful bool) error {
	open := map[string]bool{}
	var unread [][]byte
	for i, it := range items {
		switch it.kind {
		case message.Fixed:
			unread = append(unread, it.raw)
		case message.Call:
			if bytes.Contains(it.raw, async) && jsonedit.True(jsonedit.Get(it.raw, "async")) {
				stateful = true // may be answered later, or not at all
				continue
			}
			if open[it.id] {
				return fmt.Errorf("item %d: second call %q: %w", i, it.id, codec.ErrUnpaired)
			}
			open[it.id] = true
		case message.Result:
			if !open[it.id] && !stateful && !convert.Names(unread, it.id) {
				return fmt.Errorf("item %d: output of %q: %w", i, it.id, codec.ErrUnpaired)
			}
			delete(open, it.id)
		}
	}
	maps.DeleteFunc(open, func(id string, _ bool) bool { return convert.Names(unread, id) })
	if len(open) > 0 {
		return fmt.Errorf("no outputs of %q: %w", slices.Sorted(maps.Keys(open)), codec.ErrUnpaired)
	}
	return nil
}

func newBody(req *codec.Request, input []byte) []byte {
	return jsonedit.Build(
		convert.Optional("model", req.Model),
		convert.Optional("instructions", instructions(req.System)),
		jsonedit.Member{Name: "input", Value: input},
		jsonedit.Member{Name: "tools", Value: convert.Tools(req, Name, function)},
		convert.Count("max_output_tokens", req.MaxOutput),
		convert.Flag("stream", req.Stream),
		jsonedit.Member{Name: "temperature", Value: convert.Number(req.Temperature)},
		jsonedit.Member{Name: "text", Value: textFormat(req.Format)})
}

// textFormat asks for JSON of a schema.
func textFormat(f *codec.Format) []byte {
	if f == nil {
		return nil
	}
	return jsonedit.Build(jsonedit.Member{Name: "format", Value: jsonedit.Build(
		convert.Type("json_schema"),
		convert.String("name", toolName(f.Name)),
		jsonedit.Member{Name: "strict", Value: []byte("true")},
		jsonedit.Member{Name: "schema", Value: convert.Schema(f.Schema)})})
}

func instructions(system []message.Part) string {
	var b strings.Builder
	for _, p := range system {
		if b.Len() > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString(convert.Readable(p))
	}
	return b.String()
}

func toolName(s string) string { return convert.Fit(s, 64) }
