package responses

import (
	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/internal/bridge"
	"github.com/seed-3db51b0e/precis/codec/internal/span"
)

// Declare is a request that Encode writes with more tools, after those of its body.
// All other bytes stay; the same tools give the same bytes each time.
func (Codec) Declare(req *codec.Request, tools []codec.Tool) (*codec.Request, bool) {
	return bridge.Declare(req, tools), true
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
