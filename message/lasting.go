package message

import (
	"bytes"
	"slices"
)

// Lasting returns a copy of m that shares only strings with it. Where the raw bytes
// of parts are a piece of the message's, as codecs decode them, they stay so in the
// copy.
func (m Message) Lasting() Message {
	c := mover{whole: m.Raw, clone: bytes.Clone(m.Raw), budget: searchFactor * len(m.Raw)}
	m.Raw, m.Parts = c.clone, c.parts(m.Parts, 0, len(m.Raw))
	return m
}

// Weight estimates the bytes of memory that Lasting's copy of m takes. It does not
// count a part's raw bytes, which are the message's, except those of opaque and fixed parts,
// which a codec may have written.
func (m Message) Weight() int { return len(m.Raw) + len(m.Name) + weightOf(m.Parts) }

// partBytes estimates what a part takes without its content.
const partBytes = 256

func weightOf(ps []Part) (n int) {
	for i := range ps {
		p := &ps[i]
		n += partBytes + len(p.Text) + len(p.Signature) + len(p.CallID) + len(p.Name) + len(p.Args) +
			len(p.Declared) + len(p.MediaType) + len(p.URL) + weightOf(p.Parts)
		if p.Kind == Opaque || p.Kind == Fixed {
			n += len(p.Raw)
		}
	}
	return n
}

// mover points parts at a copy of the message's raw bytes.
type mover struct {
	whole, clone []byte
	budget       int // bytes that may still be searched
}

// searchFactor bounds the bytes searched for all parts of a message, in multiples of
// its length. Parts mostly follow each other, but a client can send any number that
// are nowhere in it.
const searchFactor = 4

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

// find returns the position of a part in whole[from:to], -1 if there is none. It
// looks first from at on, where the part before was found.
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
	to = min(to, from+c.budget)
	n := bytes.Index(c.whole[from:to], part)
	if n < 0 {
		c.budget -= to - from
		return -1
	}
	c.budget -= n
	return from + n
}
