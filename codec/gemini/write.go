package gemini

import (
	"encoding/json"
	"strings"

	"github.com/seed-3db51b0e/precis/codec/internal/convert"
	"github.com/seed-3db51b0e/precis/codec/internal/jsonedit"
	"github.com/seed-3db51b0e/precis/message"
)

// writer turns messages into contents.
type writer struct {
	model string
	names map[string]string // of calls by id, as they are written
}

func newWriter(model string, ms []message.Message) *writer {
	w := &writer{model: model, names: map[string]string{}}
	for _, m := range ms {
		for _, p := range m.Parts {
			if p.Kind == message.Call {
				w.names[p.CallID] = callName(p)
			}
		}
	}
	return w
}

func own(p message.Part) bool { return convert.Own(p, Name) }

// callName is the name of a call as it is written.
func callName(p message.Part) string {
	if own(p) && readPart(p.Raw).Name == p.Name {
		return p.Name
	}
	return toolName(p.Name)
}

// toolName maps a name to those the API takes, which begin with a letter.
func toolName(s string) string {
	if s == "" || strings.Contains("0123456789-", s[:1]) {
		s = "_" + s
	}
	return convert.Fit(s, 64)
}

// parts writes the parts of a message, without those that may not be sent: empty text
// (WG11) and thoughts of others.
func (w *writer) parts(m message.Message) []written {
	out := make([]written, 0, len(m.Parts))
	for _, p := range m.Parts {
		v := written{kind: p.Kind, id: p.CallID, built: !own(p)}
		switch {
		case own(p) && !p.Edited:
			v.raw = p.Raw
		case own(p):
			v.raw = w.splice(p)
		default:
			v.raw = w.build(p)
		}
		if v.raw != nil && !blank(p) {
			out = append(out, v)
		}
	}
	return out
}

// blank reports whether a part says nothing. A signature in an empty text says something
// (WG22).
func blank(p message.Part) bool {
	return p.Kind == message.Text && p.Text == "" && p.Signature == ""
}

// splice writes an edited part of this dialect with all of its members that did not
// change, its signature among them.
func (w *writer) splice(p message.Part) []byte {
	old := readPart(p.Raw)
	if old.Kind != p.Kind {
		return w.build(p)
	}
	switch p.Kind {
	case message.Text:
		if old.Text == p.Text {
			return p.Raw
		}
		return jsonedit.Set(p.Raw, convert.String("text", p.Text))
	case message.Call:
		return inside(p.Raw, "functionCall", func(c []byte) []byte {
			var es []jsonedit.Member
			if get(c, "id") != nil && jsonedit.TextOf(get(c, "id")) != p.CallID {
				es = append(es, convert.String("id", p.CallID))
			}
			if old.Name != p.Name {
				es = append(es, convert.String("name", toolName(p.Name)))
			}
			if old.Args != p.Args {
				es = append(es, jsonedit.Member{Name: "args", Value: convert.Arguments(p.Args)})
			}
			return jsonedit.Set(c, es...)
		})
	case message.Result:
		return inside(p.Raw, "functionResponse", func(r []byte) []byte { return w.spliceResult(r, old, p) })
	case message.Thinking: // it is copied or not sent at all
		return nil
	}
	return w.build(p)
}

// inside edits the value of a member of an object.
func inside(raw []byte, name string, edit func([]byte) []byte) []byte {
	return jsonedit.Replace(raw, spelling(raw, name), edit)
}

func (w *writer) spliceResult(r []byte, old, p message.Part) []byte {
	var es []jsonedit.Member
	if id := jsonedit.TextOf(get(r, "id")); id != "" && id != p.CallID && !message.IsDerivedID(p.CallID) {
		es = append(es, convert.String("id", p.CallID))
	}
	if old.Failed != p.Failed || !convert.SameParts(old.Parts, p.Parts) {
		es = append(es, jsonedit.Member{Name: "response", Value: w.response(answerOf(get(r, "response")), p)},
			jsonedit.Member{Name: spelling(r, "parts"), Value: w.media(p)})
	}
	return jsonedit.Set(r, es...)
}

// build writes a part that has no JSON of this dialect; nil if it may not be sent.
func (w *writer) build(p message.Part) []byte {
	switch p.Kind {
	case message.Text:
		return text(p.Text)
	case message.Thinking:
		return nil
	case message.Call:
		return jsonedit.Build(jsonedit.Member{Name: "functionCall", Value: jsonedit.Build(
			callID(p),
			convert.String("name", toolName(p.Name)),
			jsonedit.Member{Name: "args", Value: convert.Arguments(p.Args)})})
	case message.Result:
		name := w.names[p.CallID]
		if name == "" {
			name = toolName(p.Name)
		}
		return jsonedit.Build(jsonedit.Member{Name: "functionResponse", Value: jsonedit.Build(
			callID(p),
			convert.String("name", name),
			jsonedit.Member{Name: "response", Value: w.response(answer{}, p)},
			jsonedit.Member{Name: "parts", Value: w.media(p)})})
	case message.Media:
		if raw := blob(p); raw != nil {
			return raw
		}
	}
	return text(convert.Placeholder(p))
}

func text(s string) []byte { return jsonedit.Build(convert.String("text", s)) }

// callID is the id of a call or a result, left out where the call has none (WG15).
func callID(p message.Part) jsonedit.Member {
	if message.IsDerivedID(p.CallID) {
		return jsonedit.Member{Name: "id"}
	}
	return convert.Optional("id", p.CallID)
}

// response wraps what a tool answered in an object (WG13), the one it was in if that
// still fits.
func (w *writer) response(was answer, p message.Part) []byte {
	body, said := w.said(p)
	isText := len(was.value) == 0 || was.value[0] == '"'
	key := was.key
	switch {
	case p.Failed:
		key = "error"
	case key == "" && !isText && jsonedit.IsObject([]byte(body)):
		return []byte(body)
	case key == "" || key == "error":
		key = "output"
	}
	switch {
	case !said && !p.Failed:
		return []byte("{}")
	case key == was.key && !isText && isJSON(body):
		return jsonedit.Build(jsonedit.Member{Name: key, Value: []byte(body)})
	}
	return jsonedit.Build(convert.String(key, body))
}

// isJSON reports whether a text is an object or an array.
func isJSON(s string) bool {
	return jsonedit.IsObject([]byte(s)) || strings.HasPrefix(s, "[") && json.Valid([]byte(s))
}

// said is the text of a result, false if there is none.
func (w *writer) said(p message.Part) (string, bool) {
	var lines []string
	for _, q := range p.Parts {
		if q.Kind != message.Media || w.beside(q) == nil {
			lines = append(lines, convert.Readable(q))
		}
	}
	return strings.Join(lines, "\n"), len(lines) > 0
}

// media writes the images and files of a result, nil if there are none.
func (w *writer) media(p message.Part) []byte {
	var out [][]byte
	for _, q := range p.Parts {
		if raw := w.beside(q); q.Kind == message.Media && raw != nil {
			out = append(out, raw)
		}
	}
	if out == nil {
		return nil
	}
	return jsonedit.Join(nil, out)
}

// beside writes an image or a file of a result; nil if it has no form there.
func (w *writer) beside(p message.Part) []byte {
	switch {
	case own(p) && !p.Edited:
		return p.Raw
	case !signs(w.model):
		return nil
	}
	return blob(p)
}

// blob writes an image or a file; nil if the API has no form for it.
func blob(p message.Part) []byte {
	b, ok := convert.Read(p.Raw)
	if !ok || b.MediaType == "" || strings.Contains(b.MediaType, "*") {
		return nil
	}
	kind := convert.String("mimeType", b.MediaType)
	if b.URL != "" {
		return jsonedit.Build(jsonedit.Member{Name: "fileData", Value: jsonedit.Build(kind, convert.String("fileUri", b.URL))})
	}
	_, data, _ := strings.Cut(b.DataURL(), ",")
	return jsonedit.Build(jsonedit.Member{Name: "inlineData", Value: jsonedit.Build(kind, convert.String("data", data))})
}
