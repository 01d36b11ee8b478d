package extract

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/tool"
)

// node is a value of a result in JSON, under the name of the member that it is.
type node struct {
	name string
	kind jsontext.Kind
	text string // of a scalar
	kids []node
}

// deepest is how far values in values are read.
const deepest = 8

// treeOf reads a JSON text, nil for none.
func treeOf(text []byte) *node {
	r := treeReader{d: tool.Decode(new(jsontext.Decoder), string(text)), escaped: bytes.IndexByte(text, '\\') >= 0}
	n, ok := r.node("", 0)
	if !ok {
		return nil
	}
	return &n
}

// treeReader reads a JSON text, which may have escapes.
type treeReader struct {
	d       *jsontext.Decoder
	escaped bool
}

// told reports whether a string may be told: a name that the text may have in escapes does not stand
// in it as it is told.
func (r *treeReader) told(text string) bool {
	if !r.escaped {
		return true
	}
	ascii := !strings.ContainsFunc(text, func(c rune) bool { return c >= utf8.RuneSelf })
	return !strings.ContainsAny(text, "/\\@&<>") && (ascii || !strings.ContainsAny(text, "0123456789_"))
}

// node reads the next value; false for none, or one too deep.
func (r *treeReader) node(name string, depth int) (node, bool) {
	d := r.d
	t, err := d.ReadToken()
	if err != nil || depth > deepest {
		return node{}, false
	}
	n := node{name: name, kind: t.Kind()}
	if n.kind != '{' && n.kind != '[' {
		if text := oneline.Of(t.String()); n.kind != '"' || r.told(text) {
			n.text = text
		}
		return n, true
	}
	for k := d.PeekKind(); k != '}' && k != ']'; k = d.PeekKind() {
		within := ""
		if n.kind == '{' {
			t, err := d.ReadToken()
			if err != nil {
				return node{}, false
			}
			within = oneline.Of(t.String())
		}
		kid, ok := r.node(within, depth+1)
		if !ok {
			return node{}, false
		}
		n.kids = append(n.kids, kid)
	}
	_, err = d.ReadToken()
	return n, err == nil
}

// id returns the value that names an object among others, "" for none.
func (n *node) id() string {
	if n.kind != '{' {
		return ""
	}
	for i := range n.kids {
		if k := &n.kids[i]; k.kind == '"' && namesRecord(k.name) && strings.ContainsAny(k.text, "0123456789") {
			return k.text
		}
	}
	return ""
}

// title returns the words that an object is called by, "" for none.
func (n *node) title() string {
	for i := range n.kids {
		if k := &n.kids[i]; k.kind == '"' && (k.name == "name" || k.name == "title") {
			return k.text
		}
	}
	return ""
}

// namesRecord reports whether a member of this name says which thing an object is.
func namesRecord(name string) bool {
	return name == "id" || strings.HasSuffix(name, "_id") || strings.HasSuffix(name, "Id") || strings.HasSuffix(name, "_number")
}

// records returns the objects below a value that are named, without those within them; at most
// most, else none.
func (n *node) records(most int) (found []*node) {
	for i := range n.kids {
		k := &n.kids[i]
		if k.id() != "" {
			found = append(found, k)
		} else {
			found = append(found, k.records(most)...)
		}
		if len(found) > most {
			return nil
		}
	}
	return found
}

// words returns the texts of an object's members but its names, in order.
func (n *node) words(to []string) []string {
	for i := range n.kids {
		switch k := &n.kids[i]; {
		case k.kind == '"' && !namesRecord(k.name):
			to = append(to, k.text)
		case k.kind == '{':
			to = k.words(to)
		}
	}
	return to
}

// told writes what an object holds in few words: its name first, texts bare, and numbers behind the
// name of their member. What is in asked, and what the name holds, is left out.
func (n *node) told(asked []string) string {
	id := n.id()
	var said []string
	if id != "" && !slices.Contains(asked, id) {
		said = append(said, id)
	}
	for i := range n.kids {
		k := &n.kids[i]
		if k.text != "" && (k.text == id || slices.Contains(asked, k.text) || k.kind == '"' && strings.Contains(id, k.text)) {
			continue
		}
		if text := k.member(asked); text != "" {
			said = append(said, text)
		}
	}
	return strings.Join(said, ", ")
}

// member writes a member of an object, "" where it holds nothing.
func (k *node) member(asked []string) string {
	switch k.kind {
	case '"':
		return k.text
	case '0', 't', 'f':
		return k.name + " " + k.text
	case '{':
		if text := k.told(asked); text != "" {
			return k.name + " (" + text + ")"
		}
	}
	return ""
}
