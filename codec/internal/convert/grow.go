package convert

import (
	"bytes"

	"github.com/seed-3db51b0e/precis/codec/internal/jsonedit"
)

// Growing is a JSON object that a stream adds to. Make it with Grow.
type Growing struct {
	start   []byte
	members []growth
	at      map[string]int // into members
}

// growth is the state of a member: text, or elements, or another value.
type growth struct {
	name  string
	text  []byte
	elems [][]byte
	raw   []byte
}

// Grow begins with an object, or with an empty one if start is none.
func Grow(start []byte) *Growing {
	if !jsonedit.IsObject(start) {
		start = []byte("{}")
	}
	return &Growing{start: bytes.Clone(start), at: map[string]int{}}
}

// member finds a member, which begins with what it was at the start.
func (g *Growing) member(name string) *growth {
	i, ok := g.at[name]
	if !ok {
		i = len(g.members)
		g.at[name] = i
		was := jsonedit.Get(g.start, name)
		g.members = append(g.members, growth{name: name, text: []byte(jsonedit.TextOf(was)), elems: jsonedit.Elements(was)})
	}
	return &g.members[i]
}

// Text adds to a member that is a string.
func (g *Growing) Text(name, s string) {
	m := g.member(name)
	m.raw, m.text = nil, append(m.text, s...)
}

// Append adds an element to a member that is an array.
func (g *Growing) Append(name string, elem []byte) {
	m := g.member(name)
	m.raw, m.elems = nil, append(m.elems, bytes.Clone(elem))
}

// Put replaces a member.
func (g *Growing) Put(name string, raw []byte) {
	raw = bytes.Clone(raw)
	*g.member(name) = growth{name: name, text: []byte(jsonedit.TextOf(raw)), elems: jsonedit.Elements(raw), raw: raw}
}

// Get is a member as it is now, nil if there is none.
func (g *Growing) Get(name string) []byte {
	if i, ok := g.at[name]; ok {
		return g.members[i].json()
	}
	return jsonedit.Get(g.start, name)
}

// JSON is the object as it is now.
func (g *Growing) JSON() []byte {
	es := make([]jsonedit.Member, len(g.members))
	for i := range g.members {
		es[i] = jsonedit.Member{Name: g.members[i].name, Value: g.members[i].json()}
	}
	return jsonedit.Set(g.start, es...)
}

// json of a member that got elements and text is an array, the text its last.
func (m *growth) json() []byte {
	text := jsonedit.Quote(string(m.text))
	switch {
	case m.raw != nil:
		return m.raw
	case len(m.elems) == 0:
		return text
	case len(m.text) == 0:
		return jsonedit.Join(nil, m.elems)
	}
	block := jsonedit.Build(jsonedit.Member{Name: "type", Value: []byte(`"text"`)}, jsonedit.Member{Name: "text", Value: text})
	return jsonedit.Join(nil, append(m.elems[:len(m.elems):len(m.elems)], block))
}
