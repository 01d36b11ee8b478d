package bridge

import (
	"slices"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/internal/span"
)

// Declare adds tools, each as write has it, after those of a body that is an
// object. All other bytes stay.
func Declare(body []byte, tools []codec.Tool, write func(codec.Tool) []byte) []byte {
	return span.Replace(body, "tools", func(old []byte) []byte {
		all := slices.Clone(span.Elements(old))
		for _, t := range tools {
			all = append(all, write(t))
		}
		return span.Join(old, all)
	})
}
