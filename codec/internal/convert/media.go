package convert

import (
	"encoding/base64"
	"strings"

	"github.com/seed-3db51b0e/precis/codec/internal/jsonedit"
	"github.com/seed-3db51b0e/precis/message"
)

// PDF is the media type of the one document format that all dialects know.
const PDF = "application/pdf"

// Blob is an image, a document or a sound of any dialect.
type Blob struct {
	MediaType string // "" if unknown
	Data      string // base64 (or plain text where Plain is set); "" if remote
	Plain     bool
	URL       string
	Name      string // file name, if any
}

// Size is the number of bytes of inline data.
func (b Blob) Size() int {
	if b.Plain {
		return len(b.Data)
	}
	n := strings.TrimRight(b.Data, "=")
	return base64.RawStdEncoding.DecodedLen(len(n))
}

// DataURL is the blob as a URL: its own, or a data URL.
func (b Blob) DataURL() string {
	if b.URL != "" {
		return b.URL
	}
	data := b.Data
	if b.Plain {
		data = base64.StdEncoding.EncodeToString([]byte(b.Data))
	}
	return "data:" + b.MediaType + ";base64," + data
}

// Part describes the blob as a neutral part whose JSON is raw.
func (b Blob) Part(raw []byte, dialect string) message.Part {
	return message.Part{
		Kind: message.Media, MediaType: b.MediaType, URL: b.URL, Size: b.Size(),
		Raw: raw, Dialect: dialect,
	}
}

// Read finds the blob in a content block of any dialect.
func Read(raw []byte) (Blob, bool) {
	var b Blob
	ok, kind := false, ""
	for _, m := range jsonedit.Members(raw) {
		if jsonedit.IsNull(m.Value) {
			continue
		}
		switch m.Name {
		case "type":
			kind = jsonedit.TextOf(m.Value)
		case "source":
			b, ok = source(m.Value)
		case "image_url":
			b, ok = imageURL(m.Value)
		case "input_audio":
			b.Data = jsonedit.TextOf(jsonedit.Get(m.Value, "data"))
			b.MediaType = "audio/" + jsonedit.TextOf(jsonedit.Get(m.Value, "format"))
			ok = b.Data != ""
		case "file":
			b, ok = file(m.Value)
		case "inlineData", "inline_data", "fileData", "file_data":
			b, ok = geminiData(m.Value)
		}
	}
	if !ok {
		b, ok = file(raw)
	}
	if b.MediaType == "" {
		b.MediaType = defaultTypes[kind]
	}
	return b, ok
}

// defaultTypes is the type of a block that does not state one.
var defaultTypes = map[string]string{
	"image": "image/*", "image_url": "image/*", "input_image": "image/*", "computer_screenshot": "image/*",
	"document": PDF, "file": PDF, "input_file": PDF,
}

func source(raw []byte) (Blob, bool) {
	b := Blob{
		MediaType: jsonedit.TextOf(jsonedit.Get(raw, "media_type")),
		URL:       jsonedit.TextOf(jsonedit.Get(raw, "url")),
		Data:      jsonedit.TextOf(jsonedit.Get(raw, "data")),
	}
	switch jsonedit.TextOf(jsonedit.Get(raw, "type")) {
	case "base64":
		return b, b.Data != ""
	case "text":
		b.Plain = true
		return b, true
	case "url":
		return b, b.URL != ""
	}
	return Blob{}, false
}

// geminiData reads the data of a part of the Gemini API.
func geminiData(raw []byte) (Blob, bool) {
	var b Blob
	for _, m := range jsonedit.Members(raw) {
		switch m.Name {
		case "mimeType", "mime_type":
			b.MediaType = jsonedit.TextOf(m.Value)
		case "data":
			b.Data = jsonedit.TextOf(m.Value)
		case "fileUri", "file_uri":
			b.URL = jsonedit.TextOf(m.Value)
		case "displayName", "display_name":
			b.Name = jsonedit.TextOf(m.Value)
		}
	}
	return b, b.URL != "" || b.Data != ""
}

func imageURL(raw []byte) (Blob, bool) {
	u, ok := jsonedit.Text(raw)
	if !ok {
		u, ok = jsonedit.Text(jsonedit.Get(raw, "url"))
	}
	if !ok || u == "" {
		return Blob{}, false
	}
	return parseURL(u), true
}

func file(raw []byte) (Blob, bool) {
	var b Blob
	name := ""
	for _, m := range jsonedit.Members(raw) {
		switch m.Name {
		case "file_data", "file_url":
			if s := jsonedit.TextOf(m.Value); s != "" {
				b = parseURL(s)
			}
		case "filename":
			name = jsonedit.TextOf(m.Value)
		}
	}
	b.Name = name
	return b, b.URL != "" || b.Data != ""
}

// parseURL reads a data URL, or takes u for a remote address.
func parseURL(u string) Blob {
	rest, ok := strings.CutPrefix(u, "data:")
	if !ok {
		return Blob{URL: u}
	}
	head, data, ok := strings.Cut(rest, ",")
	mt, ok64 := strings.CutSuffix(head, ";base64")
	if !ok || !ok64 {
		return Blob{URL: u}
	}
	return Blob{MediaType: strings.Clone(mt), Data: data} // the type is kept, the data is not
}

// Text is the inline data of a text file.
func (b Blob) Text() (string, bool) {
	if b.Plain {
		return b.Data, true
	}
	raw, err := base64.StdEncoding.DecodeString(b.Data)
	return string(raw), err == nil && b.Data != ""
}

// FileName is the blob's name, or one made of its type.
func (b Blob) FileName() string {
	if b.Name != "" {
		return b.Name
	}
	_, ext, _ := strings.Cut(b.MediaType, "/")
	return "document." + ext
}
