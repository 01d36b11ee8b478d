package openai

import (
	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/internal/convert"
	"github.com/seed-3db51b0e/precis/codec/internal/jsonedit"
)

// Declare is a request that Encode writes with more tools, after those of its body.
// All other bytes stay; the same tools give the same bytes each time. One that
// cannot have them, since it declares functions of the days before tools or asks
// for several answers, is returned as it is, with false.
func (Codec) Declare(req *codec.Request, tools []codec.Tool) (*codec.Request, bool) {
	if jsonedit.Int(req.Member("n")) > 1 || !jsonedit.IsNull(req.Member("functions")) {
		return req, false
	}
	return convert.Declare(req, tools), true
}
