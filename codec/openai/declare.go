package openai

import (
	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/internal/bridge"
	"github.com/seed-3db51b0e/precis/codec/internal/span"
)

// Declare is a request that Encode writes with more tools, after those of its body.
// All other bytes stay; the same tools give the same bytes each time. One that
// cannot have them, since it declares functions of the days before tools or asks
// for several answers, is returned as it is, with false.
func (Codec) Declare(req *codec.Request, tools []codec.Tool) (*codec.Request, bool) {
	if span.Int(bridge.Member(req, "n")) > 1 || !span.IsNull(bridge.Member(req, "functions")) {
		return req, false
	}
	return bridge.Declare(req, tools), true
}
