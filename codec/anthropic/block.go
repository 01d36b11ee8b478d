package anthropic

import (
	"math"
	"strings"

	"github.com/seed-3db51b0e/precis/codec/internal/convert"
	"github.com/seed-3db51b0e/precis/codec/internal/jsonedit"
	"github.com/seed-3db51b0e/precis/message"
)

// block is one content block, ready to be written.
type block struct {
	kind message.Kind
	id   string // of a call or result, as written
	raw  []byte
	str  []byte // a text's JSON string, if the text has no block of its own
}

func raws(bs []block) [][]byte {
	out := make([][]byte, len(bs))
	for i, b := range bs {
		out[i] = b.raw
	}
	return out
}

// blocks writes the parts of a message, without those that may not be sent:
// blank text (WA3) and foreign thinking.
func blocks(m message.Message) []block {
	bs := make([]block, 0, len(m.Parts))
	for _, p := range m.Parts {
		b := block{kind: p.Kind, id: callID(p)}
		if p.Kind == message.Text && len(p.Raw) == 0 {
			b.str = plainText(m, p)
			b.raw = textBlock(b.str)
		} else {
			b.raw = encode(p, m.Role == message.User || m.Role == message.Tool)
		}
		if b.raw != nil && !blank(p) {
			bs = append(bs, b)
		}
	}
	return bs
}

// plainText is a text's JSON string: its own bytes if they are at hand.
func plainText(m message.Message, p message.Part) []byte {
	if m.Dialect == Name && !m.Edited && !p.Edited {
		if raw := jsonedit.Get(m.Raw, "content"); len(raw) > 0 && raw[0] == '"' {
			return raw
		}
	}
	return jsonedit.Quote(p.Text)
}

func textBlock(str []byte) []byte {
	return jsonedit.Build(convert.Type("text"), jsonedit.Member{Name: "text", Value: str})
}

func blank(p message.Part) bool {
	return p.Kind == message.Text && strings.TrimSpace(p.Text) == ""
}

// callID is the id of a call or result in the form the API takes.
func callID(p message.Part) string {
	if p.Kind != message.Call && p.Kind != message.Result {
		return ""
	}
	return convert.Fit(p.CallID, math.MaxInt)
}

func own(p message.Part) bool { return convert.Own(p, Name) }

// encode writes a part; nil if it may not be sent. media reports whether images
// may stand here.
func encode(p message.Part, media bool) []byte {
	switch {
	case own(p) && !p.Edited && (callID(p) == "" || callID(p) == p.CallID):
		return p.Raw
	case own(p):
		return splice(p, media)
	}
	return build(p, media)
}

// splice writes an edited part of this dialect with all of its members that
// did not change.
func splice(p message.Part, media bool) []byte {
	old, err := readBlock(jsonedit.NewReader(p.Raw))
	if err != nil || old.Kind != p.Kind {
		return build(p, media)
	}
	var es []jsonedit.Member
	set := func(changed bool, name string, v []byte) {
		if changed {
			es = append(es, jsonedit.Member{Name: name, Value: v})
		}
	}
	id := callID(p)
	switch p.Kind {
	case message.Text:
		set(old.Text != p.Text, "text", jsonedit.Quote(p.Text))
	case message.Call:
		set(old.CallID != id, "id", jsonedit.Quote(id))
		set(old.Name != p.Name, "name", jsonedit.Quote(toolName(p.Name)))
		set(old.Args != p.Args, "input", convert.Arguments(p.Args))
	case message.Result:
		set(old.CallID != id, "tool_use_id", jsonedit.Quote(id))
		set(old.Failed != p.Failed, "is_error", failed(p))
		if !convert.SameParts(old.Parts, p.Parts) {
			set(true, "content", resultContent(jsonedit.Get(p.Raw, "content"), p.Parts))
		}
	default: // thinking is copied or not sent at all (WT1)
		if p.Kind != message.Thinking {
			return build(p, media)
		}
		return nil
	}
	return jsonedit.Set(p.Raw, es...)
}

func failed(p message.Part) []byte {
	if p.Failed {
		return []byte("true")
	}
	return nil
}

// build writes a part that has no block of this dialect.
func build(p message.Part, media bool) []byte {
	switch p.Kind {
	case message.Text:
		return textBlock(jsonedit.Quote(p.Text))
	case message.Thinking:
		return thinking(p)
	case message.Call:
		return jsonedit.Build(convert.Type("tool_use"),
			convert.String("id", callID(p)),
			convert.String("name", toolName(p.Name)),
			jsonedit.Member{Name: "input", Value: convert.Arguments(p.Args)})
	case message.Result:
		return jsonedit.Build(convert.Type("tool_result"),
			convert.String("tool_use_id", callID(p)),
			jsonedit.Member{Name: "content", Value: resultContent(nil, p.Parts)},
			jsonedit.Member{Name: "is_error", Value: failed(p)})
	case message.Media:
		if raw := mediaBlock(p); raw != nil && media {
			return raw
		}
	}
	return textBlock(jsonedit.Quote(convert.Placeholder(p)))
}

func thinking(p message.Part) []byte {
	if p.Dialect != Name || p.Signature == "" || p.Edited {
		return nil
	}
	if p.Text == "" {
		return jsonedit.Build(convert.Type("redacted_thinking"), convert.String("data", p.Signature))
	}
	return jsonedit.Build(convert.Type("thinking"),
		convert.String("thinking", p.Text),
		convert.String("signature", p.Signature))
}

// resultContent writes what a result holds, spaced like orig; nil if nothing.
func resultContent(orig []byte, parts []message.Part) []byte {
	if len(parts) == 1 && parts[0].Kind == message.Text && len(parts[0].Raw) == 0 {
		return jsonedit.Quote(parts[0].Text)
	}
	var out [][]byte
	for _, p := range parts {
		if raw := encode(p, true); raw != nil && !blank(p) {
			out = append(out, raw)
		}
	}
	if len(out) == 0 {
		return nil
	}
	return jsonedit.Join(orig, out)
}

// mediaBlock writes an image or a document; nil if the API has no form for it.
func mediaBlock(p message.Part) []byte {
	b, ok := convert.Read(p.Raw)
	if !ok {
		return nil
	}
	switch {
	case b.URL != "" && strings.HasPrefix(b.MediaType, "image/"):
		return jsonedit.Build(convert.Type("image"), source("url", "", "url", b.URL))
	case b.URL != "" && b.MediaType == convert.PDF:
		return jsonedit.Build(convert.Type("document"), source("url", "", "url", b.URL))
	case b.URL != "":
		return nil
	case strings.HasPrefix(b.MediaType, "text/"):
		if text, ok := b.Text(); ok {
			return jsonedit.Build(convert.Type("document"), source("text", "text/plain", "data", text))
		}
	case b.MediaType == convert.PDF:
		return jsonedit.Build(convert.Type("document"), source("base64", b.MediaType, "data", b.Data))
	case inlineImages[b.MediaType]:
		return jsonedit.Build(convert.Type("image"), source("base64", b.MediaType, "data", b.Data))
	}
	return nil
}

// inlineImages are the image types the API takes inline.
var inlineImages = map[string]bool{"image/jpeg": true, "image/png": true, "image/gif": true, "image/webp": true}

func source(kind, mediaType, name, value string) jsonedit.Member {
	return jsonedit.Member{Name: "source", Value: jsonedit.Build(
		convert.Type(kind), convert.Optional("media_type", mediaType), convert.String(name, value))}
}
