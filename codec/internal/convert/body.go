package convert

import (
	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/internal/jsonedit"
)

// Body reads a request's body: member must read the value of each member. It notes
// where they are.
func Body(req *codec.Request, member func(r *jsonedit.Reader, name []byte) error) error {
	req.Layout = jsonedit.Layout{Of: req.Body}
	r := jsonedit.NewReader(req.Body)
	_, err := r.Object(func(name []byte) error {
		p := jsonedit.Place{Name: string(name)}
		r.Kind() // which goes to where the value begins
		p.From = r.Offset()
		err := member(r, name)
		p.Until = r.Offset()
		req.Layout.Places = append(req.Layout.Places, p)
		return err
	})
	if err != nil {
		return err
	}
	return r.End()
}

// Member is the value of a member of a request's body, nil if there is none.
func Member(req *codec.Request, name string) []byte { return layout(req).Get(name) }

// layout is where the members are, also of a request that no codec decoded, or
// whose body was replaced.
func layout(req *codec.Request) jsonedit.Layout {
	if req.Layout.Is(req.Body) {
		return req.Layout
	}
	return jsonedit.LayoutOf(req.Body)
}

// Splice writes a request's body with other values for some members, and with the
// tools that are declared besides, as write has them. All other bytes stay.
func Splice(req *codec.Request, write func(codec.Tool) []byte, edits ...jsonedit.Edit) []byte {
	if len(req.More) > 0 {
		edits = append(edits, jsonedit.Edit{Name: "tools", With: func(old []byte) [][]byte {
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
	return layout(req).Replace(edits...)
}

// Declare is the request with more tools.
func Declare(req *codec.Request, tools []codec.Tool) *codec.Request {
	more := *req
	more.More = append(req.More[:len(req.More):len(req.More)], tools...)
	return &more
}
