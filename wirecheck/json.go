package wirecheck

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"
)

// node is one JSON value with its exact bytes. Its methods accept a nil node:
// an absent value has no members.
type node struct {
	kind  byte // one of { [ " 0 t n: object, array, string, number, boolean, null
	raw   []byte
	str   string // of a string, unescaped
	names []string
	vals  []*node // members of an object, elements of an array
}

var kindNames = map[byte]string{'{': "an object", '[': "an array", '"': "a string", '0': "a number", 't': "a boolean", 'n': "null"}

// get returns the member, nil if it is absent or null.
func (n *node) get(name string) *node {
	if n == nil || n.kind != '{' {
		return nil
	}
	for i := range n.names {
		if n.names[i] == name && n.vals[i].kind != 'n' {
			return n.vals[i]
		}
	}
	return nil
}

// text is the value of a string, "" of anything else.
func (n *node) text() string {
	if n == nil || n.kind != '"' {
		return ""
	}
	return n.str
}

func (n *node) is(kind byte) bool { return n != nil && n.kind == kind }

// elements are those of an array, none of anything else.
func (n *node) elements() []*node {
	if !n.is('[') {
		return nil
	}
	return n.vals
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func index(path string, i int) string { return join(path, strconv.Itoa(i)) }

// parse turns a body into nodes; nil means it is not JSON and the faults say so.
func (c *checker) parse(body []byte) *node {
	if !utf8.Valid(body) {
		c.fault(JSON, "", "not valid UTF-8")
		return nil
	}
	if !json.Valid(body) {
		c.fault(JSON, "", "not one valid JSON value: %v", json.Unmarshal(body, new(any)))
		return nil
	}
	p := parser{c: c, b: body}
	return p.value()
}

// parser walks bytes that json.Valid has accepted, so it need not check the
// grammar again; json.Valid also bounds the depth.
type parser struct {
	c  *checker
	b  []byte
	i  int
	at []step // where the value at i stands
}

type step struct {
	name  string
	index int // where name is ""
}

func (p *parser) fault(format string, args ...any) {
	path := ""
	for _, s := range p.at {
		if s.name != "" {
			path = join(path, s.name)
			continue
		}
		path = index(path, s.index)
	}
	p.c.fault(JSON, path, format, args...)
}

func (p *parser) space() {
	for p.i < len(p.b) && strings.IndexByte(" \t\r\n", p.b[p.i]) >= 0 {
		p.i++
	}
}

func (p *parser) value() *node {
	p.space()
	start := p.i
	n := &node{}
	switch b := p.b[p.i]; b {
	case '{':
		p.object(n)
	case '[':
		p.array(n)
	case '"':
		n.kind, n.str = '"', p.string()
	default:
		n.kind = p.scalar()
	}
	n.raw = p.b[start:p.i]
	p.space()
	return n
}

// child parses the value at s below the one being read.
func (p *parser) child(s step) *node {
	p.at = append(p.at, s)
	v := p.value()
	p.at = p.at[:len(p.at)-1]
	return v
}

func (p *parser) object(n *node) {
	n.kind = '{'
	seen := map[string]bool{}
	for p.i++; ; p.i++ {
		p.space()
		if p.b[p.i] == '}' {
			break
		}
		name := p.string()
		p.space()
		p.i++ // the colon
		n.names = append(n.names, name)
		n.vals = append(n.vals, p.child(step{name: name}))
		if seen[name] {
			p.fault("member %.80q stands twice", name)
		}
		seen[name] = true
		if p.b[p.i] == '}' {
			break
		}
	}
	p.i++
}

func (p *parser) array(n *node) {
	n.kind = '['
	for p.i++; ; p.i++ {
		p.space()
		if p.b[p.i] == ']' {
			break
		}
		n.vals = append(n.vals, p.child(step{index: len(n.vals)}))
		if p.b[p.i] == ']' {
			break
		}
	}
	p.i++
}

func (p *parser) string() string {
	start := p.i
	p.i++
	for p.b[p.i] != '"' {
		if p.b[p.i] == '\\' {
			p.i++
		}
		p.i++
	}
	p.i++
	raw := p.b[start:p.i]
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1])
	}
	if hasLoneSurrogate(raw) {
		p.fault("lone surrogate escape")
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		p.fault("bad string: %v", err)
	}
	return s
}

func (p *parser) scalar() byte {
	start := p.i
	for p.i < len(p.b) && strings.IndexByte(" \t\r\n,]}", p.b[p.i]) < 0 {
		p.i++
	}
	switch p.b[start] {
	case 't', 'f':
		return 't'
	case 'n':
		return 'n'
	}
	return '0'
}

// hasLoneSurrogate reports whether a string's bytes hold half of a surrogate pair.
func hasLoneSurrogate(raw []byte) bool {
	for i := 0; i+1 < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		u := escape(raw[i:])
		switch {
		case 0xD800 <= u && u < 0xDC00:
			low := escape(raw[i+6:])
			if low < 0xDC00 || low > 0xDFFF {
				return true
			}
			i += 10
		case 0xDC00 <= u && u <= 0xDFFF:
			return true
		}
		i++
	}
	return false
}

// escape is the code unit of a \uXXXX that b starts with, else -1.
func escape(b []byte) int {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return -1
	}
	u, err := strconv.ParseUint(string(b[2:6]), 16, 16)
	if err != nil {
		return -1
	}
	return int(u)
}

// bytes are a value's own, nil of an absent one.
func (n *node) bytes() []byte {
	if n == nil {
		return nil
	}
	return n.raw
}
