package sse

import (
	"errors"
	"io"
)

// Reader reads events from a stream. Make it with NewReader.
type Reader struct {
	src    io.Reader
	parser *Parser
	buf    []byte
	rest   []byte // of buf, not yet parsed
	next   *Event
	err    error // of src
}

// errFull stops the parser after each event.
var errFull = errors.New("one event is enough")

// NewReader reads events of at most bound bytes from r; 0 stands for Bound.
func NewReader(r io.Reader, bound int) *Reader {
	d := &Reader{src: r, buf: make([]byte, 16<<10)}
	d.parser = NewParser(bound, func(e Event) error {
		d.next = &e
		return errFull
	})
	return d
}

// Next returns the next event, whose data is valid until the call after it. The
// error is io.EOF at the stream's end, the source's, or wraps ErrTooLarge.
func (d *Reader) Next() (Event, error) {
	d.next = nil
	for {
		if err := d.parse(); err != nil {
			return Event{}, err
		}
		if d.next != nil {
			return *d.next, nil
		}
		if d.err != nil {
			return Event{}, d.err
		}
		var n int
		n, d.err = d.src.Read(d.buf)
		d.rest = d.buf[:n]
	}
}

// parse takes lines up to the next event.
func (d *Reader) parse() error {
	p := d.parser
	for len(d.rest) > 0 && p.err == nil {
		d.rest = p.step(d.rest)
	}
	if errors.Is(d.err, io.EOF) && len(d.rest) == 0 && p.err == nil {
		_ = p.Close()
	}
	if errors.Is(p.err, errFull) {
		p.err = nil
	}
	return p.err
}
