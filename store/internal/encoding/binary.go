package encoding

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"time"

	"github.com/seed-3db51b0e/precis/message"
)

// form begins every message.
const form = "\x00\x01"

// The forms of a string, in the low two bits of its first number.
const (
	literal = iota // n bytes that follow
	slice          // n raw bytes, as they are
	quoted         // n raw bytes from within a JSON string
	indexed        // dictionary[n]
)

// The fields of a part that are there, as bits. They are written in this order.
const (
	hasRaw = 1 << iota
	hasText
	hasCallID
	hasName
	hasArgs
	hasParts
	hasDialect
	hasFailed
	hasSignature
	hasDeclared
	hasMediaType
	hasURL
	hasSize
	hasEdited
)

// The fields of a message that are there.
const (
	msgRaw = 1 << iota
	msgParts
	msgName
	msgTime
	msgMeta
	msgEdited
)

// shortest is the length from which a string is looked for in the raw bytes.
const shortest = 12

// writer builds a message's fields and collects the raw bytes beside them.
type writer struct {
	fields []byte
	raw    []byte
	at     int  // where the last string was found: they come in order
	budget int  // how many more bytes may be searched: see afford
	deep   bool // parts nest deeper than deepest
}

// Message writes a message.
func Message(m message.Message) ([]byte, error) {
	w := writer{budget: 1<<16 + 32*len(m.Raw)}
	bits := bit(m.Raw != nil, msgRaw) | bit(m.Parts != nil, msgParts) | bit(m.Name != "", msgName) |
		bit(!m.Time.IsZero(), msgTime) | bit(m.Meta, msgMeta) | bit(m.Edited, msgEdited)
	w.number(bits)
	w.short(string(m.Role))
	w.short(m.Dialect)
	var in region
	if m.Raw != nil {
		in = w.bytes(m.Raw, region{})
	}
	if m.Name != "" {
		w.short(m.Name)
	}
	if !m.Time.IsZero() {
		if err := w.time(m.Time); err != nil {
			return nil, fmt.Errorf("write content: %w", err)
		}
	}
	if m.Parts != nil {
		w.parts(m.Parts, in, 0)
	}
	if w.deep {
		return nil, fmt.Errorf("write content: parts nest deeper than %d", deepest)
	}
	out := make([]byte, 0, len(form)+binary.MaxVarintLen64+len(w.fields)+len(w.raw))
	out = append(out, form...)
	out = binary.AppendUvarint(out, uint64(len(w.fields)))
	out = append(out, w.fields...)
	return append(out, w.raw...), nil
}

func bit(on bool, b uint64) uint64 {
	if on {
		return b
	}
	return 0
}

func (w *writer) number(n uint64) { w.fields = binary.AppendUvarint(w.fields, n) }

func (w *writer) time(t time.Time) error {
	b, err := t.MarshalBinary()
	w.number(uint64(len(b)))
	w.fields = append(w.fields, b...)
	return err
}

func (w *writer) parts(ps []message.Part, in region, depth int) {
	w.number(uint64(len(ps)))
	if w.deep = w.deep || depth > deepest; w.deep {
		return
	}
	for i := range ps {
		w.part(&ps[i], in, depth)
	}
}

func (w *writer) part(p *message.Part, in region, depth int) {
	bits := bit(p.Raw != nil, hasRaw) | bit(p.Text != "", hasText) | bit(p.CallID != "", hasCallID) |
		bit(p.Name != "", hasName) | bit(p.Args != "", hasArgs) | bit(p.Parts != nil, hasParts) |
		bit(p.Dialect != "", hasDialect) | bit(p.Failed, hasFailed) | bit(p.Signature != "", hasSignature) |
		bit(p.Declared != nil, hasDeclared) | bit(p.MediaType != "", hasMediaType) | bit(p.URL != "", hasURL) |
		bit(p.Size != 0, hasSize) | bit(p.Edited, hasEdited)
	w.number(bits)
	w.short(string(p.Kind))
	if p.Raw != nil {
		in = w.bytes(p.Raw, in)
	}
	for _, s := range []string{p.Text, p.CallID, p.Name, p.Args} {
		w.text(s, in)
	}
	if p.Parts != nil {
		w.parts(p.Parts, in, depth+1)
	}
	if p.Dialect != "" {
		w.short(p.Dialect)
	}
	w.text(p.Signature, in)
	if p.Declared != nil {
		w.bytes(p.Declared, in)
	}
	w.text(p.MediaType, in)
	w.text(p.URL, in)
	if p.Size != 0 {
		w.number(uint64(p.Size))
	}
}

// short writes a string that is in the dictionary, or short.
func (w *writer) short(s string) {
	if n, ok := dictionaryIndex[s]; ok {
		w.number(n<<2 | indexed)
		return
	}
	w.number(uint64(len(s))<<2 + literal)
	w.fields = append(w.fields, s...)
}

// text writes a string where there is one: as a place in the raw bytes if it
// is found there.
func (w *writer) text(s string, in region) {
	if s == "" {
		return
	}
	if len(s) >= shortest {
		if off, n, how := w.span(s, in); how != literal {
			w.number(uint64(n)<<2 | uint64(how))
			w.place(off, n)
			return
		}
	}
	w.short(s)
}

// place writes an offset as the distance from where the last one ended.
func (w *writer) place(off, n int) {
	w.fields = binary.AppendVarint(w.fields, int64(off-w.at))
	w.at = off + n
}

// bytes writes raw bytes as a place in those beside the fields, to which they
// are added if need be, and returns where they are.
func (w *writer) bytes(b []byte, in region) region {
	off := w.find(b, in)
	if off < 0 {
		off = len(w.raw)
		w.raw = append(w.raw, b...)
	}
	w.number(uint64(len(b)))
	w.place(off, 0)
	return region{off, off + len(b)}
}

// reader reads what writer wrote.
type reader struct {
	fields []byte
	raw    []byte
	at     int
	bad    bool
}

// ParseMessage reads what Message wrote. The result's raw fields share data.
func ParseMessage(data []byte) (message.Message, error) {
	data, ok := bytes.CutPrefix(data, []byte(form))
	if !ok {
		return message.Message{}, fmt.Errorf("read content: form: %w", ErrMalformed)
	}
	n, k := binary.Uvarint(data)
	if k <= 0 || n > uint64(len(data)-k) {
		return message.Message{}, fmt.Errorf("read content: length: %w", ErrMalformed)
	}
	end := k + int(n)
	r := reader{fields: data[k:end], raw: data[end:]}
	m := r.message()
	if r.bad || len(r.fields) > 0 {
		return message.Message{}, fmt.Errorf("read content: fields: %w", ErrMalformed)
	}
	return m, nil
}

func (r *reader) message() (m message.Message) {
	bits := r.number()
	m.Role, m.Dialect = message.Role(r.text()), r.text()
	if bits&msgRaw != 0 {
		m.Raw = r.bytes()
	}
	if bits&msgName != 0 {
		m.Name = r.text()
	}
	if bits&msgTime != 0 {
		r.bad = m.Time.UnmarshalBinary(r.take(r.number())) != nil || r.bad
	}
	m.Meta, m.Edited = bits&msgMeta != 0, bits&msgEdited != 0
	if bits&msgParts != 0 {
		m.Parts = r.parts(0)
	}
	return m
}

// deepest bounds how far parts nest: a file must not exhaust the stack.
const deepest = 1000

func (r *reader) parts(depth int) []message.Part {
	n := r.number()
	if n > uint64(len(r.fields)) || depth > deepest { // a part takes two bytes and more
		r.bad = true
		return nil
	}
	ps := make([]message.Part, n)
	for i := range ps {
		if r.bad {
			return nil
		}
		r.part(&ps[i], depth)
	}
	return ps
}

func (r *reader) part(p *message.Part, depth int) {
	bits := r.number()
	p.Kind = message.Kind(r.text())
	if bits&hasRaw != 0 {
		p.Raw = r.bytes()
	}
	r.optional(&p.Text, bits&hasText)
	r.optional(&p.CallID, bits&hasCallID)
	r.optional(&p.Name, bits&hasName)
	r.optional(&p.Args, bits&hasArgs)
	if bits&hasParts != 0 {
		p.Parts = r.parts(depth + 1)
	}
	r.optional(&p.Dialect, bits&hasDialect)
	r.optional(&p.Signature, bits&hasSignature)
	if bits&hasDeclared != 0 {
		p.Declared = r.bytes()
	}
	r.optional(&p.MediaType, bits&hasMediaType)
	r.optional(&p.URL, bits&hasURL)
	if bits&hasSize != 0 {
		p.Size = int(r.number())
	}
	p.Failed, p.Edited = bits&hasFailed != 0, bits&hasEdited != 0
}

func (r *reader) optional(s *string, there uint64) {
	if there != 0 {
		*s = r.text()
	}
}

func (r *reader) number() uint64 {
	n, k := binary.Uvarint(r.fields)
	if k <= 0 {
		r.bad = true
		return 0
	}
	r.fields = r.fields[k:]
	return n
}

func (r *reader) take(n uint64) []byte {
	if n > uint64(len(r.fields)) {
		r.bad = true
		return nil
	}
	b := r.fields[:n]
	r.fields = r.fields[n:]
	return b
}

func (r *reader) text() string {
	head := r.number()
	n := head >> 2
	switch head & 3 {
	case slice:
		return string(r.place(n, true))
	case quoted:
		return unquote(r.place(n, true))
	case indexed:
		if n >= uint64(len(dictionary)) {
			r.bad = true
			return ""
		}
		return dictionary[n]
	}
	return string(r.take(n))
}

func (r *reader) bytes() json.RawMessage { return json.RawMessage(r.place(r.number(), false)) }

// place reads an offset and returns the n raw bytes there. The next offset is
// counted from their end if after, else from their start.
func (r *reader) place(n uint64, after bool) []byte {
	d, k := binary.Varint(r.fields)
	off := int64(r.at) + d
	if k <= 0 || off < 0 || off > int64(len(r.raw)) || n > uint64(len(r.raw))-uint64(off) {
		r.bad = true
		return nil
	}
	r.fields = r.fields[k:]
	b := r.raw[off : uint64(off)+n : uint64(off)+n]
	r.at = int(off)
	if after {
		r.at += len(b)
	}
	return b
}

// find looks for raw bytes in a region, from where the last thing was found on,
// and then in all there are.
func (w *writer) find(b []byte, in region) int {
	for _, x := range []region{{max(w.at, in.from), in.to}, {0, len(w.raw)}} {
		if x.from > x.to || !w.afford(x) {
			continue
		}
		if i := bytes.Index(w.raw[x.from:x.to], b); i >= 0 {
			return x.from + i
		}
	}
	return -1
}
