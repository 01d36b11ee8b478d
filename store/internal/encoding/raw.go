package encoding

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
)

// rawWriter collects raw fields, each stored once.
type rawWriter struct {
	raw  []byte
	at   []int // see document.Raw
	from int   // where the last field was found
}

func (p *rawWriter) put(raw []byte) {
	if raw == nil {
		p.at = append(p.at, -1)
		return
	}
	off := p.find(raw)
	p.at = append(p.at, off, len(raw))
	p.from = off
}

func (p *rawWriter) find(raw []byte) int {
	if i := bytes.Index(p.raw[p.from:], raw); i >= 0 {
		return p.from + i
	}
	if i := bytes.Index(p.raw, raw); i >= 0 {
		return i
	}
	off := len(p.raw)
	p.raw = append(p.raw, raw...)
	return off
}

// rawReader returns raw fields in the order they were written.
type rawReader struct {
	raw []byte
	at  []int
	bad bool
}

func (t *rawReader) take() json.RawMessage {
	if len(t.at) > 0 && t.at[0] == -1 {
		t.at = t.at[1:]
		return nil
	}
	if len(t.at) < 2 {
		t.bad = true
		return nil
	}
	off, n := t.at[0], t.at[1]
	t.at = t.at[2:]
	if off < 0 || n < 0 || off > len(t.raw) || n > len(t.raw)-off {
		t.bad = true
		return nil
	}
	return json.RawMessage(t.raw[off : off+n : off+n])
}

// end reports raw fields that were missing, left over or out of place.
func (t *rawReader) end() error {
	if t.bad || len(t.at) > 0 {
		return fmt.Errorf("read content: raw fields: %w", ErrMalformed)
	}
	return nil
}

// mapStrings replaces every string that v holds. Slices and what pointers point
// to are copied first: v may share them with the caller's value.
func mapStrings(v reflect.Value, f func(string) string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(f(v.String()))
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		own := reflect.New(v.Type().Elem())
		own.Elem().Set(v.Elem())
		mapStrings(own.Elem(), f)
		v.Set(own)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				mapStrings(v.Field(i), f)
			}
		}
	case reflect.Slice:
		if v.IsNil() || v.Type().Elem().Kind() == reflect.Uint8 {
			return
		}
		own := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(own, v)
		v.Set(own)
		for i := range v.Len() {
			mapStrings(v.Index(i), f)
		}
	}
}

// widen writes each byte as the code point of its value.
func widen(s string) string {
	out := make([]rune, len(s))
	for i := range len(s) {
		out[i] = rune(s[i])
	}
	return string(out)
}

// narrow undoes widen.
func narrow(s string) string {
	out := make([]byte, 0, len(s))
	for _, r := range s {
		out = append(out, byte(r))
	}
	return string(out)
}
