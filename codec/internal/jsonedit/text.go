package jsonedit

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Text decodes a JSON string. Invalid UTF-8 and lone surrogates become U+FFFD.
func Text(raw []byte) (string, bool) {
	if len(raw) < 2 || raw[0] != '"' {
		return "", false
	}
	return unquoted(raw), true
}

// TextOf decodes a JSON string; anything else is "".
func TextOf(raw []byte) string {
	s, _ := Text(raw)
	return s
}

func unquoted(raw []byte) string {
	if len(raw) < 2 || !utf8.Valid(raw) {
		return string(decoded(raw))
	}
	body := raw[1 : len(raw)-1]
	i := bytes.IndexByte(body, '\\')
	if i < 0 {
		return string(body)
	}
	var b strings.Builder
	b.Grow(len(body))
	for ; i >= 0; i = bytes.IndexByte(body, '\\') {
		if i+1 == len(body) || escapes[body[i+1]] == 0 {
			return string(decoded(raw))
		}
		b.Write(body[:i])
		b.WriteByte(escapes[body[i+1]])
		body = body[i+2:]
	}
	b.Write(body)
	return b.String()
}

// unquotedBytes is a string decoded: its own bytes, if it has no escapes.
func unquotedBytes(raw []byte) []byte {
	if body := raw[1 : len(raw)-1]; bytes.IndexByte(body, '\\') < 0 && utf8.Valid(body) {
		return body
	}
	return decoded(raw)
}

// escapes holds the bytes that short escapes stand for.
var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// decoded is unquoted for the strings that are not simple.
func decoded(raw []byte) []byte {
	b, _ := jsontext.AppendUnquote(make([]byte, 0, len(raw)), raw)
	return b
}

// Quote encodes s as a JSON string.
func Quote(s string) []byte {
	b, _ := jsontext.AppendQuote(make([]byte, 0, len(s)+len(s)/16+2), s)
	return b
}

// Int decodes a JSON integer; anything else is 0.
func Int(raw []byte) int {
	n, err := strconv.Atoi(string(raw))
	if err != nil {
		return 0
	}
	return n
}

// True reports whether raw is the literal true.
func True(raw []byte) bool { return string(raw) == "true" }

// IsNull reports whether raw is absent or the literal null.
func IsNull(raw []byte) bool { return len(raw) == 0 || string(raw) == "null" }

// IsObject reports whether s is one valid JSON object, white space around allowed.
func IsObject(s []byte) bool {
	r := NewReader(s)
	if r.Kind() != Object {
		return false
	}
	if _, err := r.Value(); err != nil {
		return false
	}
	return r.End() == nil
}

// Build writes an object of the members that have a value.
func Build(ms ...Member) []byte {
	var b bytes.Buffer
	b.WriteByte('{')
	for _, m := range ms {
		if m.Value == nil {
			continue
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		b.Write(Quote(m.Name))
		b.WriteByte(':')
		b.Write(m.Value)
	}
	b.WriteByte('}')
	return b.Bytes()
}
