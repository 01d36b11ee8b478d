package openai

import (
	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/internal/bridge"
	"github.com/seed-3db51b0e/precis/codec/internal/span"
)

// Declare adds tools after those of a body. All other bytes stay; the same tools
// give the same bytes each time. A body that cannot have them, since it declares
// functions of the days before tools or asks for several answers, is returned as
// it is, with false.
func (Codec) Declare(body []byte, tools []codec.Tool) ([]byte, bool) {
	if !span.IsObject(body) || span.Int(span.Get(body, "n")) > 1 || !span.IsNull(span.Get(body, "functions")) {
		return body, false
	}
	return bridge.Declare(body, tools, toolValue), true
}
