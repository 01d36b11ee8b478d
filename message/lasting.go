package message

import (
	"bytes"
	"slices"
)

// Lasting is a copy of m in memory of its own, but for its strings. The raw bytes
// of its parts that are within its own, as they are in what codecs decode, are so
// in the copy.
func (m Message) Lasting() Message {
	c := mover{whole: m.Raw, clone: bytes.Clone(m.Raw), spare: searches * len(m.Raw)}
	m.Raw, m.Parts = c.clone, c.parts(m.Parts, 0, len(m.Raw))
	return m
}

// Weight is about how many bytes of memory m takes, as Lasting makes it: a part's
// raw bytes are the message's, but those that stand for what is not known, which a
// codec may have written.
func (m Message) Weight() int { return len(m.Raw) + len(m.Name) + weigh(m.Parts) }

// partBytes is about what a part takes beside what is in it.
const partBytes = 256

func weigh(ps []Part) (n int) {
	for i := range ps {
		p := &ps[i]
		n += partBytes + len(p.Text) + len(p.Signature) + len(p.CallID) + len(p.Name) + len(p.Args) +
			len(p.Declared) + len(p.MediaType) + len(p.URL) + weigh(p.Parts)
		if p.Kind == Opaque {
			n += len(p.Raw)
		}
	}
	return n
}

// mover puts parts on a copy of the bytes that they are in.
type mover struct {
	whole, clone []byte
	spare        int // bytes that may still be searched
}

// searches bounds what is searched for the parts of a message, in its lengths: they
// mostly stand one behind the other, but a client can make any number that are not
// there at all.
const searches = 4

// parts copies parts that are in whole[from:to].
func (c *mover) parts(ps []Part, from, to int) []Part {
	out := slices.Clone(ps)
	at := from
	for i := range out {
		p := &out[i]
		if n := c.find(p.Raw, from, at, to); n >= 0 {
			at = n
			end := at + len(p.Raw)
			p.Raw = c.clone[at:end:end]
			p.Parts = c.parts(p.Parts, at, end)
		} else {
			p.Raw = bytes.Clone(p.Raw)
			p.Parts = c.parts(p.Parts, at, to)
		}
	}
	return out
}

// find says where in whole[from:to] a part is, -1 if it is not found: at or behind
// the place of the one before, else before that.
func (c *mover) find(part []byte, from, at, to int) int {
	if len(part) == 0 {
		return -1
	}
	if n := c.search(part, at, to); n >= 0 {
		return n
	}
	return c.search(part, from, min(to, at+len(part)-1))
}

func (c *mover) search(part []byte, from, to int) int {
	to = min(to, from+c.spare)
	n := bytes.Index(c.whole[from:to], part)
	if n < 0 {
		c.spare -= to - from
		return -1
	}
	c.spare -= n
	return from + n
}
