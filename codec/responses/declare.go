package responses

import (
	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/internal/convert"
	"github.com/seed-3db51b0e/precis/codec/internal/jsonedit"
)

// Declare is a request that Encode writes with more tools, after those of its body.
// All other bytes stay; the same tools give the same bytes each time.
func (Codec) Declare(req *codec.Request, tools []codec.Tool) (*codec.Request, bool) {
	return convert.Declare(req, tools), true
}

// function writes a tool as one that the client runs.
func function(t codec.Tool) []byte {
	return jsonedit.Build(
		convert.Type("function"), convert.String("name", toolName(t.Name)), convert.Optional("description", t.Description),
		jsonedit.Member{Name: "parameters", Value: convert.Schema(t.Schema)},
		jsonedit.Member{Name: "strict", Value: []byte("false")})
}
