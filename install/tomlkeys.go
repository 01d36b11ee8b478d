package install

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// definition is a key of a TOML file with its table, or a table's own name.
type definition struct {
	path  []string
	table bool // a heading, not a key with its value
}

// outline is where a reading of a TOML file stands. It tells keys from what looks like one
// in a text, and finds what is left open; it does not judge the values.
type outline struct {
	text string
	at   int
}

// definitions are all of a TOML file, in order.
func definitions(file []byte) (all []definition, err error) {
	o := &outline{text: strings.TrimPrefix(string(file), "\ufeff")}
	var table []string
	from := 0
	for err == nil && o.blank() {
		var d definition
		from = o.at
		if d, err = o.next(); d.table {
			table = d.path
		} else {
			d.path = slices.Concat(table, d.path)
		}
		all = append(all, d)
	}
	if err != nil {
		return nil, fmt.Errorf("line %d: %w", 1+strings.Count(o.text[:from], "\n"), err)
	}
	return all, nil
}

// blank passes over white space and comments, and tells whether something follows.
func (o *outline) blank() bool {
	for o.at < len(o.text) {
		switch o.text[o.at] {
		case ' ', '\t', '\r', '\n':
			o.at++
		case '#':
			o.at += len(o.line())
		default:
			return true
		}
	}
	return false
}

// line is the rest of the line.
func (o *outline) line() string {
	rest := o.text[o.at:]
	if n := strings.IndexByte(rest, '\n'); n >= 0 {
		return rest[:n]
	}
	return rest
}

// take passes over a text and white space around it, if it is what follows.
func (o *outline) take(s string) bool {
	rest := strings.TrimLeft(o.text[o.at:], " \t")
	if !strings.HasPrefix(rest, s) {
		return false
	}
	rest = strings.TrimLeft(rest[len(s):], " \t")
	o.at = len(o.text) - len(rest)
	return true
}

// next reads a heading, or a key and its value.
func (o *outline) next() (d definition, err error) {
	closes := ""
	if o.take("[[") {
		closes = "]]"
	} else if o.take("[") {
		closes = "]"
	}
	d.table = closes != ""
	if d.path, err = o.path(); err != nil {
		return d, err
	}
	if !d.table {
		if !o.take("=") {
			return d, errors.New("want = behind a key")
		}
		return d, o.value()
	}
	if !o.take(closes) || strings.TrimSpace(strings.SplitN(o.line(), "#", 2)[0]) != "" {
		return d, fmt.Errorf("want %s at the end of a heading", closes)
	}
	return d, nil
}

// bare are the characters of a name without quotes.
const bare = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"

// path reads the names of a key, with dots between them.
func (o *outline) path() (names []string, err error) {
	for {
		name := o.text[o.at:][:len(o.text[o.at:])-len(strings.TrimLeft(o.text[o.at:], bare))]
		o.at += len(name)
		if from := o.at; name == "" && o.quoted() {
			name = o.text[from:o.at]
			if quote := name[:1]; quote == "'" {
				name = strings.Trim(name, quote)
			} else if name, err = strconv.Unquote(name); err != nil {
				return nil, err
			}
		} else if name == "" {
			return nil, errors.New("want a key")
		}
		if names = append(names, name); !o.take(".") {
			return names, nil
		}
	}
}

// value passes over a value, to the end of its line or the comment there.
func (o *outline) value() error {
	for from, depth := o.at, 0; ; {
		if o.at == len(o.text) || depth == 0 && strings.IndexByte("#\n", o.text[o.at]) >= 0 {
			if depth > 0 || strings.TrimSpace(o.text[from:o.at]) == "" {
				return errors.New("want the value of a key, whole")
			}
			return nil
		}
		switch o.text[o.at] {
		case '"', '\'':
			if !o.quoted() {
				return errors.New("want the end of a text")
			}
			continue
		case '#':
			o.at += len(o.line())
			continue
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		}
		o.at++
	}
}

// quoted passes over a text in quotes, if one begins here and ends.
func (o *outline) quoted() bool {
	rest := o.text[o.at:]
	if rest == "" || rest[0] != '"' && rest[0] != '\'' {
		return false
	}
	quote := rest[:1]
	many := strings.HasPrefix(rest, quote+quote+quote)
	if many {
		quote = rest[:3]
	}
	for i := len(quote); i < len(rest); i++ {
		switch {
		case rest[i] == '\\' && quote[0] == '"':
			i++
		case rest[i] == '\n' && !many:
			return false
		case strings.HasPrefix(rest[i:], quote):
			i += len(quote)
			for n := 0; many && n < 2 && strings.HasPrefix(rest[i:], quote[:1]); n++ { // it may end with quotes of its own
				i++
			}
			o.at += i
			return true
		}
	}
	return false
}
