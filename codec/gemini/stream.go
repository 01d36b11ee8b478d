package gemini

import (
	"bytes"
	"fmt"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/internal/convert"
	"github.com/seed-3db51b0e/precis/codec/internal/jsonedit"
	"github.com/seed-3db51b0e/precis/message"
)

// Stream implements codec.Replier.
func (Codec) Stream() codec.Assembler { return &assembler{} }

// assembler follows chunks, each an answer with further parts.
type assembler struct {
	answer reply
	parts  []growing
}

// growing is a part that is still streamed. Only one that is plain grows.
type growing struct {
	*convert.Growing
	kind  message.Kind
	plain bool
}

// Event implements codec.Assembler. A chunk may be an array of one error.
func (a *assembler) Event(name string, data []byte) error {
	if !jsonedit.IsObject(data) {
		if es := jsonedit.Elements(data); len(es) == 0 || !jsonedit.IsObject(es[0]) {
			return fmt.Errorf("read gemini event %q: %w", name, codec.ErrMalformed)
		}
	}
	if f := codec.ReadFailure(0, data); f != nil {
		return f
	}
	for _, m := range jsonedit.Members(bytes.Clone(data)) {
		if camel([]byte(m.Name)) == "usageMetadata" && a.answer.usage != nil {
			a.answer.usage = jsonedit.Set(a.answer.usage, jsonedit.Members(m.Value)...)
			continue
		}
		a.answer.content = nil
		a.answer.set(m.Name, m.Value)
		for _, p := range jsonedit.Elements(get(a.answer.content, "parts")) {
			a.add(p)
		}
	}
	return nil
}

// add adds a part: text to the text before it, where neither is signed (WG36). An empty
// text says nothing without a signature (WG22).
func (a *assembler) add(raw []byte) {
	p := readPart(raw)
	if p.Kind == message.Text && p.Text == "" && p.Signature == "" {
		return
	}
	next := growing{Growing: convert.Grow(raw), kind: p.Kind, plain: plain(raw)}
	if n := len(a.parts); n > 0 && next.plain && a.parts[n-1].plain && a.parts[n-1].kind == p.Kind {
		a.parts[n-1].Text("text", p.Text)
		return
	}
	a.parts = append(a.parts, next)
}

// plain reports whether a part is text, or a thought, and nothing besides.
func plain(raw []byte) bool {
	isText := false
	for _, m := range jsonedit.Members(raw) {
		switch m.Name {
		case "text":
			_, isText = jsonedit.Text(m.Value)
		case "thought":
		default:
			return false
		}
	}
	return isText
}

// Reply implements codec.Assembler. A stream has come to its end when it gave a reason
// for that; nothing else says so.
func (a *assembler) Reply() (*codec.Reply, error) {
	an := a.answer
	raw := make([][]byte, len(a.parts))
	for i := range a.parts {
		raw[i] = a.parts[i].JSON()
	}
	an.content = jsonedit.Build(convert.String("role", "model"), jsonedit.Member{Name: "parts", Value: jsonedit.Join(nil, raw)})
	r, err := an.reply()
	if err != nil {
		return nil, err
	}
	if an.finish == nil && an.blocked == nil {
		r.Stop, r.Reason = "", ""
		return r, fmt.Errorf("read gemini stream: %w", codec.ErrCut)
	}
	return r, nil
}
