package responses

import (
	"strings"

	"github.com/seed-3db51b0e/precis/codec/internal/bridge"
	"github.com/seed-3db51b0e/precis/codec/internal/span"
	"github.com/seed-3db51b0e/precis/message"
)

// messageContent writes what a message or output says, spaced like orig; nil
// if nothing. One text is a string, unless orig is an array.
func messageContent(orig []byte, parts []message.Part, role message.Role) []byte {
	array := len(orig) > 0 && orig[0] == '['
	var out [][]byte
	var text *string
	for _, p := range parts {
		if p.Kind == message.Thinking || p.Kind == message.Text && p.Text == "" {
			continue
		}
		var raw []byte
		raw, text = element(p, role)
		out = append(out, raw)
	}
	switch {
	case len(out) == 0:
		return nil
	case len(out) == 1 && text != nil && !array:
		return span.Quote(*text)
	}
	return span.Join(orig, out)
}

// element writes one part of a content array, and says its text if it is but
// a text.
func element(p message.Part, role message.Role) ([]byte, *string) {
	switch {
	case own(p) && !p.Edited:
		return p.Raw, nil
	case own(p) && p.Kind == message.Text && block(p.Raw).Kind == message.Text:
		return span.Set(p.Raw, span.Member{Name: "text", Value: span.Quote(p.Text)}), nil
	case p.Kind == message.Media && role != message.Assistant:
		if raw := mediaBlock(p); raw != nil {
			return raw, nil
		}
	}
	kind := "input_text"
	if role == message.Assistant {
		kind = "output_text"
	}
	text := readable(p)
	return span.Build(typed(kind), span.Member{Name: "text", Value: span.Quote(text)}), &text
}

// mediaBlock writes an image or a file; nil if the API has no form for it.
func mediaBlock(p message.Part) []byte {
	b, ok := bridge.Read(p.Raw)
	switch {
	case !ok:
		return nil
	case strings.HasPrefix(b.MediaType, "image/"):
		return span.Build(typed("input_image"),
			span.Member{Name: "image_url", Value: span.Quote(b.DataURL())},
			span.Member{Name: "detail", Value: []byte(`"auto"`)})
	case b.MediaType == bridge.PDF && b.URL != "":
		return span.Build(typed("input_file"), span.Member{Name: "file_url", Value: span.Quote(b.URL)})
	case b.MediaType == bridge.PDF:
		return span.Build(typed("input_file"),
			span.Member{Name: "filename", Value: span.Quote(b.FileName())},
			span.Member{Name: "file_data", Value: span.Quote(b.DataURL())})
	case b.URL != "" || !strings.HasPrefix(b.MediaType, "text/"):
		return nil
	}
	text, ok := b.Text()
	if !ok {
		return nil
	}
	return span.Build(typed("input_text"), span.Member{Name: "text", Value: span.Quote(text)})
}
