package openai

import (
	"slices"

	"github.com/seed-3db51b0e/precis/codec"
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
	return span.Replace(body, "tools", func(old []byte) []byte {
		all := slices.Clone(span.Elements(old))
		for _, t := range tools {
			all = append(all, toolValue(t))
		}
		return span.Join(old, all)
	}), true
}
