package codec

import "github.com/seed-3db51b0e/precis/codec/internal/jsonedit"

// Edit replaces the value of a member by the pieces that With makes of it; old is
// nil where there is no such member.
type Edit struct {
	Name string
	With func(old []byte) [][]byte
}

// Index notes that the value of a top-level member of Body is Body[from:until]. A
// codec that notes all members in order while it decodes saves Member and Splice
// from reading Body again.
func (r *Request) Index(name string, from, until int) {
	if !r.layout.Is(r.Body) {
		r.layout = jsonedit.Layout{Of: r.Body}
	}
	r.layout.Places = append(r.layout.Places, jsonedit.Place{Name: name, From: from, Until: until})
}

// Member returns the value of a top-level member of Body, the last one of that
// name; nil if there is none.
func (r *Request) Member(name string) []byte { return r.members().Get(name) }

// Splice returns Body with some of its top-level members replaced, or added at the
// end. All other bytes stay.
func (r *Request) Splice(edits ...Edit) []byte {
	list := make([]jsonedit.Edit, len(edits))
	for i, e := range edits {
		list[i] = jsonedit.Edit(e)
	}
	return r.members().Replace(list...)
}

func (r *Request) members() jsonedit.Layout {
	if r.layout.Is(r.Body) {
		return r.layout
	}
	return jsonedit.LayoutOf(r.Body)
}
