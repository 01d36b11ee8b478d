package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// object is a JSON object whose members have an order.
type object []struct {
	name  string
	value any
}

// MarshalJSON implements json.Marshaler.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		v, err := marshal(m.value)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%q:%s", m.name, v)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}

// member is a member of an object in a JSON file, with comments or without.
type member struct {
	path  []string // its own name last
	value any
	ours  func(value []byte) bool // tells a value of ours, without comments, from others' of its name
}

// errTaken says that a member is somebody else's.
var errTaken = errors.New("there is one already that precis did not write: take it out first")

// isOurs reports whether a value at the member's place may be replaced or removed.
func (m member) isOurs(v *hujson.Value) bool {
	return equalJSON(v, m.value) || m.ours(standard(v))
}

func (m member) String() string { return strings.Join(m.path, ".") }

func (m member) add(file []byte) ([]byte, error) {
	d, err := parse(file)
	if err != nil {
		return nil, err
	}
	have := d.at(m.path)
	switch {
	case have == nil:
		return d.insert(m.path, m.value)
	case equalJSON(have, m.value):
		return file, nil
	case !m.isOurs(have):
		return nil, fmt.Errorf("%s: %w", m, errTaken)
	}
	return replace(m, file)
}

func (m member) remove(file []byte) ([]byte, error) {
	d, err := parse(file)
	if err != nil {
		return nil, err
	}
	last := len(m.path) - 1
	parent, ok := d.object(m.path[:last])
	if !ok {
		return file, nil
	}
	i := slices.IndexFunc(parent.Members, func(x hujson.ObjectMember) bool { return name(x) == m.path[last] })
	if i < 0 || !m.isOurs(&parent.Members[i].Value) {
		return file, nil
	}
	var values []span
	for _, x := range parent.Members {
		values = append(values, span{x.Name.StartOffset, x.Value.EndOffset, len(x.Value.AfterExtra)})
	}
	return d.cut(values, i, d.at(m.path[:last]).StartOffset), nil
}

// document is a JSON file, with comments or without.
type document struct {
	mark []byte // the byte order mark that the file begins with, if there is one
	text []byte // what is behind it
	root hujson.Value
}

var errNoObject = errors.New("want a JSON object")

// parse reads a file; one that is not there is an empty object.
func parse(file []byte) (d document, err error) {
	d.text = bytes.TrimPrefix(file, byteOrderMark)
	d.mark, file = file[:len(file)-len(d.text)], d.text
	if len(bytes.TrimSpace(file)) == 0 {
		d.text = []byte("{}\n")
	}
	d.root, err = hujson.Parse(d.text)
	if err != nil {
		return d, err
	}
	if _, ok := d.root.Value.(*hujson.Object); !ok {
		return d, errNoObject
	}
	return d, nil
}

func name(m hujson.ObjectMember) string {
	l, _ := m.Name.Value.(hujson.Literal)
	return l.String()
}

// at is the value at a path, nil if there is none.
func (d document) at(path []string) *hujson.Value {
	v := &d.root
	for _, p := range path {
		o, ok := v.Value.(*hujson.Object)
		if !ok {
			return nil
		}
		i := slices.IndexFunc(o.Members, func(m hujson.ObjectMember) bool { return name(m) == p })
		if i < 0 {
			return nil
		}
		v = &o.Members[i].Value
	}
	return v
}

func (d document) object(path []string) (*hujson.Object, bool) {
	v := d.at(path)
	if v == nil {
		return nil, false
	}
	o, ok := v.Value.(*hujson.Object)
	return o, ok
}

// standard is a value without its comments.
func standard(v *hujson.Value) []byte {
	is := v.Clone()
	is.Standardize()
	return is.Pack()
}

// equalJSON reports whether a value says the same as another, in whatever form.
func equalJSON(have *hujson.Value, value any) bool {
	want, err := marshal(value)
	if err != nil {
		return false
	}
	var x, y any
	return json.Unmarshal(standard(have), &x) == nil && json.Unmarshal(want, &y) == nil && reflect.DeepEqual(x, y)
}

// replace puts an entry in the place of one of ours that says something else.
func replace(e entry, file []byte) ([]byte, error) {
	file, err := e.remove(file)
	if err != nil {
		return nil, err
	}
	return e.add(file)
}

// insert adds a member, and the objects on its way that are not there.
func (d document) insert(path []string, value any) ([]byte, error) {
	depth := len(path) - 1
	for depth > 0 && d.at(path[:depth]) == nil {
		depth--
	}
	for i := len(path) - 1; i > depth; i-- {
		value = object{{path[i], value}}
	}
	o, ok := d.object(path[:depth])
	if !ok {
		return nil, noPlaceError{fmt.Errorf("%s is no object", strings.Join(path[:depth], "."))}
	}
	return d.insertInto(d.at(path[:depth]), len(o.Members) == 0, depth+1, path[depth], value)
}

// insertInto puts a member first into an object, which is depth deep.
func (d document) insertInto(v *hujson.Value, empty bool, depth int, name string, value any) ([]byte, error) {
	at := v.StartOffset + 1
	unit, eol := d.style()
	inner := strings.Repeat(unit, depth)
	rest := d.text[at:]
	inLine := !empty && !bytes.HasPrefix(bytes.TrimLeft(rest, " \t\r"), []byte("\n")) // all of it stands in one line
	text, err := marshal(value)
	if err != nil {
		return nil, err
	}
	if !inLine {
		var b bytes.Buffer
		_ = json.Indent(&b, text, inner, unit) // it was written just now
		text = bytes.ReplaceAll(b.Bytes(), []byte("\n"), []byte(eol))
	}
	key, err := marshal(name)
	if err != nil {
		return nil, err
	}
	text = slices.Concat(key, []byte(": "), text)
	switch {
	case inLine:
		text = append(text, ", "...)
	case empty:
		text = slices.Concat([]byte(eol+inner), text, []byte(eol+strings.Repeat(unit, depth-1)))
	default:
		text = slices.Concat([]byte(eol+inner), text, []byte(","))
	}
	return slices.Concat(d.mark, d.text[:at], text, rest), nil
}

// style is how the file indents, and how its lines end.
func (d document) style() (unit, eol string) {
	unit, eol = "  ", "\n"
	if bytes.Contains(d.text, []byte("\r\n")) {
		eol = "\r\n"
	}
	for line := range bytes.Lines(d.text[d.root.StartOffset+1:]) {
		if white := line[:len(line)-len(bytes.TrimLeft(line, " \t"))]; len(white) > 0 && len(bytes.TrimSpace(line)) > 0 {
			return string(white), eol
		}
	}
	return unit, eol
}

// span is where a member stands, and how much stands between it and the
// comma or bracket behind it.
type span struct{ from, until, after int }

// cut takes out the i-th of the members of an object that opens at a place.
func (d document) cut(values []span, i, opens int) []byte {
	v := values[i]
	from, until := opens+1, v.until+v.after
	if i > 0 {
		from = values[i-1].until + values[i-1].after + 1 // behind the comma
	}
	comma := until < len(d.text) && d.text[until] == ','
	switch {
	case comma:
		until++
	case i > 0: // the last one goes with the comma before it
		from--
		until = v.until
	default:
		until = v.until
		if rest := d.text[until:]; len(bytes.TrimLeft(rest, " \t\r\n")) > 0 && strings.ContainsAny(string(bytes.TrimLeft(rest, " \t\r\n")[:1]), "}]") {
			until += len(rest) - len(bytes.TrimLeft(rest, " \t\r\n"))
		}
	}
	if comma && i == 0 && from == v.from && bytes.HasPrefix(d.text[until:], []byte(" ")) { // all of it stands in one line
		until++
	}
	return slices.Concat(d.mark, d.text[:from], d.text[until:])
}
