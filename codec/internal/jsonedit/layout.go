package jsonedit

import "bytes"

// Layout holds where the members of an object are.
type Layout struct {
	Of     []byte  // the object
	Places []Place // of its members, in order
}

// Place is where a member's value stands.
type Place struct {
	Name        string
	From, Until int
}

// LayoutOf reads a whole object. Anything else has no places.
func LayoutOf(obj []byte) Layout {
	l := Layout{Of: obj}
	r := NewReader(obj)
	_, err := r.Object(func(name []byte) error {
		v, err := r.Value()
		l.Places = append(l.Places, Place{string(name), r.at - len(v), r.at})
		return err
	})
	if err != nil || r.End() != nil {
		l.Places = nil
	}
	return l
}

// Is reports whether l is the layout of obj: of these bytes, where they are.
func (l Layout) Is(obj []byte) bool {
	return len(l.Of) == len(obj) && len(obj) > 0 && &l.Of[0] == &obj[0]
}

// Get returns the value of a member, the last one of that name, or nil.
func (l Layout) Get(name string) (v []byte) {
	for _, p := range l.Places {
		if p.Name == name {
			v = l.Of[p.From:p.Until:p.Until]
		}
	}
	return v
}

// Edit is another value for a member, in pieces, made of what it was.
type Edit struct {
	Name string
	With func(old []byte) [][]byte
}

// Replace writes the object with some values replaced, wherever they stand; a
// member that stands nowhere is added at the end, its old value nil. All other
// bytes are copied.
func (l Layout) Replace(edits ...Edit) []byte {
	obj := l.Of
	if len(l.Places) == 0 {
		for _, e := range edits {
			obj = Set(obj, Member{e.Name, bytes.Join(e.With(nil), nil)})
		}
		return obj
	}
	var out [][]byte
	at := 0
	for _, p := range l.Places {
		for _, e := range edits {
			if e.Name == p.Name {
				out = append(append(out, obj[at:p.From]), e.With(obj[p.From:p.Until])...)
				at = p.Until
			}
		}
	}
	end := l.Places[len(l.Places)-1].Until
	out = append(out, obj[at:end])
	for _, e := range edits {
		if l.Get(e.Name) == nil {
			out = append(append(out, []byte(","), Quote(e.Name), []byte(":")), e.With(nil)...)
		}
	}
	return bytes.Join(append(out, obj[end:]), nil)
}
