package token

import (
	"strings"

	"github.com/seed-3db51b0e/precis/message"
)

// What a part costs whose text is not known is an estimate by size. Providers
// charge images by pixels, which only decoding would tell; these constants err
// upwards for screenshots and photographs alike.
const (
	// imageBytes of a compressed image hold at most about one token's pixels:
	// 750 pixels a token (Anthropic's rule), 10 pixels a byte for flat
	// screenshots.
	imageBytes = 75
	// imageFloor is the least an image costs (OpenAI's base).
	imageFloor = 85
	// documentBytes of a PDF make a token, text and page images together.
	documentBytes = 8
	// documentFloor is one PDF page with its image; documentCeil a hundred of
	// them without.
	documentFloor, documentCeil = 3_000, 150_000
	// soundBytes of compressed audio or video make a token: 32 tokens a second
	// (Gemini's rule) at 4 KB a second.
	soundBytes = 125
	// defaultMedia is Overhead.Media where a provider states none.
	defaultMedia = 1_600
)

func (m Meter) media(p message.Part) int {
	most := m.Overhead.Media
	if most == 0 {
		most = defaultMedia
	}
	major, minor, _ := strings.Cut(p.MediaType, "/")
	switch {
	case major == "text":
		return max(p.Size/2, 1)
	case major == "audio" || major == "video":
		return max(p.Size/soundBytes, most)
	case major == "application" && minor == "pdf":
		return min(max(p.Size/documentBytes, documentFloor), documentCeil)
	case p.Size == 0:
		return most
	}
	return min(max(p.Size/imageBytes, imageFloor), most)
}

// opaque is a part of which only the JSON is known: three bytes a token, which
// is dense for JSON and right for CJK text. What stays in every prompt, such as tools
// that are declared among the messages, is counted by its text if that is more.
func (m Meter) opaque(p message.Part) int {
	n := (len(p.Raw) + 2) / 3
	if p.Kind == message.Fixed {
		n = max(n, m.Text(string(p.Raw)))
	}
	return n
}

// quarter is the tokens of hidden thinking behind a signature of n bytes:
// base64 of at least the sealed text.
func quarter(n int) int { return (n + 3) / 4 }
