package message

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// stripCacheControl drops every "cache_control" member of the outermost object
// of s. Deeper ones belong to content: a tool's arguments may hold that name.
func stripCacheControl(s string) []byte {
	if !strings.Contains(s, `"cache_control"`) {
		return []byte(s)
	}
	d := jsontext.NewDecoder(strings.NewReader(s), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if d.PeekKind() != '{' {
		return []byte(s)
	}
	out, err := copyMembers(d)
	if err != nil {
		return []byte(s)
	}
	return out
}

func copyMembers(d *jsontext.Decoder) ([]byte, error) {
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteByte('{')
	for d.PeekKind() != '}' {
		name, err := d.ReadValue()
		if err != nil {
			return nil, err
		}
		key := string(name)
		val, err := d.ReadValue()
		if err != nil {
			return nil, err
		}
		if key == `"cache_control"` {
			continue
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		b.WriteString(key)
		b.WriteByte(':')
		b.Write(val)
	}
	b.WriteByte('}')
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, errors.New("trailing bytes after object")
	}
	return b.Bytes(), nil
}
