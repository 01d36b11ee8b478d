package codectest

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// members lists the names and raw values of an object, in order.
func members(t testing.TB, body string) [][2]string {
	t.Helper()
	d := jsontext.NewDecoder(strings.NewReader(body), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if _, err := d.ReadToken(); err != nil {
		t.Fatal(err)
	}
	var ms [][2]string
	for d.PeekKind() != jsontext.KindEndObject {
		var m [2]string
		for i := range m {
			v, err := d.ReadValue()
			if err != nil {
				t.Fatal(err)
			}
			m[i] = string(v)
		}
		if name, err := jsontext.AppendUnquote(nil, m[0]); err == nil {
			m[0] = string(name)
		}
		ms = append(ms, m)
	}
	return ms
}
