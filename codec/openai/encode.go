package openai

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/internal/convert"
	"github.com/seed-3db51b0e/precis/codec/internal/jsonedit"
	"github.com/seed-3db51b0e/precis/message"
)

// Encode implements codec.Codec. A request of another dialect, or one built by
// hand, becomes a new body, its system prompt the first message. In a body of
// this dialect only messages changes.
func (Codec) Encode(req *codec.Request, messages []message.Message) ([]byte, error) {
	spliced := req.Dialect == Name && req.Body != nil
	if spliced && convert.Unchanged(req.Messages, messages) {
		return convert.Splice(req, toolValue), nil
	}
	if !spliced && len(req.System) > 0 {
		system := message.Message{Role: message.System, Parts: req.System}
		messages = slices.Insert(slices.Clone(messages), 0, system)
	}
	elems, err := encode(shape(convert.Unique(messages, native)))
	if err != nil {
		return nil, fmt.Errorf("encode openai request: %w", err)
	}
	if !spliced {
		return newBody(req, elems), nil
	}
	return convert.Splice(req, toolValue, codec.Edit{Name: "messages", With: func(old []byte) [][]byte { return jsonedit.Pieces(old, elems) }}), nil
}

// shape splits and orders messages as the API wants them (WO1): a message for
// each result, right after the calls. Messages of this dialect that keep their
// form are not taken apart.
func shape(ms []message.Message) []message.Message {
	var out []message.Message
	for _, m := range ms {
		if m.Meta {
			continue
		}
		if native(m) && keepsForm(m) {
			out = append(out, m)
			continue
		}
		for _, piece := range split(m) {
			if n := len(out); n > 0 && joins(out[n-1], piece) {
				out[n-1].Parts = append(out[n-1].Parts, piece.Parts...) // what split made
				continue
			}
			out = append(out, piece)
		}
	}
	return resultsFirst(out)
}

// native reports whether a message came as an object of this dialect.
func native(m message.Message) bool { return convert.Native(m, Name) }

// keepsForm reports whether the object of a native message can carry its parts:
// an edit may have turned a result into text, or given it another role.
func keepsForm(m message.Message) bool {
	if !m.Edited {
		return true
	}
	if roleOf(jsonedit.TextOf(jsonedit.Get(m.Raw, "role"))) != m.Role {
		return false
	}
	results := len(m.Results())
	return results == 0 && m.Role != message.Tool || results == 1 && m.Role == message.Tool && len(m.Parts) == 1
}

// split parts a foreign message into one message for each result and one for
// the rest.
func split(m message.Message) []message.Message {
	var out []message.Message
	rest := message.Message{Role: m.Role, Name: m.Name}
	if m.Role == message.Tool {
		rest.Role = message.User
	}
	for _, p := range m.Parts {
		switch {
		case p.Kind == message.Result:
			out = append(out, message.Message{Role: message.Tool, Parts: []message.Part{p}})
		case p.Kind == message.Thinking, p.Kind == message.Text && p.Text == "":
		default:
			rest.Parts = append(rest.Parts, p)
		}
	}
	if len(rest.Parts) > 0 {
		out = append(out, rest)
	}
	return out
}

// joins reports whether b must be one message with a: calls made in several
// messages are answered after the last.
func joins(a, b message.Message) bool {
	return !native(a) && a.Role == message.Assistant && b.Role == message.Assistant && a.Has(message.Call)
}

// resultsFirst moves results up to the calls they follow, also past what the model said
// in between.
func resultsFirst(ms []message.Message) []message.Message {
	for i := 0; i < len(ms); i++ {
		if !ms[i].Has(message.Call) {
			continue
		}
		j, said := i+1, false
		for j < len(ms) && !ms[j].Has(message.Call) && !convert.Whole(ms[j]) {
			said = said || ms[j].Role == message.Assistant
			j++
		}
		called := map[string]bool{}
		for _, at := range ms[i].Calls() {
			called[ms[i].Parts[at].CallID] = true
		}
		convert.MoveFirst(ms[i+1:j], func(m message.Message) bool {
			return m.Role == message.Tool && (!said || answersAny(m, called))
		})
		i = j - 1
	}
	return ms
}

// answersAny reports whether a message holds the result of one of some calls.
func answersAny(m message.Message, called map[string]bool) bool {
	return slices.ContainsFunc(m.Results(), func(at int) bool { return called[m.Parts[at].CallID] })
}

func encode(ms []message.Message) ([][]byte, error) {
	if err := paired(ms); err != nil {
		return nil, err
	}
	w := writer{kept: map[string]bool{}}
	for _, m := range ms {
		if native(m) {
			w.keep(m)
		}
	}
	var out [][]byte
	for _, m := range ms {
		if raw := w.write(m); raw != nil {
			out = append(out, raw)
		}
	}
	if len(out) == 0 {
		return nil, errors.New("no messages")
	}
	return out, nil
}

// paired checks that the messages after a call are its results and nothing
// else is (WO1).
func paired(ms []message.Message) error {
	open := map[string]bool{}
	var unread [][]byte
	for i, m := range ms {
		if m.Fixed() {
			unread = append(unread, m.Raw)
		}
		if convert.Whole(m) {
			continue
		}
		for _, at := range m.Results() {
			id := m.Parts[at].CallID
			if !open[id] && !convert.Names(unread, id) {
				return fmt.Errorf("message %d: result of %q: %w", i, id, codec.ErrUnpaired)
			}
			delete(open, id)
		}
		if m.Role != message.Tool {
			if deleteNamed(open, unread); len(open) > 0 {
				break
			}
		}
		for _, at := range m.Calls() {
			id := m.Parts[at].CallID
			if open[id] {
				return fmt.Errorf("message %d: second call %q: %w", i, id, codec.ErrUnpaired)
			}
			open[id] = true
		}
	}
	if deleteNamed(open, unread); len(open) > 0 {
		return fmt.Errorf("no results of %q: %w", slices.Sorted(maps.Keys(open)), codec.ErrUnpaired)
	}
	return nil
}

// deleteNamed deletes the ids that unread names.
func deleteNamed(open map[string]bool, unread [][]byte) {
	maps.DeleteFunc(open, func(id string, _ bool) bool { return convert.Names(unread, id) })
}

func newBody(req *codec.Request, elems [][]byte) []byte {
	ms := []jsonedit.Member{
		convert.String("model", req.Model),
		{Name: "messages", Value: jsonedit.Join(nil, elems)},
		{Name: "tools", Value: convert.Tools(req, Name, toolValue)},
		{Name: "temperature", Value: convert.Number(req.Temperature)},
		{Name: "response_format", Value: responseFormat(req.Format)},
		convert.Count("max_completion_tokens", req.MaxOutput),
		convert.Flag("stream", req.Stream),
	}
	if req.Stream && req.Body == nil { // else the usage would not be reported
		ms = append(ms, jsonedit.Member{Name: "stream_options", Value: []byte(`{"include_usage":true}`)})
	}
	return jsonedit.Build(ms...)
}

// responseFormat asks for JSON of a schema.
func responseFormat(f *codec.Format) []byte {
	if f == nil {
		return nil
	}
	return jsonedit.Build(convert.Type("json_schema"), jsonedit.Member{Name: "json_schema", Value: jsonedit.Build(
		convert.String("name", toolName(f.Name)),
		jsonedit.Member{Name: "strict", Value: []byte("true")},
		jsonedit.Member{Name: "schema", Value: convert.Schema(f.Schema)})})
}

func toolValue(t codec.Tool) []byte {
	return jsonedit.Build(convert.Type("function"), jsonedit.Member{Name: "function", Value: jsonedit.Build(
		convert.String("name", toolName(t.Name)), convert.Optional("description", t.Description),
		jsonedit.Member{Name: "parameters", Value: convert.Schema(t.Schema)})})
}

func toolName(s string) string { return convert.Fit(s, 64) }
