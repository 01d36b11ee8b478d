package responses

import (
	"fmt"
	"strings"

	"github.com/seed-3db51b0e/precis/codec/internal/convert"
	"github.com/seed-3db51b0e/precis/codec/internal/jsonedit"
	"github.com/seed-3db51b0e/precis/message"
)

// maxID is the longest call id the API takes.
const maxID = 64

// item is one input item, ready to be written.
type item struct {
	role message.Role
	kind message.Kind // Text for messages
	id   string       // of a call or output, as written
	raw  []byte
	str  []byte // a message's text as a JSON string, if it is nothing else
}

// writer turns messages into items.
type writer struct {
	kept  map[string]bool   // call ids of this dialect, left as they are
	calls map[string][]byte // calls of this dialect by id
	items []item
	err   error
}

func newWriter(ms []message.Message) *writer {
	w := &writer{kept: map[string]bool{}, calls: map[string][]byte{}}
	for _, m := range ms {
		for _, p := range m.Parts {
			if p.CallID == "" || !own(p) {
				continue
			}
			w.kept[p.CallID] = true
			if p.Kind == message.Call {
				w.calls[p.CallID] = p.Raw
			}
		}
	}
	return w
}

func own(p message.Part) bool { return convert.Own(p, Name) }

func itemType(raw []byte) string { return jsonedit.TextOf(jsonedit.Get(raw, "type")) }

func (w *writer) id(s string) string {
	if !w.kept[s] && (s == "" || len(s) > maxID) {
		return convert.Fit(s, maxID)
	}
	return s
}

func (w *writer) add(m message.Message) {
	switch {
	case !native(m):
		w.build(m)
	case !m.Edited:
		w.copy(m)
	default:
		w.splice(m)
	}
}

// copy takes an item as it came. The string that a whole input may be becomes
// a message among others.
func (w *writer) copy(m message.Message) {
	it := item{role: m.Role, kind: message.Text, raw: m.Raw}
	if m.Raw[0] == '"' {
		it.str, it.raw = m.Raw, textMessage(message.User, m.Raw)
	} else if len(m.Parts) == 1 && string(m.Parts[0].Raw) == string(m.Raw) {
		it.kind, it.id = m.Parts[0].Kind, m.Parts[0].CallID
	}
	w.items = append(w.items, it)
}

func textMessage(role message.Role, str []byte) []byte {
	return jsonedit.Build(convert.String("role", string(role)), jsonedit.Member{Name: "content", Value: str})
}

// splice writes an edited item of this dialect with all of its members that
// did not change. One whose kind or role changed is built anew.
func (w *writer) splice(m message.Message) {
	old, err := ParseItem(m.Raw)
	if err != nil || old.Role != m.Role || m.Raw[0] != '{' {
		w.build(m)
		return
	}
	single := len(old.Parts) == 1 && string(old.Parts[0].Raw) == string(m.Raw)
	if single || m.Has(message.Call) || m.Has(message.Result) {
		w.build(m)
		return
	}
	content := jsonedit.Get(m.Raw, "content")
	v := messageContent(content, m.Parts, m.Role)
	if v == nil {
		return
	}
	w.items = append(w.items, item{
		role: m.Role, kind: message.Text,
		raw: jsonedit.Set(m.Raw, jsonedit.Member{Name: "content", Value: v}),
	})
}

// build writes the items of a message: one for each call, result and thought,
// and one for what is said between them.
func (w *writer) build(m message.Message) {
	role := m.Role
	if role == message.Tool {
		role = message.User
	}
	var said []message.Part
	flush := func() {
		w.addMessage(role, said)
		said = nil
	}
	for _, p := range m.Parts {
		if isContent(p) {
			said = append(said, p)
			if role == message.Assistant { // the short form of a reply holds one text
				flush()
			}
			continue
		}
		flush()
		w.part(p)
	}
	flush()
}

// isContent reports whether a part belongs into a message's content, not into an
// item of its own.
func isContent(p message.Part) bool {
	switch p.Kind {
	case message.Text, message.Media:
		return true
	case message.Opaque, message.Fixed:
		t := itemType(p.Raw)
		return p.Dialect != Name || p.Edited || t == "refusal" || strings.HasPrefix(t, "input_") || strings.HasPrefix(t, "output_")
	}
	return false
}

func (w *writer) addMessage(role message.Role, parts []message.Part) {
	v := messageContent(nil, parts, role)
	if v == nil {
		return
	}
	it := item{role: role, kind: message.Text, raw: textMessage(role, v)}
	if v[0] == '"' {
		it.str = v
	}
	w.items = append(w.items, it)
}

// part writes a part that is an item of its own.
func (w *writer) part(p message.Part) {
	it := item{role: message.Assistant, kind: p.Kind, raw: p.Raw, id: w.id(p.CallID)}
	switch p.Kind {
	case message.Thinking:
		if !own(p) || p.Edited {
			return
		}
	case message.Call:
		if !own(p) {
			it.raw = w.buildCall(p)
		} else if p.Edited {
			it.raw = w.spliceCall(p)
		}
	case message.Result:
		it.role = message.Tool
		if !own(p) {
			it.raw = w.buildOutput(p)
		} else if p.Edited {
			it.raw = w.spliceOutput(p)
		}
	}
	w.items = append(w.items, it)
}

func (w *writer) buildCall(p message.Part) []byte {
	args := p.Args
	if args == "" {
		args = "{}"
	}
	return jsonedit.Build(convert.Type("function_call"), w.callID(p),
		convert.String("name", toolName(p.Name)),
		convert.String("arguments", args))
}

func (w *writer) callID(p message.Part) jsonedit.Member {
	return convert.String("call_id", w.id(p.CallID))
}

func (w *writer) spliceCall(p message.Part) []byte {
	old, err := ParseItem(p.Raw)
	if err != nil || len(old.Parts) != 1 || old.Parts[0].Kind != message.Call {
		return w.buildCall(p)
	}
	was := old.Parts[0]
	var es []jsonedit.Member
	if was.CallID != p.CallID {
		es = append(es, w.callID(p))
	}
	if was.Name != p.Name && jsonedit.Get(p.Raw, "name") != nil {
		es = append(es, convert.String("name", p.Name))
	}
	if was.Args != p.Args {
		es = append(es, arguments(p))
	}
	return jsonedit.Set(p.Raw, es...)
}

// arguments is the member that holds a call's arguments: text, but for the
// calls of built-in tools, which hold an object.
func arguments(p message.Part) jsonedit.Member {
	for _, m := range jsonedit.Members(p.Raw) {
		if jsonedit.IsNull(m.Value) {
			continue
		}
		switch m.Name {
		case "arguments":
			return convert.String(m.Name, p.Args)
		case "input":
			return convert.String(m.Name, convert.FreeText(p.Args))
		case "action", "operation":
			return jsonedit.Member{Name: m.Name, Value: convert.Arguments(p.Args)}
		case "actions":
			if args := []byte(p.Args); jsonedit.Elements(args) != nil {
				m.Value = args
			}
			return m
		}
	}
	return convert.String("arguments", p.Args)
}

func (w *writer) buildOutput(p message.Part) []byte {
	kind := "function_call_output"
	if raw := w.calls[p.CallID]; raw != nil {
		kind = outputOf(itemType(raw))
	}
	ms := []jsonedit.Member{convert.Type(kind), w.outputID(p, kind)}
	if kind == "apply_patch_call_output" { // demands one; that nobody saw it applied is no success
		ms = append(ms, convert.String("status", "failed"))
	}
	return jsonedit.Build(append(ms, jsonedit.Member{Name: "output", Value: w.output(kind, nil, p.Parts)})...)
}

// outputID is the member of an output that names its call.
func (w *writer) outputID(p message.Part, kind string) jsonedit.Member {
	m := w.callID(p)
	if kind == "local_shell_call_output" && (!own(p) || jsonedit.IsNull(jsonedit.Get(p.Raw, m.Name))) {
		m.Name = "id"
	}
	return m
}

func (w *writer) spliceOutput(p message.Part) []byte {
	old, err := ParseItem(p.Raw)
	if err != nil || len(old.Parts) != 1 || old.Parts[0].Kind != message.Result {
		return w.buildOutput(p)
	}
	was := old.Parts[0]
	var es []jsonedit.Member
	if was.CallID != p.CallID {
		es = append(es, w.outputID(p, itemType(p.Raw)))
	}
	if !convert.SameParts(was.Parts, p.Parts) {
		v := w.output(itemType(p.Raw), jsonedit.Get(p.Raw, "output"), p.Parts)
		es = append(es, jsonedit.Member{Name: "output", Value: v})
	}
	return jsonedit.Set(p.Raw, es...)
}

// output writes what an output says in the form its type has.
func (w *writer) output(kind string, orig []byte, parts []message.Part) []byte {
	text := func() []byte {
		return jsonedit.Quote(message.Part{Kind: message.Result, Parts: textOnly(parts)}.Body())
	}
	switch kind {
	case "function_call_output", "custom_tool_call_output":
		if v := messageContent(orig, parts, message.User); v != nil {
			return v
		}
		return []byte(`""`)
	case "local_shell_call_output", "apply_patch_call_output":
		return text()
	case "shell_call_output":
		return jsonedit.Join(orig, [][]byte{jsonedit.Build(
			jsonedit.Member{Name: "stdout", Value: text()},
			jsonedit.Member{Name: "stderr", Value: []byte(`""`)},
			jsonedit.Member{Name: "outcome", Value: outcome(orig)})})
	}
	w.err = fmt.Errorf("write %s: no form for text", kind)
	return nil
}

// outcome is how the commands of a shell call ended: the last that did not succeed tells
// it for all.
func outcome(output []byte) []byte {
	all := []byte(`{"type":"exit","exit_code":0}`)
	for _, e := range jsonedit.Elements(output) {
		o := jsonedit.Get(e, "outcome")
		if kind := itemType(o); kind != "" && (kind != "exit" || string(jsonedit.Get(o, "exit_code")) != "0") {
			all = o
		}
	}
	return all
}

func textOnly(parts []message.Part) []message.Part {
	out := make([]message.Part, len(parts))
	for i, p := range parts {
		out[i] = message.Part{Kind: message.Text, Text: convert.Readable(p)}
	}
	return out
}
