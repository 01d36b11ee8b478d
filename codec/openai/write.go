package openai

import (
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/codec/internal/convert"
	"github.com/seed-3db51b0e/precis/codec/internal/jsonedit"
	"github.com/seed-3db51b0e/precis/message"
)

// maxID is the longest call id the API takes.
const maxID = 40

// writer writes messages. Ids that messages of this dialect carry are kept,
// whatever their form.
type writer struct{ kept map[string]bool }

func (w writer) keep(m message.Message) {
	for _, p := range m.Parts {
		if p.CallID != "" && (p.Kind == message.Result || own(p)) {
			w.kept[p.CallID] = true
		}
	}
}

func (w writer) id(s string) []byte {
	if !w.kept[s] && (s == "" || len(s) > maxID) {
		s = convert.Fit(s, maxID)
	}
	return jsonedit.Quote(s)
}

func own(p message.Part) bool { return convert.Own(p, Name) }

// write makes a message's JSON; nil if nothing is left of it.
func (w writer) write(m message.Message) []byte {
	switch {
	case native(m) && !m.Edited:
		return m.Raw
	case native(m) && m.Role == message.Tool:
		return w.spliceResult(m)
	case native(m):
		return w.splice(m)
	case m.Role == message.Tool:
		return w.buildResult(m.Parts[0])
	}
	return w.build(m)
}

func (w writer) spliceResult(m message.Message) []byte {
	old, err := ParseMessage(m.Raw)
	if err != nil {
		return m.Raw
	}
	was, is := old.Parts[0], m.Parts[0]
	var es []jsonedit.Member
	if was.CallID != is.CallID {
		es = append(es, jsonedit.Member{Name: "tool_call_id", Value: w.id(is.CallID)})
	}
	if !convert.SameParts(was.Parts, is.Parts) {
		v := content(jsonedit.Get(m.Raw, "content"), is.Parts, message.Tool)
		es = append(es, jsonedit.Member{Name: "content", Value: orEmpty(v)})
	}
	return jsonedit.Set(m.Raw, es...)
}

func (w writer) buildResult(p message.Part) []byte {
	return jsonedit.Build(convert.String("role", "tool"),
		jsonedit.Member{Name: "tool_call_id", Value: w.id(p.CallID)},
		jsonedit.Member{Name: "content", Value: orEmpty(content(nil, p.Parts, message.Tool))})
}

func orEmpty(v []byte) []byte {
	if v == nil {
		return []byte(`""`)
	}
	return v
}

// build writes a message that is not of this dialect.
func (w writer) build(m message.Message) []byte {
	text, calls := splitCalls(m.Parts, nil)
	c, list := content(nil, text, m.Role), w.calls(nil, calls)
	if c == nil && list == nil {
		return nil
	}
	if c == nil {
		c = []byte("null")
	}
	return jsonedit.Build(convert.String("role", string(m.Role)), convert.Optional("name", m.Name),
		jsonedit.Member{Name: "content", Value: c}, jsonedit.Member{Name: "tool_calls", Value: list})
}

// splice writes an edited message of this dialect with all of its members that
// did not change; nil if nothing is left of it.
func (w writer) splice(m message.Message) []byte {
	oldContent, oldCalls := jsonedit.Get(m.Raw, "content"), jsonedit.Get(m.Raw, "tool_calls")
	parts, es, otherLeft := withoutMembers(m)
	was := parsed(oldCalls, call)
	text, calls := splitCalls(parts, notCalls(was))
	list := w.calls(oldCalls, calls)
	if !convert.SameParts(was, calls) {
		es = append(es, jsonedit.Member{Name: "tool_calls", Value: list})
	}
	if !convert.SameParts(parsed(oldContent, block), text) {
		c := content(oldContent, text, m.Role)
		if c == nil && list == nil && !otherLeft {
			return nil
		} else if c == nil {
			c = []byte("null")
		}
		es = append(es, jsonedit.Member{Name: "content", Value: c})
	}
	return jsonedit.Set(m.Raw, es...)
}

// withoutMembers returns the parts that content and tool_calls hold, edits that remove
// the members whose parts are gone, and whether a member other than reasoning is left.
func withoutMembers(m message.Message) (parts []message.Part, es []jsonedit.Member, otherLeft bool) {
	parts = slices.Clone(m.Parts)
	for _, mem := range jsonedit.Members(m.Raw) {
		p, ok := memberPart(mem.Name, mem.Value)
		if !ok {
			continue
		}
		at := slices.IndexFunc(parts, func(q message.Part) bool { return !q.Edited && convert.Same(p, q) })
		if at < 0 {
			es = append(es, jsonedit.Member{Name: mem.Name})
			continue
		}
		parts = slices.Delete(parts, at, at+1)
		otherLeft = otherLeft || p.Kind != message.Thinking
	}
	return parts, es, otherLeft
}

// parsed reads a member that was found valid before.
func parsed(raw []byte, part func([]byte) message.Part) []message.Part {
	if len(raw) == 0 {
		return nil
	}
	ps, err := convert.Content(jsonedit.NewReader(raw), Name, part)
	if err != nil {
		return nil
	}
	return ps
}

// notCalls are the elements of tool_calls that are no calls.
func notCalls(calls []message.Part) map[string]bool {
	set := map[string]bool{}
	for _, p := range calls {
		if p.Kind != message.Call {
			set[string(p.Raw)] = true
		}
	}
	return set
}

// splitCalls parts content from calls; odd are those of the calls that are none.
func splitCalls(parts []message.Part, odd map[string]bool) (text, calls []message.Part) {
	for _, p := range parts {
		switch {
		case p.Kind == message.Call || (p.Kind == message.Opaque || p.Kind == message.Fixed) && odd[string(p.Raw)]:
			calls = append(calls, p)
		case p.Kind != message.Thinking:
			text = append(text, p)
		}
	}
	return text, calls
}

// calls writes tool_calls, spaced like orig; nil if there are none.
func (w writer) calls(orig []byte, calls []message.Part) []byte {
	if len(calls) == 0 {
		return nil
	}
	out := make([][]byte, len(calls))
	for i, p := range calls {
		switch {
		case own(p) && !p.Edited:
			out[i] = p.Raw
		case own(p):
			out[i] = w.spliceCall(p)
		default:
			out[i] = w.buildCall(p)
		}
	}
	return jsonedit.Join(orig, out)
}

func (w writer) buildCall(p message.Part) []byte {
	args := p.Args
	if args == "" {
		args = "{}"
	}
	return jsonedit.Build(
		jsonedit.Member{Name: "id", Value: w.id(p.CallID)}, convert.Type("function"),
		jsonedit.Member{Name: "function", Value: jsonedit.Build(
			convert.String("name", toolName(p.Name)),
			convert.String("arguments", args))})
}

func (w writer) spliceCall(p message.Part) []byte {
	old := call(p.Raw)
	if old.Kind != message.Call || p.Kind != message.Call {
		return w.buildCall(p)
	}
	kind, args := "function", convert.String("arguments", p.Args)
	if jsonedit.IsNull(jsonedit.Get(p.Raw, kind)) {
		kind, args = "custom", convert.String("input", convert.FreeText(p.Args))
	}
	var es, inner []jsonedit.Member
	if old.Args != p.Args {
		inner = append(inner, args)
	}
	if old.Name != p.Name {
		inner = append(inner, convert.String("name", p.Name))
	}
	if len(inner) > 0 {
		es = append(es, jsonedit.Member{Name: kind, Value: jsonedit.Set(jsonedit.Get(p.Raw, kind), inner...)})
	}
	if old.CallID != p.CallID {
		es = append(es, jsonedit.Member{Name: "id", Value: w.id(p.CallID)})
	}
	return jsonedit.Set(p.Raw, es...)
}

// content writes what a message says, spaced like orig; nil if nothing.
func content(orig []byte, parts []message.Part, role message.Role) []byte {
	f := convert.Form{Dialect: Name, Text: "text", Read: block}
	if role == message.User {
		f.Media = mediaBlock
	}
	return f.Content(orig, parts)
}

// mediaBlock writes an image, a sound or a document; nil if the API has no
// form for it.
func mediaBlock(p message.Part) []byte {
	b, ok := convert.Read(p.Raw)
	format, audio := strings.CutPrefix(b.MediaType, "audio/")
	switch {
	case !ok:
		return nil
	case strings.HasPrefix(b.MediaType, "image/"):
		return wrap("image_url", convert.String("url", b.DataURL()))
	case b.URL != "":
		return nil
	case audio:
		return wrap("input_audio",
			convert.String("data", b.Data),
			convert.String("format", format))
	case b.MediaType == convert.PDF:
		return wrap("file",
			convert.String("filename", b.FileName()),
			convert.String("file_data", b.DataURL()))
	}
	text, ok := b.Text()
	if !ok || !strings.HasPrefix(b.MediaType, "text/") {
		return nil
	}
	return jsonedit.Build(convert.Type("text"), convert.String("text", text))
}

func wrap(kind string, ms ...jsonedit.Member) []byte {
	return jsonedit.Build(convert.Type(kind), jsonedit.Member{Name: kind, Value: jsonedit.Build(ms...)})
}
