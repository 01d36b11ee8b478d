package tool

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/seed-3db51b0e/precis/internal/oneline"
)

// keyFields collects what a placeholder must keep: what the tool declared, then
// the fields its policy names. Where neither says anything it is a guess: the
// short arguments, and the members of the result that look like identity or
// state.
func (r *Reading) keyFields(preserve []string) json.RawMessage {
	f := fieldList{}
	for _, m := range membersOf(jsontext.Value(r.declared)) {
		f.names, f.vals = append(f.names, m.name), append(f.vals, m.raw)
	}
	for _, n := range preserve {
		r.keyField(&f, n)
	}
	if len(r.declared) > 0 || preserve != nil || r.Class == Todo {
		return f.object()
	}
	for i := range r.args {
		f.guess(&r.args[i])
	}
	for i := range r.out {
		if isIdentity(r.out[i].name) {
			f.guess(&r.out[i])
		}
	}
	return f.object()
}

// keyField adds a field that a policy names, from what was read of the call, its
// arguments or its result.
func (r *Reading) keyField(f *fieldList, name string) {
	switch {
	case name == "exit_code" && r.Exit != nil:
		f.add(name, strconv.AppendInt(nil, int64(*r.Exit), 10))
	case name == "success" && r.Outcome != Partial:
		f.add(name, strconv.AppendBool(nil, r.Outcome == Success))
	case name == "command" && r.Command != "":
		f.add(name, quote(clip(r.Command, maxField)))
	case name == "path" && len(r.Touched) > 0:
		f.add(name, quote(r.Touched[0].Path))
	case name == "status_code" && r.Class == HTTP:
		if code := httpStatus(r.Text, r.out); code != nil {
			f.add(name, strconv.AppendInt(nil, int64(*code), 10))
		}
	default:
		for _, ms := range [][]member{r.args, r.out} {
			for i := range ms {
				if strings.EqualFold(ms[i].name, name) {
					f.named(&ms[i])
				}
			}
		}
	}
}

// isIdentity is true for names of members that say which thing, or in which state.
func isIdentity(name string) bool {
	n := strings.ToLower(name)
	if i := strings.LastIndexByte(n, '_'); i >= 0 {
		n = n[i+1:]
	}
	switch n {
	case "id", "status", "state", "total", "number", "code", "count", "name", "url", "email", "date", "error", "amount", "price", "version", "key":
		return true
	}
	return strings.HasSuffix(name, "Id") || strings.HasSuffix(name, "ID")
}

const (
	maxField  = 200  // bytes of a guessed field, and of a command
	maxNamed  = 1000 // bytes of a field that a policy names
	maxFields = 12   // guessed fields
)

type fieldList struct {
	names []string
	vals  [][]byte
}

func (f *fieldList) add(name string, v []byte) {
	if !slices.Contains(f.names, name) {
		f.names, f.vals = append(f.names, name), append(f.vals, v)
	}
}

// named adds any value but null and "".
func (f *fieldList) named(m *member) {
	switch k := m.raw.Kind(); {
	case len(m.text) == 0 || len(m.raw) > maxNamed || k == 'n':
	case m.quoted:
		f.add(m.name, quote(m.text))
	default:
		f.add(m.name, m.raw)
	}
}

// guess adds a short scalar.
func (f *fieldList) guess(m *member) {
	switch k := m.raw.Kind(); {
	case len(f.names) >= maxFields || len(m.text) > maxField || k == '{' || k == '[':
	default:
		f.named(m)
	}
}

func (f *fieldList) object() json.RawMessage {
	if len(f.names) == 0 {
		return nil
	}
	b := []byte{'{'}
	for i, n := range f.names {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, quote(n)...), ':'), f.vals[i]...)
	}
	return append(b, '}')
}

// clip cuts s to at most n bytes at a rune boundary.
func clip(s string, n int) string {
	return oneline.Start(s, n)
}
