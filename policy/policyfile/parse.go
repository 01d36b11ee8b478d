package policyfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

func parse(path string, data []byte) (*document, error) {
	if strings.HasSuffix(path, ".json") {
		return fromJSON(path, data)
	}
	return fromTOML(path, data)
}

func fromJSON(path string, data []byte) (*document, error) {
	d := &document{path: path, json: data, lines: map[string]int{}}
	dec := jsontext.NewDecoder(bytes.NewReader(data))
	for {
		_, err := dec.ReadToken()
		line := 1 + bytes.Count(data[:dec.InputOffset()], []byte("\n"))
		if errors.Is(err, io.EOF) {
			return d, nil
		}
		if err != nil {
			return nil, &Error{Path: path, Line: line, Err: err}
		}
		if at := dotted(dec.StackPointer()); d.lines[at] == 0 {
			d.lines[at] = line
		}
	}
}

func fromTOML(path string, data []byte) (*document, error) {
	var top map[string]any
	if err := toml.Unmarshal(data, &top); err != nil {
		line, why := 0, strings.TrimPrefix(err.Error(), "toml: ")
		var at *toml.DecodeError
		if errors.As(err, &at) {
			line, _ = at.Position()
		}
		return nil, &Error{Path: path, Line: line, Err: errors.New(why)}
	}
	d := &document{path: path, lines: linesOf(data)}
	if field := notFinite("", top); field != "" {
		return nil, d.wrong(field, errors.New("not a number that can be counted with"))
	}
	var err error
	d.json, err = json.Marshal(top)
	return d, err
}

// linesOf finds the lines of the fields of a file that is well formed.
func linesOf(data []byte) map[string]int {
	lines, tables, table := map[string]int{}, map[string]int{}, ""
	var p unstable.Parser
	p.Reset(data)
	for p.NextExpression() {
		e := p.Expression()
		var keys []string
		line := 0
		for it := e.Key(); it.Next(); {
			keys, line = append(keys, string(it.Node().Data)), p.Shape(it.Node().Raw).Start.Line
		}
		at := strings.Join(keys, ".")
		switch e.Kind {
		case unstable.ArrayTable:
			n := tables[at]
			tables[at], table = n+1, fmt.Sprintf("%s[%d]", at, n)
			at = table
		case unstable.Table:
			table = at
		default:
			at = strings.TrimPrefix(table+"."+at, ".")
		}
		if lines[at] == 0 {
			lines[at] = line
		}
	}
	return lines
}

// notFinite returns the field of a number that JSON cannot write, "" for none.
func notFinite(at string, v any) string {
	switch v := v.(type) {
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return at
		}
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			if f := notFinite(strings.TrimPrefix(at+"."+k, "."), v[k]); f != "" {
				return f
			}
		}
	case []any:
		for i := range v {
			if f := notFinite(fmt.Sprintf("%s[%d]", at, i), v[i]); f != "" {
				return f
			}
		}
	}
	return ""
}

// dotted writes a pointer as fields are written: rungs[0].strategy.
func dotted(p jsontext.Pointer) string {
	var b strings.Builder
	for token := range p.Tokens() {
		switch {
		case token != "" && strings.Trim(token, "0123456789") == "":
			fmt.Fprintf(&b, "[%s]", token)
		case b.Len() > 0:
			b.WriteString("." + token)
		default:
			b.WriteString(token)
		}
	}
	return b.String()
}

// kindOf says which values a Go type takes.
func kindOf(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Int:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a text"
	case reflect.Slice:
		return "a list"
	}
	return "a table"
}

// TOML writes a policy as a file that Parse reads.
func (s Setup) TOML() ([]byte, error) {
	data, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("write policy: %w", err)
	}
	var top map[string]any
	if err := json.Unmarshal(data, &top); err != nil {
		return nil, fmt.Errorf("write policy: %w", err)
	}
	out, err := toml.Marshal(whole(top))
	if err != nil {
		return nil, fmt.Errorf("write policy: %w", err)
	}
	return out, nil
}

// whole turns whole numbers into integers, at any depth.
func whole(v any) any {
	switch v := v.(type) {
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < math.MaxInt32 {
			return int64(v)
		}
	case map[string]any:
		for k := range v {
			v[k] = whole(v[k])
		}
	case []any:
		for i := range v {
			v[i] = whole(v[i])
		}
	}
	return v
}
