package responses

import (
	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/internal/bridge"
	"github.com/seed-3db51b0e/precis/codec/internal/span"
)

// Declare adds tools after those of a body. All other bytes stay; the same tools
// give the same bytes each time. A body that cannot have them is returned as it
// is, with false.
func (Codec) Declare(body []byte, tools []codec.Tool) ([]byte, bool) {
	if !span.IsObject(body) {
		return body, false
	}
	return bridge.Declare(body, tools, function), true
}

// function writes a tool as one that the client runs.
func function(t codec.Tool) []byte {
	ms := []span.Member{typed("function"), {Name: "name", Value: span.Quote(toolName(t.Name))}}
	if t.Description != "" {
		ms = append(ms, span.Member{Name: "description", Value: span.Quote(t.Description)})
	}
	return span.Build(append(ms,
		span.Member{Name: "parameters", Value: bridge.Schema(t.Schema)},
		span.Member{Name: "strict", Value: []byte("false")})...)
}
