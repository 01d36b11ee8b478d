package span

import "bytes"

// Layout says where the members of an object are, in order.
type Layout []Place

// Place is where a member's value stands.
type Place struct {
	Name        string
	From, Until int
}

// LayoutOf reads an object, whole. What is none has no layout.
func LayoutOf(obj []byte) (l Layout) {
	r := NewReader(obj)
	_, err := r.Object(func(name []byte) error {
		v, err := r.Value()
		l = append(l, Place{string(name), r.at - len(v), r.at})
		return err
	})
	if err != nil || r.End() != nil {
		return nil
	}
	return l
}

// Get returns the value of a member of the object, the last one of that name, or
// nil.
func (l Layout) Get(obj []byte, name string) (v []byte) {
	for _, p := range l {
		if p.Name == name {
			v = obj[p.From:p.Until:p.Until]
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
// bytes are copied. It does what Replace does, for who knows the layout.
func (l Layout) Replace(obj []byte, edits ...Edit) []byte {
	if len(l) == 0 {
		for _, e := range edits {
			obj = Set(obj, Member{e.Name, bytes.Join(e.With(nil), nil)})
		}
		return obj
	}
	var out [][]byte
	at := 0
	for _, p := range l {
		for _, e := range edits {
			if e.Name == p.Name {
				out = append(append(out, obj[at:p.From]), e.With(obj[p.From:p.Until])...)
				at = p.Until
			}
		}
	}
	end := l[len(l)-1].Until
	out = append(out, obj[at:end])
	for _, e := range edits {
		if l.Get(obj, e.Name) == nil {
			out = append(append(out, []byte(","), Quote(e.Name), []byte(":")), e.With(nil)...)
		}
	}
	return bytes.Join(append(out, obj[end:]), nil)
}
