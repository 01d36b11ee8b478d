package responses

import (
	"strings"

	"github.com/seed-3db51b0e/precis/codec/internal/convert"
	"github.com/seed-3db51b0e/precis/codec/internal/jsonedit"
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
		return jsonedit.Quote(*text)
	}
	return jsonedit.Join(orig, out)
}

// element writes one part of a content array, and says its text if it is but
// a text.
func element(p message.Part, role message.Role) ([]byte, *string) {
	switch {
	case own(p) && !p.Edited:
		return p.Raw, nil
	case own(p) && p.Kind == message.Text && block(p.Raw).Kind == message.Text:
		return jsonedit.Set(p.Raw, jsonedit.Member{Name: "text", Value: jsonedit.Quote(p.Text)}), nil
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
	return jsonedit.Build(typed(kind), jsonedit.Member{Name: "text", Value: jsonedit.Quote(text)}), &text
}

// mediaBlock writes an image or a file; nil if the API has no form for it.
func mediaBlock(p message.Part) []byte {
	b, ok := convert.Read(p.Raw)
	switch {
	case !ok:
		return nil
	case strings.HasPrefix(b.MediaType, "image/"):
		return jsonedit.Build(typed("input_image"),
			jsonedit.Member{Name: "image_url", Value: jsonedit.Quote(b.DataURL())},
			jsonedit.Member{Name: "detail", Value: []byte(`"auto"`)})
	case b.MediaType == convert.PDF && b.URL != "":
		return jsonedit.Build(typed("input_file"), jsonedit.Member{Name: "file_url", Value: jsonedit.Quote(b.URL)})
	case b.MediaType == convert.PDF:
		return jsonedit.Build(typed("input_file"),
			jsonedit.Member{Name: "filename", Value: jsonedit.Quote(b.FileName())},
			jsonedit.Member{Name: "file_data", Value: jsonedit.Quote(b.DataURL())})
	case b.URL != "" || !strings.HasPrefix(b.MediaType, "text/"):
		return nil
	}
	text, ok := b.Text()
	if !ok {
		return nil
	}
	return jsonedit.Build(typed("input_text"), jsonedit.Member{Name: "text", Value: jsonedit.Quote(text)})
}
