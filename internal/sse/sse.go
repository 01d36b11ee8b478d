// Package sse reads and writes server-sent events.
//
// Use: a Parser that is written to as bytes arrive, in a tee for instance, or a
// Reader over a body. Law: the events of a stream are the same in whatever
// pieces it comes. Promise: no input panics, and one event takes no more memory
// than its bound.
package sse

import (
	"bytes"
	"errors"
	"fmt"
)

// Bound is how large one event may be, in bytes, where nothing else is said.
// Providers send whole replies in one event.
const Bound = 64 << 20

// ErrTooLarge is wrapped when an event is larger than the bound.
var ErrTooLarge = errors.New("event too large")

// Event is one event that has data.
type Event struct {
	Name string // "" where the stream gives none
	// Data is the data lines, joined by newlines. It is the reader's until the
	// next event.
	Data []byte
}

// Parser takes a stream in pieces and hands on its events. Make it with
// NewParser.
type Parser struct {
	emit  func(Event) error
	bound int
	line  []byte // the begun line, if its beginning came in an earlier piece
	data  []byte // the data lines so far, a newline after each
	name  string
	begun bool // past the place of a byte order mark
	cr    bool // the last line ended in a CR: an LF that follows is part of it
	err   error
}

// NewParser makes a parser that calls emit for each event. An error of emit
// ends the parsing. Events larger than bound do, too; 0 stands for Bound.
func NewParser(bound int, emit func(Event) error) *Parser {
	if bound <= 0 {
		bound = Bound
	}
	return &Parser{emit: emit, bound: bound}
}

// Write takes the next piece of the stream, and fails for ever once it failed.
func (p *Parser) Write(b []byte) (int, error) {
	n := len(b)
	for len(b) > 0 && p.err == nil {
		b = p.step(b)
	}
	if p.err != nil {
		return 0, p.err
	}
	return n, nil
}

// Close ends the stream. An event that lacks but its empty line is handed on;
// a line that was cut is not.
func (p *Parser) Close() error {
	if p.err == nil {
		p.err = p.dispatch()
	}
	p.line = nil
	return p.err
}

// step takes one line, or the beginning of one, from b and returns the rest.
func (p *Parser) step(b []byte) []byte {
	if p.cr {
		p.cr = false
		if b[0] == '\n' {
			return b[1:]
		}
	}
	end := bytes.IndexAny(b, "\r\n")
	if end < 0 {
		p.line = append(p.line, b...)
		p.err = p.fits(len(p.line))
		return nil
	}
	line := b[:end]
	if len(p.line) > 0 {
		p.line = append(p.line, line...)
		line = p.line
	}
	p.cr = b[end] == '\r'
	if p.err = p.fits(len(line)); p.err == nil {
		p.err = p.read(p.unmarked(line))
	}
	p.line = p.line[:0]
	return b[end+1:]
}

func (p *Parser) fits(line int) error {
	if size := line + len(p.data) + len(p.name); size > p.bound {
		return fmt.Errorf("parse event stream: %w: more than %d bytes", ErrTooLarge, p.bound)
	}
	return nil
}

// unmarked takes the byte order mark off the first line.
func (p *Parser) unmarked(line []byte) []byte {
	if p.begun {
		return line
	}
	p.begun = true
	return bytes.TrimPrefix(line, []byte("\ufeff"))
}

func (p *Parser) read(line []byte) error {
	if len(line) == 0 {
		return p.dispatch()
	}
	field, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(field) {
	case "data":
		p.data = append(append(p.data, value...), '\n')
	case "event":
		p.name = string(value)
	}
	return nil
}

// dispatch hands on the event that a line ended. One without data is none.
func (p *Parser) dispatch() error {
	e := Event{Name: p.name, Data: p.data}
	p.name, p.data = "", p.data[:0]
	if len(e.Data) == 0 {
		return nil
	}
	e.Data = e.Data[: len(e.Data)-1 : len(e.Data)-1]
	return p.emit(e)
}

// Encode returns the bytes of an event; name may be "".
func Encode(name string, data []byte) []byte {
	var b bytes.Buffer
	if name != "" {
		b.WriteString("event: " + name + "\n")
	}
	for line := range bytes.Lines(data) {
		b.WriteString("data: ")
		b.Write(bytes.TrimSuffix(line, []byte("\n")))
		b.WriteByte('\n')
	}
	b.WriteByte('\n')
	return b.Bytes()
}
