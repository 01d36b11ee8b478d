package tool

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// member is one member of a JSON object. text is the decoded value of a
// string, the text of any other value.
type member struct {
	name   string
	text   string
	raw    jsontext.Value
	quoted bool
}

// members reads the members of the outermost object of s, nil when s is not an
// object. What follows a syntax error is left out.
func members(s string) []member {
	if i := firstByte(s); i < 0 || s[i] != '{' {
		return nil
	}
	return membersOf([]byte(s))
}

// membersOf is members of JSON that may be kept: they are slices of it.
func membersOf(raw jsontext.Value) []member {
	if raw.Kind() != '{' {
		return nil
	}
	d := decoder(raw)
	if _, err := d.ReadToken(); err != nil {
		return nil
	}
	var ms []member
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return ms
		}
		key := name.String()
		v, err := d.ReadValue()
		if err != nil {
			return ms
		}
		ms = append(ms, memberOf(key, v))
	}
	return ms
}

func memberOf(name string, v jsontext.Value) member {
	m := member{name: name, raw: v}
	if v.Kind() == '"' {
		if bytes.IndexByte(v, '\\') < 0 && utf8.Valid(v) {
			m.text, m.quoted = string(v[1:len(v)-1]), true
			return m
		}
		if b, err := jsontext.AppendUnquote(make([]byte, 0, len(v)), v); err == nil {
			m.text, m.quoted = string(b), true
			return m
		}
	}
	m.text = string(v)
	return m
}

// elements reads the values of an array, nil when v is none.
func elements(v jsontext.Value) []jsontext.Value {
	if v.Kind() != '[' {
		return nil
	}
	d := decoder(v)
	if _, err := d.ReadToken(); err != nil {
		return nil
	}
	var vs []jsontext.Value
	for k := d.PeekKind(); k != ']' && k != 0; k = d.PeekKind() {
		e, err := d.ReadValue()
		if err != nil {
			break
		}
		vs = append(vs, e)
	}
	return vs
}

// lenient reads the JSON that models and tools write: names may repeat, and characters may be none.
var lenient = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

// Decode readies a decoder for a text that a model or a tool wrote, and returns it.
func Decode(d *jsontext.Decoder, text string) *jsontext.Decoder {
	d.Reset(strings.NewReader(text), lenient...)
	return d
}

// decoder reads raw, of which the values it returns are slices.
func decoder(raw []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBuffer(raw), lenient...)
}

func firstByte(s string) int {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case ' ', '\t', '\n', '\r':
		default:
			return i
		}
	}
	return -1
}

// structured returns s as JSON when it is one object or array.
func structured(s string) json.RawMessage {
	i := firstByte(s)
	if i < 0 || s[i] != '{' && s[i] != '[' {
		return nil
	}
	if raw := json.RawMessage(s); json.Valid(raw) {
		return raw
	}
	return nil
}

// spaced writes JSON on one line with a space after each comma and colon.
func spaced(raw json.RawMessage) string {
	if len(raw) == 0 {
		return ""
	}
	v := jsontext.Value(raw).Clone()
	err := v.Format(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true), jsontext.PreserveRawStrings(true),
		jsontext.SpaceAfterColon(true), jsontext.SpaceAfterComma(true))
	if err != nil {
		return string(raw)
	}
	return string(v)
}

// quote writes s as a JSON string; what is not UTF-8 becomes U+FFFD.
func quote(s string) []byte {
	b, err := jsontext.AppendQuote(nil, strings.ToValidUTF8(s, "\uFFFD"))
	if err != nil {
		return []byte(`""`)
	}
	return b
}
