package anthropic

import (
	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/internal/convert"
)

// Declare is a request that Encode writes with more tools, after those of its body.
// All other bytes stay; the same tools give the same bytes each time.
func (Codec) Declare(req *codec.Request, tools []codec.Tool) (*codec.Request, bool) {
	return convert.Declare(req, tools), true
}
