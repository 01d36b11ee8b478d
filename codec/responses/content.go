package responses

import (
	"strings"

	"github.com/seed-3db51b0e/precis/codec/internal/convert"
	"github.com/seed-3db51b0e/precis/codec/internal/jsonedit"
	"github.com/seed-3db51b0e/precis/message"
)

// messageContent writes what a message or output says, spaced like orig; nil if
// nothing.
func messageContent(orig []byte, parts []message.Part, role message.Role) []byte {
	f := convert.Form{Dialect: Name, Text: "input_text", Read: block, Media: mediaBlock}
	if role == message.Assistant {
		f.Text, f.Media = "output_text", nil
	}
	return f.Content(orig, parts)
}

// mediaBlock writes an image or a file; nil if the API has no form for it.
func mediaBlock(p message.Part) []byte {
	b, ok := convert.Read(p.Raw)
	switch {
	case !ok:
		return nil
	case strings.HasPrefix(b.MediaType, "image/"):
		return jsonedit.Build(convert.Type("input_image"),
			convert.String("image_url", b.DataURL()),
			jsonedit.Member{Name: "detail", Value: []byte(`"auto"`)})
	case b.MediaType == convert.PDF && b.URL != "":
		return jsonedit.Build(convert.Type("input_file"), convert.String("file_url", b.URL))
	case b.MediaType == convert.PDF:
		return jsonedit.Build(convert.Type("input_file"),
			convert.String("filename", b.FileName()),
			convert.String("file_data", b.DataURL()))
	case b.URL != "" || !strings.HasPrefix(b.MediaType, "text/"):
		return nil
	}
	text, ok := b.Text()
	if !ok {
		return nil
	}
	return jsonedit.Build(convert.Type("input_text"), convert.String("text", text))
}
