package convert

import (
	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/internal/jsonedit"
)

// Body reads a request's body, and notes where its members are. member must read
// the value of each.
func Body(req *codec.Request, member func(r *jsonedit.Reader, name []byte) error) error {
	r := jsonedit.NewReader(req.Body)
	_, err := r.Object(func(name []byte) error {
		key := string(name)
		r.Kind() // skips to the value
		from := r.Offset()
		err := member(r, name)
		req.Index(key, from, r.Offset())
		return err
	})
	if err != nil {
		return err
	}
	return r.End()
}

// Splice is Request.Splice with the tools that are declared besides, in the form
// that write gives them.
func Splice(req *codec.Request, write func(codec.Tool) []byte, edits ...codec.Edit) []byte {
	if len(req.More) > 0 {
		edits = append(edits, codec.Edit{Name: "tools", With: func(old []byte) [][]byte {
			all := jsonedit.Elements(old)
			for _, t := range req.More {
				all = append(all, write(t))
			}
			return jsonedit.Pieces(old, all)
		}})
	}
	if len(edits) == 0 {
		return req.Body
	}
	return req.Splice(edits...)
}

// Declare is the request with more tools.
func Declare(req *codec.Request, tools []codec.Tool) *codec.Request {
	more := *req
	more.More = append(req.More[:len(req.More):len(req.More)], tools...)
	return &more
}
