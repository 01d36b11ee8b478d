// Package encoding is the durable form of messages, plan records and plan headers.
//
// Use: Message and Plan write; ParseMessage, ParseRecord and
// ParseHeader read. Law: what comes back is what went in, byte for byte, also
// where JSON alone would change it: raw provider bytes are kept beside the fields
// and never re-spaced, text that is not UTF-8 is kept, a part's raw bytes that
// occur inside the message's are stored once. Promise: the same value gives the
// same bytes, so content can be named by its hash; fields added to records and
// headers later are carried without a change here.
//
// A message begins with 0 and 1, then
//
//	uvarint(len(fields)) fields raw…
//
// A record or a header is
//
//	uvarint(len(json)) json raw…
package encoding

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"unicode/utf8"

	"github.com/seed-3db51b0e/precis/plan"
)

// ErrMalformed is wrapped by every parse error.
var ErrMalformed = errors.New("malformed content")

// document is the JSON of a value whose raw fields were taken out.
type document[T any] struct {
	Value T `json:"v"`
	// Raw places each raw field in the raw bytes, in the order they are
	// visited: offset and length, or -1 alone for nil.
	Raw []int `json:"raw,omitempty"`
	// Bytes is set when strings were not all UTF-8: each byte is then written
	// as the code point of its value.
	Bytes bool `json:"bytes,omitempty"`
}

// writeRecord writes a record without the ids of its span.
func writeRecord(r plan.Record) ([]byte, error) {
	var p rawWriter
	p.put(r.Fields)
	p.put(r.Summary)
	if r.Meta != nil { // few records have one: nil takes no place
		p.put(r.Meta)
	}
	r.Fields, r.Summary, r.Meta, r.Span.IDs = nil, nil, nil, nil
	return write(document[plan.Record]{Value: r, Raw: p.at}, p.raw)
}

// ParseRecord reads what writeRecord wrote.
func ParseRecord(data []byte) (plan.Record, error) {
	s, raw, err := read[plan.Record](data)
	if err != nil {
		return plan.Record{}, err
	}
	t := rawReader{raw: raw, at: s.Raw}
	s.Value.Fields = t.take()
	s.Value.Summary = t.take()
	if len(t.at) > 0 {
		s.Value.Meta = t.take()
	}
	return s.Value, t.end()
}

// writeHeader writes a plan without its records, its time in UTC.
func writeHeader(p plan.Plan) ([]byte, error) {
	p.CreatedAt = p.CreatedAt.UTC()
	p.Records = p.Records[:0:0] // keeps nil apart from empty
	return write(document[plan.Plan]{Value: p}, nil)
}

// ParseHeader reads what writeHeader wrote.
func ParseHeader(data []byte) (plan.Plan, error) {
	s, _, err := read[plan.Plan](data)
	return s.Value, err
}

// write puts the JSON of s before raw. encoding/json writes U+FFFD for what is
// not UTF-8, so only JSON that shows one can have lost bytes.
func write[T any](s document[T], raw []byte) ([]byte, error) {
	js, err := compact(s)
	if err != nil {
		return nil, fmt.Errorf("write content: %w", err)
	}
	if bytes.Contains(js, []byte(`\ufffd`)) || bytes.ContainsRune(js, utf8.RuneError) {
		mapStrings(reflect.ValueOf(&s.Value).Elem(), widen)
		s.Bytes = true
		if js, err = compact(s); err != nil {
			return nil, fmt.Errorf("write content: %w", err)
		}
	}
	out := make([]byte, 0, binary.MaxVarintLen64+len(js)+len(raw))
	out = binary.AppendUvarint(out, uint64(len(js)))
	out = append(out, js...)
	return append(out, raw...), nil
}

// compact marshals without escaping <, > and &: the raw bytes beside it hold
// the same text, and compression should find it.
func compact(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

func read[T any](data []byte) (document[T], []byte, error) {
	var s document[T]
	n, k := binary.Uvarint(data)
	if k <= 0 || n > uint64(len(data)-k) {
		return s, nil, fmt.Errorf("read content: length: %w", ErrMalformed)
	}
	end := k + int(n)
	if err := json.Unmarshal(data[k:end], &s); err != nil {
		return s, nil, fmt.Errorf("read content: %w: %w", ErrMalformed, err)
	}
	if s.Bytes {
		mapStrings(reflect.ValueOf(&s.Value).Elem(), narrow)
	}
	return s, data[end:], nil
}
